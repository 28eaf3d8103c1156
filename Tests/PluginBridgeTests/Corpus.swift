// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// The files from which the fuzzers of the readers start.
///
/// The name of a file says what the reader makes of it: `valid-….json` is accepted,
/// `fault-RULE.json` and `fault-RULE.more.json` have a fault of that rule, and of what begins
/// otherwise nothing more is asked than that it is read to an end.
struct Corpus {
    struct File: CustomStringConvertible {
        let name: String
        let bytes: [UInt8]

        var isValid: Bool { name.hasPrefix("valid-") }

        /// The rule a faulty file breaks.
        var rule: String? {
            guard name.hasPrefix("fault-") else { return nil }
            return name.dropFirst(6).split(separator: ".").first.map(String.init)
        }

        var description: String { name }
    }

    let files: [File]

    init(_ reader: String) throws {
        let directory = "\(BuiltProducts.packageRoot)/Tests/Fuzz/Corpus/\(reader)"
        files = try FileManager.default.contentsOfDirectory(atPath: directory).sorted().map {
            File(
                name: $0,
                bytes: [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(directory)/\($0)"))))
        }
    }
}
