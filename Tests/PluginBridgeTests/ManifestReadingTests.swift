// SPDX-License-Identifier: Apache-2.0

import Foundation
import PluginBridge
import TestSupport
import Testing

@Suite("Reading a manifest from its directory")
struct ManifestReadingTests {
    /// A plugin's directory with the smallest manifest and an empty library.
    private func withPlugin(_ body: (TemporaryDirectory) throws -> Void) throws {
        let directory = try TemporaryDirectory()
        try directory.write(ManifestTests.manifest(), to: "manifest.json")
        try directory.write("", to: "l.so")
        try body(directory)
    }

    private func fault(_ directory: String) throws -> Diagnostic {
        guard case .failure(let faults) = Manifest.read(directory: directory) else {
            throw Unexpected.success
        }
        #expect(faults.diagnostics.count == 1)
        return try #require(faults.diagnostics.first)
    }

    private enum Unexpected: Error {
        case success
    }

    @Test("a good plugin is read, with or without a slash at the end")
    func good() throws {
        try withPlugin { directory throws in
            for path in [directory.path, directory.path + "/"] {
                let manifest = try Manifest.read(directory: path).get()
                #expect(manifest.id == "a.b")
                #expect(manifest.source.file == directory.path + "/manifest.json")
            }
        }
    }

    @Test("a library that is missing, a directory or a link is a fault at its name")
    func library() throws {
        try withPlugin { directory throws in
            try directory.remove("l.so")
            let missing = try fault(directory.path)
            #expect(missing.message == "cannot find `l.so`: No such file or directory")
            #expect(missing.rule == ManifestRule.library.rawValue)
            #expect(missing.line == 1)
            #expect(missing.column == 56)
            #expect(missing.width == 6)
            try directory.makeDirectory("l.so")
            #expect(try fault(directory.path).message == "`l.so` is not a regular file")
            try directory.remove("l.so")
            try directory.write("", to: "real.so")
            try directory.link("l.so", to: "real.so")
            #expect(try fault(directory.path).message == "`l.so` is a symbolic link")
        }
    }

    @Test("a missing library and faults of the text are told together")
    func libraryAndText() throws {
        try withPlugin { directory throws in
            try directory.remove("l.so")
            try directory.write(
                ManifestTests.manifest(#", "budget": "1d""#, plugin: #""extra": 1,"#),
                to: "manifest.json")
            guard case .failure(let faults) = Manifest.read(directory: directory.path) else {
                throw Unexpected.success
            }
            #expect(
                faults.diagnostics.map(\.rule) == [
                    "manifest-library", "manifest-unknown-key", "manifest-duration",
                ])
        }
    }

    @Test("faults of the text are those of parse, under the file's path")
    func text() throws {
        try withPlugin { directory throws in
            let text = ManifestTests.manifest().dropLast() + ",}"
            try directory.write(String(text), to: "manifest.json")
            let fault = try fault(directory.path)
            #expect(fault.rule == JSONRule.trailingComma.rawValue)
            #expect(fault.file == directory.path + "/manifest.json")
        }
    }

    @Test("a manifest that is missing, a directory, a link or a pipe is refused")
    func manifest() throws {
        try withPlugin { directory throws in
            try directory.remove("manifest.json")
            let missing = try fault(directory.path)
            #expect(missing.message == "cannot open it: No such file or directory")
            #expect(missing.rule == ManifestRule.file.rawValue)
            #expect(missing.line == 0)
            try directory.makeDirectory("manifest.json")
            #expect(try fault(directory.path).message == "the manifest is not a regular file")
            try directory.remove("manifest.json")
            try directory.link("manifest.json", to: "/etc/passwd")
            #expect(try fault(directory.path).message == "the manifest is a symbolic link")
            try directory.remove("manifest.json")
            // Nobody writes into it: opening it must not wait.
            try directory.makePipe("manifest.json")
            #expect(try fault(directory.path).message == "the manifest is not a regular file")
        }
    }

    @Test("the size is limited while reading")
    func size() throws {
        try withPlugin { directory throws in
            let text = ManifestTests.manifest()
            let padding = String(repeating: " ", count: JSONReader.sizeLimit - text.utf8.count)
            try directory.write(text + padding, to: "manifest.json")
            #expect(try Manifest.read(directory: directory.path).get().id == "a.b")
            try directory.write(text + padding + padding, to: "manifest.json")
            let large = try fault(directory.path)
            #expect(large.rule == JSONRule.size.rawValue)
            try directory.write("", to: "manifest.json")
            #expect(try fault(directory.path).rule == JSONRule.empty.rawValue)
        }
    }

    @Test("a directory that is none is a fault")
    func directory() throws {
        try withPlugin { directory throws in
            #expect(
                try fault(directory.path + "/l.so").message
                    == "cannot open the plugin's directory: Not a directory")
            #expect(
                try fault(directory.path + "/none").message
                    == "cannot open the plugin's directory: No such file or directory")
            let empty = "the path of the plugin's directory is empty or has a zero byte in it"
            #expect(try fault("").message == empty)
            #expect(try fault(directory.path + "\0/x").message == empty)
        }
    }
}
