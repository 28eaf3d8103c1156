// SPDX-License-Identifier: Apache-2.0

/// What the note says that `CURFEW_PLUGIN_NOTE()` puts into a plugin's library.
///
/// The note is read from the file, without mapping it and without running any of its code, so that
/// a library of another ABI is known before it is loaded. Nothing in the file is trusted: every
/// offset and size is checked against the size of the file and against a limit.
public struct ABINote: Hashable, Sendable {
    /// The number of the plugin ABI the library was compiled for; any number, not only ours.
    public let abi: UInt32

    /// How many program headers a library may have.
    public static var headerLimit: Int { 256 }
    /// How many bytes of notes one segment may have.
    public static var segmentLimit: Int { 64 * 1024 }

    public static func read(path: String) -> Result<ABINote, ABINoteFault> {
        do throws(ABINoteFault) {
            let file = try ABINoteFile(path: path)
            return .success(try read(file))
        } catch {
            return .failure(error)
        }
    }

    // Names and numbers of the ELF specification, as far as they are needed.
    private static var magic: [UInt8] { [0x7F, 0x45, 0x4C, 0x46] }
    private static var class64: UInt8 { 2 }
    private static var littleEndian: UInt8 { 1 }
    private static var sharedObject: UInt16 { 3 }  // ET_DYN
    private static var noteSegment: UInt32 { 4 }  // PT_NOTE
    private static var headerSize: Int { 64 }
    private static var programHeaderSize: Int { 56 }

    /// `e_machine` of the processor this host was built for.
    static var machine: UInt16 {
        #if arch(x86_64)
            62
        #elseif arch(arm64)
            183
        #elseif arch(riscv64)
            243
        #elseif arch(powerpc64le)
            21
        #else
            #error("add the ELF machine number of this processor")
        #endif
    }

    private static func read(_ file: borrowing ABINoteFile) throws(ABINoteFault) -> ABINote {
        guard file.size >= UInt64(magic.count), try file.bytes(at: 0, count: magic.count) == magic
        else { throw .notELF }
        guard file.size >= UInt64(headerSize) else {
            throw .malformed("the file ends within its header")
        }
        let header = ABINoteWords(try file.bytes(at: 0, count: headerSize))
        guard header.byte(at: 4) == class64, header.byte(at: 5) == littleEndian,
            header.half(at: 18) == machine
        else { throw .otherMachine }
        guard header.half(at: 16) == sharedObject else { throw .notSharedObject }
        let count = Int(header.half(at: 56))
        guard count > 0 else { throw .noNote }
        guard count <= headerLimit else {
            throw .malformed("it has \(count) program headers, the limit is \(headerLimit)")
        }
        guard Int(header.half(at: 54)) == programHeaderSize else {
            throw .malformed("its program headers have the wrong size")
        }
        let table = ABINoteWords(
            try file.bytes(at: header.long(at: 32), count: count * programHeaderSize))
        var found: UInt32?
        for index in 0..<count {
            let start = index * programHeaderSize
            guard table.word(at: start) == noteSegment else { continue }
            let size = table.long(at: start + 32)
            guard size <= UInt64(segmentLimit) else {
                throw .malformed("it has \(size) bytes of notes, the limit is \(segmentLimit)")
            }
            let notes = ABINoteWords(
                try file.bytes(at: table.long(at: start + 8), count: Int(size)))
            // Notes are padded to four bytes, or to eight where the segment says so.
            let alignment = table.long(at: start + 48) == 8 ? 8 : 4
            try search(notes, alignment: alignment, found: &found)
        }
        guard let found else { throw .noNote }
        return ABINote(abi: found)
    }

    /// Walks the notes of one segment.
    private static func search(
        _ notes: ABINoteWords, alignment: Int, found: inout UInt32?
    ) throws(ABINoteFault) {
        // The numbers are below 2^32 each and the sums far below 2^63: none of this overflows.
        var start = 0
        while notes.count - start >= 12 {
            let nameSize = Int(notes.word(at: start))
            let contentSize = Int(notes.word(at: start + 4))
            let content = aligned(start + 12 + nameSize, to: alignment)
            guard start + 12 + nameSize <= notes.count, content + contentSize <= notes.count else {
                throw .malformed("a note reaches past the end of its segment")
            }
            if notes.word(at: start + 8) == 1, nameSize == name.count,
                notes.hasBytes(name, at: start + 12)
            {
                guard contentSize == 8, notes.word(at: content + 4) == 0 else {
                    throw .malformed("its Curfew note has the wrong content")
                }
                let abi = notes.word(at: content)
                if let found, found != abi {
                    throw .malformed("it has Curfew notes for ABI \(found) and for ABI \(abi)")
                }
                found = abi
            }
            start = aligned(content + contentSize, to: alignment)
        }
    }

    /// `Curfew` and its NUL.
    private static var name: [UInt8] { Array("Curfew".utf8) + [0] }

    private static func aligned(_ offset: Int, to alignment: Int) -> Int {
        (offset + alignment - 1) / alignment * alignment
    }
}
