// SPDX-License-Identifier: Apache-2.0

/// The libraries that a library needs, and the directories where the loader should search, read
/// from its file.
package struct ELFDependencies: Hashable, Sendable {
    /// Its DT_NEEDED and DT_FILTER entries, in order: without one of them it is not loaded.
    package let needed: [String]
    /// Its DT_AUXILIARY entries: they come along where they are there.
    let optional: [String]
    /// The directories of its DT_RUNPATH, or of its DT_RPATH where it has no other. Of several the
    /// loader takes the last.
    package let searchPath: [String]
    /// The directories are those of a DT_RPATH: the libraries it needs look for theirs there, too.
    let isInherited: Bool

    /// The maximum number of needed libraries.
    static var neededLimit: Int { 256 }
    /// The maximum length of a text.
    static var textLimit: Int { 4_096 }

    init(
        needed: [String], optional: [String] = [], searchPath: [String], isInherited: Bool = false
    ) {
        self.needed = needed
        self.optional = optional
        self.searchPath = searchPath
        self.isInherited = isInherited
    }

    /// Reads them from a file that is in memory, and stays there meanwhile.
    package init(_ bytes: UnsafeRawBufferPointer) throws(ABINoteFault) {
        try self.init(try ELFSharedObject(bytes))
    }

    package init(_ library: borrowing ELFSharedObject) throws(ABINoteFault) {
        let entries = try ELFEntries(library)
        let needed = entries.values(.needed, .filter)
        let optional = entries.values(.auxiliary)
        guard needed.count + optional.count <= ELFDependencies.neededLimit else {
            throw .malformed(
                "it needs \(needed.count) libraries, the limit is \(ELFDependencies.neededLimit)")
        }
        guard let texts = entries[.texts], let size = entries[.textsSize] else {
            self.init(needed: [], searchPath: [])
            return
        }
        var names: [String] = []
        for offset in needed + optional {
            names.append(try ELFDependencies.text(at: offset, texts, size, in: library))
        }
        let own = entries[.searchPath]
        var path = ""
        if let offset = own ?? entries[.inheritedSearchPath] {
            path = try ELFDependencies.text(at: offset, texts, size, in: library)
        }
        self.init(
            needed: Array(names[..<needed.count]), optional: Array(names[needed.count...]),
            // An empty element is a directory, too: the one the process is in.
            searchPath: path.isEmpty ? [] : PathText.split(path, at: ":", keepingEmpty: true),
            isInherited: own == nil && !path.isEmpty)
    }

    /// The first name that depends on the working directory or on the loader's variables: a search
    /// directory, or a library with a path, that is neither absolute nor below `$ORIGIN`.
    var elsewhere: String? {
        (searchPath + (needed + optional).filter { PathText.hasSlash($0) || Self.isReplaced($0) })
            .first { path in
                ELFDependencies.belowOrigin(path) == nil
                    && (!PathText.isAbsolute(path) || Self.isReplaced(path))
            }
    }

    /// Returns the rest of a path after `$ORIGIN/`, with a slash at its end unless it is empty. As
    /// in glibc's `is_dst` the name has to end there: `$ORIGINAL` is the name of a file.
    static func belowOrigin(_ path: String) -> String? {
        for origin in ["$ORIGIN", "${ORIGIN}"] where PathText.hasPrefix(path, origin) {
            let rest = String(path.utf8.dropFirst(origin.utf8.count))!
            guard rest.isEmpty || PathText.isAbsolute(rest), !isReplaced(rest) else { continue }
            return PathText.split(rest, at: "/").map { $0 + "/" }.joined()
        }
        return nil
    }

    /// Whether the loader may put something else in the place of a part of it.
    static func isReplaced(_ path: String) -> Bool { path.utf8.contains(UInt8(ascii: "$")) }

    private static func text(
        at offset: UInt64, _ texts: UInt64, _ size: UInt64, in library: borrowing ELFSharedObject
    ) throws(ABINoteFault) -> String {
        let (start, overflow) = texts.addingReportingOverflow(offset)
        guard offset < size, !overflow else { throw .malformed("it points past its own end") }
        let count = Int(min(size - offset, UInt64(textLimit)))
        let bytes = try library.bytes(atAddress: start, count: count)
        guard let end = bytes.firstIndex(of: 0) else {
            throw .malformed("it has a name that does not end")
        }
        // Decoded with repairs it would be the name of another file.
        guard let text = String(validating: bytes[..<end], as: UTF8.self) else {
            throw .malformed("the name of a library or a directory in it is not UTF-8")
        }
        return text
    }
}
