// SPDX-License-Identifier: Apache-2.0
import CCurfew
import PluginBridge

/// A task as the embedder's own handler sees it, through the same table a plugin gets.
public struct RunningTask: @unchecked Sendable {
    // Sendable: the table may be used from any thread.

    /// The id by which the host and its events know it.
    public let id: UInt64
    let api: UnsafePointer<curfew_host_api>

    /// True once it should stop. One load: look at it in any loop.
    public var isExpired: Bool { api.pointee.is_expired(api, id) }

    /// How much of the budget is left, zero once it should stop.
    public var remaining: Duration { Duration(inNanoseconds: api.pointee.remaining_ns(api, id)) }

    /// What it was launched with.
    public var payload: [UInt8] {
        guard let info, let payload = info.payload else { return [] }
        return Array(UnsafeRawBufferPointer(start: payload, count: Int(info.payload_bytes)))
    }

    /// 1 for the first launch of a request, then 2, ….
    public var attempt: UInt32 { info?.attempt ?? 1 }

    private var info: curfew_task_info? {
        // A zeroed struct of imported pointers that are never NULL has to be made by hand.
        let buffer = UnsafeMutablePointer<curfew_task_info>.allocate(capacity: 1)
        defer { buffer.deallocate() }
        UnsafeMutableRawPointer(buffer).initializeMemory(
            as: UInt8.self, repeating: 0, count: MemoryLayout<curfew_task_info>.size)
        UnsafeMutableRawPointer(buffer).storeBytes(
            of: UInt32(MemoryLayout<curfew_task_info>.size), as: UInt32.self)
        guard api.pointee.task_info(api, id, buffer) == 0 else { return nil }
        return buffer.pointee
    }

    /// Raises an event that the handler's description declares, with exactly the declared types; it
    /// is delivered before the task's done event.
    ///
    /// Throws `.denied` (not declared, or the host's own), `.invalid` (other
    /// parameters), `.busy` (the queue of events is full), `.already` (the task is over) or `.stale`.
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

    /// Completes it before its function returns, with bytes for the launcher. False when it was
    /// over before, or the bytes are more than the host's limit (1 MiB). What the function returns
    /// or throws afterwards is ignored.
    @discardableResult
    public func complete(result: [UInt8] = []) -> Bool {
        result.withUnsafeBytes {
            let verdict = api.pointee.complete(
                api, id, 0, nil, 0, $0.baseAddress, UInt64($0.count))
            return verdict == CURFEW_OK || verdict == CURFEW_LATE
        }
    }
}
