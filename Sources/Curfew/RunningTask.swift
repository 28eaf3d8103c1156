// SPDX-License-Identifier: Apache-2.0
import CCurfew
import PluginBridge

/// A task inside a handler of the embedder, which uses the same function table as a plugin.
public struct RunningTask: @unchecked Sendable {
    // Sendable: the table may be used from any thread.

    /// The id of the task in the host and its events.
    public let id: UInt64
    let api: UnsafePointer<curfew_host_api>

    /// Whether the task should stop. It costs one load: check it in any loop.
    public var isExpired: Bool { api.pointee.is_expired(api, id) }

    /// The rest of the budget; zero once the task should stop.
    public var remaining: Duration { Duration(inNanoseconds: api.pointee.remaining_ns(api, id)) }

    /// The payload of the launch.
    public var payload: [UInt8] {
        guard let info, let payload = info.payload else { return [] }
        return Array(UnsafeRawBufferPointer(start: payload, count: Int(info.payload_bytes)))
    }

    /// The number of the attempt, from 1.
    public var attempt: UInt32 { info?.attempt ?? 1 }

    private var info: curfew_task_info? {
        // Swift cannot zero-initialize a struct with nonnull pointers, so the memory is zeroed by
        // hand.
        let buffer = UnsafeMutablePointer<curfew_task_info>.allocate(capacity: 1)
        defer { buffer.deallocate() }
        UnsafeMutableRawPointer(buffer).initializeMemory(
            as: UInt8.self, repeating: 0, count: MemoryLayout<curfew_task_info>.size)
        UnsafeMutableRawPointer(buffer).storeBytes(
            of: UInt32(MemoryLayout<curfew_task_info>.size), as: UInt32.self)
        guard api.pointee.task_info(api, id, buffer) == 0 else { return nil }
        return buffer.pointee
    }

    /// Raises an event that the handler's description declares, with exactly the declared types. It
    /// is delivered before the task's done event.
    ///
    /// Throws `.denied` (not declared, or the host's own), `.invalid` (other parameters), `.busy`
    /// (the event queue is full), `.already` (the task is over) or `.stale`.
    public func raise(_ name: String, _ values: EventValue...) throws(CurfewError) {
        let verdict = EventValue.withForeign(values) { values, count in
            name.withCString { api.pointee.raise(api, id, $0, values, count) }
        }
        try CurfewError.check(Status(rawValue: verdict), "event \(name)")
    }

    /// Reports progress: a fraction in 0…1 and a text, of which 1 KiB is kept.
    public func report(_ fraction: Double, _ text: String = "") {
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                _ = api.pointee.progress(api, id, fraction, $0.baseAddress, UInt64($0.count))
            }
        }
    }

    /// Completes the task before its function returns, with bytes for the launcher. Returns false
    /// if the task was over, or the bytes exceed the host's limit (1 MiB). The later result or
    /// error of the function is ignored.
    @discardableResult
    public func complete(result: [UInt8] = []) -> Bool {
        result.withUnsafeBytes {
            let verdict = api.pointee.complete(
                api, id, 0, nil, 0, $0.baseAddress, UInt64($0.count))
            return verdict == CURFEW_OK || verdict == CURFEW_LATE
        }
    }
}
