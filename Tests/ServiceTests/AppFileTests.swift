// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@testable import Service

@Suite("What an app has written down of itself")
struct AppFileTests {
    private let files: TemporaryDirectory

    init() throws { files = try TemporaryDirectory() }

    private func read(_ text: String, name: String = "org.example.app") throws -> String {
        try files.write(Array(text.utf8), to: "\(name).json")
        let all = AppFile.all(in: files.path)
        guard all.count == 1 else { return "\(all.count) files" }
        switch all[0].file {
        case .success(let file): return "\(file.arguments) \(file.environment)"
        case .failure(let fault):
            return fault.reason.replacingOccurrences(of: files.path + "/", with: "")
        }
    }

    private let start = """
        {"app": "org.example.app", "store": "/srv/store", "executable": "/usr/bin/true"
        """

    @Test("A whole one, with and without what is optional")
    func whole() throws {
        #expect(try read(start + "}") == "[] [:]")
        #expect(
            try read(start + #", "arguments": ["-b"], "environment": {"HOME": "/root"}}"#)
                == #"["-b"] ["HOME": "/root"]"#)
    }

    @Test(
        "What makes no sense names its place, and starts nothing",
        arguments: [
            ("", "org.example.app.json: the file is empty"),
            ("[]", "org.example.app.json:1:1: an app must be"),
            ("{}", "org.example.app.json is not the file of ``"),
            (#"{"app": "other"}"#, "org.example.app.json is not the file of `other`"),
            (
                #"{"app": "org.example.app", "store": "relative", "executable": "/bin/true"}"#,
                "org.example.app.json: `store` and `executable` have to be absolute paths"
            ),
            (
                #"{"app": "org.example.app", "environment": {"LD_PRELOAD": "/tmp/x.so"}}"#,
                "org.example.app.json:1:44: `environment` has no key `LD_PRELOAD`"
            ),
            (
                #"{"app": "org.example.app", "executable": "/bin/true\u0000x"}"#,
                "org.example.app.json:1:42: `executable` has a NUL character"
            ),
            (String(repeating: "[", count: 20_000), "org.example.app.json "),
        ])
    func odd(text: String, expected: String) throws {
        let fault = try read(text)
        #expect(fault.hasPrefix(expected), "\(fault)")
    }

    @Test("A file that others can write to is not read, and hidden ones are none")
    func others() throws {
        _ = try read(start + "}")
        chmod(files.path("org.example.app.json"), 0o666)
        let all = AppFile.all(in: files.path)
        #expect(all.count == 1 && (try? all[0].file.get()) == nil)
        try files.write(Array("{}".utf8), to: ".org.example.app.77")
        try files.write(Array("{}".utf8), to: ".hidden.json")
        #expect(AppFile.all(in: files.path).count == 1)
        #expect(AppFile.all(in: files.path("none")).isEmpty)
    }

    @Test("A program that is gone, is none, or can be changed by others is not started")
    func programs() throws {
        func fault(_ path: String) throws -> String? {
            _ = try read(start.replacingOccurrences(of: "/usr/bin/true", with: path) + "}")
            return try AppFile.all(in: files.path)[0].file.get().fault
        }
        #expect(try fault("/usr/bin/true") == nil)
        #expect(try fault("/usr/bin/none")?.hasSuffix("No such file or directory") == true)
        #expect(try fault("/usr")?.hasSuffix("is no program that this user may run") == true)
        try files.write(Array("#!/bin/sh\n".utf8), to: "program")
        chmod(files.path("program"), 0o777)
        #expect(
            try fault(files.path("program"))?.hasSuffix("could be changed by other users") == true)
        chmod(files.path("program"), 0o755)
        #expect(try fault(files.path("program")) == nil)
    }
}
