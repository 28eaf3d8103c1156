// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What the kernel says of this process.
struct ProcessFacts: CustomStringConvertible {
    let threads: Int
    let descriptors: Int
    /// Resident memory, in KiB.
    let resident: Int

    /// As it is now.
    static var now: ProcessFacts {
        ProcessFacts(
            threads: entries("/proc/self/task"),
            // The descriptor of the directory that is being read does not count.
            descriptors: entries("/proc/self/fd") - 1, resident: residentKiB)
    }

    var description: String { "\(threads) threads, \(descriptors) descriptors, \(resident) KiB" }

    private static func entries(_ path: String) -> Int {
        guard let stream = opendir(path) else { return -1 }
        defer { closedir(stream) }
        var count = 0
        while let entry = readdir(stream) {
            if entry.pointee.d_name.0 != CChar(bitPattern: UInt8(ascii: ".")) { count += 1 }
        }
        return count
    }

    private static var residentKiB: Int {
        guard let file = fopen("/proc/self/statm", "r") else { return -1 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, 128, file) != nil else { return -1 }
        let fields = String(decoding: line.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            .split(separator: " ")
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
            / 1_024
    }

    /// True where a sanitizer keeps freed memory and shadows of it.
    static var isSanitized: Bool {
        ["__asan_init", "__tsan_init"].contains { (name: String) in dlsym(nil, name) != nil }
    }
}
