// SPDX-License-Identifier: Apache-2.0
import CurfewValues

/// Deduplicated NUL-terminated strings that live as long as their store.
final class TextStore: @unchecked Sendable {
    // Sendable: the dictionary is locked, the texts are never written again.

    private let texts = Locked<[String: UnsafeMutablePointer<CChar>]>([:])

    deinit { texts.withLock { for text in $0.values { text.deallocate() } } }

    func keep(_ text: String) -> UnsafePointer<CChar> {
        texts.withLock { texts in
            if let kept = texts[text] { return UnsafePointer(kept) }
            let utf8 = Array(text.utf8CString)
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: utf8.count)
            copy.initialize(from: utf8, count: utf8.count)
            texts[text] = copy
            return UnsafePointer(copy)
        }
    }
}
