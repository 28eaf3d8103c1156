// SPDX-License-Identifier: Apache-2.0
import CHTTPClient
import CSystem
import Curfew
import CurfewValues
import Glibc
import PluginBridge
import Runner
import Scheduling
import Service

/// Sends the launches of a host that are over to a collector of traces, on a thread of its own.
///
/// It reads them from the journal, and so neither the host nor its tasks wait for a collector. One that does not answer is
/// tried again; what is too much meanwhile is left out, and the log says how much.
final class TraceExport: @unchecked Sendable {
    // Sendable: what is not constant is used on the thread alone, but for `isStopping`, which has a lock.

    /// The most launches that wait for the collector.
    private static let limit = 2_048
    /// The most of one call.
    private static let portion = 256
    private static let page = 1_000
    /// The pause after launches before they are sent, so that one call has several, in nanoseconds.
    private static let gathering: UInt64 = 500_000_000
    /// Pauses after a failure.
    private static let (leastPause, mostPause): (UInt64, UInt64) = (1_000_000_000, 60_000_000_000)
    /// Milliseconds for a call; the last one delays the end of the host.
    private static let (timeout, lastTimeout): (UInt32, UInt32) = (5_000, 2_000)

    private let settings: TraceSettings
    private let directory: String
    private let lines: ServeLines
    private let signal = csys_eventfd()
    private let isStopping = Locked(false)
    private var thread: UInt64 = 0

    private var store: StoreClient?
    /// The host whose launches are sent.
    private var own: HostIdentity?
    private var position: UInt64 = 0
    private var waiting: [EndedLaunch] = []
    private var lost = 0
    private var pause: UInt64 = 0
    /// Not earlier than this, after a failure.
    private var retryAt: UInt64 = 0
    private var hasFailed = false

    /// - Parameter directory: of the store.
    init(_ settings: TraceSettings, _ directory: String, _ lines: ServeLines) {
        (self.settings, self.directory, self.lines) = (settings, directory, lines)
    }

    deinit { csys_close(signal) }

    /// Begins with what ends from now on. Returns why that cannot be: lower case, no full stop; nil if it is done.
    func start() -> String? {
        if let failure = ccurl_open() { return String(cString: failure) }
        do throws(StoreFault) {
            let client = try StoreClient(directory: directory)
            position = try client.read { (store) throws(StoreFault) in try store.lastSequence() }
            store = client
            own = try StoreClient.ownIdentity()
        } catch {
            return error.message
        }
        let isStarted = ThreadBody.start(
            {
                csys_thread_name("curfew-traces")
                self.run()
            }, 0, &thread)
        return isStarted ? nil : "no thread could be started"
    }

    /// Something may be over. Any thread may call.
    func wake() { csys_eventfd_signal(signal) }

    /// Sends what is over, with one try, and ends the thread.
    func stop() {
        guard thread != 0 else { return }
        isStopping.withLock { $0 = true }
        csys_eventfd_signal(signal)
        _ = csys_thread_join_until(thread, .max)
    }

    // MARK: The thread

    private func run() {
        while true {
            let isLast = isStopping.withLock { $0 }
            csys_eventfd_drain(signal)
            read()
            // New launches come meanwhile, and do not shorten the pause after a failure.
            if isLast || retryAt <= csys_monotonic_ns() { send() }
            if isLast { return tellOfLost() }
            csys_wait_any_readable([signal], 1, waiting.isEmpty ? UInt64.max : retryAt)
            // Together with those that end in the same moment.
            if !isStopping.withLock({ $0 }) {
                var rest = timespec(tv_sec: 0, tv_nsec: Int(Self.gathering))
                nanosleep(&rest, nil)
            }
        }
    }

