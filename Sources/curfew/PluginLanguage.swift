// SPDX-License-Identifier: Apache-2.0

/// The languages of `curfew new`.
enum PluginLanguage: String, CaseIterable {
    case c
    case swift

    /// The name of the language for people.
    var title: String {
        switch self {
        case .c: "C"
        case .swift: "Swift"
        }
    }
}
