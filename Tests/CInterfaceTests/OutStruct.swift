// SPDX-License-Identifier: Apache-2.0
import CCurfew

/// A struct that a call fills in, in memory of its own, which starts with `struct_size`.
enum OutStruct {
    /// Makes zeroed memory, sets the size, calls. The struct is nil unless the call said `OK`.
    static func filled<Struct>(
        _ type: Struct.Type, _ call: (UnsafeMutablePointer<Struct>) -> curfew_status
    ) -> (answer: Answer, value: Struct?) {
        let size = MemoryLayout<Struct>.size
        let raw = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        defer { raw.deallocate() }
        raw.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        raw.storeBytes(of: UInt32(size), as: UInt32.self)
        let answer = Answer(call(raw.assumingMemoryBound(to: Struct.self)))
        return (answer, answer == .ok ? raw.load(as: Struct.self) : nil)
    }
}
