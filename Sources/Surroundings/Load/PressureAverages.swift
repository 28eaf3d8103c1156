// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// For how much of the last time tasks waited for something. See Documentation/accounting/psi.rst of
/// Linux.
struct PressureAverages {
    /// Percent of the last ten seconds.
    let tenSeconds: Double
    /// Percent of the last minute.
    let minute: Double

    /// From a line like "some avg10=0.12 avg60=3.00 avg300=1.00 total=1234" that begins with `kind`.
    init?(_ kind: String, in text: String) {
        let lines = text.parts(at: "\n").map { $0.parts(at: " ") }
        guard let line = lines.first(where: { $0.first == kind[...] }),
            let tenSeconds = Self.percent("avg10=", of: line),
            let minute = Self.percent("avg60=", of: line)
        else { return nil }
        self.tenSeconds = tenSeconds
        self.minute = minute
    }

    private static func percent(_ key: String, of line: [Substring]) -> Double? {
        guard let word = line.first(where: { $0.begins(with: key) }),
            let number = Double(Substring(word.utf8.dropFirst(key.utf8.count))), number >= 0,
            number <= 100
        else { return nil }
        return number
    }
}
