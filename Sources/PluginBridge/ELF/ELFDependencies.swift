// SPDX-License-Identifier: Apache-2.0

/// What a library wants loaded with it, and where it wants that looked for, told from its file.
struct ELFDependencies: Hashable, Sendable {
    /// Its DT_NEEDED entries, in order.
    let needed: [String]
    /// The directories of its DT_RUNPATH, or of its DT_RPATH where it has no other.
    let searchPath: [String]

    /// How many libraries one may want.
    static var neededLimit: Int { 256 }
    /// How long a text may be.
    static var textLimit: Int { 4_096 }

    // Tags of the ELF specification.
    private static var neededTag: UInt64 { 1 }
    private static var textTag: UInt64 { 5 }
    private static var textSizeTag: UInt64 { 10 }
    private static var rpathTag: UInt64 { 15 }
    private static var runpathTag: UInt64 { 29 }

    init(needed: [String], searchPath: [String]) {
        self.needed = needed
        self.searchPath = searchPath
    }

    /// Reads them from a file that is in memory, and stays there meanwhile.
    init(_ bytes: UnsafeRawBufferPointer) throws(ABINoteFault) {
        try self.init(try ELFSharedObject(bytes))
    }

    init(_ library: borrowing ELFSharedObject) throws(ABINoteFault) {
        let entries = try ELFExport.dynamicEntries(of: library)
        func first(_ tag: UInt64) -> UInt64? { entries.first { $0.tag == tag }?.value }
        let wanted = entries.filter { $0.tag == ELFDependencies.neededTag }.map(\.value)
        guard wanted.count <= ELFDependencies.neededLimit else {
            throw .malformed(
                "it needs \(wanted.count) libraries, the limit is \(ELFDependencies.neededLimit)")
        }
        guard let texts = first(ELFDependencies.textTag),
            let size = first(ELFDependencies.textSizeTag)
        else {
            self.init(needed: [], searchPath: [])
            return
        }
        var names: [String] = []
        for offset in wanted {
            names.append(try ELFDependencies.text(at: offset, texts, size, in: library))
        }
        var path = ""
        if let offset = first(ELFDependencies.runpathTag) ?? first(ELFDependencies.rpathTag) {
            path = try ELFDependencies.text(at: offset, texts, size, in: library)
        }
        // An empty element is a directory, too: the one the process is in.
        self.init(
            needed: names,
            searchPath: path.isEmpty
                ? [] : path.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        )
    }

    /// What of it depends on where the process is, or on what the loader makes of a name: a directory
    /// to be searched, or a library named with a path, that is neither absolute nor below `$ORIGIN`.
    var elsewhere: String? {
        (searchPath + needed.filter { $0.contains("/") }).first { path in
            guard ELFDependencies.belowOrigin(path) == nil else { return false }
            return !path.hasPrefix("/") || path.contains("$")
        }
    }

    /// The directories from which other libraries would be taken, besides its own and the system's.
    var directories: [String] {
        searchPath.filter { ELFDependencies.belowOrigin($0) == nil }
            + needed.filter { $0.hasPrefix("/") }.map { name in
                String(name[..<(name.lastIndex(of: "/") ?? name.startIndex)])
            }
    }

    /// The first library that the loader would find by way of `$ORIGIN`, the directory of the file.
    ///
    /// - Parameters:
    ///   - isBeside: whether the directory of the file has something at a relative path.
    ///   - isAt: whether there is something at an absolute path.
    func besideIt(isBeside: (String) -> Bool, isAt: (String) -> Bool) -> String? {
        for name in needed {
            if ELFDependencies.belowOrigin(name) != nil { return name }
            if name.contains("/") { continue }
            search: for directory in searchPath {
                if let below = ELFDependencies.belowOrigin(directory) {
                    if isBeside(below + name) { return name }
                } else if isAt(directory + "/" + name) {
                    break search
                }
            }
        }
        return nil
    }

    /// What follows `$ORIGIN/` in a path that begins so, with a slash at its end unless it is empty.
    private static func belowOrigin(_ path: String) -> String? {
        for origin in ["$ORIGIN", "${ORIGIN}"] where path.hasPrefix(origin) {
            let rest = path.dropFirst(origin.count).split(separator: "/")
            return rest.map { $0 + "/" }.joined()
        }
        return nil
    }

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
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}
