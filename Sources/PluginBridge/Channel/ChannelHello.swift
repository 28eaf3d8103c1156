// SPDX-License-Identifier: Apache-2.0

/// What a plugin's process needs to know before it loads the library.
package struct ChannelHello: Equatable, Sendable {
    /// The text of its manifest.
    package var manifest: [UInt8]
    /// The library's path and its name in messages.
    package var path: String
    package var shown: String
    /// The libraries of the system whose functions may be called; nil permits the usual ones.
    package var allowed: [String]?

    package init(manifest: [UInt8], path: String, shown: String, allowed: [String]?) {
        self.manifest = manifest
        self.path = path
        self.shown = shown
        self.allowed = allowed
    }

    package func write(to writer: inout ChannelWriter) {
        manifest.withUnsafeBytes { writer.add($0) }
        writer.add(path)
        writer.add(shown)
        writer.add(allowed != nil)
        writer.add(UInt32(allowed?.count ?? 0))
        for name in allowed ?? [] { writer.add(name) }
    }

    package init?(from reader: inout ChannelReader) {
        guard let manifest = reader.raw(), let path = reader.text(), let shown = reader.text(),
            let isLimited = reader.flag(),
            let count = reader.number(UInt32.self)
        else { return nil }
        var names: [String] = []
        for _ in 0..<count {
            guard let name = reader.text() else { return nil }
            names.append(name)
        }
        self.init(
            manifest: Array(manifest), path: path, shown: shown, allowed: isLimited ? names : nil)
    }
}
