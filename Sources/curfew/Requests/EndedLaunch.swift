// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// A launch that is over.
struct EndedLaunch {
    let request: Request
    let attempt: Attempt
    /// When its task ended, in nanoseconds since 1970 in UTC.
    let end: Int64

    /// Its place in a trace.
    var trace: TraceContext { request.trace(ofLaunch: attempt.launch, attempt: attempt.number) }
}

extension StoreTransaction {
    /// Returns the launch of an entry that says that one is over; nil if it is another entry, or the launch is no longer
    /// kept.
    func endedLaunch(_ entry: JournalEntry) throws(StoreFault) -> EndedLaunch? {
        guard entry.what == .ended, let id = entry.request, let request = try request(id),
            let attempt = try attempt(entry.launch, of: id)
        else { return nil }
        return EndedLaunch(request: request, attempt: attempt, end: attempt.endedAt ?? entry.at)
    }

    /// Returns the last launches that are over, the newest first. The end of the journal has them.
    func lastEndedLaunches(_ limit: Int) throws(StoreFault) -> [EndedLaunch] {
        let last = try lastSequence()
        var launches: [EndedLaunch] = []
        // Most launches have five entries or fewer.
        for count in [UInt64(limit) * 5, 10_000] {
            launches = []
            let entries = try journal(
                after: last - min(last, count), of: nil, limit: Int(count))
            for entry in entries.reversed() where launches.count < limit {
                if let launch = try endedLaunch(entry) { launches.append(launch) }
            }
            if launches.count == limit || last <= count { break }
        }
        return launches
    }
}
