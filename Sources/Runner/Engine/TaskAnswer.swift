// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The error text and the result that a plugin gave for a task.
final class TaskAnswer {
    /// NUL-terminated.
    private(set) var error: UnsafeMutablePointer<CChar>?
    private(set) var errorBytes = 0
    private(set) var result: UnsafeMutableRawPointer?
    private(set) var resultBytes = 0

    deinit {
        error?.deallocate()
        free(result)
    }

    func setError(_ text: UnsafeRawBufferPointer) {
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: text.count + 1)
        if let base = text.baseAddress {
            UnsafeMutableRawPointer(copy).copyMemory(from: base, byteCount: text.count)
        }
        copy[text.count] = 0
        error = copy
        errorBytes = text.count
    }

    /// Takes ownership of bytes from malloc(3).
    func setResult(_ bytes: UnsafeMutableRawBufferPointer) {
        result = bytes.baseAddress
        resultBytes = bytes.count
    }
}
