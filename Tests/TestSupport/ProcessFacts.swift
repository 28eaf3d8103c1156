// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What the kernel says of this process.
package struct ProcessFacts: CustomStringConvertible {
    /// Threads of hosts, which they name; those of the Swift runtime come and go as they like.
    package let threads: Int
    package let descriptors: Int
    /// Resident memory, in KiB.
    package let resident: Int

    /// As it is now.
    package static var now: ProcessFacts {
        ProcessFacts(
            threads: entries("/proc/self/task").count {
                firstLine("/proc/self/task/\($0)/comm").hasPrefix("curfew-")
            },
            // The descriptor of the directory that is being read does not count.
            descriptors: entries("/proc/self/fd").count - 1, resident: residentKiB)
    }

    /// The directory of the calling thread in /proc.
    static var currentThread: String {
        var path = [CChar](repeating: 0, count: 64)
        readlink("/proc/thread-self", &path, path.count - 1)
        return "/proc/" + String(decoding: path.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    }

    /// Returns whether a thread sleeps in the kernel (proc_pid_stat(5)).
    static func isAsleep(_ thread: String) -> Bool {
        let line = firstLine("\(thread)/stat")
        return line.split(separator: ")").last?.hasPrefix(" S ") == true
    }

    package var description: String {
        "\(threads) threads, \(descriptors) descriptors, \(resident) KiB"
    }

    private static func entries(_ path: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    /// The beginning of a file, or "" when it is gone: threads end while they are counted.
    private static func firstLine(_ path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, 128, file) != nil else { return "" }
        return String(
            decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static var residentKiB: Int {
        let fields = firstLine("/proc/self/statm").split(separator: " ")
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
            / 1_024
    }

    /// True where a sanitizer keeps freed memory and shadows of it.
    package static var isSanitized: Bool {
        ["__asan_init", "__tsan_init"].contains { (name: String) in dlsym(nil, name) != nil }
    }
}
