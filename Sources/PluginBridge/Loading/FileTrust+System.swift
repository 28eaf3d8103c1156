// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension FileTrust {
    /// The trust of this process, as its user is now.
    static var ofThisProcess: FileTrust {
        FileTrust(
            user: geteuid(), outsiders: outsiders,
            isPrivate: { group, owner in
                guard
                    let groups = bytes(of: "/etc/group", limit: PrivateGroups.sizeLimit),
                    let users = bytes(of: "/etc/passwd", limit: PrivateGroups.sizeLimit)
                else { return false }
                return PrivateGroups(group: groups, passwd: users).isPrivate(group, to: owner)
            })
    }

    /// The overflow number of user_namespaces(7), unless a user of this namespace has it.
    private static var outsiders: UInt32? {
        guard let map = bytes(of: "/proc/self/uid_map", limit: 16_384),
            let overflow = bytes(of: "/proc/sys/kernel/overflowuid", limit: 64)
        else { return nil }
        return outsiders(
            map: String(decoding: map, as: UTF8.self),
            overflow: String(decoding: overflow, as: UTF8.self))
    }

    static func outsiders(map: String, overflow: String) -> UInt32? {
        guard let number = UInt32(overflow.split(whereSeparator: \.isWhitespace).first ?? "") else {
            return nil
        }
        for line in map.split(separator: "\n") {
            let fields = line.split(whereSeparator: \.isWhitespace).compactMap { UInt64($0) }
            guard fields.count == 3 else { return nil }
            let (first, count) = (fields[0], fields[2])
            if number >= first, UInt64(number) - first < count { return nil }
        }
        return number
    }

    private static func bytes(of path: String, limit: Int) -> [UInt8]? {
        guard let file = OwnedDescriptor(open(path, O_RDONLY | O_CLOEXEC)) else { return nil }
        let bytes = [UInt8](unsafeUninitializedCapacity: limit + 1) { buffer, count in
            while count <= limit {
                let rest = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                let got = read(file.number, rest.baseAddress, rest.count)
                if got > 0 {
                    count += got
                } else if got == 0 || errno != EINTR {
                    return
                }
            }
        }
        return bytes.count > limit ? nil : bytes
    }
}
