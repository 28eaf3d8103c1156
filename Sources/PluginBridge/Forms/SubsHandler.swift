// SPDX-License-Identifier: Apache-2.0
import CCurfew
internal import Glibc

/// A handler of form `subs`: functions that a library exports by the names of its subs.
final class SubsHandler: @unchecked Sendable {
    // Sendable: everything is constant, and the functions of a handler may be called from any
    // thread, as its author promised.

    private typealias Do = @convention(c) () -> UnsafePointer<CChar>?
    private typealias Expired = @convention(c) () -> Void
    private typealias Controller =
        @convention(c) (curfew_task, UnsafePointer<curfew_host_api>) -> Void

    /// Text that means success.
    static let success = "Done."
    /// The maximum number of bytes of an error text.
    private static let textLimit = 64 * 1024

    private let doSub: Do?
    private let controller: Controller?
    private let hasEnded: Expired?

    /// The names of the subs of a handler with that event.
    static func workName(_ event: String) -> String { "do\(event)" }
    static func controllerName(_ event: String) -> String { "\(event)_controller" }
    static func expiredName(_ event: String) -> String { "\(event)_expired" }

    init(_ handler: ManifestHandler, in image: PluginImage) throws(BridgeError) {
        let event = handler.event
        controller = image.function(Self.controllerName(event)).map {
            unsafeBitCast($0, to: Controller.self)
        }
        doSub = image.function(Self.workName(event)).map { unsafeBitCast($0, to: Do.self) }
        hasEnded = image.function(Self.expiredName(event)).map {
            unsafeBitCast($0, to: Expired.self)
        }
        // The file was looked at before; what the loader finds can be something else.
        guard doSub != nil || controller != nil else {
            throw BridgeError(
                .sub, CheckedLibrary.missingSub(handler, in: image.shown))
        }
    }

    /// Returns the code that a worker and a deadline thread call. They do not retain this object.
    func code(_ api: UnsafePointer<curfew_host_api>) -> HandlerCode {
        HandlerCode(
            run: controller == nil ? runWork : runController,
            expired: hasEnded == nil ? nil : runExpired,
            data: Unmanaged.passUnretained(self).toOpaque(), api: api,
            // A controller keeps the state of its task in globals.
            pendingLimit: controller != nil ? 1 : 0)
    }

    fileprivate func work(
        _ api: UnsafePointer<curfew_host_api>, _ task: curfew_task
    ) -> curfew_status {
        guard let text = doSub!() else {
            return TaskAnswer.fail(
                "the sub returned no text; it returns \"\(Self.success)\" or an error text", api,
                task)
        }
        let length = strnlen(text, Self.textLimit)
        if length == Self.success.utf8.count, memcmp(text, Self.success, length) == 0 {
            return Status.ok.rawValue
        }
        // Copied by the call.
        _ = api.pointee.complete(
            api, task, Status.failed.rawValue, text, UInt64(length), nil, 0)
        return Status.failed.rawValue
    }

    fileprivate func control(_ api: UnsafePointer<curfew_host_api>, _ task: curfew_task) {
        controller!(task, api)
    }

    fileprivate func end() { hasEnded!() }
}

private func subs(_ data: UnsafeMutableRawPointer?) -> SubsHandler {
    Unmanaged<SubsHandler>.fromOpaque(data!).takeUnretainedValue()
}

private let runWork: curfew_run_function = { data, api, task, _ in subs(data).work(api, task) }

private let runController: curfew_run_function = { data, api, task, _ in
    subs(data).control(api, task)
    return Status.pending.rawValue
}

private let runExpired: curfew_expired_function = { data, _, _, _ in subs(data).end() }
