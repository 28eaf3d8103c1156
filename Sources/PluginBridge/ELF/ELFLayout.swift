// SPDX-License-Identifier: Apache-2.0

/// The segments of a shared object at their addresses, checked so that mapping them touches no
/// other memory.
///
/// glibc maps the second and every further segment over whatever is at its address (MAP_FIXED in
/// `_dl_map_segments`), reads pages past the end of the file as readily as others (SIGBUS), and
/// follows the addresses in the other program headers without comparing them with anything.
struct ELFLayout {
    /// The range of addresses a library may take up: more than any real one, less than would make
    /// sums of its addresses and sizes overflow.
    static var memoryLimit: UInt64 { 1 << 36 }
    /// The alignment that the block of a thread's variables may ask for.
    static var threadAlignmentLimit: UInt64 { 1 << 16 }

    private let file: UnsafeRawBufferPointer
    /// In the order of their addresses, and on pages of their own.
    private let loads: [ELFSegment]
    /// The ELF header and the program headers, as places in the file.
    private let headers: [Range<UInt64>]
    /// The dynamic entries, up to the end of their segment.
    let dynamic: ELFWords
    let dynamicAddress: UInt64
    let hasThreadLocals: Bool

    /// - Parameter page: the size of a page of memory.
    init(
        _ library: borrowing ELFSharedObject, _ file: UnsafeRawBufferPointer, page: UInt64
    ) throws(ABINoteFault) {
        self.file = file
        loads = try Self.loads(library.segments, file.count, page)
        let bytesOfHeaders = UInt64(library.segments.count * ELFSharedObject.programHeaderSize)
        headers = [
            0..<UInt64(ELFSharedObject.headerSize),
            library.headersOffset..<library.headersOffset + bytesOfHeaders,
        ]
        func only(_ type: UInt32, _ name: String) throws(ABINoteFault) -> ELFSegment? {
            var found: ELFSegment?
            for segment in library.segments where segment.type == type {
                guard found == nil else { throw .malformed("it has two segments \(name)") }
                found = segment
            }
            return found
        }
        guard let dynamic = try only(ELFSegment.dynamic, "PT_DYNAMIC") else {
            throw .malformed("it has no segment PT_DYNAMIC")
        }
        (self.dynamic, dynamicAddress) = try Self.dynamic(dynamic, loads, file)
        for segment in library.segments {
            switch segment.type {
            case ELFSegment.note, ELFSegment.property:
                try Self.check(segment, "of notes", segment.memorySize, loads)
            case ELFSegment.unwinding:
                try Self.check(segment, "PT_GNU_EH_FRAME", segment.size, loads)
            case ELFSegment.headers:
                try Self.check(segment, "PT_PHDR", bytesOfHeaders, loads)
                guard segment.offset == library.headersOffset else {
                    throw .malformed("its segment PT_PHDR is not where its program headers are")
                }
            case ELFSegment.readOnlyLater: try Self.checkReadOnly(segment, loads, page)
            default: break
            }
        }
        let variables = try only(ELFSegment.threadLocal, "PT_TLS")
        if let variables { try Self.checkThreadLocal(variables, loads) }
        hasThreadLocals = variables.map { $0.memorySize > 0 } ?? false
    }

    // MARK: Asking

    /// Returns what the file has at an address; throws where it is not all in one segment that the
    /// loader can read.
    func bytes(
        at address: UInt64, count: UInt64, of what: @autoclosure () -> String
    ) throws(ABINoteFault) -> ELFWords {
        guard let load = Self.load(address, count, loads) else {
            throw .malformed("\(what()) is not in any segment of it")
        }
        let place = load.offset + (address - load.address)
        guard !headers.contains(where: { $0.contains(place) }) else {
            throw .malformed("\(what()) begins in its headers")
        }
        let start = Int(place)
        return ELFWords(UnsafeRawBufferPointer(rebasing: file[start..<start + Int(count)]))
    }

    /// Returns all that the file has from an address to the end of its segment.
    func bytes(
        from address: UInt64, of what: @autoclosure () -> String
    ) throws(ABINoteFault) -> ELFWords {
        guard let load = Self.load(address, 0, loads) else {
            throw .malformed("\(what()) is not in any segment of it")
        }
        return try bytes(
            at: address, count: load.address + load.size - address, of: what())
    }

    /// Returns whether an address can be code: it is in an executable segment, outside of the
    /// headers.
    func isCode(_ address: UInt64) -> Bool {
        loads.contains {
            guard $0.flags & ELFSegment.executable != 0, address >= $0.address,
                address - $0.address < $0.size
            else { return false }
            let place = $0.offset + (address - $0.address)
            return !headers.contains { $0.contains(place) }
        }
    }

    /// Whether the loader may write there.
    ///
    /// - Parameter everywhere: it makes all segments writable first (DT_TEXTREL).
    func isWritable(_ address: UInt64, count: UInt64, everywhere: Bool) -> Bool {
        loads.contains {
            (everywhere || $0.flags & ELFSegment.writable != 0) && address >= $0.address
                && $0.memorySize >= count && address - $0.address <= $0.memorySize - count
        }
    }

