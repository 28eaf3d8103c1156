// SPDX-License-Identifier: Apache-2.0

/// A schedule of a host's configuration: a request that is there as long as the configuration has it.
package struct Schedule: Hashable, Sendable {
    /// Its name, which is unique in a store: that in its configuration, after that of its set and a slash if the
    /// configuration names one.
    package let name: String
    /// The request, which is repeated.
    package let description: RequestDescription
    /// The payload of each launch.
    package let payload: [UInt8]
    /// Whether it is launched; otherwise it only keeps its name.
    package let isEnabled: Bool
    /// A digest of all that the configuration says of it: another one is another schedule.
    package let digest: String
    /// The place in the configuration, for people.
    package let source: String

    package init(
        name: String, description: RequestDescription, payload: [UInt8] = [],
        isEnabled: Bool = true, digest: String, source: String
    ) {
        self.name = name
        self.description = description
        self.payload = payload
        self.isEnabled = isEnabled
        self.digest = digest
        self.source = source
    }

    /// Returns the schedule in a set of that name; "" for none.
    package func inSet(_ set: String) -> Schedule {
        guard !set.isEmpty else { return self }
        return Schedule(
            name: set + "/" + name, description: description, payload: payload,
            isEnabled: isEnabled, digest: digest, source: source)
    }

    /// Returns the set of a schedule with that name; "" for none.
    static func set(of name: String) -> String {
        let parts = name.parts(at: "/")
        return parts.count > 1 ? String(parts[0]) : ""
    }

    /// Whether a text is a name in a store.
    package static func isStoredName(_ text: String) -> Bool {
        let parts = text.parts(at: "/", omittingEmpty: false)
        return parts.count <= 2 && parts.allSatisfy { isName(String($0)) }
    }

    /// The maximum number of schedules of a store.
    package static let limit = 10_000

    /// Whether a text is a name: a small letter or a digit, then up to 63 of those and `-`.
    package static func isName(_ text: String) -> Bool {
        let bytes = text.utf8
        guard (1...64).contains(bytes.count), bytes.first != UInt8(ascii: "-") else { return false }
        return bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
    }
}
