// SPDX-License-Identifier: Apache-2.0

/// What differs between a module of Apple's and ours of the same name.
struct SurfaceComparison {
    let module: String
    let apple: [SurfaceMember]
    let ours: [SurfaceMember]
    let built: [SurfaceMember]

    /// One sentence for each difference.
    var differences: [String] { missing + foreign + gone }

    private var missing: [String] {
        apple.compactMap { member in
            let found = built.filter { $0.name == member.name }
            guard !found.contains(where: { $0.isSame(as: member) }) else { return nil }
            guard !found.isEmpty else { return "\(module) lacks \(member.line)" }
            let here = found.map(\.line).joined(separator: " and ")
            return "\(module): Apple's is \(member.line), and here it is \(here)"
        }
    }

    private var foreign: [String] {
        let known = Set((apple + ours).map(\.name))
        return built.filter { !known.contains($0.name) }.map {
            "\(module) has \($0.line), which Apple's has not: ours.txt wants it, with a reason"
        }
    }

    private var gone: [String] {
        ours.compactMap { member in
            if apple.contains(where: { $0.name == member.name }) {
                return "\(member.line) is Apple's, and in ours.txt"
            }
            return built.contains { $0.isSame(as: member) }
                ? nil : "\(module) has no \(member.line), which is in ours.txt"
        }
    }
}
