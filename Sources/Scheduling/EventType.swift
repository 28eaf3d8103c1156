// SPDX-License-Identifier: Apache-2.0

extension EventType {
    /// The name in manifests.
    package var name: String {
        switch self {
        case .bool: "bool"
        case .int32: "int32"
        case .int64: "int64"
        case .double: "double"
        case .text: "text"
        }
    }

    /// Reads the name in manifests.
    package init?(name: String) {
        guard let type = EventType.allCases.first(where: { $0.name == name }) else { return nil }
        self = type
    }
}
