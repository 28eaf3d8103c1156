// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PluginBridge

@Suite("Faults of a manifest")
struct ManifestFaultTests {
    typealias Case = (text: String, rule: ManifestRule, message: String, help: String)

    /// Checks that the marked text has exactly one fault, at the mark.
    private func expectOneFault(_ marked: String, _ expected: Case) {
        let marked = MarkedText(marked)
        guard case .failure(let faults) = ManifestTests.parse(marked.text) else {
            Issue.record("accepted: \(marked.text)")
            return
        }
        let found = faults.diagnostics
        #expect(found.map { "\($0.line):\($0.column)" } == marked.places)
        #expect(found.map(\.rule) == [expected.rule.rawValue])
        #expect(
            found.map(\.message) == [expected.message.replacing("†", with: marked.first ?? "†")])
        #expect(found.map(\.help) == [expected.help])
    }

    @Test(
        "of the plugin",
        arguments: [
            (
                #"‸[]"#, .type, "a manifest must be an object, found an array",
                #"write { "id": "org.example.mirror", … }"#
            ),
            (
                #"‸"id""#, .type, "a manifest must be an object, found text",
                #"write { "id": "org.example.mirror", … }"#
            ),
            (
                #"‸{"version": "1.0.0", "abi": 0, "library": "l.so", "handlers": [H]}"#,
                .missingKey,
                "a manifest must have the key `id`", #"add "id": "org.example.mirror""#
            ),
            (
                #" ‸{"id": "a.b", "abi": 0, "library": "l.so", "handlers": [H]}"#, .missingKey,
                "a manifest must have the key `version`", #"add "version": "1.0.0""#
            ),
            (
                "\n ‸{\"id\": \"a.b\", \"version\": \"1.0.0\", \"library\": \"l.so\", \"handlers\": [H]}",
                .missingKey, "a manifest must have the key `abi`", #"add "abi": 0"#
            ),
            (
                #"‸{"id": "a.b", "version": "1.0.0", "abi": 0, "handlers": [H]}"#, .missingKey,
                "a manifest must have the key `library`", #"add "library": "libmirror.so""#
            ),
            (
                #"‸{"id": "a.b", "version": "1.0.0", "abi": 0, "library": "l.so"}"#, .missingKey,
                "a manifest must have the key `handlers`",
                #"add "handlers": [{"identifier": "org.example.mirror", "kind": "processing"}]"#
            ),
        ] as [Case])
    func plugin(_ expected: Case) {
        let handler = #"{"identifier": "a.b.c", "kind": "processing"}"#
        expectOneFault(expected.text.replacing("[H]", with: "[\(handler)]"), expected)
    }

    @Test(
        "of a value of the plugin",
        arguments: [
            (
                "id", "‸7", .type, "`id` must be text, found a number",
                #"write "id": "org.example.mirror""#
            ),
            (
                "id", "‸null", .type, "`id` must be text, found null",
                #"write "id": "org.example.mirror""#
            ),
            ("id", #"‸"mirror""#, .identifier, "`mirror` is not a reverse-DNS name", Self.dns),
            ("id", #"‸"""#, .identifier, "`` is not a reverse-DNS name", Self.dns),
            ("id", #"‸"a..b""#, .identifier, "`a..b` is not a reverse-DNS name", Self.dns),
            ("id", #"‸"a.b.""#, .identifier, "`a.b.` is not a reverse-DNS name", Self.dns),
            ("id", #"‸"a.b_c""#, .identifier, "`a.b_c` is not a reverse-DNS name", Self.dns),
            ("id", #"‸"a.é""#, .identifier, "`a.é` is not a reverse-DNS name", Self.dns),
            (
                "id", #"‸"a.b\u0000""#, .identifier, "`a.b\u{FFFD}` is not a reverse-DNS name",
                Self.dns
            ),
            (
                "id", "‸\"a.\(String(repeating: "b", count: 127))\"", .identifier,
                "`id` has 129 bytes, the limit is 128",
                #"write a shorter name, as "org.example.mirror""#
            ),
            (
                "version", "‸1.0", .type, "`version` must be text, found a number",
                #"write "version": "1.0.0""#
            ),
            ("version", #"‸"1.0""#, .version, "`1.0` is not a version", Self.version),
            ("version", #"‸"1.0.0.0""#, .version, "`1.0.0.0` is not a version", Self.version),
            ("version", #"‸"1..0""#, .version, "`1..0` is not a version", Self.version),
            ("version", #"‸"v1.0.0""#, .version, "`v1.0.0` is not a version", Self.version),
            ("version", #"‸"1.0.0-""#, .version, "`1.0.0-` is not a version", Self.version),
            ("version", #"‸"1.0.0+b""#, .version, "`1.0.0+b` is not a version", Self.version),
            ("version", #"‸"1.0.0-a b""#, .version, "`1.0.0-a b` is not a version", Self.version),
            ("version", #"‸"""#, .version, "`` is not a version", Self.version),
            (
                "version", "‸\"1.0.0-\(String(repeating: "b", count: 59))\"", .version,
                "`version` has 65 bytes, the limit is 64", #"write a shorter one, as "1.0.0""#
            ),
            (
                "abi", #"‸"0""#, .type, "`abi` must be a whole number, found text",
                #"write "abi": 0"#
            ),
            (
                "abi", "‸0.0", .type, "`abi` must be a whole number, found `0.0`",
                #"write "abi": 0"#
            ),
            (
                "abi", "‸0e0", .type, "`abi` must be a whole number, found `0e0`",
                #"write "abi": 0"#
            ),
            ("abi", "‸3", .abi, "the plugin is for ABI 3, this host speaks ABI 0", Self.abi),
            ("abi", "‸-1", .abi, "the plugin is for ABI -1, this host speaks ABI 0", Self.abi),
            (
                "abi", "‸4294967296", .abi,
                "the plugin is for ABI 4294967296, this host speaks ABI 0", Self.abi
            ),
            (
                "abi", "‸18446744073709551616", .abi,
                "the plugin is for ABI 18446744073709551616, this host speaks ABI 0", Self.abi
            ),
            (
                "abi", "‸\(String(repeating: "9", count: 1000))", .abi,
                "the plugin is for ABI 999999999999999999999999…, this host speaks ABI 0",
                Self.abi
            ),
            (
                "library", "‸true", .type, "`library` must be text, found true",
                #"write "library": "libmirror.so""#
            ),
            ("library", #"‸"""#, .library, "`library` is empty", Self.library),
            (
                "library", #"‸"/lib/l.so""#, .library,
                "`/lib/l.so` is a path, not the name of a file", Self.library
            ),
            (
                "library", #"‸"../l.so""#, .library, "`../l.so` is a path, not the name of a file",
                Self.library
            ),
            (
                "library", #"‸"sub\/l.so""#, .library,
                "`sub/l.so` is a path, not the name of a file", Self.library
            ),
            (
                "library", #"‸"..so""#, .library, "`..so` is a path, not the name of a file",
                Self.library
            ),
            (
                "library", #"‸"l..\u0301.so""#, .library,
                "`l..\u{301}.so` is a path, not the name of a file", Self.library
            ),
            (
                "library", #"‸"l.so.1""#, .library, "`l.so.1` does not name a shared object",
                Self.library
            ),
            (
                "library", #"‸"l.SO""#, .library, "`l.SO` does not name a shared object",
                Self.library
            ),
            ("library", #"‸".so""#, .library, "`.so` does not name a shared object", Self.library),
            (
                "library", #"‸"l\u0000.so""#, .library,
                "`l\u{FFFD}.so` has a control character in it", Self.library
            ),
            (
                "library", "‸\"\(String(repeating: "l", count: 253)).so\"", .library,
                "`library` has 256 bytes, the limit is 255", Self.library
            ),
            (
                "handlers", "‸{}", .type, "`handlers` must be an array, found an object",
                #"write "handlers": [{"identifier": "org.example.mirror", "kind": "processing"}]"#
            ),
            (
                "handlers", "‸[]", .handlers, "`handlers` has 0 elements, expected 1 to 64",
                #"write "handlers": [{"identifier": "org.example.mirror", "kind": "processing"}]"#
            ),
            (
                "handlers", "‸[\(String(repeating: "1, ", count: 64))1]", .handlers,
                "`handlers` has 65 elements, expected 1 to 64", "divide the plugin into several"
            ),
            (
                "handlers", "[‸7]", .type, "a handler must be an object, found a number",
                #"write { "identifier": "org.example.mirror", … }"#
            ),
        ] as [(String, String, ManifestRule, String, String)])
    func pluginValue(
        _ key: String, _ value: String, _ rule: ManifestRule, _ message: String, _ help: String
    ) {
        let values = [
            ("id", #""a.b""#), ("version", #""1.0.0""#), ("abi", "0"), ("library", #""l.so""#),
            ("handlers", #"[{"identifier": "a.b.c", "kind": "processing"}]"#),
        ]
        let members = values.map { "  \"\($0)\": \($0 == key ? value : $1)" }
        let text = "{\n" + members.joined(separator: ",\n") + "\n}\n"
        expectOneFault(text, (text, rule, message, help))
    }

    private static let dns =
        "write two or more parts of letters, digits and hyphens with a point between two, as"
        + #" "org.example.mirror""#
    private static let version =
        #"write three numbers, and a suffix if there is one: "1.0.0", "1.0.0-beta.2""#
    private static let abi = #"rebuild the plugin with this host's headers and write "abi": 0"#
    private static let library =
        #"write the name of a file beside the manifest that ends in .so, as "libmirror.so""#

    @Test(
        "of a handler",
        arguments: [
            (
                #""budget": ‸30"#, .duration, "`budget` is a number without a unit",
                #"write "30s", in quotes and with ms, s, min or h"#
            ),
            (
                #""budget": ‸-1"#, .duration, "`budget` is a number without a unit",
                #"write "30s", in quotes and with ms, s, min or h"#
            ),
            (
                #""grace": ‸2.5"#, .duration, "`grace` is a number without a unit",
                #"write "2.5s", in quotes and with ms, s, min or h"#
            ),
            (
                #""grace": ‸100000"#, .duration, "`grace` is a number without a unit",
                #"write "5s", in quotes and with ms, s, min or h"#
            ),
            (
                #""budget": ‸null"#, .type, "`budget` must be text, found null",
                #"write "budget": "30s""#
            ),
            (
                #""budget": ‸"5 minutes""#, .duration, "`5 minutes` is not a duration",
                #"write "5min""#
            ),
            (
                #""budget": ‸"soon""#, .duration, "`soon` is not a duration",
                #"write a number and a unit: "250ms", "30s", "10min", "1h""#
            ),
            (
                #""budget": ‸"0.9ms""#, .duration, "`budget` is `0.9ms`, which is too short",
                "write at least 1ms and at most 24h"
            ),
            (
                #""budget": ‸"24.000000001h""#, .duration,
                "`budget` is `24.000000001h`, which is too long",
                "write at least 1ms and at most 24h"
            ),
            (
                #""budget": ‸"999999999h""#, .duration,
                "`budget` is `999999999h`, which is too long",
                "write at least 1ms and at most 24h"
            ),
            (
                #""grace": ‸"11min""#, .duration, "`grace` is `11min`, which is too long",
                "write at least 0s and at most 10min"
            ),
            (
                #""onLeaseLost": ‸"end""#, .lease, "`onLeaseLost` has no value `end`",
                #"write one of "stop", "finish""#
            ),
            (
                #""maxInStore": ‸10001"#, .concurrency, "`maxInStore` is 10001",
                "write a number from 1 to 10000"
            ),
            (
                #""maxConcurrency": ‸0"#, .concurrency, "`maxConcurrency` is 0",
                "write a number from 1 to 64"
            ),
            (
                #""maxConcurrency": ‸65"#, .concurrency, "`maxConcurrency` is 65",
                "write a number from 1 to 64"
            ),
            (
                #""maxConcurrency": ‸-99999999999999999999"#, .concurrency,
                "`maxConcurrency` is -99999999999999999999", "write a number from 1 to 64"
            ),
            (
                #""maxConcurrency": ‸1.5"#, .type,
                "`maxConcurrency` must be a whole number, found `1.5`",
                #"write "maxConcurrency": 1"#
            ),
            (
                #""maxConcurrency": ‸"2""#, .type,
                "`maxConcurrency` must be a whole number, found text",
                #"write "maxConcurrency": 1"#
            ),
            (
                #""event": ‸5"#, .type, "`event` must be text, found a number",
                #"write "event": "mirror""#
            ),
            (#""event": ‸"Tidy""#, .event, "`Tidy` is not the name of an event", Self.event),
            (#""event": ‸"1tidy""#, .event, "`1tidy` is not the name of an event", Self.event),
            (#""event": ‸"tidy-up""#, .event, "`tidy-up` is not the name of an event", Self.event),
            (#""event": ‸"tidy::""#, .event, "`tidy::` is not the name of an event", Self.event),
            (#""event": ‸"""#, .event, "`` is not the name of an event", Self.event),
            (
                "\"event\": ‸\"\(String(repeating: "e", count: 101))\"", .event,
                "`event` has 101 bytes, the limit is 100",
                #"write a shorter name, as "mirror""#
            ),
            (
                #""event": ‸"curfew""#, .reservedEvent,
                "the event name `curfew` makes `curfew_progress::`, and names that begin with"
                    + " `curfew_` are the host's",
                #"write another name: "event": "mirror""#
            ),
            (
                #""events": ‸{}"#, .type, "`events` must be an array, found an object",
                #"write "events": [{"name": "mirror_found", "parameters": ["text"]}]"#
            ),
            (
                #""events": [‸"x"]"#, .type, "an event must be an object, found text",
                #"write { "name": "mirror_found", … }"#
            ),
            (
                #""events": [‸{}]"#, .missingKey, "an event must have the key `name`",
                #"add "name": "mirror_found""#
            ),
            (
                #""events": [{"name": ‸1}]"#, .type, "`name` must be text, found a number",
                #"write "name": "mirror_found""#
            ),
            (
                #""events": [{"name": ‸"a:"}]"#, .event, "`a:` is not the name of an event",
                Self.event
            ),
            (
                "\"events\": [{\"name\": ‸\"\(String(repeating: "e", count: 129))\"}]", .event,
                "`\(String(repeating: "e", count: 64))…` is not the name of an event", Self.event
            ),
            (
                #""events": [{"name": ‸"curfew_x"}]"#, .reservedEvent,
                "the event name `curfew_x` begins with `curfew_`, which is the host's",
                "write another name"
            ),
            (
                #""events": [{"name": ‸"c_done", "parameters": ["text", "text"]}]"#, .reservedEvent,
                "the event `c_done::` is the host's; a plugin cannot raise it",
                "remove it, or write another name"
            ),
            (
                #""events": [{"name": ‸"c_progress", "parameters": ["bool", "bool"]}]"#,
                .reservedEvent,
                "the event `c_progress::` is the host's; a plugin cannot raise it",
                "remove it, or write another name"
            ),
            (
                #""events": [{"name": ‸"c_expired", "parameters": []}]"#, .reservedEvent,
                "the event `c_expired` is the host's; a plugin cannot raise it",
                "remove it, or write another name"
            ),
            (
                #""events": [{"name": ‸"schedulingc_done", "parameters": ["bool", "text"]}]"#,
                .reservedEvent,
                "the event `schedulingc_done::` is the host's; a plugin cannot raise it",
                "remove it, or write another name"
            ),
            (
                #""events": [{"name": ‸"registeringc_done", "parameters": ["bool", "text"]}]"#,
                .reservedEvent,
                "the event `registeringc_done::` is the host's; a plugin cannot raise it",
                "remove it, or write another name"
            ),
            (
                "\"events\": [{\"name\": †\"x\"},\n{\"name\": ‸\"x\", \"parameters\": []}]",
                .duplicateEvent,
                "the event `x` is declared twice; the first is at †",
                "write another name; names are shared by all handlers"
            ),
            (
                #""events": [{"name": "x", "parameters": ‸"text"}]"#, .type,
                "`parameters` must be an array, found text", #"write "parameters": ["text"]"#
            ),
            (
                #""events": [{"name": "x", "parameters": ["text", ‸5]}]"#, .type,
                "`parameters` must be text, found a number", #"write "parameters": ["text"]"#
            ),
            (
                #""events": [{"name": "x", "parameters": ["text", ‸"int"]}]"#, .parameter,
                "`parameters` has no value `int`",
                #"write one of "bool", "int32", "int64", "double", "text""#
            ),
            (
                #""events": [{"name": "x", "parameters": [‸"Bool"]}]"#, .parameter,
                "`parameters` has no value `Bool`", #"write "bool""#
            ),
            (
                "\"events\": [{\"name\": \"x\", \"parameters\": ‸[\(Self.bools(17))]}]", .parameter,
                "the event has 17 parameters, the limit is 16", "put several values into one text"
            ),
            (
                "\"events\": ‸[\(Self.bools(65))]", .event,
                "`events` has 65 elements, the limit is 64",
                "use fewer events with more parameters"
            ),
            (
                #""requires": ‸"network""#, .type, "`requires` must be an array, found text",
                #"write "requires": ["network"]"#
            ),
            (
                #""requires": ["network", ‸"external-powr"]"#, .requirement,
                "`requires` has no value `external-powr`", #"write "external-power""#
            ),
            (
                #""requires": [‸"sun"]"#, .requirement, "`requires` has no value `sun`",
                #"write one of "network", "external-power""#
            ),
            (
                #""requires": [‸1]"#, .type, "`requires` must be text, found a number",
                #"write "requires": ["network"]"#
            ),
            (
                #""requires": [†"network", ‸"network"]"#, .requirement,
                "`network` is required twice; the first is at †",
                "keep one of the two"
            ),
            (
                #""form": ‸"call""#, .call, "a handler of form `call` must have the key `call`",
                "add \(ManifestKey.call.usage)"
            ),
            (
                #""call": ‸{"function": "f", "signature": "void ()"}"#, .call,
                "a handler of form `entry` calls nothing by itself",
                #"write "form": "call", or remove `call`"#
            ),
            (
                #""command": ‸{"argv": ["true"]}"#, .command,
                "a handler of form `entry` runs no program by itself",
                #"write "form": "command", or remove `command`"#
            ),
            (#""form": ‸"entri""#, .form, "`form` has no value `entri`", #"write "entry""#),
            (
                #""isolation": ‸"none""#, .isolation, "`isolation` has no value `none`",
                #"write one of "thread", "process", "fresh""#
            ),
            (
                #""form": "subs", "isolation": ‸"fresh""#, .isolation,
                "`isolation` cannot be `fresh` in a plugin with a handler made of subs, which share what they know from one event to the next",
                #"write "isolation": "process""#
            ),
            (
                #""isolation": ‸false"#, .type, "`isolation` must be text, found false",
                #"write "isolation": "process""#
            ),
            (
                #""examples": ‸5"#, .type, "`examples` must be an array, found a number",
                #"write "examples": [{"name": "small", "payload": "/srv/a"}]"#
            ),
            (
                #""examples": [‸5]"#, .type, "an example must be an object, found a number",
                #"write { "name": "small", … }"#
            ),
            (
                #""examples": [‸{"name": "x"}]"#, .missingKey,
                "an example must have the key `payload`", #"add "payload": "/srv/a""#
            ),
            (
                #""examples": [‸{"payload": "x"}]"#, .missingKey,
                "an example must have the key `name`", #"add "name": "small""#
            ),
            (
                #""examples": [{"name": "x", "payload": ‸{}}]"#, .type,
                "`payload` must be text, found an object", #"write "payload": "/srv/a""#
            ),
            (
                #""examples": [{"name": ‸"", "payload": "x"}]"#, .example,
                "the name of an example has 0 bytes", "write a name of 1 to 128 bytes"
            ),
            (
                "\"examples\": ‸[\(Self.bools(65))]", .example,
                "`examples` has 65 elements, the limit is 64", "keep the most telling ones"
            ),
            (
                #""examples": [{"name": "x", "payload": "", "expect": ‸1}]"#, .type,
                "`expect` must be text, found a number",
                #"write "expect": "failure""#
            ),
            (
                #""examples": [{"name": "x", "payload": "", "expect": ‸"sucess"}]"#, .example,
                "`expect` has no value `sucess`",
                #"write "success""#
            ),
            (
                #""examples": [{"name": "x", "payload": "", "expect": ‸"Slow"}]"#, .example,
                "`expect` has no value `Slow`",
                #"write "slow""#
            ),
            (
                #""examples": [{"name": "x", "payload": "", "expect": ‸"crash"}]"#, .example,
                "`expect` has no value `crash`",
                #"write one of "success", "failure", "slow""#
            ),
            (
                #""examples": [{"name": "x", "payload": "", ‸"expects": "slow"}]"#, .unknownKey,
                "an example has no key `expects`",
                "write `expect`"
            ),
            (
                #""examples": [], ‸"expect": "slow""#, .unknownKey,
                "a handler has no key `expect`",
                "`expect` belongs into an example"
            ),
            (
                #""examples": [{"name": "x", "payload": "", "files": ‸["a"]}]"#, .type,
                "`files` must be an object, found an array",
                #"write "files": {"in/a.txt": "one"}"#
            ),
            (
                #""examples": [{"name": "x", "payload": "", "files": {"a": ‸null}}]"#, .type,
                "a file of an example must be text or an object, found null",
                #"write "files": {"in/a.txt": "one"}, or { "bytes": 100000000 } for a large one"#
            ),
            (
                #""examples": [{"name": "x", "payload": "", "files": {"a": ‸{}}}]"#, .missingKey,
                "a large file of an example must have the key `bytes`",
                #"add "bytes": 100000000"#
            ),
            (
                #""examples": [{"name": "x", "payload": "", "files": {"a": {"bytes": 1, ‸"text": ""}}}]"#,
                .unknownKey,
                "a large file of an example has no key `text`", "remove it; the keys are bytes"
            ),
            (
                #""examples": [{"name": "x", "payload": "", "files": {"a": {"bytes": ‸"1"}}}]"#,
                .type, "`bytes` must be a whole number, found text", #"write "bytes": 100000000"#
            ),
            (
                #""examples": [{"name": "x", "payload": "", "files": {"a": {"bytes": ‸-1}}}]"#,
                .example, "`bytes` is -1", "write a number from 0 to 1099511627776"
            ),
            (
                #""examples": [{"name": "x", "payload": "", "files": {"a": {"bytes": ‸1099511627777}}}]"#,
                .example, "`bytes` is 1099511627777", "write a number from 0 to 1099511627776"
            ),
            (
                "\"examples\": [{\"name\": \"x\", \"payload\": \"\", \"files\": ‸{\(Self.files(65))}}]",
                .example,
                "`files` has 65 members, the limit is 64",
                "keep those that the handler looks at"
            ),
            (
                "\"examples\": [{\"name\": \"x\", \"payload\": \"\", \"files\": {\"a\": ‸\"\(Self.letters(65_537))\"}}]",
                .example,
                "the text of a file has 65537 bytes, the limit is 65536",
                #"let the example do with less, or write { "bytes": 100000000 } for a file of zeros"#
            ),
            (
                "\"examples\": [{\"name\": \"x\", \"payload\": \"\", \"files\": {‸\"\(Self.letters(256))\": \"\"}}]",
                .example,
                "the path of a file has 256 bytes, the limit is 255",
                Self.path
            ),
            (
                #""examples": [{"name": "x", "payload": "", "files": {‸"": ""}}]"#, .example,
                "the path of a file is empty",
                Self.path
            ),
            (
                #""examples": [{"name": "x", "payload": "", "files": {‸"a\u0000": ""}}]"#, .example,
                "`a\u{FFFD}` has a zero byte in it",
                Self.path
            ),
            (
                #""examples": [{"name": "x", "payload": "", "files": {‸"/a": ""}}]"#, .example,
                "`/a` is an absolute path",
                Self.path
            ),
            (
                #""examples": [{"name": "x", "payload": "", "files": {‸"a//b": ""}}]"#, .example,
                "`a//b` has an empty part",
                Self.path
            ),
            (
                #""examples": [{"name": "x", "payload": "", "files": {‸"a/": ""}}]"#, .example,
                "`a/` has an empty part",
                Self.path
            ),
            (
                #""examples": [{"name": "x", "payload": "", "files": {‸".": ""}}]"#, .example,
                "`.` has a part that is `.` or `..`",
                Self.path
            ),
            (
                #""examples": [{"name": "x", "payload": "", "files": {‸"..": ""}}]"#, .example,
                "`..` has a part that is `.` or `..`",
                Self.path
            ),
            (
                #""examples": [{"name": "x", "payload": "", "files": {‸"./a": ""}}]"#, .example,
                "`./a` has a part that is `.` or `..`",
                Self.path
            ),
            (
                #""examples": [{"name": "x", "payload": "", "files": {‸"a/./b": ""}}]"#, .example,
                "`a/./b` has a part that is `.` or `..`",
                Self.path
            ),
            (
                #""examples": [{"name": "x", "payload": "", "files": {‸"a/../b": ""}}]"#, .example,
                "`a/../b` has a part that is `.` or `..`",
                Self.path
            ),
            (
                #""examples": [{"name": "x", "payload": "", "files": {‸"a/..": ""}}]"#, .example,
                "`a/..` has a part that is `.` or `..`",
                Self.path
            ),
            (
                #""examples": [{"name": "x", "payload": "", "files": {"in": "", ‸"in/a": ""}}]"#,
                .example,
                "`in/a` lies below `in`, which is a file",
                "give one of the two another name"
            ),
            (
                #""examples": [{"name": "x", "payload": "", "files": {‸"in/a/b": "", "in": ""}}]"#,
                .example,
                "`in/a/b` lies below `in`, which is a file",
                "give one of the two another name"
            ),
            (#"‸"buget": "30s""#, .unknownKey, "a handler has no key `buget`", "write `budget`"),
            (
                #"‸"maxconcurency": 1"#, .unknownKey, "a handler has no key `maxconcurency`",
                "write `maxConcurrency`"
            ),
            (
                #"‸"library": "l.so""#, .unknownKey, "a handler has no key `library`",
                "`library` belongs into a manifest"
            ),
            (
                #"‸"colour": 1"#, .unknownKey, "a handler has no key `colour`",
                "remove it; the keys are identifier, kind, budget, grace, maxConcurrency, maxInStore,"
                    + " onLeaseLost, event, events, requires, form, call, command, isolation, examples"
            ),
            (
                #""events": [{"name": "x", ‸"params": []}]"#, .unknownKey,
                "an event has no key `params`", "remove it; the keys are name, parameters"
            ),
            (
                #""examples": [{"name": "x", "payload": "", ‸"payloud": ""}]"#, .unknownKey,
                "an example has no key `payloud`", "write `payload`"
            ),
        ] as [Case])
    func handler(_ expected: Case) {
        expectOneFault(ManifestTests.manifest(", " + expected.text), expected)
    }

    private static let event =
        "write at most 128 small letters, digits and underscores, a letter first; without colons"

    private static let path = "write a path below the example's directory, as \"in/a.txt\""

    private static func files(_ count: Int) -> String {
        (1...count).map { "\"f\($0)\": \"\"" }.joined(separator: ", ")
    }

    private static func letters(_ count: Int) -> String { String(repeating: "a", count: count) }

    private static func bools(_ count: Int) -> String {
        repeatElement(#""bool""#, count: count).joined(separator: ", ")
    }

    @Test(
        "of what makes a handler",
        arguments: [
            (
                #"[‸{"kind": "processing"}]"#, .missingKey,
                "a handler must have the key `identifier`",
                #"add "identifier": "org.example.mirror""#
            ),
            (
                #"[‸{"identifier": "a.b"}]"#, .missingKey, "a handler must have the key `kind`",
                #"add "kind": "processing""#
            ),
            (
                #"[{"identifier": "a.b", "kind": ‸"procesing"}]"#, .kind,
                "`kind` has no value `procesing`", #"write "processing""#
            ),
            (
                #"[{"identifier": "a.b", "kind": ‸"timer"}]"#, .kind, "`kind` has no value `timer`",
                #"write one of "app-refresh", "processing", "health-research", "continued-processing""#
            ),
            (
                #"[{"identifier": "a.b", "kind": ‸2}]"#, .type,
                "`kind` must be text, found a number",
                #"write "kind": "processing""#
            ),
            (
                #"[{"identifier": ‸"b", "kind": "processing"}]"#, .identifier,
                "`b` is not a reverse-DNS name", dns
            ),
            (
                #"[{"identifier": ‸"a.2b", "kind": "processing"}]"#, .event,
                "the identifier gives the event name `2b`, which is not one",
                #"add "event": "mirror": at most 100 small letters, digits and underscores, a"#
                    + " letter first"
            ),
            (
                #"[{"identifier": ‸"a.Curfew-X", "kind": "processing"}]"#, .reservedEvent,
                "the event name `curfew_x` makes `curfew_x_progress::`, and names that begin with"
                    + " `curfew_` are the host's",
                #"write another name: "event": "mirror""#
            ),
            (
                """
                [{"identifier": †"a.b", "kind": "processing"},
                 {"identifier": ‸"a.b", "kind": "processing"}]
                """, .duplicateIdentifier,
                "the identifier `a.b` is declared twice; the first is at †",
                "give each handler an identifier of its own"
            ),
            (
                """
                [{"identifier": †"a.b", "kind": "processing"},
                 {"identifier": ‸"x.B", "kind": "processing"}]
                """, .duplicateEvent,
                "the event name `b` is taken; the first is at †",
                #"add an "event" of its own to one of the two handlers"#
            ),
            (
                """
                [{"identifier": †"a.b", "kind": "processing"},
                 {"identifier": "a.c", "kind": "processing", "event": ‸"registeringb"}]
                """, .duplicateEvent,
                "the event name `registeringb` makes `registeringb_done::`, and so does the one at"
                    + " †",
                #"write another name: "event": "mirror""#
            ),
            (
                """
                [{"identifier": "a.b", "kind": "processing", "events": [{"name": †"x"}]},
                 {"identifier": "a.c", "kind": "processing", "events": [{"name": ‸"x"}]}]
                """, .duplicateEvent,
                "the event `x` is declared twice; the first is at †",
                "write another name; names are shared by all handlers"
            ),
            (
                """
                [{"identifier": "a.b", "kind": "processing", "events": [{"name": ‸"c_expired"}]},
                 {"identifier": "a.c", "kind": "processing"}]
                """, .reservedEvent,
                "the event `c_expired` is the host's; a plugin cannot raise it",
                "remove it, or write another name"
            ),
        ] as [Case])
    func handlers(_ expected: Case) {
        expectOneFault(
            #"{"id": "a.b", "version": "1.0.0", "abi": 0, "library": "l.so", "handlers": "#
                + expected.text + "}", expected)
    }

    @Test("a key of a handler that stands outside is sent inside")
    func misplaced() {
        expectOneFault(
            ManifestTests.manifest(plugin: #"‸"budget": "30s","#),
            (
                "", .unknownKey, "a manifest has no key `budget`", "`budget` belongs into a handler"
            ))
    }

    @Test("faults of the syntax and of the values come together, in the order of the text")
    func syntax() {
        let marked = MarkedText(
            #"""
            {"id": ‸5, ‸// who
             "version": 1.0‸.0, "abi": ‸True, ‸"abi": 9, "library": "a‸\qb", "handlers": [
              {"identifier": "a.b", "kind": ‸procesing, "budget": 30‸s, "grace": ‸"5 s"‸,},
              ‸{"identifier": "a.c", ‸"kindd": "processing"}
             ]‸,}
            """#)
        guard case .failure(let faults) = ManifestTests.parse(marked.text) else {
            Issue.record("accepted")
            return
        }
        #expect(faults.diagnostics.map { "\($0.line):\($0.column)" } == marked.places)
        #expect(
            faults.diagnostics.map(\.rule) == [
                "manifest-type", "json-comment", "json-number", "json-syntax",
                "json-duplicate-key", "json-escape", "json-syntax", "json-number",
                "manifest-duration", "json-trailing-comma", "manifest-missing-key",
                "manifest-unknown-key", "json-trailing-comma",
            ])
    }

    @Test("where the text breaks off, only what was read of it is reported")
    func brokenOff() {
        guard case .failure(let faults) = ManifestTests.parse(#"{"id": 5, "id": 6, "abi": }"#)
        else {
            Issue.record("accepted")
            return
        }
        #expect(faults.diagnostics.map(\.rule) == ["json-duplicate-key", "json-syntax"])
        #expect(faults.diagnostics.map(\.column) == [11, 27])
    }

    @Test(
        "a pin is 64 hexadecimal digits",
        arguments: [
            (#""""#, "`sha256` has 0 bytes, expected 64 digits"),
            (#""0""#, "`sha256` has 1 byte, expected 64 digits"),
            (
                "\"\(String(repeating: "g", count: 64))\"",
                "`sha256` has something other than hexadecimal digits in it"
            ),
            (
                "\"\(String(repeating: "é", count: 32))\"",
                "`sha256` has something other than hexadecimal digits in it"
            ),
            (
                "\"\(String(repeating: "0", count: 65))\"",
                "`sha256` has 65 bytes, expected 64 digits"
            ),
        ])
    func pin(_ value: String, _ message: String) {
        expectOneFault(
            ManifestTests.manifest(plugin: "\"sha256\": ‸\(value),"),
            (
                "", .pin, message,
                "write the 64 digits that `sha256sum` prints for the library"
            ))
        expectOneFault(
            ManifestTests.manifest(plugin: "\"sha256\": ‸7,"),
            (
                "", .type, "`sha256` must be text, found a number",
                "write \(ManifestKey.sha256.usage)"
            ))
    }

    @Test("all faults are reported at once, in the order of the text")
    func allAtOnce() {
        let marked = MarkedText(
            """
            ‸{
              "id": ‸"mirror",
              "abi": ‸9,
              ‸"libary": "libmirror.so",
              "handlers": [
                ‸{"kind": ‸"refresh", "budget": ‸30, "grace": ‸"1h",
                 "events": [{"name": ‸"Loud", "parameters": [‸"string"]}, ‸7]},
                {"identifier": "a.b", "kind": "processing", "requires": [‸"sun", ‸"moon"]},
                {"identifier": ‸"a.b", "kind": "processing", "form": ‸"sub", "isolation": ‸"none"},
                ‸[]
              ]
            }
            """)
        guard case .failure(let faults) = ManifestTests.parse(marked.text) else {
            Issue.record("accepted")
            return
        }
        // The manifest lacks two keys, and both faults are at its brace.
        let places = [marked.places[0]] + marked.places
        #expect(faults.diagnostics.map { "\($0.line):\($0.column)" } == places)
        #expect(
            faults.diagnostics.map(\.rule) == [
                "manifest-missing-key", "manifest-missing-key", "manifest-identifier",
                "manifest-abi", "manifest-unknown-key", "manifest-missing-key", "manifest-kind",
                "manifest-duration", "manifest-duration", "manifest-event", "manifest-parameter",
                "manifest-type", "manifest-requirement", "manifest-requirement",
                "manifest-duplicate-identifier", "manifest-form", "manifest-isolation",
                "manifest-type",
            ])
        #expect(faults.rendered.split(separator: "\n\n").count == places.count)
    }

    @Test("the list of faults is bounded and says how many it leaves out")
    func bounded() throws {
        let keys = (1...5000).map { "\"k\($0)\": \($0)" }.joined(separator: ",")
        guard case .failure(let faults) = ManifestTests.parse("{\(keys)}") else {
            Issue.record("accepted")
            return
        }
        #expect(faults.diagnostics.count == 101)
        let last = try #require(faults.diagnostics.last)
        #expect(last.message == "4905 more faults are not listed")
        #expect(last.rule == ManifestRule.faultLimit.rawValue)
        #expect(faults.rendered.utf8.count < 100_000)
    }
}
