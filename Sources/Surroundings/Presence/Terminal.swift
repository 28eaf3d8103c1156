// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A terminal that accepts keys.
struct Terminal {
    let name: String
    /// When something typed was last read from it, nanoseconds since 1970. The kernel notes that
    /// every eight seconds.
    let lastUse: Int64
    /// A console exists without a login.
    let isConsole: Bool

    /// Returns the existing terminals.
    static func all(dev: String) throws(FileFault) -> [Terminal] {
        let directory = dev + "/pts"
        var terminals: [Terminal] = []
        do {
            terminals = try Directory(directory).names().filter(isNumber).compactMap {
                Terminal(name: "pts/\($0)", in: dev, isConsole: false)
            }
        } catch { if !error.isMissing { throw error } }
        let consoles = try Directory(dev).names().filter {
            $0.hasPrefix("tty") && isNumber($0.dropFirst(3))
        }
        return terminals + consoles.compactMap { Terminal(name: $0, in: dev, isConsole: true) }
    }

    /// Nil where it is gone.
    private init?(name: String, in dev: String, isConsole: Bool) {
        var status = stat()
        guard stat("\(dev)/\(name)", &status) == 0 else { return nil }
        self.name = name
        self.isConsole = isConsole
        let (nanoseconds, overflow) = Int64(status.st_atim.tv_sec)
            .multipliedReportingOverflow(by: 1_000_000_000)
        lastUse = overflow ? .min : nanoseconds
    }

    private static func isNumber(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.count <= 9
            && text.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    }
}
