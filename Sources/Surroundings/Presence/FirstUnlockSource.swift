// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// Reports whether a user has, or had, a session of their own since the machine was started. Reads
/// logind's sessions and utmp(5); without both, the state is unknown.
///
/// Once seen, it stays so. What it cannot see is a session that ended before it first looked, unless
/// utmp has it.
package final class FirstUnlockSource: FactorSource {
    private let run: String
    private let records: String
    private let seen = Locked<FactorReading?>(nil)

    /// - Parameter run: where /run is.
    package init(run: String = "/run") {
        self.run = run
        records = run + "/utmp"
    }

    package var factors: Set<Factor> { [.firstUnlock] }

    package func read() -> [Factor: FactorReading] {
        if let reading = seen.withLock({ $0 }) { return [.firstUnlock: reading] }
        let reading = reading()
        if reading.state == .yes { seen.withLock { $0 = reading } }
        return [.firstUnlock: reading]
    }

    private func reading() -> FactorReading {
        var isKept = false
        var fault: FileFault?
        do {
            if let sessions = try LoginSession.all(run: run) {
                isKept = true
                if let session = sessions.first(where: { $0.isOfUser }) {
                    return self.reading(
                        .yes, run + "/systemd/sessions", "\(session.user) has had a session")
                }
            }
        } catch { fault = error }
        do {
            if let records = try LoginRecords(path: records) {
                isKept = true
                if let user = records.user {
                    return self.reading(.yes, self.records, "\(user) has had a session")
                }
            }
        } catch { fault = fault ?? error }
        if let fault { return self.reading(.unknown, fault.path, fault.description) }
        return isKept
            ? self.reading(.no, run, "no user had a session since the start")
            : self.reading(.unknown, run, "the system keeps no record of sessions")
    }

    private func reading(
        _ state: FactorState, _ path: String, _ detail: String
    ) -> FactorReading {
        FactorReading(state, source: Shown.text(path), detail: detail)
    }
}
