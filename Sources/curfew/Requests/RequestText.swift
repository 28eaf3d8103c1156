// SPDX-License-Identifier: Apache-2.0
import Runner
import Scheduling

/// The state of a request in words: lower case, no full stop.
enum RequestText {
    /// `network, power`, or "" where it needs nothing.
    static func needs(_ needs: RequestNeeds, separator: String = ", ") -> String {
        names(needs).joined(separator: separator)
    }

    /// Returns the words of `--needs`.
    static func names(_ needs: RequestNeeds) -> [String] {
        (needs.contains(.network) ? ["network"] : [])
            + (needs.contains(.externalPower) ? ["external-power"] : [])
    }

    /// `idle, at most 6 h`, or nil where it does not wait.
    static func wish(_ description: RequestDescription) -> String? {
        guard description.opportunistic != .no else { return nil }
        return description.opportunistic.name
            + (description.atMost.map { ", at most \(SpanText(nanoseconds: $0))" } ?? "")
    }

    static func repetition(_ repetition: Repetition) -> String {
        var text: String
        switch repetition.rule {
        case .every(let interval): text = "every \(SpanText(nanoseconds: interval))"
        case .cron(let schedule, let isLocal):
            var zone = schedule.zone ?? (isLocal ? "the machine's zone" : "UTC")
            if let name = schedule.zone, LocalZone().named(name) == nil {
                zone += ", which this machine does not have, so \(isLocal ? "its own" : "UTC")"
            }
            text = "cron \(schedule.expression) (\(zone))"
        }
        if repetition.jitter > 0 {
            text += ", moved by up to \(SpanText(nanoseconds: repetition.jitter))"
        }
        switch repetition.catchUp {
        case .skip: text += ", missed dates are skipped"
        case .one: break
        case .all: text += ", dates that passed are caught up with"
        }
        return text
    }

    static func retry(_ policy: RetryPolicy) -> String {
        guard policy.attempts > 1 else { return "1 attempt" }
        return
            "\(policy.attempts) attempts, pauses from \(SpanText(nanoseconds: policy.base)) to \(SpanText(nanoseconds: policy.longest))"
    }

    /// `pending`, or how it ended.
    static func state(_ request: Request) -> String {
        request.state == .finished
            ? request.outcome?.name ?? request.state.name : request.state.name
    }

    /// The state of a request that ran when its host ended.
    static let hostGone = "host-gone"

    /// `host-gone` for a request that ran when its host ended, or its state.
    ///
    /// - Parameter isAlone: no host uses the store.
    static func state(_ request: Request, isAlone: Bool) -> String {
        isAlone && request.state == .running ? hostGone : state(request)
    }

    /// The word of the state alone: a finished request is `finished`.
    static func stateName(_ request: Request, isAlone: Bool) -> String {
        request.state == .running ? state(request, isAlone: isAlone) : request.state.name
    }

    /// Attempts that are used, of how many; `2/3`. Of what is over: launches there were.
    static func attempts(_ request: Request) -> String {
        guard request.state.isLive else { return String(request.launches) }
        let current = request.attempts + (request.state == .running ? 1 : 0)
        return "\(current)/\(request.description.retry.attempts)"
    }

    /// Returns the origin of a pending request's date.
    static func reason(_ request: Request) -> String {
        switch request.reason {
        case .submitted: request.description.earliest == nil ? "" : "as submitted"
        case .backOff: "back-off after attempt \(request.attempts)"
        case .snoozed: "its task asked to be launched again then"
        case .repetition: "the next date of its repetition"
        case .interrupted: "its task was interrupted, and is to be launched again"
        case .released: "it was parked, and released"
        case .byHand: "its launch was asked for by hand"
        }
    }

    static func colour(_ request: Request) -> Colour? {
        switch request.state {
        case .running: .accent
        case .parked: .alarm
        case .finished:
            switch request.outcome {
            case .succeeded: .good
            case .failed, .abandoned, .interrupted, .crashed: .alarm
            case .expired, .cancelled, nil: .warning
            }
        case .missed: .warning
        case .pending, .cancelled, .replaced: nil
        }
    }
}
