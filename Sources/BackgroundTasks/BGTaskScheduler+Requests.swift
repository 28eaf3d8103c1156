// SPDX-License-Identifier: Apache-2.0
import AppHost
import CCurfew
import CurfewValues
import Dispatch
import Foundation

/// Checks Apple's rules before a handler or a request reaches the host.
extension BGTaskScheduler {
    func registerChecked(
        _ identifier: String, _ queue: DispatchQueue?,
        _ body: AppClosure<BGTask>
    ) throws -> Bool {
        guard host.isPlugin || host.bundle.permits(identifier, wildcards: true) else {
            host.log(
                .error,
                "Registration rejected; \(identifier) is not advertised in the application's Info.plist (\(host.bundle.place))"
            )
            return false
        }
        let handler = LaunchHandler(identifier, queue, host, body)
        guard handlers.withLock({ $0.isRegistered(identifier) ? false : $0.add(handler) }) else {
            throw host.answer(
                Misuse(
                    "Launch handler for task with identifier \(identifier) has already been registered"
                ))
        }
        return identifier.hasSuffix(".*") ? takeUp(handler) : enter(handler)
    }

    private func enter(_ handler: LaunchHandler) -> Bool {
        do throws(AppRegistryFailure) {
            try handler.register()
            return true
        } catch {
            handlers.withLock { $0.remove(handler.identifier) }
            host.log(.error, "Registration rejected; \(handler.identifier): \(error.message)")
            return false
        }
    }

    /// A wildcard is not registered in the host: each identifier that it matches is registered when
    /// it is submitted, and those of pending requests now.
    private func takeUp(_ wildcard: LaunchHandler) -> Bool {
        let prefix = wildcard.identifier.dropLast()
        for request in pending() where request.identifier.hasPrefix(prefix) {
            _ = handlerExists(for: request.identifier)
        }
        return true
    }

    /// Returns whether there is a handler for the identifier, directly or by a wildcard.
    private func handlerExists(for identifier: String) -> Bool {
        let added = handlers.withLock { handlers -> LaunchHandler? in
            guard !handlers.isRegistered(identifier),
                let wildcard = handlers.wildcard(for: identifier)
            else { return nil }
            let handler = wildcard.named(identifier)
            return handlers.add(handler) ? handler : nil
        }
        if let added { return enter(added) }
        return handlers.withLock { $0.isRegistered(identifier) }
    }

    // MARK: Submitting

    func take(_ request: BGTaskRequest) throws {
        let identifier = request.identifier
        let isContinued = request is BGContinuedProcessingTaskRequest
        let isPermitted =
            host.isPlugin || host.bundle.permits(identifier, wildcards: isContinued)
        guard isPermitted else {
            throw Error(
                .notPermitted,
                "Unrecognized Identifier: \(identifier) is not in BGTaskSchedulerPermittedIdentifiers (\(host.bundle.place)); nothing was submitted"
            )
        }
        guard handlerExists(for: identifier) else {
            throw host.answer(
                Misuse("No launch handler registered for task with identifier \(identifier)"))
        }
        if !isContinued { handlers.withLock { $0[identifier] }?.warnIfLate() }
        let taken = AppRequest(request)
        try checkModes(request)
        if let continued = request as? BGContinuedProcessingTaskRequest {
            try check(continued, taken)
        } else if request is BGAppRefreshTaskRequest {
            try checkSetting(taken)
        }
        do throws(AppRegistryFailure) {
            try host.registry.submit(taken)
        } catch {
            throw Error(error, identifier)
        }
    }

    private func checkModes(_ request: BGTaskRequest) throws {
        guard !host.isPlugin, !(request is BGContinuedProcessingTaskRequest) else { return }
        let mode = request is BGAppRefreshTaskRequest ? "fetch" : "processing"
        guard host.bundle.backgroundModes.contains(mode) else {
            throw Error(
                .notPermitted,
                "UIBackgroundModes lacks '\(mode)', which \(type(of: request)) needs (\(host.bundle.place)); nothing was submitted"
            )
        }
    }

    /// Throws if the user or an administrator has turned background refresh off.
    private func checkSetting(_ request: AppRequest) throws {
        guard holding(request).contains(Int32(CURFEW_FACTOR_REFRESH_SETTING)) else { return }
        throw Error(
            .unavailable,
            "refreshing in the background is turned off for \(request.identifier); nothing was submitted (curfew settings shows who has)"
        )
    }

    private func check(
        _ request: BGContinuedProcessingTaskRequest, _ taken: AppRequest
    ) throws {
        guard request.requiredResources.isSubset(of: Self.supportedResources) else {
            throw Error(
                .notPermitted,
                "\(request.identifier) requires resources that BGTaskScheduler.supportedResources does not have; nothing was submitted"
            )
        }
        guard AppHost.life.stage != .background else {
            throw Error(
                .notPermitted,
                "\(request.identifier): continued processing is begun in the foreground; nothing was submitted"
            )
        }
        guard request.strategy == .fail, !holding(taken).isEmpty else { return }
        throw Error(
            .immediateRunIneligible,
            "\(request.identifier) cannot begin at once, and its strategy is to fail; nothing was submitted (curfew why says what holds it back)"
        )
    }

    private func holding(_ request: AppRequest) -> Set<Int32> {
        // If the query fails, the submission itself reports the error.
        (try? host.registry.holding(request)) ?? []
    }

    // MARK: Looking

    func pending() -> [BGTaskRequest] {
        do throws(AppRegistryFailure) {
            return try host.registry.pending().map(\.asTaskRequest)
        } catch {
            host.log(.warning, "the pending requests cannot be read: \(error.message)")
            return []
        }
    }
}

extension BGTaskScheduler.Error {
    /// Translates the host's error into Apple's.
    init(_ failure: AppRegistryFailure, _ identifier: String) {
        let code: Code
        switch failure.status {
        case curfew_status(CURFEW_TOO_MANY): code = .tooManyPendingTaskRequests
        case curfew_status(CURFEW_DENIED): code = .notPermitted
        default: code = .unavailable
        }
        self.init(code, "\(identifier): \(failure.message)")
    }
}
