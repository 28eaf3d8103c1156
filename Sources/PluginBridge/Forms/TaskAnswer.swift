// SPDX-License-Identifier: Apache-2.0
import CCurfew

/// Completes the task of a handler without an entry, which a function of the host runs.
enum TaskAnswer {
    /// Completes it as failed. Returns what the function is to return then.
    static func fail(
        _ text: String, _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task
    ) -> curfew_status {
        var text = text
        _ = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                api.pointee.complete(
                    api, task, Status.failed.rawValue, $0.baseAddress, UInt64($0.count), nil, 0)
            }
        }
        return Status.failed.rawValue
    }

    /// Completes it with a result, or as failed when the host does not take one as large.
    static func succeed(
        _ result: UnsafeRawBufferPointer, _ api: UnsafePointer<curfew_host_api>,
        _ task: curfew_task
    ) -> curfew_status {
        let status = Status(
            rawValue: api.pointee.complete(
                api, task, Status.ok.rawValue, nil, 0, result.baseAddress, UInt64(result.count)))
        switch status {
        case .tooLarge:
            return fail(
                "the result has \(result.count) bytes, more than the host takes", api, task)
        case .exhausted:
            return fail("there is no memory for the result of \(result.count) bytes", api, task)
        default: return Status.ok.rawValue
        }
    }
}
