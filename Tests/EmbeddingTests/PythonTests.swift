// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("The module for Python")
struct PythonTests {
    private let installation: Installation
    private let python: Python
    private let sources = "\(BuiltProducts.packageRoot)/Tests/Embedding/python"

    init() throws {
        installation = try Installation.forTests()
        python = try Python(installation)
    }

    @Test("A program in Python runs, with a loop of Curfew's and one of its own")
    func embeds() throws {
        try EmbedderStage(installation).play(
            [python.program, "-X", "dev", "\(sources)/embedder.py"],
            environment: python.environment)
    }

    @Test("It keeps its promises: errors, waits, callbacks that fail, hosts that are dropped")
    func keepsItsPromises() throws {
        var environment = ProcessInfo.processInfo.environment.merging(python.environment) { $1 }
        environment["CURFEW_TEST_PLUGINS"] = "\(BuiltProducts.packageRoot)/.build/test-plugins"
        environment["CURFEW_LIBRARY"] = nil
        let child = try ChildProcess.run(
            python.program, ["-X", "dev", "\(sources)/test_curfew.py"], environment: environment)
        #expect(child.succeeded, "\(child)")
        #expect(child.errorOutput.hasSuffix("\nOK\n"), "\(child.errorOutput)")
    }

    @Test("It submits requests, registers functions and waits in asyncio")
    func requests() throws {
        var environment = ProcessInfo.processInfo.environment.merging(python.environment) { $1 }
        environment["CURFEW_TEST_PLUGINS"] = "\(BuiltProducts.packageRoot)/.build/test-plugins"
        environment["CURFEW_LIBRARY"] = nil
        environment["PYTHONWARNINGS"] = nil
        let child = try ChildProcess.run(
            python.program,
            [
                "-X", "dev", "-W", "error", "-m", "pytest", "-p", "no:cacheprovider", "-q",
                "\(sources)/test_requests.py",
            ], environment: environment)
        #expect(child.succeeded, "\(child)")
    }

    @Test("What is installed is what the headers say")
    func isWhatTheHeadersSay() throws {
        let module = installation.path("share/curfew/python/curfew/__init__.py")
        let installed = try String(contentsOfFile: module, encoding: .utf8)
        // From the headers that are installed as well, so from another directory.
        for headers in ["\(BuiltProducts.packageRoot)/include", installation.path("include")] {
            let generated = try generate(headers)
            #expect(generated == installed, "\(headers)")
        }
    }

    @Test(
        "Another header makes another file",
        arguments: [
            ("types.h", "X(PENDING, 1,", "X(PENDING, 40,", "PENDING = 40"),
            (
                "host.h", "uint32_t curfew_get_leaked_host_count(void)",
                "uint64_t curfew_get_leaked_host_count(void)",
                "uint64_t curfew_get_leaked_host_count(void)"
            ),
            ("types.h", "CURFEW_KIND_PROCESSING = 2", "CURFEW_KIND_LONG = 2", "    LONG = 2"),
            (
                "version.h", "CURFEW_ABI_VERSION = 0", "CURFEW_ABI_VERSION = 3",
                "\nABI_VERSION = 3\n"
            ),
            (
                "version.h", #"CURFEW_VERSION_STRING "0"#, #"CURFEW_VERSION_STRING "7"#,
                #"VERSION = "7"#
            ),
        ])
    func drift(header: String, old: String, new: String, line: String) throws {
        let place = try TemporaryDirectory()
        try FileManager.default.copyItem(
            atPath: installation.path("include"), toPath: place.path("include"))
        let text = String(decoding: try place.read("include/curfew/\(header)"), as: UTF8.self)
        #expect(text.contains(old))
        try place.write(
            text.replacingOccurrences(of: old, with: new), to: "include/curfew/\(header)")
        let generated = try generate(place.path("include"))
        #expect(generated.contains(line))
        let installed = try String(
            contentsOfFile: installation.path("share/curfew/python/curfew/__init__.py"),
            encoding: .utf8)
        #expect(generated != installed)
    }

    @Test("Without a Python there is no file, an older one goes, and installing says so")
    func withoutPython() throws {
        let place = try TemporaryDirectory()
        let module = place.path("__init__.py")
        try place.write("old", to: "__init__.py")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: module)
        let without = ["PYTHON=no-python", "PYTHON_MODULE=\(module)", "SWIFT=no-swift"]
        var child = try make([module] + without)
        #expect(child.succeeded)
        #expect(
            child.errorOutput
                == "python: there is no 'no-python' in PATH, and so no module for Python\n")
        #expect(!FileManager.default.fileExists(atPath: module))

        let prefix = place.path("prefix")
        child = try make(["install", "PREFIX=\(prefix)", "DESTDIR="] + without)
        #expect(child.succeeded, "\(child)")
        #expect(child.errorOutput.contains("install: without the module"))
        #expect(FileManager.default.fileExists(atPath: "\(prefix)/lib/libcurfew.so"))
        #expect(!FileManager.default.fileExists(atPath: "\(prefix)/share/curfew/python"))
    }

    private func make(_ arguments: [String]) throws -> ChildProcess {
        let environment = ProcessInfo.processInfo.environment.filter { !$0.key.contains("MAKE") }
        return try ChildProcess.run(
            "make", arguments, environment: environment, directory: BuiltProducts.packageRoot)
    }

    private func generate(_ headers: String) throws -> String {
        try Installation.output(
            python.program,
            [
                "-B", "\(BuiltProducts.packageRoot)/Sources/CInterface/python/generate.py", headers,
            ])
    }
}
