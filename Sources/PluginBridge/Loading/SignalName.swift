// SPDX-License-Identifier: Apache-2.0

/// The names of signals, as signal(7) has them for most processors.
package enum SignalName {
    private static var names: [String] {
        [
            "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV",
            "USR2", "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN",
            "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
        ]
    }

    package static func of(_ number: Int32) -> String {
        let index = Int(number) - 1
        return names.indices.contains(index) ? "SIG" + names[index] : "\(number)"
    }

    /// The signals of a mask, whose bit 0 is signal 1.
    static func list(_ mask: UInt64) -> String {
        let numbers = (0..<64).filter { mask >> UInt64($0) & 1 == 1 }.map { Int32($0 + 1) }
        if numbers.isEmpty { return "none" }
        return numbers.count > 8
            ? "\(numbers.count) signals" : numbers.map(of).joined(separator: " ")
    }
}
