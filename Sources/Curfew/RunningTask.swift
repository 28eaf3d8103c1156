// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Scheduling

/// A task as the embedder's own handler sees it, through the same table a plugin gets.
public struct RunningTask: @unchecked Sendable {
    // Sendable: the table may be used from any thread.

    public let id: UInt64
    let api: UnsafePointer<curfew_host_api>

    /// True once it should stop. One load: look at it in any loop.
    public var isExpired: Bool { api.pointee.is_expired(api, id) }

    /// How much of the budget is left.
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

    /// Reports progress: a fraction in 0…1 and a text.
    public func report(_ fraction: Double, _ text: String = "") {
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                _ = api.pointee.progress(api, id, fraction, $0.baseAddress, UInt64($0.count))
            }
        }
    }

    /// Completes it before its function returns, with bytes for the launcher. False when it was
    /// over before.
    @discardableResult
    public func complete(result: [UInt8] = []) -> Bool {
        result.withUnsafeBytes {
            let verdict = api.pointee.complete(
                api, id, 0, nil, 0, $0.baseAddress, UInt64($0.count))
            return verdict == CURFEW_OK || verdict == CURFEW_LATE
        }
    }
}
