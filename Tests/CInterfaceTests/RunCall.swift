// SPDX-License-Identifier: Apache-2.0
import CCurfew

/// One call into a handler, and what it can do for its task.
struct RunCall: @unchecked Sendable {
    // Sendable: the table takes calls from every thread; `error` is used on the worker only.

    let api: UnsafePointer<curfew_host_api>
    let task: curfew_task
    /// The host's buffer for the text of a failure; nil in an expiration callback.
    var error: UnsafeMutablePointer<curfew_error>?

    var isExpired: Bool { api.pointee.is_expired(api, task) }
    var remaining: UInt64 { api.pointee.remaining_ns(api, task) }

    func complete(
        _ status: Int = CURFEW_OK, error: String? = nil, result: [UInt8] = []
    ) -> Answer {
        result.withUnsafeBytes { bytes in
            guard let error else {
                return Answer(
                    api.pointee.complete(
                        api, task, curfew_status(status), nil, 0,
                        bytes.isEmpty ? nil : bytes.baseAddress, UInt64(bytes.count)))
            }
            return Answer(
                api.pointee.complete(
                    api, task, curfew_status(status), error, UInt64(error.utf8.count),
                    bytes.isEmpty ? nil : bytes.baseAddress, UInt64(bytes.count)))
        }
    }

    func keep() -> Answer { Answer(api.pointee.keep(api, task)) }

    func release() -> Answer { Answer(api.pointee.release(api, task)) }

    func progress(_ fraction: Double, _ text: String = "") -> Answer {
        Answer(api.pointee.progress(api, task, fraction, text, UInt64(text.utf8.count)))
    }

    func log(_ text: String, _ level: Int = CURFEW_LOG_INFO) {
        api.pointee.log(api, task, curfew_log_level(level), text, UInt64(text.utf8.count))
    }

    func raise(_ event: String, _ parameters: [Parameter] = []) -> Answer {
        Parameter.withValues(parameters) { values, count in
            Answer(api.pointee.raise(api, task, event, values, count))
        }
    }

    /// What the task knows about itself; nil when that is refused.
    var info: curfew_task_info? {
        OutStruct.filled(curfew_task_info.self) { api.pointee.task_info(api, task, $0) }.value
    }

    /// The payload as it can be read now; nil when the task is stale.
    var payload: [UInt8]? {
        info.map {
            Array(UnsafeRawBufferPointer(start: $0.payload, count: Int($0.payload_bytes)))
        }
    }

    /// Writes the text of a failure and returns its status.
    func fail(_ text: String, _ status: Int = CURFEW_FAILED) -> curfew_status {
        if let error {
            withUnsafeMutableBytes(of: &error.pointee.message) { message in
                for (index, byte) in text.utf8.enumerated() { message[index] = byte }
                message[text.utf8.count] = 0
            }
        }
        return curfew_status(status)
    }
}