    /// The addresses around one to which the loader may write eight bytes.
    func writableRange(at address: UInt64, everywhere: Bool) -> Range<UInt64>? {
        let load = loads.first {
            (everywhere || $0.flags & ELFSegment.writable != 0) && address >= $0.address
                && $0.memorySize >= 8 && address - $0.address <= $0.memorySize - 8
        }
        return load.map { $0.address..<$0.address + $0.memorySize }
    }

    // MARK: Checking

    private static func loads(
        _ segments: [ELFSegment], _ fileSize: Int, _ page: UInt64
    ) throws(ABINoteFault) -> [ELFSegment] {
        let loads = segments.filter { $0.type == ELFSegment.loaded }
        guard !loads.isEmpty else { throw .malformed("it has no segment PT_LOAD") }
        /// The first page behind the segment before.
        var end: UInt64 = 0
        for (number, load) in loads.enumerated() {
            let name = "its segment PT_LOAD number \(number + 1)"
            let (last, overflow) = load.offset.addingReportingOverflow(load.size)
            guard !overflow, last <= UInt64(fileSize) else {
                throw .malformed("\(name) reaches past the end of the file")
            }
            guard load.size <= load.memorySize else {
                throw .malformed("\(name) is larger in the file than in memory")
            }
            guard load.address <= memoryLimit, load.memorySize <= memoryLimit - load.address
            else { throw .malformed("\(name) reaches beyond \(memoryLimit) bytes of memory") }
            guard load.alignment.isPowerOfTwo, load.alignment >= page,
                (load.address &- load.offset) & (load.alignment - 1) == 0
            else { throw .malformed("\(name) is not aligned to pages of \(page) bytes") }
            guard load.address & ~(page - 1) >= end else {
                throw .malformed("\(name) lies on the pages of another")
            }
            end = (load.address + load.memorySize + page - 1) & ~(page - 1)
        }
        return loads
    }

    private static func load(
        _ address: UInt64, _ count: UInt64, _ loads: [ELFSegment]
    ) -> ELFSegment? {
        loads.first {
            $0.flags & ELFSegment.readable != 0 && address >= $0.address && $0.size >= count
                && address - $0.address <= $0.size - count
        }
    }

    /// A segment that is part of another one has to say the same of its place in the file and in
    /// memory: some readers go by the one, and the loader by the other.
    private static func check(
        _ segment: ELFSegment, _ name: String, _ count: UInt64, _ loads: [ELFSegment]
    ) throws(ABINoteFault) {
        guard count > 0 || segment.size > 0 else { return }
        guard let load = load(segment.address, max(count, segment.size), loads),
            segment.address - load.address == segment.offset &- load.offset
        else { throw .malformed("its segment \(name) is not in any that is loaded") }
    }

    private static func dynamic(
        _ segment: ELFSegment, _ loads: [ELFSegment], _ file: UnsafeRawBufferPointer
    ) throws(ABINoteFault) -> (ELFWords, UInt64) {
        try check(segment, "PT_DYNAMIC", segment.size, loads)
        // `check` accepts an empty segment at any place, also outside of the file.
        guard segment.size > 0, let load = load(segment.address, segment.size, loads) else {
            throw .malformed("its segment PT_DYNAMIC is empty")
        }
        // The loader relocates the addresses in it, unless it is not writable.
        guard segment.flags & ELFSegment.writable == 0 || load.flags & ELFSegment.writable != 0
        else {
            throw .malformed("its segment PT_DYNAMIC is writable, and what it lies in is not")
        }
        let start = Int(segment.offset)
        let bytes = file[start..<start + Int(segment.size)]
        return (ELFWords(UnsafeRawBufferPointer(rebasing: bytes)), segment.address)
    }

    /// Pages that the loader makes read-only at its end. It does not compare them with anything: they
    /// could be the host's.
    private static func checkReadOnly(
        _ segment: ELFSegment, _ loads: [ELFSegment], _ page: UInt64
    ) throws(ABINoteFault) {
        guard segment.memorySize > 0 else { return }
        let isInside = loads.contains {
            guard $0.flags & ELFSegment.writable != 0, segment.address >= $0.address else {
                return false
            }
            let end = ($0.address + $0.memorySize + page - 1) & ~(page - 1)
            return segment.address <= end && segment.memorySize <= end - segment.address
        }
        guard isInside else {
            throw .malformed("its segment PT_GNU_RELRO is not in a writable one")
        }
    }

    private static func checkThreadLocal(
        _ segment: ELFSegment, _ loads: [ELFSegment]
    ) throws(ABINoteFault) {
        try check(segment, "PT_TLS", segment.size, loads)
        guard segment.size <= segment.memorySize, segment.memorySize <= memoryLimit else {
            throw .malformed("its segment PT_TLS has sizes that cannot be")
        }
        // glibc divides by it.
        guard segment.alignment.isPowerOfTwo, segment.alignment <= threadAlignmentLimit else {
            throw .malformed("its segment PT_TLS has an alignment of \(segment.alignment)")
        }
    }
}

extension UInt64 {
    fileprivate var isPowerOfTwo: Bool { nonzeroBitCount == 1 }
}
