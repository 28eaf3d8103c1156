// SPDX-License-Identifier: Apache-2.0
import Glibc
package import Scheduling

extension HostIdentity {
    /// The calling process, as the kernel names it. Throws `.denied` where /proc does not say.
    package static func current() throws(StoreFault) -> HostIdentity {
        let process = getpid()
        guard let boot = text(of: "/proc/sys/kernel/random/boot_id").map(trimmed), isBoot(boot)
        else { throw unknown("/proc/sys/kernel/random/boot_id") }
        guard let start = text(of: "/proc/self/stat").flatMap(start(inStat:)) else {
            throw unknown("/proc/self/stat")
        }
        return HostIdentity(boot: boot, process: process, start: start)
    }

    /// The name of this machine, for people.
    package static var machine: String {
        var name = utsname()
        guard uname(&name) == 0 else { return "" }
        return withUnsafeBytes(of: &name.nodename) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// The inode of the namespace that process numbers are of; 0 where /proc does not say.
    package static var space: UInt64 {
        var facts = stat()
        return stat("/proc/self/ns/pid", &facts) == 0 ? UInt64(facts.st_ino) : 0
    }

    /// Whether a process of this boot and this namespace is there.
    package var isThere: Bool {
        guard let text = Self.text(of: "/proc/\(process)/stat") else { return false }
        return Self.start(inStat: text) == start
    }

    /// The 22nd field of /proc/pid/stat. The second one is the program's name, in which there may be
    /// blanks and parentheses: what counts is after the last of them.
    static func start(inStat text: String) -> UInt64? {
        guard let end = text.utf8.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = text[text.utf8.index(after: end)...].parts(at: " ")
        return fields.count > 19 ? UInt64(fields[19]) : nil
    }

    /// Letters, digits and hyphens: it is written down with blanks around it.
    static func isBoot(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (48...57).contains($0) || (97...122).contains($0) || (65...90).contains($0)
                    || $0 == 45
            }
    }

    private static func trimmed(_ text: String) -> String {
        text.parts(at: "\n").first.map(String.init) ?? ""
    }

    private static func unknown(_ file: String) -> StoreFault {
        StoreFault(
            .denied,
            "\(file) does not tell which process this is, and a store has to know: mount /proc")
    }

    private static func text(of file: String) -> String? {
        let fd = open(file, O_RDONLY | O_CLOEXEC)
        guard fd >= 0 else { return nil }
        defer { close(fd) }
        return OpenFile.beginning(of: fd, limit: 4_096).map { String(decoding: $0, as: UTF8.self) }
    }
}
