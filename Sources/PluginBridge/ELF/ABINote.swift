// SPDX-License-Identifier: Apache-2.0

/// The content of the note that `CURFEW_PLUGIN_NOTE()` puts into a plugin's library.
///
/// The note is read from the file, without mapping it and without running any of its code, so that
/// a library of another ABI is known before it is loaded.
package struct ABINote: Hashable, Sendable {
    /// The number of the plugin ABI the library was compiled for; any number, not only ours.
    package let abi: UInt32

    /// The maximum number of bytes of notes in a segment.
    package static var segmentLimit: Int { 64 * 1024 }

    package static func read(path: String) -> Result<ABINote, ABINoteFault> {
        do throws(ABINoteFault) {
            return .success(try read(try ELFSharedObject(path: path)))
        } catch {
            return .failure(error)
        }
    }

    /// Reads the note of a file in memory, which must stay there during the call.
    static func read(_ bytes: UnsafeRawBufferPointer) -> Result<ABINote, ABINoteFault> {
        do throws(ABINoteFault) {
            return .success(try read(try ELFSharedObject(bytes)))
        } catch {
            return .failure(error)
        }
    }

    private static func read(_ library: borrowing ELFSharedObject) throws(ABINoteFault) -> ABINote {
        var found: UInt32?
        for segment in library.segments where segment.type == ELFSegment.note {
            guard segment.size <= UInt64(segmentLimit) else {
                throw .malformed(
                    "it has \(segment.size) bytes of notes, the limit is \(segmentLimit)")
            }
            let notes = ABINoteWords(
                try library.file.bytes(at: segment.offset, count: Int(segment.size)))
            // Notes are padded to four bytes, or to eight if the segment says so.
            try search(notes, alignment: segment.alignment == 8 ? 8 : 4, found: &found)
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
