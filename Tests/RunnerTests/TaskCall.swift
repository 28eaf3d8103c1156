// SPDX-License-Identifier: Apache-2.0

import CCurfew
import PluginBridge
import Scheduling

@testable import Runner

/// A task, and the services that a handler of the embedder has for it.
struct TaskCall: @unchecked Sendable {
    // Sendable: `error` is used on the worker only.

    let services: PluginServices
    let task: UInt64
    /// The host's buffer for the text of a failure; nil in an expiration callback.
    var error: UnsafeMutablePointer<curfew_error>?

    private var plugin: Int32 { PluginList.embedder }

    var isExpired: Bool { services.shouldStop(task, plugin: plugin) }
    var remaining: UInt64 { services.remaining(of: task, plugin: plugin) }
    var facts: TaskFacts? { services.facts(of: task, plugin: plugin) }

    /// The payload as it can be read now; nil when the task is stale.
    var payload: [UInt8]? {
        facts.map { Array(UnsafeRawBufferPointer(start: $0.payload, count: Int($0.payloadBytes))) }
    }

    func complete(
        _ status: Status = .ok, error: String? = nil, result: [UInt8] = []
    ) -> Status {
        result.withUnsafeBytes { result in
            guard var error else {
                return services.complete(task, status, error: nil, result: result, plugin: plugin)
            }
            return error.withUTF8 {
                services.complete(
                    task, status, error: UnsafeRawBufferPointer($0), result: result, plugin: plugin)
            }
        }
    }

    func keep() -> Status { services.keep(task, plugin: plugin) }
    func release() -> Status { services.release(task, plugin: plugin) }

    func progress(_ fraction: Double, _ text: String = "") -> Status {
        services.report(fraction, text, for: task, plugin: plugin)
    }

    func raise(_ name: String, _ values: [EventValue] = []) -> Status {
        services.raise(
            EventSelector(name: name, arity: values.count)!, values, for: task, plugin: plugin)
    }

    /// Writes the text of a failure and returns its status.
    func fail(_ text: String, _ status: Status = .failed) -> Status {
        if let error {
            withUnsafeMutableBytes(of: &error.pointee.message) { message in
                message.copyBytes(from: text.utf8)
                message[text.utf8.count] = 0
            }
        }
        return status
    }
}
