// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// What `CONTRIBUTING.md` says about the sources is so.
@Suite("CONTRIBUTING.md")
struct ContributingTests {
    private static let root = BuiltProducts.packageRoot
    /// What comes with the toolchain.
    private static let system: Set = ["Glibc", "Synchronization"]
    /// What is written for Apple's Foundation, and brings it along.
    private static let apple: Set = [
        "AppHost", "BackgroundTasks", "FoundationBackground", "OSLogging", "SwiftUIBackground",
        "UIKitBackground",
    ]

    private let text: String
    /// The targets of `Sources`, each with what Package.swift says that it depends on.
    private let targets: TargetGraph

    init() throws {
        text = try String(contentsOfFile: "\(Self.root)/CONTRIBUTING.md", encoding: .utf8)
        targets = TargetGraph(
            manifest: try String(contentsOfFile: "\(Self.root)/Package.swift", encoding: .utf8)
        ).filter {
            $0 == "CCurfew"
                || FileManager.default.fileExists(atPath: "\(Self.root)/Sources/\($0)")
        }
    }

    @Test("Its picture has the targets of Package.swift, each above those it depends on")
    func picture() throws {
        let path = "\(Self.root)/Documentation/layers.svg"
        let picture = TargetGraph(picture: try String(contentsOfFile: path, encoding: .utf8))
        #expect(targets.names.count > 5)
        #expect(
            Set(picture.names) == Set(targets.names) && picture.reachable == targets.reachable,
            "Package.swift has changed; draw the picture again and commit it: make layers")
        for (line, name) in picture.names.enumerated() {
            for dependency in picture.dependencies[name] ?? [] {
                let below = picture.names.firstIndex(of: dependency) ?? -1
                #expect(below > line, "\(name) → \(dependency)")
            }
        }
    }

    @Test("Each folder of Sources is a target")
    func folders() throws {
        let folders = try FileManager.default
            .contentsOfDirectory(atPath: "\(Self.root)/Sources")
            // A package of its own is no target of this one.
            .filter {
                !FileManager.default.fileExists(atPath: "\(Self.root)/Sources/\($0)/Package.swift")
            }
        #expect(Set(targets.names) == Set(folders + ["CCurfew"]))
    }

    @Test("Each target has a page that says what goes in and out, and names three of its types")
    func pages() throws {
        for name in targets.names where name != "CCurfew" {
            let page = try String(
                contentsOfFile: "\(Self.root)/Sources/\(name)/\(name).docc/\(name).md",
                encoding: .utf8)
            #expect(page.contains("\n### In and out\n"), "\(name)")
            let files = try sources(of: name).map(\.file)
            guard files.count > 1 else { continue }
            let list = page.components(separatedBy: "\n### Types to read first\n").last ?? ""
            let types = list.components(separatedBy: "\n#")[0].matches(of: /(?m)^- `+(\w+)`+:/)
            #expect(types.count == 3, "\(name)")
            for type in types {
                // A type has a file of its name.
                let isThere = files.contains { "/\($0)".hasSuffix("/\(type.1).swift") }
                #expect(isThere, "\(name) has no \(type.1)")
            }
        }
    }

    @Test("Each target imports what Package.swift names, and Scheduling no module of the system")
    func imports() throws {
        for name in targets.names where name != "CCurfew" {
            for (file, source) in try sources(of: name) {
                let imported = Set(
                    source.matches(
                        of: /(?m)^(?:@\w+ )*(?:[a-z]+ )?import (?:(?:class|enum|struct) )?(\w+)/
                    ).map { String($0.1) })
                let own = targets.dependencies[name] ?? []
                let allowed =
                    name == "Scheduling"
                    ? own
                    : own.union(Self.system)
                        .union(Self.apple.contains(name) ? ["Foundation", "Dispatch"] : [])
                #expect(imported.isSubset(of: allowed), "Sources/\(name)/\(file)")
            }
        }
    }

    /// The Swift files of a target.
    private func sources(of name: String) throws -> [(file: String, text: String)] {
        let folder = "\(Self.root)/Sources/\(name)"
        return try FileManager.default.subpathsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".swift") }
            .map { ($0, try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)) }
    }

    @Test("The paths it names exist, and what is not a path is said somewhere")
    func paths() throws {
        let words = text.matches(of: /`([^`\n]+)`/).map { String($0.1) }
        let paths = words.filter {
            $0.contains(/^(Sources|Tests|Plugins|Documentation|include)\b|\.(md|swift)$/)
        }
        #expect(paths.count > 20)
        for path in paths {
            #expect(FileManager.default.fileExists(atPath: "\(Self.root)/\(path)"), "\(path)")
        }
        let suites = words.filter { $0.hasSuffix("Tests") && !$0.contains("/") }
        let tests = try FileManager.default.subpathsOfDirectory(atPath: "\(Self.root)/Tests")
        for suite in suites {
            #expect(
                tests.contains { $0 == suite || $0.hasSuffix("/\(suite).swift") }, "\(suite)")
        }
        let makefile = try String(contentsOfFile: "\(Self.root)/Makefile", encoding: .utf8)
        for target in text.matches(of: /make ((?: ?[a-z]+(?:-[a-z]+)*)+)`/) {
            for name in target.1.split(separator: " ") {
                let isThere = makefile.contains("\n\(name):")
                #expect(isThere, "make \(name)")
            }
        }
        let read = try tests.filter { $0.hasSuffix(".swift") }.map {
            try String(contentsOfFile: "\(Self.root)/Tests/\($0)", encoding: .utf8)
        }.joined()
        for variable in text.matches(of: /CURFEW_UPDATE_\w+/) {
            #expect(read.contains("environment[\"\(variable.0)\"]"), "\(variable.0)")
        }
    }
}
