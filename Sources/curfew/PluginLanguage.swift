// SPDX-License-Identifier: Apache-2.0

/// What a plugin can be written in that `curfew new` begins.
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
