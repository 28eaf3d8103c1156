// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
import PluginBridge

extension HostConfiguration {
    /// The limits of each process of a plugin, and of each program of a manifest.
    ///
    /// A manifest that needs more gets the limit, and the log warns. A plugin's process has the limit where
    /// its manifest says nothing. With nil it has what the manifest says, or the default; a program has no
    /// limit by default. A host with a value that is out of range cannot be made.
    public struct ProcessLimits: Equatable, Sendable {
        /// Bytes of private memory, 64,000,000…1,000,000,000,000; by default 1 GiB.
        public var memory: UInt64?
        /// Bytes of a file that it writes, 1…1,000,000,000,000; by default 1 GiB.
        public var fileBytes: UInt64?
        /// Open files, 32…1,048,576; by default 256.
        public var descriptors: UInt64?
        /// Processes and threads together, besides Curfew's own threads in it, 1…32,768; by default 64.
        ///
        /// It holds where the process has a user namespace and the user is not root, or where the host has a
        /// control group to divide; a program needs the group. Otherwise the log says that it is not in force.
        public var processes: UInt64?

        /// Creates limits that change nothing.
        public init() {}

        /// These limits with those of a single plugin in their place, where it has some.
        func with(_ own: ProcessLimits) -> ProcessLimits {
            var limits = self
            limits.memory = own.memory ?? memory
            limits.fileBytes = own.fileBytes ?? fileBytes
            limits.descriptors = own.descriptors ?? descriptors
            limits.processes = own.processes ?? processes
            return limits
        }

        /// The limits of one process; 0 where the default holds.
        func limits(_ needs: ManifestNeeds?, ownThreads: UInt64) -> csys_limits {
            func least(_ wanted: UInt64?, _ most: UInt64?) -> UInt64? {
                guard let wanted, let most else { return wanted ?? most }
                return min(wanted, most)
            }
            return csys_limits(
                memory: least(needs?.memory, memory) ?? 0,
                descriptors: least(needs?.descriptors, descriptors) ?? 0,
                processes: least(needs?.processes, processes).map { $0 + ownThreads } ?? 0,
                file_bytes: fileBytes ?? 0)
        }

        /// The needs of a manifest that are above these limits, or above those of this process, each as the
        /// rest of a sentence.
        ///
        /// - Parameter hard: the hard limit that a resource of setrlimit(2) has in this process.
        func shortfalls(
            _ needs: ManifestNeeds?, hard: (Int32) -> UInt64 = Self.hardLimit
        ) -> [String] {
            let all: [(String, UInt64?, UInt64?, (resource: Int32, option: String)?)] = [
                ("bytes of memory", needs?.memory, memory, (Int32(RLIMIT_DATA.rawValue), "-d")),
                (
                    "descriptors", needs?.descriptors, descriptors,
                    (Int32(RLIMIT_NOFILE.rawValue), "-n")
                ),
                ("processes", needs?.processes, processes, nil),
            ]
            return all.compactMap { name, wanted, most, inherited in
                guard let wanted else { return nil }
                if let most, wanted > most,
                    inherited.map({ hard($0.resource) >= most }) ?? true
                {
                    return "\(wanted) \(name), and gets \(most): the host allows no more"
                }
                guard let inherited, wanted > hard(inherited.resource) else { return nil }
                return
                    "\(wanted) \(name), and gets \(hard(inherited.resource)): the process of the host has no more (ulimit -H \(inherited.option))"
            }
        }

        private static func hardLimit(_ resource: Int32) -> UInt64 {
            var limit = rlimit()
            guard getrlimit(__rlimit_resource_t(UInt32(resource)), &limit) == 0 else { return .max }
            return UInt64(limit.rlim_max)
        }

        /// A message saying which of them is impossible, or nil.
        var fault: String? {
            let ranges: [(String, UInt64?, ClosedRange<UInt64>, text: String)] = [
                (
                    "process_memory_bytes", memory, ManifestNeeds.memoryRange,
                    "64,000,000…1,000,000,000,000"
                ),
                ("process_file_bytes", fileBytes, 1...1_000_000_000_000, "1…1,000,000,000,000"),
                ("process_descriptors", descriptors, 32...1_048_576, "32…1,048,576"),
                ("process_count", processes, 1...32_768, "1…32,768"),
            ]
            for (name, value, range, text) in ranges {
                guard let value, !range.contains(value) else { continue }
                return "\(name) is \(value); it must be 0 or in \(text)"
            }
            return nil
        }
    }
}
