// SPDX-License-Identifier: Apache-2.0
import CSystem
import CurfewValues
import Glibc
import Scheduling
import Service

/// Who may do what with a host over its socket, and how much of it.
final class ControlAccess: Sendable {
    private struct State {
        var rules: AccessRules
        var submitRate: Int
        /// Of users who have submitted lately.
        var rates: [UInt32: RateLimit] = [:]
        /// When the last refusal of a user was noted.
        var noted: [UInt32: UInt64] = [:]
    }

    private let own = geteuid()
    private let state: Locked<State>

    private static let usualRate = 100
    /// Submissions at once, as seconds of the rate.
    private static let burstSpan = 10
    /// The users who are told apart.
    private static let mostUsers = 1_024
    /// Nanoseconds between two notes of what a user was refused.
    private static let noteInterval: UInt64 = 10_000_000_000

    /// - Parameter unknown: called with each name of a user or group that the system does not know.
    init(_ settings: ControlSettings, unknown: (Role, String) -> Void) {
        state = Locked(
            State(
                rules: Self.rules(settings, own, unknown),
                submitRate: settings.submitRate ?? Self.usualRate))
    }

    /// Takes over other settings, which count for calls from now on.
    func change(to settings: ControlSettings, unknown: (Role, String) -> Void) {
        let rules = Self.rules(settings, own, unknown)
        state.withLock { state in
            state.rules = rules
            state.submitRate = settings.submitRate ?? Self.usualRate
            state.rates = [:]
        }
    }

    /// That the system does not know a name of the configuration.
    static func text(unknown name: String, _ role: Role) -> String {
        "there is no user or group `\(Shown.line(name))`, which has the role \(role.rawValue)"
    }

    private static func rules(
        _ settings: ControlSettings, _ own: UInt32, _ unknown: (Role, String) -> Void
    ) -> AccessRules {
        let rules = AccessRules(
            settings, own: own, user: { getpwnam($0)?.pointee.pw_uid },
            group: { getgrnam($0)?.pointee.gr_gid })
        for (role, name) in rules.unknown { unknown(role, name) }
        return rules
    }

    func rights(of peer: HTTPPeer) -> Rights { state.withLock { $0.rules.rights(of: peer) } }

    func caller(_ peer: HTTPPeer) -> ControlCaller {
        ControlCaller(
            rights: state.withLock { $0.rules.rights(of: peer) },
            requester: peer.user == own
                ? nil : Requester(user: peer.user, process: peer.process))
    }

    /// Counts submissions. Throws if a user submits too fast.
    func submits(_ count: Int, _ caller: ControlCaller) throws(HTTPFault) {
        guard let user = caller.requester?.user, !caller.rights.administers else { return }
        let now = csys_monotonic_ns()
        let wait = state.withLock { state -> UInt64? in
            if state.rates[user] == nil, state.rates.count >= Self.mostUsers {
                // A full bucket is as good as none.
                for (user, var limit) in state.rates where limit.isFull(at: now) {
                    state.rates[user] = nil
                }
            }
            return state.rates[
                user,
                default: RateLimit(
                    rate: state.submitRate, burst: state.submitRate * Self.burstSpan, at: now)
            ].take(count, at: now)
        }
        guard let wait else { return }
        throw HTTPFault(
            429, "rate", "user \(user) submits faster than this host takes requests",
            help: ["try again in \(max(1, wait / 1_000_000)) ms"],
            retryAfter: wait.isMultiple(of: 1_000_000_000)
                ? wait / 1_000_000_000 : wait / 1_000_000_000 + 1)
    }

    /// Whether a refusal of a user is to be noted: not each one, or a client could fill the journal.
    func notes(refusalOf caller: ControlCaller) -> Bool {
        guard let user = caller.requester?.user else { return false }
        let now = csys_monotonic_ns()
        return state.withLock { state in
            state.noted = state.noted.filter { now &- $0.value < Self.noteInterval }
            guard state.noted[user] == nil, state.noted.count < Self.mostUsers else { return false }
            state.noted[user] = now
            return true
        }
    }
}
