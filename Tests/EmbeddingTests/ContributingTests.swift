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
    private let graph: TargetGraph

    init() throws {
        text = try String(contentsOfFile: "\(Self.root)/CONTRIBUTING.md", encoding: .utf8)
        graph = try TargetGraph(drawn: text)
    }

    @Test("The targets it draws are those of Package.swift, with the same arrows")
    func isThePackages() throws {
        let manifest = try String(
            contentsOfFile: "\(Self.root)/Package.swift", encoding: .utf8)
        let declared = TargetGraph(manifest: manifest).dependencies
            .filter { name, _ in
                name == "CCurfew"
                    || FileManager.default.fileExists(atPath: "\(Self.root)/Sources/\(name)")
            }
        #expect(declared.count > 5)
        #expect(graph.dependencies == declared)
        let folders = try FileManager.default
            .contentsOfDirectory(atPath: "\(Self.root)/Sources")
            // A package of its own is no target of this one.
            .filter {
                !FileManager.default.fileExists(atPath: "\(Self.root)/Sources/\($0)/Package.swift")
            }
        #expect(Set(graph.names) == Set(folders + ["CCurfew"]))
    }

    @Test("Its arrows point down")
    func pointsDown() {
        for (line, name) in graph.names.enumerated() {
            for dependency in graph.dependencies[name] ?? [] {
                let below = graph.names.firstIndex(of: dependency) ?? -1
                #expect(below > line, "\(name) → \(dependency)")
            }
        }
    }

    @Test("Each target imports what its line names, and Scheduling nothing at all")
    func imports() throws {
        for name in graph.names where name != "CCurfew" {
            let folder = "\(Self.root)/Sources/\(name)"
            let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
                .filter { $0.hasSuffix(".swift") }
            for file in files {
                let source = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
                let imported = Set(
                    source.matches(
                        of: /(?m)^(?:@\w+ )*(?:public |internal |package |private )?import (\w+)/
                    ).map { String($0.1) })
                let allowed =
                    name == "Scheduling"
                    ? []
                    : (graph.dependencies[name] ?? []).union(Self.system)
                        .union(Self.apple.contains(name) ? ["Foundation", "Dispatch"] : [])
                #expect(imported.isSubset(of: allowed), "Sources/\(name)/\(file)")
            }
        }
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
