// SPDX-License-Identifier: Apache-2.0
import Conformance
import Foundation
import PluginBridge
import TestSupport
import Testing

/// The readers of libraries against readelf of binutils, on the libraries of this machine.
@Suite("The ELF readers and readelf")
struct ELFAgreementTests {
    @Test("libraries, search paths, symbols and flags are those that readelf shows")
    func reference() throws {
        let most = WholeMatrix.rounds(150, whole: .max)
        let files = try #require(FileManager.default.enumerator(atPath: "/usr/lib"))
        var (count, differing) = (0, [String]())
        for case let name as String in files where name.contains(".so") && count < most {
            let path = "/usr/lib/" + name
            guard let type = files.fileAttributes?[.type] as? FileAttributeType,
                let size = files.fileAttributes?[.size] as? Int, type == .typeRegular,
                size < (WholeMatrix.isWanted ? .max : 300_000),
                case .success(let facts) = ELFFacts.read(path: path)
            else { continue }
            count += 1
            let ours = Self.transcript(facts)
            let theirs = try Self.reference(path)
            if ours != theirs {
                let (our, their) = zip(ours, theirs).first { $0 != $1 }!
                let change = their.split(separator: " ").difference(from: our.split(separator: " "))
                differing.append("\(path): \(our.prefix(12))… \(change.prefix(5))")
            }
        }
        #expect(count > 50)
        #expect(differing.isEmpty, "\(differing.count) of \(count): \(differing.prefix(5))")
    }

    private static func transcript(_ facts: ELFFacts) -> [String] {
        [
            "needed \(facts.needed)", "path \(facts.searchPath)",
            "exports \(facts.exportedNames.sorted())",
            "weak exports \(facts.weakExportedNames.sorted())",
            "imports \(facts.imports.sorted())", "weak imports \(facts.weakImports.sorted())",
            "text relocations \(facts.hasTextRelocations)", "static TLS \(facts.hasStaticTLS)",
            "executable stack \(facts.wantsExecutableStack)",
        ]
    }

    private static func reference(_ path: String) throws -> [String] {
        let run = try ChildProcess.run("readelf", ["-dlW", "--dyn-syms", path])
        var needed: [String] = []
        var (runPath, inherited): (String?, String?)
        var (flags, hasTextRelocations, stack) = ("", false, true)
        var exports: [String] = []
        var weakExports: [String] = []
        var imports: [String] = []
        var weakImports: [String] = []
        // Of a library that does not say it is for GNU, readelf does not know GNU's kind of symbol.
        let output = run.output.replacing("<OS specific>: 10", with: "UNIQUE")
        for line in output.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 2 else { continue }
            let value = { String(line.split(separator: "[").last!.dropLast()) }
            switch words[1] {
            case "(NEEDED)", "(FILTER)": needed.append(value())
            case "(RUNPATH)": runPath = value()
            case "(RPATH)": inherited = value()
            case "(FLAGS)": flags = String(line)
            case "(TEXTREL)": hasTextRelocations = true
            default: break
            }
            if words[0] == "GNU_STACK" { stack = words.contains { $0 == "RWE" || $0 == "E" } }
            // Num: Value Size Type Bind Vis Ndx Name
            guard words.count >= 8, words[0].hasSuffix(":"), Int(words[0].dropLast()) != nil,
                ["GLOBAL", "WEAK", "UNIQUE"].contains(words[4])
            else { continue }
            let name = String(words[7].prefix { $0 != "@" })
            if words[6] == "UND" {
                imports.append(name)
                if words[4] == "WEAK" { weakImports.append(name) }
            } else if ["DEFAULT", "PROTECTED"].contains(words[5]) {
                exports.append(name)
                if words[4] != "GLOBAL" { weakExports.append(name) }
            }
        }
        let searched = runPath ?? inherited ?? ""
        return [
            "needed \(needed)",
            "path \(searched.isEmpty ? [] : searched.components(separatedBy: ":"))",
            "exports \(exports.sorted())", "weak exports \(weakExports.sorted())",
            "imports \(imports.sorted())", "weak imports \(weakImports.sorted())",
            "text relocations \(hasTextRelocations || flags.contains("TEXTREL"))",
            "static TLS \(flags.contains("STATIC_TLS"))", "executable stack \(stack)",
        ]
    }
}
