// SPDX-License-Identifier: Apache-2.0

/// The languages of `curfew new`.
enum PluginLanguage: String, CaseIterable {
    case c
    case swift

    /// How people write it.
    var title: String {
        switch self {
        case .c: "C"
        case .swift: "Swift"
        }
    }
}
