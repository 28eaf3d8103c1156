// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

/// The files, network and limits that a plugin's process gets: `needs` of a manifest.
///
/// It confines, and never grants what the host does not have. Without it, files and network are those of
/// the host's user.
package struct ManifestNeeds: Hashable, Sendable {
    package enum Network: Hashable, Sendable {
        case none
        case all
        /// Of TCP, to connect to.
        case ports([UInt16])
    }

    /// Paths of files and directories, which cover everything below them. Each is absolute, or begins with
    /// a `Place`.
    package var read: [String] = []
    package var write: [String] = []
    package var run: [String] = []
    package var network = Network.none
    /// The limit of private memory in bytes; nil for the default of hosts.
    package var memory: UInt64?
    package var descriptors: UInt64?
    /// The limit of processes and threads together; nil for the default.
    package var processes: UInt64?
    /// Variables of the host's environment that it gets besides the usual ones.
    package var environment: [String] = []

    package init() {}

    /// Directories that a path can begin with: the plugin's own, and those that a host makes for it.
    package enum Place: String, CaseIterable, Sendable {
        case plugin = "@PLUGIN@"
        case state = "@STATE@"
        case cache = "@CACHE@"
        case temporary = "@TMP@"
    }

    /// Divides a path into the place it begins with and the rest; nil for an absolute one.
    package static func place(of path: String) -> (place: Place, rest: String)? {
        for place in Place.allCases where path.begins(with: place.rawValue) {
            let rest = path.utf8.dropFirst(place.rawValue.utf8.count)
            return (place, String(decoding: rest, as: UTF8.self))
        }
        return nil
    }

    // The limits.
    package static var pathLimit: Int { 32 }
    package static var pathBytesLimit: Int { 1_024 }
    package static var portLimit: Int { 64 }
    package static var variableLimit: Int { 64 }
    package static var memoryRange: ClosedRange<UInt64> { 64_000_000...1_000_000_000_000 }
    package static var descriptorRange: ClosedRange<Int64> { 32...1_048_576 }
    package static var processRange: ClosedRange<Int64> { 1...32_768 }

    /// Units of memory, and their bytes.
    package static let units: [(name: String, bytes: UInt64)] = [
        ("MB", 1_000_000), ("GB", 1_000_000_000), ("MiB", 1 << 20), ("GiB", 1 << 30),
    ]

    /// Reads an amount of memory such as "512MiB": a whole number of up to seven digits, without zeros before
    /// it, and a unit. Returns its bytes, or nil.
    package static func bytes(of text: String) -> UInt64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard digits.utf8.count <= 7, digits.utf8.first != UInt8(ascii: "0"),
            let number = UInt64(digits),
            let unit = units.first(where: {
                $0.name.utf8.elementsEqual(text.utf8.dropFirst(digits.utf8.count))
            })
        else { return nil }
        return number * unit.bytes
    }
}
