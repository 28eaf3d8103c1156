// SPDX-License-Identifier: Apache-2.0
import CSystem
import Scheduling

/// What the plugin's library has freed, which is kept for a while to see whether it is still used. One a process.
struct FreedMemory {
    private let library: String
    private let isKept: Bool

    /// - Parameter path: of a library that is loaded. Nothing is kept where it is in another process, or nil.
    init(ofLibraryAt path: String?) {
        library = path.map { String($0.parts(at: "/").last ?? "") } ?? ""
        isKept = path.map { csys_keep_freed($0, AllocatorMode.filler) } ?? false
    }

    func mustBeUnused() throws {
        var use = csys_freed_use()
        guard isKept, csys_find_freed_use(&use) else { return }
        let block = "a block of \(use.bytes) bytes"
        let place = String(use.freed_at &- 1, radix: 16)
        throw CaseVerdict.fail(
            use.is_freed_again
                ? "freed \(block) twice"
                : "wrote to byte \(use.offset) of \(block) that it had freed",
            notes: use.freed_at == 0
                ? [] : ["freed in \(library)+0x\(place): addr2line -fe \(library) 0x\(place)"])
    }
}
