// SPDX-License-Identifier: Apache-2.0
import TestSupport

/// Targets, and what each depends on.
struct TargetGraph {
    /// In the order in which they stand there.
    let names: [String]
    let dependencies: [String: Set<String>]

    /// Reads the picture that `make layers` draws: names from the top to the bottom, and arrows.
    init(picture: String) {
        // Hyphens of names, and not those of arrows.
        let picture = picture.replacing(/&#45;(?!&gt;)/, with: "-")
        var heights: [String: Double] = [:]
        var dependencies: [String: Set<String>] = [:]
        let group =
            /<title>([\w-]+)(?:&#45;&gt;([\w-]+))?<\/title>\n[^\n]*\n(?:<text [^>]* y="([-.\d]+)")?/
        for match in picture.matches(of: group) {
            let name = String(match.1)
            if let other = match.2 {
                dependencies[name, default: []].insert(String(other))
            } else if let height = match.3.flatMap({ Double($0) }) {
                heights[name] = height
                dependencies[name] = dependencies[name] ?? []
            }
        }
        names = heights.sorted { $0.value < $1.value }.map(\.key)
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

    /// Keeps some of the targets.
    func filter(_ isIncluded: (String) -> Bool) -> TargetGraph {
        TargetGraph(
            names: names.filter(isIncluded),
            dependencies: dependencies.filter { isIncluded($0.key) })
    }

    private init(names: [String], dependencies: [String: Set<String>]) {
        self.names = names
        self.dependencies = dependencies
    }

    /// For each target all those below it.
    var reachable: [String: Set<String>] {
        var reachable = dependencies
        while true {
            let further = reachable.mapValues { below in
                below.union(below.flatMap { reachable[$0] ?? [] })
            }
            if further == reachable { return reachable }
            reachable = further
        }
    }
}
