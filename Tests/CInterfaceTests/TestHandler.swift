// SPDX-License-Identifier: Apache-2.0
import CCurfew

/// A handler of the embedder's own whose C functions find their closures by `handler_data`.
final class TestHandler: Sendable {
    private let run: @Sendable (RunCall) -> curfew_status
    private let expired: (@Sendable (RunCall, curfew_reason) -> Void)?

    init(
        expired: (@Sendable (RunCall, curfew_reason) -> Void)? = nil,
        run: @escaping @Sendable (RunCall) -> curfew_status
    ) {
        self.run = run
        self.expired = expired
    }

    static let runFunction: curfew_run_function = { data, api, task, error in
        Unmanaged<TestHandler>.fromOpaque(data!).takeUnretainedValue()
            .run(RunCall(api: api, task: task, error: error))
    }

    static let expiredFunction: curfew_expired_function = { data, api, task, reason in
        Unmanaged<TestHandler>.fromOpaque(data!).takeUnretainedValue()
            .expired?(RunCall(api: api, task: task), reason)
    }

    /// Calls `body` with what a registration takes. The handler must live as long as the host.
    func withDescription<Result>(
        _ identifier: String, _ body: (UnsafePointer<curfew_handler>) -> Result
    ) -> Result {
        identifier.withCString { name in
            var handler = curfew_handler()
            handler.struct_size = UInt32(MemoryLayout<curfew_handler>.size)
            handler.identifier = name
            handler.handler_data = Unmanaged.passUnretained(self).toOpaque()
            handler.run = TestHandler.runFunction
            if expired != nil { handler.expired = TestHandler.expiredFunction }
            return body(&handler)
        }
    }
}