    private func read() {
        do throws(StoreFault) {
            let client = try opened()
            while true {
                let (launches, last, count) = try client.read { (store) throws(StoreFault) in
                    try ended(in: store)
                }
                position = max(position, last)
                waiting += launches
                if waiting.count > Self.limit {
                    lost += waiting.count - Self.limit
                    waiting.removeFirst(waiting.count - Self.limit)
                }
                if count < Self.page { return }
            }
        } catch {
            // The host says what is wrong with its store.
            store = nil
        }
    }

    private func opened() throws(StoreFault) -> StoreClient {
        if let store { return store }
        let new = try StoreClient(directory: directory)
        store = new
        return new
    }

    private func ended(
        in store: any StoreTransaction
    ) throws(StoreFault) -> (launches: [EndedLaunch], last: UInt64, count: Int) {
        let entries = try store.journal(after: position, of: nil, limit: Self.page)
        var launches: [EndedLaunch] = []
        for entry in entries {
            // Other hosts of the store send their own.
            guard let launch = try store.endedLaunch(entry), launch.attempt.host == own,
                launch.trace.isRecorded
            else { continue }
            launches.append(launch)
        }
        return (launches, entries.last?.sequence ?? 0, entries.count)
    }

    private func send() {
        while !waiting.isEmpty {
            let portion = Array(waiting.prefix(Self.portion))
            let body = Array(TraceSpans.body(portion, service: settings.service).utf8)
            switch post(body) {
            case .taken: succeeded(portion.count)
            case .refused(let status):
                // It would refuse it again.
                leaveOut(portion.count)
                failed("it answers with status \(status); such launches are left out")
            case .failed(let reason):
                pause = pause == 0 ? Self.leastPause : min(pause * 2, Self.mostPause)
                retryAt = csys_monotonic_ns() &+ pause
                return failed("\(reason); it is tried again")
            }
        }
    }

    private func leaveOut(_ count: Int) {
        waiting.removeFirst(count)
        lost += count
        (pause, retryAt) = (0, 0)
    }

    private func succeeded(_ count: Int) {
        waiting.removeFirst(count)
        (pause, retryAt) = (0, 0)
        guard hasFailed || lost > 0 else { return }
        hasFailed = false
        let text = lost > 0 ? "; \(Self.launches(lost)) missing there" : ""
        lines.log(lost > 0 ? .warning : .info, nil, 0, "traces are sent again\(text)")
        lost = 0
    }

    /// Logs how many launches were not sent.
    private func tellOfLost() {
        lost += waiting.count
        guard lost > 0 else { return }
        lines.log(
            .warning, nil, 0,
            "the host ends, and the traces of \(lost) launch\(lost == 1 ? "" : "es") were not sent to \(settings.shownEndpoint)"
        )
    }

    private static func launches(_ count: Int) -> String {
        count == 1 ? "1 launch is" : "\(count) launches are"
    }

    /// Says it once.
    private func failed(_ reason: String) {
        if hasFailed { return }
        hasFailed = true
        lines.log(.warning, nil, 0, "traces cannot be sent to \(settings.shownEndpoint): \(reason)")
    }

    private enum Answer {
        case taken
        case refused(Int32)
        case failed(String)
    }

    private func post(_ body: [UInt8]) -> Answer {
        let lines = ["Content-Type: application/json"] + settings.headers
        let texts = lines.map { strdup($0) }
        defer { for text in texts { free(text) } }
        let headers = texts.map { UnsafePointer($0) } + [nil]
        var reason = [CChar](repeating: 0, count: 256)
        let status = ccurl_post(
            settings.endpoint, headers, body, body.count,
            isStopping.withLock { $0 } ? Self.lastTimeout : Self.timeout, &reason, reason.count)
        switch status {
        case 200..<300: return .taken
        case ..<0:
            return .failed(reason.withUnsafeBufferPointer { String(cString: $0.baseAddress!) })
        // https://opentelemetry.io/docs/specs/otlp/#failures-1
        case 429, 502, 503, 504: return .failed("it answers with status \(status)")
        default: return .refused(status)
        }
    }
}
