// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// Where the control group of a process is in the file system, version 2 (cgroups(7), proc(5)).
struct ControlGroupPath: Equatable {
    let text: String
    /// The directory of the group above it; nil if that is not to be seen.
    let parent: String?

    /// Reads what the kernel says of a process. Nil where its group is not to be seen.
    ///
    /// - Parameters:
    ///   - groups: its file `cgroup`.
    ///   - mounts: its file `mountinfo`.
    init?(groups: String, mounts: String) {
        let own = groups.split(separator: "\n").first { $0.hasPrefix("0::/") }?.dropFirst(3)
        guard let own, !own.hasSuffix(" (deleted)") else { return nil }
        for line in mounts.split(separator: "\n") {
            // 36 35 98:0 ROOT PLACE rw,noatime shared:1 - TYPE source options
            let fields = line.split(separator: " ")
            guard let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count, dash >= 5,
                fields[dash + 1] == "cgroup2"
            else { continue }
            let root = Self.unescaped(fields[3])
            let place = Self.unescaped(fields[4])
            guard root == "/" || own == root || own.hasPrefix(root + "/") else { continue }
            let below = String(own.dropFirst(root == "/" ? 0 : root.count))
                .parts(at: "/").map(String.init)
            text = ([place] + below).joined(separator: "/")
            parent = below.isEmpty ? nil : ([place] + below.dropLast()).joined(separator: "/")
            return
        }
        return nil
    }

    /// A field of mountinfo, in which a space is \040, for example.
    private static func unescaped(_ field: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(field.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.count >= 3,
                let value = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
