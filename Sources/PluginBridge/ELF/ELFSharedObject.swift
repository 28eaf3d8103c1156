// SPDX-License-Identifier: Apache-2.0

/// A shared object for this machine, read from its file, or a copy of that, and not loaded.
///
/// Nothing in the file is trusted: every offset and size is checked against the size of the file
/// and against a limit. Only the data that the loader uses is read; section headers may be missing,
/// or wrong.
package struct ELFSharedObject: ~Copyable {
    /// The maximum number of program headers.
    static var headerLimit: Int { 256 }

    package let file: ABINoteFile
    package let segments: [ELFSegment]
    /// The offset of the program headers in the file.
    let headersOffset: UInt64

    package init(path: String) throws(ABINoteFault) {
        try self.init(file: try ABINoteFile(path: path))
    }

    /// Reads a file in memory. The caller owns the memory, and must keep it.
    init(_ bytes: UnsafeRawBufferPointer) throws(ABINoteFault) {
        try self.init(file: ABINoteFile(bytes))
    }

    private init(file: consuming ABINoteFile) throws(ABINoteFault) {
        (segments, headersOffset) = try ELFSharedObject.segments(of: file)
        self.file = file
    }

    /// Reads bytes by their place in memory, which the segment that holds them puts in the file.
    package func bytes(atAddress address: UInt64, count: Int) throws(ABINoteFault) -> [UInt8] {
        for segment in segments where segment.type == ELFSegment.loaded {
            guard address >= segment.address else { continue }
            let start = address - segment.address
            guard start <= segment.size, UInt64(count) <= segment.size - start else { continue }
            let (offset, overflow) = segment.offset.addingReportingOverflow(start)
            guard !overflow else { break }
            return try file.bytes(at: offset, count: count)
        }
        throw .malformed("it points to what none of its segments has")
    }

    /// Whether a segment that can be run has something at an address.
    func isCode(_ address: UInt64) -> Bool {
        segments.contains {
            $0.type == ELFSegment.loaded && $0.flags & ELFSegment.executable != 0
                && address >= $0.address && address - $0.address < $0.size
        }
    }

    // Names and numbers of the ELF specification, as far as they are needed.
    private static var magic: [UInt8] { [0x7F, 0x45, 0x4C, 0x46] }
    private static var class64: UInt8 { 2 }
    private static var littleEndian: UInt8 { 1 }
    private static var sharedObject: UInt16 { 3 }  // ET_DYN
    static var headerSize: Int { 64 }
    static var programHeaderSize: Int { 56 }

    /// `e_machine` of the processor this host was built for.
    private static var machine: UInt16 {
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

    private static func segments(
        of file: borrowing ABINoteFile
    ) throws(ABINoteFault) -> (segments: [ELFSegment], offset: UInt64) {
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
        let offset = header.long(at: 32)
        guard count > 0 else { return ([], offset) }
        guard count <= headerLimit else {
            throw .malformed("it has \(count) program headers, the limit is \(headerLimit)")
        }
        guard Int(header.half(at: 54)) == programHeaderSize else {
            throw .malformed("its program headers have the wrong size")
        }
        let table = ABINoteWords(
            try file.bytes(at: offset, count: count * programHeaderSize))
        let segments = (0..<count).map { index in
            let start = index * programHeaderSize
            return ELFSegment(
                type: table.word(at: start), flags: table.word(at: start + 4),
                offset: table.long(at: start + 8), address: table.long(at: start + 16),
                size: table.long(at: start + 32), memorySize: table.long(at: start + 40),
                alignment: table.long(at: start + 48))
        }
        return (segments, offset)
    }
}
