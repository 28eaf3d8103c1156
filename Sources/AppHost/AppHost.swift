// SPDX-License-Identifier: Apache-2.0
import CAppHost
public import CCurfew
import CurfewValues
import Dispatch
import Foundation

/// The host of an app, behind Apple's modules: the registry of its process.
///
/// The host is created when it is first used. Call `configure` before that to change its
/// configuration:
///
/// ```swift
/// import AppHost
/// import BackgroundTasks
///
/// var configuration = AppHost.Configuration()
/// configuration.infoPlist = "/usr/share/mine/Info.plist"
/// AppHost.configure(configuration)
/// ```
///
/// A plugin with code for Apple's modules has no host of its own: its entry passes on the host's
/// table, with `AppHost.enter`.
public final class AppHost: Sendable {
    private enum State {
        case unmade(Configuration, waiting: [@Sendable (AppHost) -> Void] = [])
        case made(AppHost)
    }

    private static let state = Locked(State.unmade(Configuration()))

    /// The app's life cycle, as the app reports it.
    public static let life = AppLife()

    /// The host of this process, created on first use. If it cannot be created, the log and each
    /// submission of a request report the reason.
    public static var shared: AppHost {
        let (host, waiting) = state.withLock { state -> (AppHost, [@Sendable (AppHost) -> Void]) in
            switch state {
            case .made(let host): return (host, [])
            case .unmade(let configuration, let waiting):
                let host = AppHost(configuration)
                state = .made(host)
                return (host, waiting)
            }
        }
        for body in waiting { body(host) }
        return host
    }

    /// Calls `body` with the host of this process once it is created, or at once if it exists.
    package static func whenMade(_ body: @escaping @Sendable (AppHost) -> Void) {
        let made = state.withLock { state -> AppHost? in
            switch state {
            case .made(let host): return host
            case .unmade(let configuration, let waiting):
                state = .unmade(configuration, waiting: waiting + [body])
                return nil
            }
        }
        if let made { body(made) }
    }

    /// Writes a line to the log of this program, without creating its host.
    package static func write(_ level: AppLogLevel, _ text: String) {
        let write = state.withLock { state in
            switch state {
            case .made(let host): host.write
            case .unmade(let configuration, _): configuration.log ?? AppLog.write
            }
        }
        write(level, text)
    }

    /// The app's `Info.plist`, without creating the host.
    package static var declared: AppBundle {
        state.withLock { state in
            switch state {
            case .made(let host): host.bundle
            case .unmade(let configuration, _): AppBundle(configuration)
            }
        }
    }

    /// Sets the configuration of the host, before any other use of this module. Stops the process
    /// with a message if the host already exists.
    public static func configure(_ configuration: Configuration) {
        let isEarly = state.withLock { state -> Bool in
            guard case .unmade(_, let waiting) = state else { return false }
            state = .unmade(configuration, waiting: waiting)
            return true
        }
        if !isEarly {
            stop(
                "AppHost.configure has to come before the first use of BackgroundTasks, UIKitBackground or AppHost.shared\n"
            )
        }
    }

    /// The app's `Info.plist`.
    public let bundle: AppBundle

    package let registry: any AppRegistry
    private let misusePolicy: MisusePolicy
    private let write: @Sendable (AppLogLevel, String) -> Void
    /// The reason why there is no host; nil if there is one.
    public let fault: String?
    /// The host, a `curfew_host *`, for the rest of the C API: settings, factors, why. Nil in a
    /// plugin, and if there is no host. It lives as long as the process.
    public var host: OpaquePointer? { handle }
    private nonisolated(unsafe) let handle: OpaquePointer?
    /// Whether this code runs in a plugin, where the manifest decides what is permitted.
    package let isPlugin: Bool

    // MARK: Creation

    private init(_ configuration: Configuration) {
        bundle = AppBundle(configuration)
        misusePolicy = configuration.misuse
        let write = configuration.log ?? AppLog.write
        self.write = write
        isPlugin = false
        do throws(AppRegistryFailure) {
            let opened = try AppHostOpening(configuration, bundle, write).open()
            registry = opened
            handle = opened.host
            fault = nil
        } catch {
            registry = MissingRegistry(failure: error)
            handle = nil
            fault = error.message
            write(.error, "no background task can be scheduled or launched: \(error.message)")
        }
        Self.life.observe { [weak self] stage in
            if stage == .foreground { self?.noteUsage() }
        }
        if Self.life.stage == .foreground { noteUsage() }
    }

