// SPDX-License-Identifier: Apache-2.0
import CCurfew

/// The extension "curfew.thread-check/1".
enum ThreadCheck {
    /// The struct a plugin gets; one for the life of the process.
    nonisolated(unsafe) static let table: UnsafePointer<curfew_thread_check> = {
        let table = UnsafeMutablePointer<curfew_thread_check>.allocate(capacity: 1)
        table.initialize(
            to: curfew_thread_check(
                struct_size: UInt32(MemoryLayout<curfew_thread_check>.size),
                current: { api in
                    PluginTable.call(api, otherwise: 0) { $0.services.currentThread() }
                }))
        return UnsafePointer(table)
    }()
}
