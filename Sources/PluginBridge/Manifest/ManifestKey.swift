// SPDX-License-Identifier: Apache-2.0

/// A key of the manifest language, with a value as it may be written.
struct ManifestKey {
    let name: String
    /// The value in JSON, for help texts.
    let example: String
    let isRequired: Bool

    private init(_ name: String, _ example: String, required: Bool = false) {
        self.name = name
        self.example = example
        self.isRequired = required
    }

    /// The key with its example.
    var usage: String { "\"\(name)\": \(example)" }

    /// The key with a text as its value.
    func usage(of text: String) -> String { "\"\(name)\": \"\(text)\"" }

    static let id = ManifestKey("id", #""org.example.mirror""#, required: true)
    static let version = ManifestKey("version", #""1.0.0""#, required: true)
    static let abi = ManifestKey("abi", "\(ManifestChecker.hostABI)", required: true)
    static let library = ManifestKey("library", #""libmirror.so""#)
    static let sha256 = ManifestKey(
        "sha256", #""9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08""#)
    static let needs = ManifestKey("needs", #"{"read": ["/usr/share/dict"], "write": ["@STATE@"]}"#)
    static let read = ManifestKey("read", #"["/usr/share/dict"]"#)
    static let write = ManifestKey("write", #"["@STATE@"]"#)
    static let run = ManifestKey("run", #"["/usr/bin/rsync"]"#)
    static let network = ManifestKey("network", #"["tcp:443"]"#)
    static let memory = ManifestKey("memory", #""2GB""#)
    static let descriptors = ManifestKey("descriptors", "512")
    static let processes = ManifestKey("processes", "8")
    static let variables = ManifestKey("environment", #"["HTTP_PROXY"]"#)
    static let handlers = ManifestKey(
        "handlers", #"[{"identifier": "org.example.mirror", "kind": "processing"}]"#, required: true
    )

    static let identifier = ManifestKey("identifier", #""org.example.mirror""#, required: true)
    static let kind = ManifestKey("kind", #""processing""#, required: true)
    static let budget = ManifestKey("budget", #""30s""#)
    static let grace = ManifestKey("grace", #""5s""#)
    static let maxConcurrency = ManifestKey("maxConcurrency", "1")
    static let maxInStore = ManifestKey("maxInStore", "4")
    static let onLeaseLost = ManifestKey("onLeaseLost", #""finish""#)
    static let event = ManifestKey("event", #""mirror""#)
    static let events = ManifestKey(
        "events", #"[{"name": "mirror_found", "parameters": ["text"]}]"#)
    static let requires = ManifestKey("requires", #"["network"]"#)
    static let form = ManifestKey("form", #""entry""#)
    static let isolation = ManifestKey("isolation", #""process""#)
    static let examples = ManifestKey("examples", #"[{"name": "small", "payload": "/srv/a"}]"#)

    static let call = ManifestKey(
        "call",
        #"{"function": "tidy_all", "signature": "int32 (text)", "arguments": ["/srv"], "result": "zero"}"#
    )
    static let callLibrary = ManifestKey("library", #"{"system": "libz.so.1"}"#)
    static let function = ManifestKey("function", #""tidy_all""#, required: true)
    static let signature = ManifestKey("signature", #""int32 (text, uint64)""#, required: true)
    static let arguments = ManifestKey("arguments", #"["/srv", 4096]"#)
    static let result = ManifestKey("result", #""zero""#)
    static let keep = ManifestKey("keep", #""returned""#)
    static let free = ManifestKey("free", #""free""#)
    static let system = ManifestKey("system", #""libz.so.1""#, required: true)
    static let keptArgument = ManifestKey("argument", "2", required: true)
    static let keptLength = ManifestKey("length", #""returned""#)
    static let from = ManifestKey("from", #""payload""#)
    static let lengthOf = ManifestKey("lengthOf", "1")
    static let out = ManifestKey("out", "0")
    static let buffer = ManifestKey("buffer", "4096")
    static let hex = ManifestKey("hex", #""00ff""#)

    static let command = ManifestKey("command", #"{"argv": ["rsync", "-a", "a/", "b/"]}"#)
    static let argv = ManifestKey("argv", #"["rsync", "-a", "a/", "b/"]"#, required: true)
    static let source = ManifestKey("from", #""payload""#, required: true)
    static let input = ManifestKey("input", #""payload""#)
    static let environment = ManifestKey("environment", #"{"LANG": "C.UTF-8"}"#)
    static let directory = ManifestKey("directory", #""/srv""#)
    static let success = ManifestKey("success", "[0]")
    static let retry = ManifestKey("retry", "[75]")
    static let progress = ManifestKey("progress", #""PROGRESS ""#)
    static let resultLines = ManifestKey("result", #""RESULT ""#)

    static let eventName = ManifestKey("name", #""mirror_found""#, required: true)
    static let parameters = ManifestKey("parameters", #"["text"]"#)
    static let exampleName = ManifestKey("name", #""small""#, required: true)
    static let payload = ManifestKey("payload", #""/srv/a""#, required: true)
    static let expect = ManifestKey("expect", #""failure""#)
    static let files = ManifestKey("files", #"{"in/a.txt": "one"}"#)
    static let bytes = ManifestKey("bytes", "100000000", required: true)
}
