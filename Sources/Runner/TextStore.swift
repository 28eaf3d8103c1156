// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// NUL-terminated texts that live as long as their store, each once.
final class TextStore: @unchecked Sendable {
    // Sendable: the dictionary is locked, the texts are never written again.

    private let texts = Mutex<[String: Kept]>([:])

    private struct Kept {
        nonisolated(unsafe) let start: UnsafeMutablePointer<CChar>
    }

    deinit { texts.withLock { for kept in $0.values { kept.start.deallocate() } } }

    func keep(_ text: String) -> UnsafePointer<CChar> {
        let kept = texts.withLock { texts -> Kept in
            if let kept = texts[text] { return kept }
            let utf8 = Array(text.utf8CString)
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: utf8.count)
            copy.initialize(from: utf8, count: utf8.count)
            texts[text] = Kept(start: copy)
            return Kept(start: copy)
        }
        return UnsafePointer(kept.start)
    }
}
