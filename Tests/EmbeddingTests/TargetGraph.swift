// SPDX-License-Identifier: Apache-2.0

/// Targets, and what each depends on.
struct TargetGraph {
    /// In the order in which they stand there.
    let names: [String]
    let dependencies: [String: Set<String>]

    /// Reads lines of `Name → Other, Another`, or `Name → nothing`.
    ///
    /// - Throws: ``Fault`` when a target has two lines.
    init(drawn text: String) throws {
        var names: [String] = []
        var dependencies: [String: Set<String>] = [:]
        for match in text.matches(of: /(?m)^(\w+) +→ (.+)$/) {
            let name = String(match.1)
            guard dependencies[name] == nil else { throw Fault(text: "\(name) has two lines") }
            names.append(name)
            dependencies[name] = Set(
                match.2.split(separator: ", ").map(String.init).filter { $0 != "nothing" })
        }
        self.names = names
        self.dependencies = dependencies
    }

    /// Reads the targets of a Package.swift as far as it is written plainly: asking SwiftPM takes
    /// longer than all other tests of it together.
    init(manifest: String) {
        var names: [String] = []
        var dependencies: [String: Set<String>] = [:]
        let plain = manifest.replacing(/\/\/[^\n]*/, with: "")
        let target = /\.(?:target|executableTarget|systemLibrary)\(\s*name: "([\w-]+)"/
        for match in plain.matches(of: target) {
            // Up to the next target.
            let rest = plain[match.range.upperBound...]
            let end = rest.firstMatch(
                of: /\.(?:target|executableTarget|systemLibrary|testTarget)\(/
            )?.range.lowerBound
            let own = rest[..<(end ?? rest.endIndex)]
            let list = own.firstMatch(of: /dependencies: \[([^\]]*)\]/)?.1 ?? ""
            let name = String(match.1)
            names.append(name)
            dependencies[name] = Set(list.matches(of: /"([\w-]+)"/).map { String($0.1) })
        }
        self.names = names
        self.dependencies = dependencies
    }
}
