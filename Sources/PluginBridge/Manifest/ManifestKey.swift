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

    /// How the key is written.
    var usage: String { "\"\(name)\": \(example)" }

    static let id = ManifestKey("id", #""org.example.mirror""#, required: true)
    static let version = ManifestKey("version", #""1.0.0""#, required: true)
    static let abi = ManifestKey("abi", "\(ManifestChecker.hostABI)", required: true)
    static let library = ManifestKey("library", #""libmirror.so""#, required: true)
    static let sha256 = ManifestKey(
        "sha256", #""9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08""#)
    static let handlers = ManifestKey(
        "handlers", #"[{"identifier": "org.example.mirror", "kind": "processing"}]"#, required: true
    )

    static let identifier = ManifestKey("identifier", #""org.example.mirror""#, required: true)
    static let kind = ManifestKey("kind", #""processing""#, required: true)
    static let budget = ManifestKey("budget", #""30s""#)
    static let grace = ManifestKey("grace", #""5s""#)
    static let maxConcurrency = ManifestKey("maxConcurrency", "1")
    static let event = ManifestKey("event", #""mirror""#)
    static let events = ManifestKey(
        "events", #"[{"name": "mirror_found", "parameters": ["text"]}]"#)
    static let requires = ManifestKey("requires", #"["network"]"#)
    static let form = ManifestKey("form", #""entry""#)
    static let isolation = ManifestKey("isolation", #""thread""#)
    static let examples = ManifestKey("examples", #"[{"name": "small", "payload": "/srv/a"}]"#)

    static let eventName = ManifestKey("name", #""mirror_found""#, required: true)
    static let parameters = ManifestKey("parameters", #"["text"]"#)
    static let exampleName = ManifestKey("name", #""small""#, required: true)
    static let payload = ManifestKey("payload", #""/srv/a""#, required: true)
}
