// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The time that threads were ready to run and had no processor.
enum ProcessorWait {
    /// Nanoseconds of the calling thread since its start, by /proc/thread-self/schedstat (proc(5)); 0
    /// where the kernel does not count.
    static var ofThread: UInt64 {
        guard let file = fopen("/proc/thread-self/schedstat", "re") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
        let fields = line.split(whereSeparator: { $0 == 0x20 }).map { $0.map(UInt8.init) }
        guard fields.count >= 2 else { return 0 }
        return UInt64(String(decoding: fields[1], as: UTF8.self)) ?? 0
    }
}
