// SPDX-License-Identifier: Apache-2.0

/// Copies of structs whose `struct_size` says how much of them exists.
package enum StructCopy {
    /// A copy of the caller's struct, zero where the caller's version has no such member. Nil when
    /// the size is smaller than `least` or larger than any version of the struct can be.
    package static func read<T>(_ source: UnsafePointer<T>, least: Int, zero: T) -> T? {
        let size = Int(UnsafeRawPointer(source).load(as: UInt32.self))
        guard size >= least, size <= 4096 else { return nil }
        var copy = zero
        withUnsafeMutableBytes(of: &copy) {
            let count = min(size, $0.count)
            $0.copyMemory(from: UnsafeRawBufferPointer(start: source, count: count))
        }
        return copy
    }

    /// Writes as much of `full` as fits into the caller's struct of `size` bytes.
    package static func write<T>(_ full: T, to target: UnsafeMutablePointer<T>, size: UInt32) {
        withUnsafeBytes(of: full) {
            let count = min(Int(size), $0.count)
            UnsafeMutableRawBufferPointer(start: target, count: count)
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count]))
        }
    }
}
