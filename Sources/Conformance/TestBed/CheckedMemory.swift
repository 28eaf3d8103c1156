// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
import Scheduling

/// The memory of the plugin and of the libraries that come with it, whose use is checked in this process.
enum CheckedMemory {
    /// Leaves out what is loaded by now. Call it before the plugin is loaded. Returns false where nothing is checked: a
    /// detector of races has functions for memory of its own, and so may have any other library that is loaded before the
    /// C library.
    static func setAside() -> Bool {
        guard getenv("LD_PRELOAD") == nil else { return false }
        csys_set_memory_aside()
        return true
    }

    /// Begins with what was loaded since, before any of it but its constructors is called. What is freed from then on is
    /// filled, and not used again soon.
    static func begin() { csys_check_memory(AllocatorMode.filler) }

    /// Fails the case with the first wrong use, and begins with what was loaded since.
    static func mustBeSound() throws {
        begin()
        var fault = csys_memory_fault()
        guard csys_find_memory_fault(&fault) else { return }
        let block = "a block of \(fault.bytes) bytes"
        let isBehind = fault.offset >= fault.bytes
        let what = isBehind ? "wrote behind the end of \(block)" : "wrote to \(block)"
        let text =
            switch fault.kind {
            case csys_memory_ends: "\(what), at byte \(fault.offset)"
            case csys_memory_freed_again: "freed \(block) twice"
            default: "\(what) that was freed, at byte \(fault.offset)"
            }
        throw CaseVerdict.fail(
            text,
            notes: [
                note("allocated", fault.allocated), note("freed", fault.freed),
                note("freed again", fault.again),
            ].compactMap(\.self))
    }

    /// - Parameter place: "libx.so 0x12ab" with a NUL after it; of any type, as a C array is a tuple.
    private static func note<Text>(_ what: String, _ place: Text) -> String? {
        let text = withUnsafeBytes(of: place) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        let parts = text.parts(at: " ")
        guard parts.count == 2 else { return nil }
        return "\(what) in \(parts[0])+\(parts[1]): addr2line -fe \(text)"
    }
}
