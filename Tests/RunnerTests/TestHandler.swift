// SPDX-License-Identifier: Apache-2.0

import CCurfew
import PluginBridge
import Scheduling

@testable import Runner

/// A handler whose functions find their closures by the data of the registration.
final class TestHandler: Sendable {
    private let services: PluginServices
    private let run: @Sendable (TaskCall) -> Status
    private let expired: (@Sendable (TaskCall, StopReason) -> Void)?

    init(
        _ services: PluginServices, expired: (@Sendable (TaskCall, StopReason) -> Void)?,
        run: @escaping @Sendable (TaskCall) -> Status
    ) {
        self.services = services
        self.expired = expired
        self.run = run
    }

    static let runFunction: curfew_run_function = { data, _, task, error in
        let handler = Unmanaged<TestHandler>.fromOpaque(data!).takeUnretainedValue()
        return handler.run(TaskCall(services: handler.services, task: task, error: error)).rawValue
    }

    static let expiredFunction: curfew_expired_function = { data, _, task, reason in
        let handler = Unmanaged<TestHandler>.fromOpaque(data!).takeUnretainedValue()
        guard let reason = StopReason(rawValue: UInt8(clamping: reason)) else { return }
        handler.expired?(TaskCall(services: handler.services, task: task), reason)
    }
}
