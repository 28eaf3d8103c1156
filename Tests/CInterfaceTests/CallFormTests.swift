// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import Foundation
import TestSupport
import Testing

/// Handlers of form `call`: C functions that know nothing of Curfew.
@Suite("Handlers of form call")
struct CallFormTests {
    /// A call, a payload, and what comes of it.
    struct Case: CustomTestStringConvertible, Sendable {
        let call: String
        var payload = ""
        let ending: CalledPlugin.Ending
        var testDescription: String { call + (payload.isEmpty ? "" : " with \(payload)") }
    }

    // MARK: Values

    @Test(
        "each type arrives as it was passed, and comes back as it was returned",
        arguments: [
            Case(
                call: #"""
                    {"function": "calls_integers",
                     "signature": "int64 (int8, int16, int32, int64, uint8, uint16, uint32, uint64)",
                     "arguments": [-1, -2, -3, -4, 255, 65535, 4294967295, 18446744073709551615],
                     "result": "value"}
                    """#, ending: .succeeded("7")),
            Case(
                call: #"""
                    {"function": "calls_floats", "signature": "double (float, double, int32, float)",
                     "arguments": [1.5, 2, 3, 0.25], "result": "value"}
                    """#, ending: .succeeded("321.75")),
            Case(
                call: #"""
                    {"function": "calls_outs",
                     "signature": "int32 (out int32, out double, out bool, out uint8, out float)",
                     "arguments": [{"out": -5}, {"out": 1.5}, {"out": false}, {"out": 9}, {"out": 0.5}],
                     "result": "zero", "keep": 1}
                    """#, ending: .succeeded("-4")),
            Case(
                call: #"""
                    {"function": "calls_outs",
                     "signature": "int32 (out int32, out double, out bool, out uint8, out float)",
                     "arguments": [{"out": -5}, {"out": 1.5}, {"out": false}, {"out": 9}, {"out": 0.5}],
                     "result": "zero", "keep": {"argument": 3}}
                    """#, ending: .succeeded("true")),
            Case(
                call: #"""
                    {"function": "calls_outs",
                     "signature": "int32 (out int32, out double, out bool, out uint8, out float)",
                     "arguments": [{"out": -5}, {"out": 1.5}, {"out": false}, {"out": 9}, {"out": 0.5}],
                     "result": "zero", "keep": 5}
                    """#, ending: .succeeded("1.0")),
        ])
    func values(item: Case) throws {
        #expect(try CalledPlugin(item.call).run(item.payload) == item.ending)
    }

    @Test(
        "the payload is read as what the signature has there",
        arguments: [
            ("int8", "-128", "-128"), ("int16", "-32768", "-32768"),
            ("int32", "-2147483648", "-2147483648"),
            ("int64", "-9223372036854775808", "-9223372036854775808"), ("uint8", "255", "255"),
            ("uint16", "65535\n", "65535"), ("uint32", "4294967295", "4294967295"),
            ("uint64", "18446744073709551615", "18446744073709551615"), ("float", "0.5", "0.5"),
            ("double", "-2.5e3", "-2500.0"),
        ])
    func payloads(type: String, payload: String, result: String) throws {
        let plugin = try CalledPlugin(
            #"""
            {"function": "calls_\#(type)", "signature": "\#(type) (\#(type))",
             "arguments": [{"from": "payload"}], "result": "value"}
            """#)
        #expect(try plugin.run(payload) == .succeeded(result))
        for wrong in ["", "x", "1 ", "99999999999999999999999", "nine"] {
            // A double can be that large.
            if wrong.hasPrefix("9"), type == "double" || type == "float" { continue }
            #expect(
                try plugin.run(wrong) == .failed("the payload is no \(type); nothing was called"))
        }
    }

    @Test("a payload with a zero byte is no text")
    func zeroByte() throws {
        let plugin = try CalledPlugin(
            #"{"function": "calls_done", "signature": "text (text)", "arguments": [{"from": "payload"}], "result": "done"}"#
        )
        #expect(
            try plugin.run([65, 0, 66])
                == .failed(
                    "the payload has a zero byte in it, where a text of C ends; nothing was called")
        )
    }

    @Test("bytes are passed with their length, and no bytes are no null pointer")
    func bytes() throws {
        func sum(_ argument: String) -> String {
            #"{"function": "calls_sum", "signature": "int64 (bytes, uint32)", "arguments": [\#(argument), {"lengthOf": 1}], "result": "value"}"#
        }
        let payload = try CalledPlugin(sum(#"{"from": "payload"}"#))
        #expect(try payload.run([1, 0, 255]) == .succeeded("256"))
        #expect(try payload.run([]) == .succeeded("0"))
        #expect(try CalledPlugin(sum(#"{"hex": "01fF00"}"#)).run() == .succeeded("256"))
        #expect(try CalledPlugin(sum(#""ab""#)).run() == .succeeded("195"))
        let null =
            #"{"function": "calls_sum", "signature": "int64 (bytes, uint32)", "arguments": [null, 0], "result": "value"}"#
        #expect(try CalledPlugin(null).run() == .succeeded("-1"))
    }

    // MARK: Results

    @Test(
        "what a result means",
        arguments: [
            Case(
                call:
                    #"{"function": "calls_int32", "signature": "int32 (int32)", "arguments": [{"from": "payload"}], "result": "zero"}"#,
                payload: "0", ending: .succeeded()),
            Case(
                call:
                    #"{"function": "calls_int32", "signature": "int32 (int32)", "arguments": [{"from": "payload"}], "result": "zero"}"#,
                payload: "3", ending: .failed("calls_int32 returned 3")),
            Case(
                call:
                    #"{"function": "calls_not", "signature": "bool (bool)", "arguments": [{"from": "payload"}], "result": "non-zero"}"#,
                payload: "false", ending: .succeeded()),
            Case(
                call:
                    #"{"function": "calls_not", "signature": "bool (bool)", "arguments": [{"from": "payload"}], "result": "non-zero"}"#,
                payload: "true", ending: .failed("calls_not returned false")),
            Case(
                call:
                    #"{"function": "calls_errno", "signature": "int32 (int32)", "arguments": [{"from": "payload"}], "result": "errno"}"#,
                payload: "28",
                ending: .failed("calls_errno returned -1: No space left on device (errno 28)")),
            Case(
                call:
                    #"{"function": "calls_errno", "signature": "int32 (int32)", "arguments": [{"from": "payload"}], "result": "errno"}"#,
                payload: "0", ending: .succeeded()),
            Case(
                call:
                    #"{"function": "calls_done", "signature": "text (text)", "arguments": [{"from": "payload"}], "result": "done"}"#,
                payload: "good", ending: .succeeded()),
            Case(
                call:
                    #"{"function": "calls_done", "signature": "text (text)", "arguments": [{"from": "payload"}], "result": "done"}"#,
                payload: "the disk is full", ending: .failed("the disk is full")),
            Case(
                call:
                    #"{"function": "calls_done", "signature": "text (text)", "arguments": [{"from": "payload"}], "result": "done"}"#,
                ending: .failed("calls_done returned a null pointer")),
            Case(
                call:
                    #"{"function": "calls_done", "signature": "text (text)", "arguments": [""], "result": "value"}"#,
                ending: .failed("calls_done returned a null pointer")),
            Case(
                call:
                    #"{"function": "calls_done", "signature": "text (text)", "arguments": ["good"], "result": "non-zero", "keep": "returned"}"#,
                ending: .succeeded("Done.")),
            Case(
                call: #"{"function": "calls_touch", "signature": "void ()"}"#, ending: .succeeded()),
        ])
    func results(item: Case) throws {
        #expect(try CalledPlugin(item.call).run(item.payload) == item.ending)
    }

    @Test(
        "a buffer is kept up to its NUL, or as long as the function says",
        arguments: [
            (#""keep": 1"#, "26", "abcdefghijklmnopqrstuvwxyz"),
            (#""keep": {"argument": 1, "length": 4}"#, "5", "abcde"),
            (#""keep": {"argument": 1, "length": "returned"}"#, "0", ""),
            (#""keep": {"argument": 1, "length": 4}"#, "40", nil),
            (#""keep": {"argument": 1, "length": "returned"}"#, "-1", nil),
            // No NUL: the whole buffer.
            (#""keep": 1"#, "40", "abcdefghijklmnopqrstuvwxyzabcdef"),
        ])
    func buffers(keep: String, count: String, result: String?) throws {
        let plugin = try CalledPlugin(
            #"""
            {"function": "calls_fill", "signature": "int64 (buffer, uint64, int32, out uint64)",
             "arguments": [{"buffer": 32}, {"lengthOf": 1}, {"from": "payload"}, {"out": 0}],
             "result": "\#(keep.contains("returned") || count == "0" ? "zero" : "non-zero")", \#(keep)}
            """#.replacing("\"zero\"", with: count == "-1" ? "\"non-zero\"" : "\"zero\""))
        let ending = try plugin.run(count)
        if let result {
            #expect(ending == .succeeded(result))
        } else {
            let said = count == "-1" ? "-1" : count
            #expect(
                ending
                    == .failed(
                        "calls_fill gave \(said) for a length of its buffer of 32 bytes"))
        }
    }

    @Test("a text that is returned is copied and freed as the manifest says, or left alone")
    func freeing() throws {
        let calls = [
            #""calls_copies", "signature": "int64 ()", "result": "value""#,
            #""calls_copy", "signature": "text (text)", "arguments": ["x"], "result": "value", "free": "calls_free""#,
            #""calls_copy_out", "signature": "int32 (text, out text)", "arguments": ["y", {"out": null}], "result": "zero", "keep": 2, "free": "calls_free""#,
            #""calls_copy", "signature": "text (text)", "arguments": ["no"], "result": "done", "free": "calls_free""#,
            #""calls_copy", "signature": "text (text)", "arguments": [null], "result": "value", "free": "calls_free""#,
            #""calls_copy", "signature": "text (text)", "arguments": ["z"], "result": "value""#,
            #""calls_same", "signature": "text (text, out text)", "arguments": ["s", {"out": null}], "result": "non-zero", "keep": 2, "free": "calls_free""#,
        ]
        let plugin = try CalledPlugin(calls: calls.map { "{\"function\": \($0)}" })
        #expect(try plugin.run() == .succeeded("0"))
        for _ in 0..<3 {
            #expect(try plugin.run(handler: 1) == .succeeded("x"))
            #expect(try plugin.run(handler: 2) == .succeeded("y"))
        }
        #expect(try plugin.run(handler: 3) == .failed("no"))
        #expect(
            try plugin.run(handler: 4) == .failed("calls_copy returned a null pointer"))
        // Kept and returned at once: freed once.
        #expect(try plugin.run(handler: 6) == .succeeded("s"))
        #expect(try plugin.run() == .succeeded("0"))
        // Without `free` the copy stays the library's.
        #expect(try plugin.run(handler: 5) == .succeeded("z"))
        #expect(try plugin.run() == .succeeded("1"))
    }

    @Test("a result over the host's limit fails, and says so")
    func largeResult() throws {
        let plugin = try CalledPlugin(
            #"{"function": "calls_done", "signature": "text (text)", "arguments": [{"from": "payload"}], "result": "value"}"#
        ) { $0.max_result_bytes = 10 }
        #expect(try plugin.run("0123456789") == .succeeded("0123456789"))
        #expect(
            try plugin.run("0123456789a")
                == .failed("the result has 11 bytes, more than the host takes"))
    }

    // MARK: Libraries nobody here wrote

    @Test(
        "functions of Debian's libraries, with nothing but a manifest",
        arguments: [
            (
                "libz.so.1",
                #""function": "crc32", "signature": "uint64 (uint64, bytes, uint32)", "arguments": [0, {"from": "payload"}, {"lengthOf": 2}], "result": "value""#,
                "123456789", "3421780262"
            ),
            (
                "libz.so.1",
                #""function": "adler32", "signature": "uint64 (uint64, bytes, uint32)", "arguments": [1, {"from": "payload"}, {"lengthOf": 2}], "result": "value""#,
                "Wikipedia", "300286872"
            ),
            (
                "libz.so.1",
                #""function": "compressBound", "signature": "uint64 (uint64)", "arguments": [{"from": "payload"}], "result": "value""#,
                "1000", "1013"
            ),
            ("libc.so.6", #""function": "sync", "signature": "void ()""#, "", ""),
            (
                "libc.so.6",
                #""function": "strlen", "signature": "uint64 (text)", "arguments": [{"from": "payload"}], "result": "value""#,
                "twelve bytes", "12"
            ),
            (
                "libc.so.6",
                #""function": "toupper", "signature": "int32 (int32)", "arguments": [{"from": "payload"}], "result": "value""#,
                "97", "65"
            ),
            (
                "libc.so.6",
                #""function": "labs", "signature": "int64 (int64)", "arguments": [{"from": "payload"}], "result": "value""#,
                "-5000000000", "5000000000"
            ),
            (
                "libc.so.6",
                #""function": "strdup", "signature": "text (text)", "arguments": [{"from": "payload"}], "result": "value", "free": "free""#,
                "once", "once"
            ),
            (
                "libc.so.6",
                #""function": "gethostname", "signature": "int32 (buffer, uint64)", "arguments": [{"buffer": 256}, {"lengthOf": 1}], "result": "errno", "keep": 1"#,
                "", ProcessInfo.processInfo.hostName
            ),
            (
                "libc.so.6",
                #""function": "access", "signature": "int32 (text, int32)", "arguments": [{"from": "payload"}, 0], "result": "errno""#,
                "/nowhere", "! access returned -1: No such file or directory (errno 2)"
            ),
            (
                "libc.so.6",
                #""function": "strtod", "signature": "double (text, bytes)", "arguments": [{"from": "payload"}, null], "result": "value""#,
                "0x1p4", "16.0"
            ),
            (
                "libm.so.6",
                #""function": "pow", "signature": "double (double, double)", "arguments": [2, {"from": "payload"}], "result": "value""#,
                "10", "1024.0"
            ),
            (
                "libm.so.6",
                #""function": "ldexpf", "signature": "float (float, int32)", "arguments": [1.5, {"from": "payload"}], "result": "value""#,
                "3", "12.0"
            ),
            (
                "libm.so.6",
                #""function": "frexp", "signature": "double (double, out int32)", "arguments": [{"from": "payload"}, {"out": 0}], "result": "non-zero", "keep": 2"#,
                "1024", "11"
            ),
            (
                "libsqlite3.so.0",
                #""function": "sqlite3_complete", "signature": "int32 (text)", "arguments": [{"from": "payload"}], "result": "non-zero""#,
                "select 1;", ""
            ),
            (
                "libsqlite3.so.0",
                #""function": "sqlite3_complete", "signature": "int32 (text)", "arguments": [{"from": "payload"}], "result": "non-zero""#,
                "select 1", "! sqlite3_complete returned 0"
            ),
            (
                "libsqlite3.so.0",
                #""function": "sqlite3_stricmp", "signature": "int32 (text, text)", "arguments": [{"from": "payload"}, "CURFEW"], "result": "zero""#,
                "curfew", ""
            ),
            (
                "libsqlite3.so.0",
                #""function": "sqlite3_strglob", "signature": "int32 (text, text)", "arguments": ["*.so", {"from": "payload"}], "result": "zero""#,
                "libz.so", ""
            ),
            (
                "libcrypto.so.3",
                #""function": "OPENSSL_hexchar2int", "signature": "int32 (uint8)", "arguments": [{"from": "payload"}], "result": "errno", "keep": "returned""#,
                "102", "15"
            ),
            (
                "libcrypto.so.3",
                #""function": "OBJ_nid2sn", "signature": "text (int32)", "arguments": [64], "result": "value""#,
                "", "SHA1"
            ),
        ])
    func foreign(library: String, call: String, payload: String, result: String) throws {
        let plugin = try CalledPlugin(
            #"{"library": {"system": "\#(library)"}, \#(call)}"#, library: nil)
        #expect(plugin.loaded.answer == .ok, "\(plugin.loaded.text)")
        let ending = try plugin.run(payload)
        #expect(
            ending
                == (result.hasPrefix("! ")
                    ? .failed(String(result.dropFirst(2))) : .succeeded(result)))
    }

    // MARK: Refusals

    @Test("a library of the system must be allowed, be there, and define the function itself")
    func refusals() throws {
        func load(
            _ library: String, _ function: String,
            allowed: [String]? = nil
        ) throws -> (answer: Answer, text: String) {
            var list = (allowed ?? []).map { UnsafePointer<CChar>?(strdup($0)!) } + [nil]
            defer { for name in list { free(UnsafeMutablePointer(mutating: name)) } }
            return try list.withUnsafeMutableBufferPointer { buffer in
                let plugin = try CalledPlugin(
                    #"{"library": {"system": "\#(library)"}, "function": "\#(function)", "signature": "void ()"}"#,
                    library: nil
                ) {
                    guard let allowed else { return }
                    $0.system_libraries = UnsafePointer(buffer.baseAddress)
                    $0.system_library_count = UInt32(allowed.count)
                }
                return plugin.loaded
            }
        }
        let other = try load("libdl.so.2", "dlerror")
        #expect(other.answer == .denied)
        #expect(other.text.contains("the library libdl.so.2 is not among those"))
        #expect(try load("libz.so.1", "zlibVersion").answer == .ok)
        let narrowed = try load("libz.so.1", "zlibVersion", allowed: ["libm.so.6"])
        #expect(narrowed.answer == .denied)
        #expect(narrowed.text.contains(": libm.so.6;"))
        #expect(try load("libz.so.1", "zlibVersion", allowed: []).text.contains("there are none"))
        #expect(try load("libz.so.1", "zlibVersion", allowed: ["libz.so.1"]).answer == .ok)
        let missing = try load("libnothere.so.1", "f", allowed: ["libnothere.so.1"])
        #expect(missing.answer == .refused)
        #expect(missing.text.contains("is in none of the system's directories (/lib/"))
        #expect(missing.text.contains("install its package"))
        // libz.so.1 needs libc.so.6, which has it.
        let foreign = try load("libz.so.1", "sync")
        #expect(foreign.answer == .refused)
        #expect(foreign.text.contains("/libz.so.1 does not define the function sync itself"))
        let own = try CalledPlugin(
            #"{"function": "sync", "signature": "void ()"}"#)
        #expect(own.loaded.text.contains("libcalls.so does not define the function sync itself"))
        let data = try CalledPlugin(#"{"function": "calls_data", "signature": "void ()"}"#)
        #expect(data.loaded.text.contains("does not define the function calls_data itself"))
        for (library, name) in [("libc.so.6", "environ"), ("libc.so.6", "optind")] {
            let variable = try load(library, name)
            #expect(variable.answer == .refused)
            #expect(variable.text.contains("does not define the function \(name) itself"))
        }
        #expect(try load("libsqlite3.so.0", "sqlite3_version").answer == .refused)
        let unfreed = try CalledPlugin(
            #"{"function": "calls_copy", "signature": "text (text)", "arguments": ["x"], "result": "value", "free": "calls_gone"}"#
        )
        #expect(unfreed.loaded.text.contains("does not define the function calls_gone itself"))
    }

    @Test("where all that is loaded must be pinned, a plugin without a library is refused")
    func pins() throws {
        let text = String(repeating: "0", count: 64)
        let answer = try "org.example.called-plugin".withCString { id in
            try text.withCString { digest in
                var pin = curfew_plugin_pin(
                    struct_size: UInt32(MemoryLayout<curfew_plugin_pin>.size), reserved: 0,
                    plugin: id, sha256: digest)
                return try withUnsafePointer(to: &pin) { pin in
                    try CalledPlugin(
                        #"{"library": {"system": "libc.so.6"}, "function": "sync", "signature": "void ()"}"#,
                        library: nil
                    ) {
                        $0.pins = pin
                        $0.pin_count = 1
                    }.loaded
                }
            }
        }
        #expect(answer.answer == .refused)
        #expect(answer.text.contains("has no library of its own that a pin could name"))
    }

    @Test("with pins alone, a manifest may call its own library and none of the system's")
    func pinsAndCalls() throws {
        let library = BuiltProducts.testPluginDirectory("calls") + "/libcalls.so"
        let sum = try ChildProcess.run("sha256sum", [library]).output.prefix(64)
        func load(_ calls: [String], allowed: Bool) throws -> (answer: Answer, text: String) {
            let names = ["org.example.called-plugin", String(sum), "libc.so.6"]
            let texts = names.map { (name: String) -> UnsafeMutablePointer<CChar> in strdup(name)! }
            defer { for text in texts { free(text) } }
            var pin = curfew_plugin_pin(
                struct_size: UInt32(MemoryLayout<curfew_plugin_pin>.size), reserved: 0,
                plugin: UnsafePointer(texts[0]), sha256: UnsafePointer(texts[1]))
            var list = [UnsafePointer<CChar>?(UnsafePointer(texts[2]))]
            return try list.withUnsafeMutableBufferPointer { list in
                try withUnsafePointer(to: &pin) { pin in
                    try CalledPlugin(calls: calls) {
                        $0.pins = pin
                        $0.pin_count = 1
                        guard allowed else { return }
                        $0.system_libraries = UnsafePointer(list.baseAddress)
                        $0.system_library_count = 1
                    }.loaded
                }
            }
        }
        let own =
            #"{"function": "calls_int32", "signature": "int32 (int32)", "arguments": [1], "result": "value"}"#
        let foreign =
            #"{"library": {"system": "libc.so.6"}, "function": "sync", "signature": "void ()"}"#
        #expect(try load([own], allowed: false).answer == .ok)
        let refused = try load([own, foreign], allowed: false)
        #expect(refused.answer == .denied)
        #expect(refused.text.contains("whose functions a manifest may call: there are none"))
        #expect(try load([own, foreign], allowed: true).answer == .ok)
    }

    @Test(
        "functions that load, start, or change what is the whole process's are refused by name",
        arguments: [
            ("dlopen", "loads unchecked code"), ("dlmopen", "loads unchecked code"),
            ("system", "another program"),
            ("popen", "another program"), ("posix_spawn", "another program"),
            ("execve", "does not return"), ("dup2", "descriptors"), ("close", "descriptors"),
            ("mprotect", "memory"), ("munmap", "memory"), ("chdir", "the whole process"),
            ("setuid", "the whole process"), ("sigaction", "the whole process"),
        ])
    func refusedByName(_ name: String, _ reason: String) throws {
        let loaded = try CalledPlugin(
            #"{"library": {"system": "libc.so.6"}, "function": "\#(name)", "signature": "void ()"}"#,
            library: nil
        ).loaded
        #expect(loaded.answer == .refused)
        #expect(loaded.text.contains("`\(name)`") && loaded.text.contains(reason), "\(loaded.text)")
    }

    @Test("a budget that is over: coming back within the grace is expired, and unpunished")
    func expiry() throws {
        // It comes back long after its budget on the host's clock.
        let plugin = try CalledPlugin(
            #"{"library": {"system": "libsqlite3.so.0"}, "function": "sqlite3_sleep", "signature": "int32 (int32)", "arguments": [30], "result": "value"}"#,
            library: nil)
        let task = try plugin.host.launch(
            "org.example.called0", budget: 1_000_000, grace: 60_000_000_000)
        try plugin.host.waitUntil("entered") { try plugin.host.query(task).started_ns > 0 }
        plugin.host.clock?.advance(2_000_000)
        #expect(plugin.host.wait(task) == .ok)
        let ending = try Ending(of: task, in: plugin.host)
        #expect(
            ending
                == Ending(
                    CURFEW_OUTCOME_EXPIRED, reason: CURFEW_REASON_BUDGET, answered: true,
                    text: Ending.expiredText))
        #expect(!(try plugin.host.handler("org.example.called0").quarantined))
    }
}
