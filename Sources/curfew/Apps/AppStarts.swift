// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import CurfewValues
import Glibc
import PluginBridge
import Runner
import Scheduling
import Service
import Synchronization

/// The thread that starts each app which does not run and has a due request.
///
/// A start is a request of the host's own store, which runs the app's program under the conditions of the app's
/// request. So it waits for power and network as any other, `curfew why` explains it, and `curfew ps` shows it.
final class AppStarts: @unchecked Sendable {
    // Sendable: `thread` is used by `start` and `stop` alone; the rest by the thread, or is atomic or constant.

    private struct App {
        let file: AppFile
        var machine = AppStartStateMachine()
        /// The request that starts it, once there is one.
        var start: RequestID?
        var first: (queue: RequestQueue, due: AppStartStateMachine.Due)?
        /// The fault of the app that was logged last.
        var told: String?
        /// Why its start could not be stored the last time; nil if it could.
        var refusal: String?
        var watches: Set<Int32> = []
        /// Something of it cannot be watched, so that it is looked at once a minute.
        var isBlind = false
    }

    /// The time after which an app that was started is told to stop.
    private static let budget: UInt64 = 3_600_000_000_000

    /// The time between two looks at an app that cannot be watched.
    private static let lookInterval: UInt64 = 60_000_000_000

    private let directory: String
    /// The most apps that are being started at a time.
    private let limit: Int
    private let lines: ServeLines
    private let signal = csys_eventfd()
    private let watcher = csys_watcher()
    private let clock = csys_clock_watch()
    private let isStopping = Atomic(false)
    /// Whether a start waits or runs, so that the ends of tasks are of interest.
    private let isStarting = Atomic(false)
    private var thread: UInt64 = 0
    private var apps: [String: App] = [:]
    /// The watch of the directory; negative without one.
    private var folder: Int32 = -1
    /// Faults of files that were told, by their names.
    private var told: [String: String] = [:]

    init(_ directory: String, atATime limit: Int, _ lines: ServeLines) {
        (self.directory, self.limit, self.lines) = (directory, limit, lines)
    }

    deinit {
        for descriptor in [signal, watcher, clock] where descriptor >= 0 { csys_close(descriptor) }
    }

    /// Returns false if the system can start no thread.
    func start(_ host: Host) -> Bool {
        ThreadBody.start(
            {
                csys_thread_name("curfew-apps")
                self.run(host)
            }, 0, &thread)
    }

    /// A task of a request was launched, or has ended. Any thread may call.
    func noticed() {
        if isStarting.load(ordering: .acquiring) { csys_eventfd_signal(signal) }
    }

    func stop() {
        isStopping.store(true, ordering: .releasing)
        csys_eventfd_signal(signal)
        if thread != 0 { _ = csys_thread_join_until(thread, .max) }
    }

    /// Whether one more app may be started.
    private var hasRoom: Bool {
        apps.values.count {
            let queue = $0.first?.queue
            return $0.machine.takesPlace(
                isFree: queue.map { $0.needs.isEmpty && $0.opportunistic == .no } ?? true)
        } < limit
    }

    private var now: Moment { Moment(wall: csys_realtime_ns(), span: csys_boottime_ns()) }

    private func run(_ host: Host) {
        readFiles(host)
        while !isStopping.load(ordering: .acquiring) {
            for name in apps.keys.sorted() { look(name, host) }
            isStarting.store(apps.values.contains { $0.start != nil }, ordering: .releasing)
            // A launch or an end in between is seen by another look.
            if isStarting.load(ordering: .acquiring) {
                for (name, app) in apps where app.start != nil { look(name, host) }
            }
            wait(host)
        }
    }

    // MARK: Files

    private func readFiles(_ host: Host) {
        // Also where another one was put in its place.
        makeDirectory()
        folder = csys_watcher_add(watcher, directory, true)
        var found: Set<String> = []
        for (name, result) in AppFile.all(in: directory) {
            switch result {
            case .failure(let fault):
                if told[name] != fault.reason {
                    log(.warning, "the app \(name) is not started: \(fault.reason)")
                }
                told[name] = fault.reason
            case .success(let file):
                told[name] = nil
                found.insert(name)
                // A changed file is that of another program.
                guard apps[name]?.file != file else { continue }
                remove(name, host)
                apps[name] = App(file: file)
            }
        }
        for name in apps.keys where !found.contains(name) { remove(name, host) }
    }

    private func remove(_ name: String, _ host: Host) {
        guard let app = apps.removeValue(forKey: name) else { return }
        // What runs goes on.
        if let start = app.start, (try? host.request(start))?.state == .pending {
            _ = try? host.cancel(start)
        }
        let kept = Set(apps.values.flatMap(\.watches)).union([folder])
        for watch in app.watches where !kept.contains(watch) { csys_watcher_remove(watcher, watch) }
    }

    /// So that it can be watched: an app may come later.
    private func makeDirectory() {
        var path = ""
        for part in directory.parts(at: "/") {
            path += "/" + part
            _ = mkdir(path, 0o700)
        }
    }

    /// Cancels the starts that an earlier host has left in its store. The new host looks for due apps itself. Call it
    /// before there is a host.
    static func cancelEarlier(_ store: StoreClient) {
        guard HostNote.isAlone(store) else { return }
        _ = try? store.write { (ledger, transaction) throws(StoreFault) in
            let live = try transaction.requests(
                RequestFilter(
                    states: [.pending, .running], identifier: CommandPayload.identifier,
                    limit: 1_000))
            for request in live where request.description.key?.begins(with: keyPrefix) == true {
                _ = try ledger.cancel(request.id, at: csys_realtime_ns(), transaction)
            }
        }
    }

