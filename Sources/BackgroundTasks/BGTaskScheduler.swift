// SPDX-License-Identifier: Apache-2.0
import AppHost
import CCurfew
import CurfewValues
public import Dispatch
public import Foundation

/// Registers launch handlers and takes requests in: Apple's class, on the one host of this process.
///
/// Nothing here starts an app that is not running: what is overdue is launched after registration at
/// its next start. All may be used from any thread.
open class BGTaskScheduler: NSObject, @unchecked Sendable {
    // Sendable: what changes is behind the lock.

    /// The domain of its errors.
    public class var errorDomain: String { "BGTaskSchedulerErrorDomain" }

    private static let instance = BGTaskScheduler(AppHost.shared)

    /// The one there is.
    open class var shared: BGTaskScheduler { instance }

    let host: AppHost
    let handlers = Locked(LaunchHandlers())
    /// Identifiers whose launch was simulated.
    private let simulated = Locked<Set<String>>([])

    private init(_ host: AppHost) { self.host = host }

    /// The resources that a continued request may ask for: none, on Linux.
    open class var supportedResources: BGContinuedProcessingTaskRequest.Resources { [] }

    // MARK: Registering

    /// Registers the handler of an identifier, before the app has finished launching; one for continued
    /// processing at any time.
    ///
    /// - Parameters:
    ///   - identifier: one of `BGTaskSchedulerPermittedIdentifiers`; or, for continued processing, a
    ///     wildcard that stands there.
    ///   - queue: where `launchHandler` and the task's `expirationHandler` are called; nil: queues of
    ///     the system's, a different one for each of them.
    ///   - launchHandler: as in Apple's declaration its type promises nothing about threads. One that
    ///     is written inside a `@MainActor` type belongs there: with `queue: .main`, or as
    ///     `{ @Sendable task in … }` where it does not.
    /// - Returns: false where the `Info.plist` does not permit it. A second registration stops the
    ///   process, as Apple's does, unless `AppHost.Configuration.misuse` says otherwise.
    @discardableResult
    open func register(
        forTaskWithIdentifier identifier: String, using queue: dispatch_queue_t?,
        launchHandler: @escaping (BGTask) -> Void
    ) -> Bool {
        do {
            return try registerChecked(identifier, queue, AppClosure(launchHandler))
        } catch {
            return false
        }
    }

    /// Registers a handler; throws `Misuse` if the embedder has chosen errors for misuse.
    @discardableResult
    public func registerOrThrow(
        forTaskWithIdentifier identifier: String, using queue: dispatch_queue_t?,
        launchHandler: @escaping (BGTask) -> Void
    ) throws -> Bool {
        try registerChecked(identifier, queue, AppClosure(launchHandler))
    }

    // MARK: Submitting

    /// Submits a request, which is copied. Returns once it is durable; a pending one of the same
    /// identifier is replaced.
    ///
    /// Throws `BGTaskScheduler.Error`. A request for a permitted identifier that has no handler stops
    /// the process, as Apple's does, unless `AppHost.Configuration.misuse` says otherwise.
    open func submit(_ taskRequest: BGTaskRequest) throws {
        try take(taskRequest.duplicate())
    }

    /// Submits a request, and calls back on a thread of the system.
    open func submitTaskRequest(
        _ taskRequest: BGTaskRequest,
        completionHandler: @escaping @Sendable ((any Swift.Error)?) -> Void
    ) {
        let copy = taskRequest.duplicate()
        DispatchQueue.global().async { [self] in
            do {
                try take(copy)
                completionHandler(nil)
            } catch {
                completionHandler(error)
            }
        }
    }

    /// Submits a request asynchronously.
    open func submitTaskRequest(_ taskRequest: BGTaskRequest) async throws {
        let copy = taskRequest.duplicate()
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Swift.Error>) in
            DispatchQueue.global().async { [self] in
                continuation.resume(with: Result { try take(copy) })
            }
        }
    }

    // MARK: Cancelling and looking

    /// Cancels what is pending of an identifier; nothing is no error. A task that runs goes on.
    open func cancel(taskRequestWithIdentifier identifier: String) {
        tell { () throws(AppRegistryFailure) in try host.registry.cancel(identifier) }
    }

    /// Cancels all that is pending.
    open func cancelAllTaskRequests() {
        tell { () throws(AppRegistryFailure) in try host.registry.cancel(nil) }
    }

    /// Copies of the requests that are pending, on a thread of the system's; none where they cannot be
    /// read.
    open func getPendingTaskRequests(
        completionHandler: @escaping ([BGTaskRequest]) -> Void
    ) {
        let completion = AppClosure(completionHandler)
        DispatchQueue.global().async { [self] in completion.body(pending()) }
    }

    /// Returns the pending requests asynchronously.
    open func pendingTaskRequests() async -> [BGTaskRequest] {
        await withCheckedContinuation { continuation in
            getPendingTaskRequests { continuation.resume(returning: $0) }
        }
    }

    // MARK: Simulating

    /// Does what Apple's debugger command does: launches the pending request of an identifier at
    /// once, whatever it waits for, and consumes it.
    public func _simulateLaunchForTask(withIdentifier identifier: String) {
        simulate { () throws(AppRegistryFailure) in
            try host.registry.simulateLaunch(identifier)
            simulated.withLock { _ = $0.insert(identifier) }
        }
    }

    /// Does what Apple's debugger command does: expires a task that `_simulateLaunchForTask`
    /// launched. A task without an expiration handler continues, with a line in the log.
    public func _simulateExpirationForTask(withIdentifier identifier: String) {
        if simulated.withLock({ $0.contains(identifier) }),
            let task = LaunchHandler.running.unprepared(identifier)
        {
            host.log(.info, "Simulating expiration for task with identifier \(identifier)")
            host.log(.warning, "No expiration handler for task \(task)")
            return
        }
        simulate { () throws(AppRegistryFailure) in
            try host.registry.simulateExpiration(identifier)
        }
    }

    /// The host has said in its log what was wrong, where there is one.
    private func simulate(_ body: () throws(AppRegistryFailure) -> Void) {
        if host.host == nil { tell(body) } else { try? body() }
    }

    private func tell(_ body: () throws(AppRegistryFailure) -> Void) {
        do throws(AppRegistryFailure) { try body() } catch { host.log(.warning, error.message) }
    }
}

/// The name under which Apple's Objective-C headers know a dispatch queue.
public typealias dispatch_queue_t = DispatchQueue
