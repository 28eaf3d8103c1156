// SPDX-License-Identifier: Apache-2.0
import CAppHost
import CCurfew
import Foundation

/// Creates the host of an app, with its store in the directory of the app's state.
struct AppHostOpening {
    private let configuration: AppHost.Configuration
    private let bundle: AppBundle
    private let write: @Sendable (AppLogLevel, String) -> Void

    init(
        _ configuration: AppHost.Configuration, _ bundle: AppBundle,
        _ write: @escaping @Sendable (AppLogLevel, String) -> Void
    ) {
        self.configuration = configuration
        self.bundle = bundle
        self.write = write
    }

    func open() throws(AppRegistryFailure) -> HostRegistry {
        guard let functions = capphost_inside()?.pointee else {
            throw AppRegistryFailure(
                curfew_status(CURFEW_NOT_FOUND),
                "there is no host in this program: link the product BackgroundTasks, or, in a plugin, call AppHost.enter first"
            )
        }
        let names = AppNames(bundle: bundle.identifier)
        if let host = configuration.host {
            return HostRegistry(host: host, functions: functions, names: names)
        }
        let store = configuration.keepsRequests ? try storePath() : nil
        let host = try make(functions, store)
        AppHostEnd.arrange(host, functions)
        var registry = HostRegistry(host: host, functions: functions, names: names)
        registry.startFile = startFile(store)
        AppIdleEnd.arrange(registry)
        return registry
    }

    /// Nil for an app with a manual clock, or with requests in memory: another process cannot launch those.
    private func startFile(_ store: String?) -> AppStartFile? {
        guard let store, configuration.clock == nil, let arguments = configuration.startArguments,
            let state = try? stateDirectory()
        else { return nil }
        return AppStartFile(
            state: state, app: bundle.identifier, store: store, arguments: arguments, write)
    }

    private func make(
        _ functions: capphost_functions, _ store: String?
    ) throws(AppRegistryFailure) -> OpaquePointer {
        var requests = curfew_request_config()
        requests.struct_size = UInt32(MemoryLayout<curfew_request_config>.size)
        requests.reads_machine = configuration.readsMachine
        let limits = AppRequest.pendingLimits
        requests.app_refresh_limit = limits.refresh
        requests.processing_limit = limits.other
        requests.health_research_limit = limits.other
        requests.continued_processing_limit = limits.other
        if let pause = configuration.longestPause {
            requests.no_throttle = pause <= 0
            requests.throttle_ns = pause > 0 ? max(1, UInt64(min(pause, 1e9) * 1e9)) : 0
        }
        var host: OpaquePointer?
        let sink = Unmanaged.passRetained(AppLogSink(write))
        do throws(AppRegistryFailure) {
            try AppCall.check { error in
                withOptionalCString(store) { store in
                    withUnsafePointer(to: &requests) { requests in
                        var config = curfew_host_config()
                        config.struct_size = UInt32(MemoryLayout<curfew_host_config>.size)
                        config.clock = configuration.clock
                        config.store = store
                        config.requests = requests
                        config.log = appLog
                        config.log_data = sink.toOpaque()
                        return functions.create(&config, &host, error)
                    }
                }
            }
        } catch {
            sink.release()
            throw error
        }
        guard let host else { fatalError("a host was made, and is not there") }
        return host
    }

    private func withOptionalCString<Answer>(
        _ text: String?, _ body: (UnsafePointer<CChar>?) -> Answer
    ) -> Answer {
        guard let text else { return body(nil) }
        return text.withCString { body($0) }
    }

    /// Returns an environment variable. Throws if it is not UTF-8: a repaired path would lead to
    /// another store.
    private func variable(_ name: String) throws(AppRegistryFailure) -> String? {
        guard let value = getenv(name) else { return nil }
        guard let text = String(validatingCString: value) else {
            throw AppRegistryFailure(
                curfew_status(CURFEW_INVALID),
                "the variable \(name) is not UTF-8, and requests are kept below it; set it to a path in UTF-8"
            )
        }
        return text
    }

    /// The directory for states of a user's programs.
    private func stateDirectory() throws(AppRegistryFailure) -> String {
        let named = try variable("XDG_STATE_HOME")
        if let named, named.utf8.first == UInt8(ascii: "/") { return named }
        return (try variable("HOME") ?? NSHomeDirectory()) + "/.local/state"
    }

    /// Returns `$XDG_STATE_HOME/<bundle identifier>/requests`. Creates the parent directories; the
    /// store creates the last one.
    private func storePath() throws(AppRegistryFailure) -> String {
        if let store = configuration.store { return store }
        let directory = try stateDirectory() + "/" + bundle.identifier
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw AppRegistryFailure(
                curfew_status(CURFEW_SYSTEM),
                "\(directory), where requests are kept, cannot be made: \(error.localizedDescription); set XDG_STATE_HOME to a directory of this user's"
            )
        }
        return directory + "/requests"
    }
}

private func appLog(
    _ data: UnsafeMutableRawPointer?, _ level: curfew_log_level, _ plugin: UnsafePointer<CChar>?,
    _ task: curfew_task, _ text: UnsafePointer<CChar>, _ bytes: UInt64
) {
    let sink = Unmanaged<AppLogSink>.fromOpaque(data!).takeUnretainedValue()
    let line = String(
        decoding: UnsafeRawBufferPointer(start: text, count: Int(clamping: bytes)), as: UTF8.self)
    // `AppLogLevel` ends with `error`, so a contract violation is logged as an error.
    sink.write(AppLogLevel(rawValue: level) ?? .error, line)
}
