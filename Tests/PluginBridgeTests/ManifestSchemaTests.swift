// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@testable import PluginBridge

/// The published schema and the reader say the same, as far as the language of schemas reaches.
@Suite("The JSON Schema of manifests")
struct ManifestSchemaTests {
    private static let schema = "\(BuiltProducts.packageRoot)/Plugins/manifest.schema.json"

    /// Reads a list of texts, each in base64, and prints a line for each: `ok`, or what is wrong.
    private static let script = """
        import base64, json, sys, jsonschema
        with open(sys.argv[1]) as file: schema = json.load(file)
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        for line in sys.stdin:
            try: value = json.loads(base64.b64decode(line).decode("utf-8"))
            except (ValueError, RecursionError) as fault: print("unreadable", type(fault).__name__)
            else: print(next((repr(f.message)[:200] for f in validator.iter_errors(value)), "ok"))
        """

    /// What python3-jsonschema says about each text: nil when it accepts it.
    private func verdicts(_ texts: [[UInt8]]) throws -> [String?] {
        // Debian's Python has Debian's packages.
        let python = ["/usr/bin/python3", "python3"].first {
            (try? ChildProcess.run($0, ["-c", "import jsonschema"]))?.succeeded == true
        }
        let program = try #require(
            python, "python3-jsonschema is missing; to install it: make test-packages")
        let input = texts.map { Data($0).base64EncodedString() + "\n" }.joined()
        let run = try ChildProcess.run(
            program, ["-W", "ignore", "-c", Self.script, Self.schema], input: input)
        try #require(run.succeeded, "\(run)")
        let lines = run.output.split(separator: "\n").map { $0 == "ok" ? nil : String($0) }
        try #require(lines.count == texts.count)
        return lines
    }

    private func verdicts(_ texts: [String]) throws -> [String?] {
        try verdicts(texts.map { Array($0.utf8) })
    }

    private func accepts(_ text: String) -> Bool {
        if case .success = ManifestTests.parse(text) { true } else { false }
    }

    @Test("every manifest of the repository is accepted by both")
    func repository() throws {
        let root = URL(fileURLWithPath: BuiltProducts.packageRoot)
        let places = ["Plugins", "Tests/Plugins", "Benchmarks"]
        let files = places.flatMap { place -> [URL] in
            let directory = root.appendingPathComponent(place)
            return (FileManager.default.enumerator(atPath: directory.path)?.allObjects ?? [])
                .compactMap { $0 as? String }.filter { $0.hasSuffix("manifest.json") }.sorted()
                .map(directory.appendingPathComponent)
        }
        #expect(files.count >= 10)
        let texts = try files.map { [UInt8](try Data(contentsOf: $0)) }
        for (file, (text, verdict)) in zip(files, zip(texts, try verdicts(texts))) {
            let isMeantToBeRefused = file.path.contains("/Tests/Plugins/manifest-")
            guard !isMeantToBeRefused else { continue }
            #expect(verdict == nil, "\(file.path)")
            if case .failure(let faults) = Manifest.parse(bytes: text, file: file.path) {
                Issue.record("\(faults.rendered)")
            }
        }
        let own = [ManifestTests.full, ManifestTests.manifest()]
        for (text, verdict) in zip(own, try verdicts(own)) {
            #expect(verdict == nil)
            #expect(accepts(text))
        }
    }

    /// What no schema can say, by rule or by file, and why.
    private static let onlyTheReader: [String: String] = [
        "json-byte-order-mark": "decoders of JSON differ; it is no matter of values",
        "json-depth": "schemas know no depth of values they do not name",
        "json-duplicate-key": "decoders keep one of the two before a schema sees them",
        "json-surrogate": "decoders of JSON differ; it is no matter of values",
        "manifest-duplicate-identifier": "schemas cannot compare values of different objects",
        "manifest-argument": "schemas cannot compare arguments with a signature",
        "manifest-result": "schemas cannot tell the type of a result by its signature",
        "fault-manifest-function.ending.json": "the names are listed once, in the reader",
        "fault-manifest-function.list.json": "the names are listed once, in the reader",
        "fault-manifest-function.splitting.json": "the names are listed once, in the reader",
        "fault-manifest-function.underscore.json": "the names are listed once, in the reader",
        "fault-manifest-function.descriptors.json": "the names are listed once, in the reader",
        "fault-manifest-function.loading.json": "the names are listed once, in the reader",
        "fault-manifest-function.memory.json": "the names are listed once, in the reader",
        "fault-manifest-function.starting.json": "the names are listed once, in the reader",
        "fault-manifest-function.state.json": "the names are listed once, in the reader",
        "fault-manifest-function.variadic.json": "the names are listed once, in the reader",
        "fault-manifest-command.both.json": "schemas cannot compare lists",
        "fault-manifest-needs.much.json": "schemas cannot multiply by a unit",
        "fault-manifest-needs.little.json": "schemas cannot multiply by a unit",
        "manifest-duplicate-event": "schemas cannot compare values of different objects",
        "fault-manifest-reserved-event.host.json": "the names are made of other values",
        "fault-manifest-reserved-event.scheduling.json": "the names are made of other values",
        "fault-manifest-type.fraction.json": "to a schema 0.0 is the integer 0",
        "fault-manifest-type.exponent.json": "to a schema 1e0 is the integer 1",
        "fault-manifest-library.bytes.json": "schemas count characters, file systems bytes",
        "fault-manifest-example.bytes.json": "schemas count characters, limits are bytes",
        "fault-manifest-example.file-path-bytes.json": "schemas count characters, limits are bytes",
        "fault-manifest-example.file-below.json": "schemas cannot compare keys",
    ]

    @Test("a faulty manifest is refused by both, but for what only the reader can see")
    func corpus() throws {
        let files = try Corpus("manifest").files.filter { $0.isValid || $0.rule != nil }
        let verdicts = try verdicts(files.map(\.bytes))
        var unused = Set(Self.onlyTheReader.keys)
        for (file, verdict) in zip(files, verdicts) {
            if file.isValid {
                #expect(verdict == nil, "\(file)")
            } else if let known = [file.name, file.rule ?? ""].first(
                where: { Self.onlyTheReader[$0] != nil })
            {
                // Whether a decoder minds is its own affair.
                if verdict == nil || known.hasPrefix("json-") { unused.remove(known) }
            } else {
                #expect(verdict != nil, "\(file) is accepted by the schema")
            }
        }
        #expect(unused == [], "the schema refuses these by now: say so")
    }

    @Test("both draw the same lines through durations")
    func durations() throws {
        var generator = SeededGenerator(seed: 7)
        // The limits, and what lies just beside them.
        let edges = [
            "0", "1", "0.9", "0.000001", "0.999999999", "1.000000000", "86400000",
            "86400000.000000",
            "86400000.000000999", "86400000.000001", "86400001", "0.001", "0.0009", "0.000999999",
            "86400", "86400.000000000", "86400.000000001", "86399.999999999", "1440", "1439.9",
            "1440.000000001", "0.000016666", "0.000016667", "0.0000167", "0.00001", "0.00002", "24",
            "23.999999999", "24.0", "24.000000001", "0.000000277", "0.000000278", "0.0000003",
            "0.00000028", "0.00000027", "600000", "600000.000000999", "600000.000001", "600", "601",
            "600.0", "600.000000001", "10", "10.0", "10.000000001", "11", "9.999999999",
            "0.166666666", "0.166666667", "0.16", "0.17", "0.1666667", "0.1666666", "0.16666666",
            "0.16666667", "000000001", "0000000001", "000086400", "99999999", "999999999", "1.",
            ".5", "1.0000000001", "00.1", "100", "1000", "9999", "10000", "59999", "79999", "85999",
            "86000", "86399", "599999", "1399", "1400", "1439", "999",
        ]
        var values = ["s", "ms", "min", "h", "", "S", "m", "s\n", " s", "us", "hs"].flatMap {
            unit in
            edges.map { $0 + unit }
        }
        for _ in 0..<3000 {
            let digits = Int.random(in: 1...9, using: &generator)
            var number = String(
                Int.random(in: 0..<Int(pow(10, Double(digits))), using: &generator))
            if Bool.random(using: &generator) {
                let places = Int.random(in: 1...9, using: &generator)
                number +=
                    "."
                    + (0..<places).map { _ in
                        String("0000123456789".randomElement(using: &generator)!)
                    }.joined()
            }
            if Bool.random(using: &generator) { number = "0" + number }
            values.append(number + ["ms", "s", "min", "h"].randomElement(using: &generator)!)
        }
        for key in ["budget", "grace"] {
            try expectSame(
                values.map { value in
                    let text = value.replacing("\n", with: "\\n")
                    return ManifestTests.manifest(", \"\(key)\": \"\(text)\"")
                })
        }
    }

    @Test("both draw the same lines through names")
    func names() throws {
        var generator = SeededGenerator(seed: 11)
        func some(_ alphabet: [String], _ most: Int) -> String {
            (0..<Int.random(in: 0...most, using: &generator)).map { _ in
                alphabet.randomElement(using: &generator)!
            }.joined()
        }
        func lengths(_ piece: String, _ limit: Int) -> [String] {
            (-1...1).map { String(repeating: piece, count: limit + $0) }
        }
        var texts: [String] = []
        let letters = ["a", "Z", "0", "-", ".", "..", "_", "é", "\\n", "curfew"]
        for _ in 0..<400 {
            let name = some(letters, 6)
            texts.append(ManifestTests.manifest().replacing("\"a.b\"", with: "\"\(name)\""))
            texts.append(
                ManifestTests.manifest().replacing("\"a.b.c\"", with: "\"a.\(name)\""))
            texts.append(
                ManifestTests.manifest().replacing("1.0.0", with: "1.0\(some(letters, 6))"))
        }
        let signs = ["a", "z", "A", "0", "_", "curfew", "curfew_", "-", ":", " ", "\\n"]
        for _ in 0..<400 {
            texts.append(ManifestTests.manifest(#", "event": "\#(some(signs, 4))""#))
            texts.append(ManifestTests.manifest(#", "events": [{"name": "\#(some(signs, 4))"}]"#))
        }
        let bytes = [
            "l", "/", ".", "so", ".so", "\\u0001", "\\u007f", "\\n", " ", "é", "\\\\", "-",
        ]
        for _ in 0..<400 {
            texts.append(
                ManifestTests.manifest().replacing("l.so", with: some(bytes, 4) + ".so"))
            texts.append(ManifestTests.manifest().replacing("l.so", with: some(bytes, 4)))
        }
        for name in lengths("i", 126) {
            texts.append(ManifestTests.manifest().replacing("\"a.b\"", with: "\"\(name).b\""))
            texts.append(ManifestTests.manifest().replacing("\"a.b.c\"", with: "\"a.\(name)\""))
        }
        for name in lengths("e", 100) + lengths("e", 128) {
            texts.append(ManifestTests.manifest(#", "event": "\#(name)""#))
            texts.append(ManifestTests.manifest(#", "events": [{"name": "\#(name)"}]"#))
            texts.append(ManifestTests.manifest().replacing("a.b.c", with: "a.\(name)"))
            texts.append(
                ManifestTests.manifest(
                    #", "examples": [{"name": "\#(name)", "payload": ""}]"#))
        }
        for name in lengths("l", 252) {
            texts.append(ManifestTests.manifest().replacing("l.so", with: name + ".so"))
        }
        let parts = ["a", ".", "..", "...", "/", "/", "\\n", "\\u0000", "é", " "]
        for path in (0..<400).map({ _ in some(parts, 5) }) + lengths("p", 255) {
            texts.append(
                ManifestTests.manifest(
                    #", "examples": [{"name": "e", "payload": "", "files": {"\#(path)": ""}}]"#))
        }
        for text in lengths("t", 65_536) {
            texts.append(
                ManifestTests.manifest(
                    #", "examples": [{"name": "e", "payload": "", "files": {"f": "\#(text)"}}]"#))
        }
        for digits in lengths("aF", 32) + ["0", "g"].map({ String(repeating: $0, count: 64) }) {
            texts.append(ManifestTests.manifest(plugin: "\"sha256\": \"\(digits)\","))
        }
        try expectSame(texts)
    }

    /// Checks that the schema and the reader agree about each text, and that it is not always the
    /// same answer.
    private func expectSame(_ texts: [String]) throws {
        var accepted = 0
        for (text, verdict) in zip(texts, try verdicts(texts)) {
            let isAccepted = accepts(text)
            if isAccepted { accepted += 1 }
            #expect(
                isAccepted == (verdict == nil), "\(text)\n\(verdict ?? "the schema accepts it")")
        }
        #expect(accepted > texts.count / 20)
        #expect(accepted < texts.count * 19 / 20)
    }

    @Test("the schema has the keys, words and limits of the reader")
    func sameKeys() throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: Self.schema))
        let schema = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let definitions = try #require(schema["$defs"] as? [String: [String: Any]])
        let call = try #require(definitions["call"])
        func inside(_ object: [String: Any], _ key: String) throws -> [String: Any] {
            try #require((object["properties"] as? [String: [String: Any]])?[key])
        }
        let files = try inside(try #require(definitions["example"]), "files")
        let file = try #require(files["additionalProperties"] as? [String: Any])
        let command = try #require(definitions["command"])
        let objects: [(ManifestObject, [String: Any])] = [
            (.manifest, schema), (.needs, try #require(definitions["needs"])),
            (.handler, try #require(definitions["handler"])),
            (.event, try #require(definitions["event"])),
            (.example, try #require(definitions["example"])),
            (.exampleFile, try #require((file["oneOf"] as? [[String: Any]])?.last)),
            (.call, call), (.systemLibrary, try inside(call, "library")),
            (.kept, try #require((try inside(call, "keep")["oneOf"] as? [[String: Any]])?.last)),
            (
                .argument,
                try #require((definitions["argument"]?["oneOf"] as? [[String: Any]])?.last)
            ),
            (.command, command),
            (
                .commandWord,
                try #require(
                    ((try inside(command, "argv")["items"] as? [String: Any])?["oneOf"]
                        as? [[String: Any]])?.last)
            ),
        ]
        #expect(objects.count == ManifestObject.allCases.count)
        for (object, definition) in objects {
            let properties = try #require(definition["properties"] as? [String: [String: Any]])
            #expect(properties.keys.sorted() == object.keys.map(\.name).sorted())
            #expect(
                (definition["required"] as? [String] ?? []).sorted()
                    == object.keys.filter(\.isRequired).map(\.name).sorted())
            #expect(definition["additionalProperties"] as? Bool == false)
            for (key, property) in properties {
                #expect(property["description"] is String, "\(key)")
                let isRequired = object.keys.first { $0.name == key }?.isRequired == true
                // The others' defaults depend on the rest of the handler, or there is none.
                let isOpen = [
                    "budget", "event", "sha256", "library", "call", "result", "keep", "free",
                    "length", "from", "lengthOf", "hex", "out", "buffer", "command", "input",
                    "directory", "needs", "maxInStore",
                ].contains(key)
                #expect((property["default"] != nil) != (isRequired || isOpen), "\(key)")
            }
        }
        let abi = (schema["properties"] as? [String: [String: Any]])?["abi"]?["const"] as? Int
        #expect(abi == Int(ManifestChecker.hostABI))
        #expect((schema["$id"] as? String)?.hasSuffix(":\(ManifestChecker.hostABI)") == true)
    }
}