    private init(table: UnsafePointer<curfew_host_api>) {
        bundle = AppBundle(path: nil, executable: "plugin")
        misusePolicy = .throwError
        // The table may be used from any thread.
        nonisolated(unsafe) let table = table
        write = { level, text in
            var text = text
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    table.pointee.log(table, 0, level.rawValue, $0.baseAddress!, UInt64($0.count))
                }
            }
        }
        isPlugin = true
        handle = nil
        if let found = TableRegistry(table) {
            registry = found
            fault = nil
        } else {
            let failure = AppRegistryFailure(
                curfew_status(CURFEW_NOT_FOUND), "the host that loads this plugin has no requests")
            registry = MissingRegistry(failure: failure)
            fault = failure.message
        }
    }

    /// Passes on the table that a plugin's entry received, and registers the handlers that `body`
    /// registers with `BGTaskScheduler.shared`. Call it once, in `curfew_plugin_entry`:
    ///
    /// ```swift
    /// @c @implementation
    /// public func curfew_plugin_entry(
    ///     _ api: UnsafePointer<curfew_host_api>, _ info: UnsafeMutablePointer<curfew_plugin_info>,
    ///     _ error: UnsafeMutablePointer<curfew_error>
    /// ) -> curfew_status {
    ///     AppHost.enter(api, error) { registerLaunchHandlers() }
    /// }
    /// ```
    ///
    /// The manifest declares the identifiers, not an `Info.plist`. The library also links
    /// `CurfewPlugin`, which contains the note by which hosts recognize a plugin. Returns the
    /// result for the entry. A library can be in one host of a process: a second host is refused.
    public static func enter(
        _ api: UnsafePointer<curfew_host_api>, _ error: UnsafeMutablePointer<curfew_error>,
        _ body: () throws -> Void
    ) -> curfew_status {
        let isFirst = state.withLock { state -> Bool in
            guard case .unmade = state else { return false }
            state = .made(AppHost(table: api))
            return true
        }
        guard isFirst else {
            return refuse(
                error, "this plugin keeps its handlers once per process, and another host has it")
        }
        do {
            if let fault = shared.fault { return refuse(error, fault) }
            try body()
            return curfew_status(CURFEW_OK)
        } catch let failure {
            return refuse(error, String(describing: failure))
        }
    }

    private static func refuse(
        _ error: UnsafeMutablePointer<curfew_error>, _ text: String
    ) -> curfew_status {
        withUnsafeMutableBytes(of: &error.pointee.message) { message in
            let bytes = Array(text.utf8.prefix(message.count - 1))
            message.copyBytes(from: bytes)
            message[bytes.count] = 0
        }
        return curfew_status(CURFEW_FAILED)
    }

    /// The path of the program, independent of `argv[0]`.
    static var executable: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments.first ?? "app"
    }
}

// MARK: Services for Apple's modules

extension AppHost {
    package func log(_ level: AppLogLevel, _ text: String) { write(level, text) }

    /// Handles a misuse by the policy of the configuration: ends the process, or logs the misuse
    /// and returns it, to be thrown.
    package func answer(_ misuse: Misuse) -> Misuse {
        if misusePolicy == .stop { Self.stop(misuse.lastWords) }
        log(.error, misuse.reason)
        return misuse
    }

    /// Ends the process by SIGABRT, with a text on stderr.
    package static func stop(_ text: String) -> Never {
        let bytes = text.utf8CString
        bytes.withUnsafeBufferPointer {
            capphost_abort($0.baseAddress!, UInt64($0.count - 1))
        }
    }

    /// Returns the state of a factor of the machine; unknown in a plugin.
    package func factor(_ factor: Int32) -> AppFactorState { factorDetail(factor).state }

    /// Returns the state of a factor, with its detail as a text.
    package func factorDetail(_ factor: Int32) -> (state: AppFactorState, detail: String) {
        guard let handle, let functions = capphost_inside()?.pointee else { return (.unknown, "") }
        var report = curfew_factor_report()
        report.struct_size = UInt32(MemoryLayout<curfew_factor_report>.size)
        guard functions.factor(handle, factor, &report, nil) == curfew_status(CURFEW_OK) else {
            return (.unknown, "")
        }
        return (AppFactorState(rawValue: report.value) ?? .unknown, report.detailText)
    }

    /// Calls `body` with the name and state of each machine factor that changes, on the thread that
    /// delivers events, for the life of the process. From the first call on, the machine is read
    /// regularly.
    package func observeFactors(_ body: @escaping @Sendable (String, AppFactorState) -> Void) {
        guard let handle, let functions = capphost_inside()?.pointee else { return }
        let data = Unmanaged.passRetained(AppFactorObserver(body)).toOpaque()
        _ = functions.observe(
            handle, "curfew_factor::",
            { data, event in
                let values = event.pointee.values
                guard let data, event.pointee.count == 2, let name = values[0].text,
                    let state = AppFactorState(rawValue: Int32(clamping: values[1].integer))
                else { return }
                Unmanaged<AppFactorObserver>.fromOpaque(data).takeUnretainedValue()
                    .body(String(cString: name), state)
            }, data, nil, nil)
    }

    /// Notes that the app is being used; the host learns the hours of use from this. Does not wait
    /// for the disk.
    private func noteUsage() {
        guard let handle, let functions = capphost_inside()?.pointee else { return }
        nonisolated(unsafe) let host = handle
        let report = functions.report_usage
        DispatchQueue.global(qos: .utility).async { _ = report?(host, nil) }
    }
}