    /// Of the keys of starts, by which a later host knows them.
    private static let keyPrefix = "curfew-app-start:"

    // MARK: Starts

    private func look(_ name: String, _ host: Host) {
        guard var app = apps[name] else { return }
        defer { apps[name] = app }
        watch(&app)
        let store = AppStore(app.file.store)
        app.first = store.first
        tell(&app, store.fault ?? (store.isOpen ? nil : app.file.fault))
        if !store.isOpen, store.fault != nil || app.file.fault != nil { app.first = nil }
        let due = app.first?.due
        perform(
            app.machine.look(isOpen: store.isOpen, due: due, mayStart: hasRoom, at: now), &app, host
        )
        guard let start = app.start else { return }
        // A store that cannot be read says nothing of the start.
        guard case .success(let request) = Self.request(start, host) else { return }
        switch request?.state {
        case .pending, .parked: break
        case .running: app.machine.launched(at: now)
        case nil, .finished, .cancelled, .replaced, .missed:
            app.start = nil
            perform(app.machine.ended(due: due, at: now), &app, host)
            return
        }
        // A second one would run beside it. One that has done its work ends by itself.
        switch app.machine.state {
        case .resting, .givenUp: _ = try? host.cancel(start)
        case .starting, .open, .idle: break
        }
    }

    private static func request(
        _ start: RequestID, _ host: Host
    ) -> Result<Request?, CurfewError> {
        do throws(CurfewError) {
            return .success(try host.request(start))
        } catch {
            return .failure(error)
        }
    }

    /// Watches what tells that its store was written to, that its host has left, and that another store is there.
    /// Before the look, so that no change falls between.
    private func watch(_ app: inout App) {
        let store = app.file.store
        let parent = String(
            store.utf8.prefix(through: store.utf8.lastIndex(of: UInt8(ascii: "/"))!))
        app.isBlind = false
        for (path, isDirectory) in [
            (parent ?? "/", true), (store, true), (store + "/wake", false),
            (store + "/lock", false),
        ] {
            let watch = csys_watcher_add(watcher, path, isDirectory)
            if watch >= 0 {
                app.watches.insert(watch)
            } else if watch != -ENOENT || path == parent {
                app.isBlind = true
            }
        }
    }

    private func perform(_ action: AppStartStateMachine.Action, _ app: inout App, _ host: Host) {
        switch action {
        case .none: break
        case .start(_, let attempt): submit(attempt, &app, host)
        case .withdraw:
            if let start = app.start, (try? host.request(start))?.state == .pending {
                _ = try? host.cancel(start)
                app.start = nil
            }
        case .giveUp:
            log(
                .warning,
                "the app \(app.file.app) was started \(AppStartStateMachine.limit) times and has not opened its store, \(app.file.store); it is started again after it has run by itself"
            )
        }
    }

    private func submit(_ attempt: Int, _ app: inout App, _ host: Host) {
        guard let queue = app.first?.queue else { return }
        let file = app.file
        var environment = file.environment
        environment["CURFEW_LAUNCHED_FOR"] = queue.identifier
        let payload = CommandPayload(
            arguments: [file.executable] + file.arguments, directory: "/", environment: environment,
            budget: Self.budget)
        var description = RequestDescription(CommandPayload.identifier, kind: .processing)
        description.onPending = .add
        description.needs = queue.needs
        description.priority = queue.priority
        description.opportunistic = queue.opportunistic
        if queue.atMost > 0 { description.atMost = queue.atMost }
        description.key = "\(Self.keyPrefix)\(csys_realtime_ns())-\(attempt)"
        do throws(CurfewError) {
            let submission = try host.submit(description, payload: payload.encoded)
            app.start = submission.id
            app.refusal = nil
            log(
                .info, "request \(submission.id) starts the app \(file.app) for \(queue.identifier)"
            )
        } catch {
            if app.refusal != error.message {
                log(.warning, "the app \(file.app) cannot be started: \(error.message)")
            }
            app.refusal = error.message
            app.machine.refused(at: now)
        }
    }

    private func tell(_ app: inout App, _ fault: String?) {
        if let fault, fault != app.told {
            log(.warning, "the app \(app.file.app) is not started: \(fault)")
        }
        app.told = fault
    }

    private func log(_ level: LogLevel, _ text: String) { lines.log(level, nil, 0, text) }

    // MARK: Waiting

    private func wait(_ host: Host) {
        let (wall, span, monotonic) = (
            csys_realtime_ns(), csys_boottime_ns(), csys_monotonic_ns()
        )
        var left = UInt64.max
        for app in apps.values {
            if app.isBlind { left = min(left, Self.lookInterval) }
            let next = app.machine.next(due: app.first?.due, mayStart: hasRoom)
            if let date = next.wall { left = min(left, date > wall ? UInt64(date - wall) : 0) }
            if let time = next.span { left = min(left, time > span ? time - span : 0) }
        }
        let until = left == .max ? .max : monotonic &+ min(left, 1 << 62)
        csys_wait_any_readable([signal, watcher, clock], 3, until)
        csys_eventfd_drain(signal)
        if clock >= 0 { csys_clock_watch_rearm(clock) }
        var numbers = [Int32](repeating: 0, count: 1_024)
        let count = csys_watcher_take(watcher, &numbers, Int32(numbers.count))
        if numbers.prefix(Int(max(count, 0))).contains(where: { $0 == folder || $0 < 0 }) {
            readFiles(host)
        }
    }
}
