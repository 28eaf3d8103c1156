// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Scheduling

/// Waits until requests are over, and prints how each ended.
struct RequestWait {
    private let store: StoreClient
    private let place: StorePlace
    private let console: Console
    private let isJSON: Bool

    init(_ store: StoreClient, _ place: StorePlace, _ console: Console, isJSON: Bool) {
        self.store = store
        self.place = place
        self.console = console
        self.isJSON = isJSON
    }

    /// - Parameter timeout: nanoseconds; nil for no limit.
    func run(_ requests: [Request], timeout: UInt64?) throws(CommandError) -> ExitCode {
        let now = csys_monotonic_ns()
        let deadline = timeout.map { now + min($0, .max - now) } ?? .max
        let changes = try StoreChanges(store, console)
        var left = requests.map(\.id)
        var code = ExitCode.ok
        var isNoted = false
        while true {
            let found = try changes.reading(until: deadline) { () throws(CommandError) in
                try ended(of: &left)
            }
            guard let found else { return code }
            for (request, attempt) in found {
                code = max(code, Self.code(request))
                print(request, attempt)
            }
            guard let first = left.first else { return code }
            if !isNoted {
                isNoted = true
                note(requests)
            }
            switch try changes.next(until: deadline) {
            case .changed: break
            case .stopped: return code
            case .timedOut:
                throw CommandError(
                    .timedOut,
                    left.count == 1
                        ? "request \(first) was not over in time"
                        : "\(left.count) requests were not over in time, request \(first) among them",
                    notes: ["nothing was changed: it goes on"],
                    help: ["curfew why \(first)\(place.option)"])
            }
        }
    }

    /// Removes the requests that are over, and returns them with their last attempts.
    private func ended(of ids: inout [RequestID]) throws(CommandError) -> [(Request, Attempt?)] {
        var (left, over): ([RequestID], [(Request, Attempt?)]) = ([], [])
        let waited = ids
        try StorePlace.translated { () throws(StoreFault) in
            try store.read { (transaction) throws(StoreFault) in
                for id in waited {
                    guard let request = try transaction.request(id) else { continue }
                    if request.state.isLive {
                        left.append(id)
                    } else {
                        let last = try transaction.attempts(of: id, limit: 1).last
                        over.append((request, last))
                    }
                }
            }
        }
        ids = left
        return over
    }

    private func note(_ requests: [Request]) {
        guard !isJSON else { return }
        if HostNote.isAlone(store) {
            console.errors.note(HostNote.alone(place))
        }
        if let repeated = requests.first(where: { $0.description.repetition != nil }) {
            console.errors.note(
                "request \(repeated.id) is repeated, so it is over only once it is cancelled")
        }
    }

    private func print(_ request: Request, _ attempt: Attempt?) {
        let out = console.out
        if isJSON { return out.line(RequestItem.item(request).written) }
        let head = "\(request.id)  \(Shown.line(request.description.identifier))  "
        let state = RequestText.state(request)
        var text = ""
        if request.state == .finished, let attempt {
            text = request.outcome == .succeeded ? attempt.record.result : attempt.error
        }
        if !text.isEmpty {
            text = out.wrapped(
                ": " + Shown.line(text), after: Shown.width(head) + state.count, indent: 4)
        }
        out.line(
            head + (RequestText.colour(request).map { out.paint(state, $0) } ?? state) + text)
    }

    /// Returns the exit status of `run` for the same outcome.
    private static func code(_ request: Request) -> ExitCode {
        switch request.state {
        case .cancelled: return .signal(2)
        case .replaced, .missed: return .host
        default: break
        }
        return switch request.outcome {
        case .succeeded: .ok
        case .failed: .failed
        case .expired: .expired
        case .cancelled: .signal(2)
        case .abandoned, .crashed: .misuse
        case .interrupted, nil: .host
        }
    }
}
