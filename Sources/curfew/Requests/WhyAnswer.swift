// SPDX-License-Identifier: Apache-2.0
import Curfew
import Scheduling

/// Why a request is not launched, or would not be: what both the screen and JSON are made from.
struct WhyAnswer {
    let identifier: String
    /// The request; nil if the answer is about a future submission.
    let request: Request?
    /// What holds it in each host, first in that which may launch it first. There are none while it runs.
    private(set) var hosts: [HostAnswer]
    /// The journal of the request, oldest entry first.
    let journal: [JournalEntry]
    /// Its task ran when its host ended, and no other host has taken the store since.
    var isOrphan = false
    /// The host in which it runs, if several may use the store.
    var runner: HostRecord?
    /// Requests of the same queue that go first.
    let ahead: Int
    /// Nanoseconds since 1970 in UTC.
    let now: Int64

    /// Leaves out the numbers of other requests: they may be another user's.
    mutating func hideOthers() {
        for host in hosts.indices {
            for index in hosts[host].reports.indices {
                let report = hosts[host].reports[index]
                hosts[host].reports[index].detail = Self.hidden(report.detail)
                hosts[host].reports[index].change = Self.hidden(report.change)
            }
        }
    }

    private static func hidden(_ text: String) -> String {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        var shown: [Substring] = []
        for word in words {
            let isNumber = word.utf8.first.map {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
            if isNumber == true, shown.last?.utf8.elementsEqual("request".utf8) == true {
                shown[shown.count - 1] = "another request"
                shown[shown.count - 1] += word.drop { $0.isASCII && $0.isNumber }
            } else {
                shown.append(word)
            }
        }
        return shown.joined(separator: " ")
    }

    /// The host that may launch it first; nil if none uses the store.
    var nearest: HostView? { hosts.first?.host }
    /// The factors in that host, with those first that the request waits for.
    var reports: [FactorReport] { hosts.first?.reports ?? [] }
    /// The date at which that host wrote the states; nil if they are read by this process.
    var seen: Int64? { request?.state.isLive == false ? nil : nearest?.report?.at }

    var holding: [FactorReport] { reports.filter(\.holds) }
    /// The known factors that allow the launch.
    var others: [FactorReport] { reports.filter { !$0.holds && $0.state != .unknown } }
    var unknown: [FactorReport] { reports.filter { !$0.holds && $0.state == .unknown } }

    /// Whether it waits for a handler.
    var isUnhandled: Bool { holding.contains { $0.factor == .handler } }

    /// The earliest possible launch; nil if a person has to act first.
    var earliest: Int64? { RequestScheduler.earliest(reports, at: now) }

    /// The earliest possible launch, for people.
    var earliestText: String {
        if let earliest {
            return earliest <= now ? "now" : DateText.both(earliest, at: now)
        }
        let open = holding.filter { $0.until == nil }.map(\.factor)
        let names = open.filter { $0 != .host }.map(\.name)
        var changes: [String] = []
        if !names.isEmpty {
            let verb = names.count == 1 ? "allows" : "allow"
            changes.append("\(names.joined(separator: " and ")) \(verb) it")
        }
        if let host = holding.first(where: { $0.factor == .host }) {
            let isAsleep = host.source == RequestScheduler.sleepSource
            changes.append(
                host.since == nil
                    ? "a host uses this store"
                    : isAsleep ? "the machine is awake again" : "the host is not drained any more")
        }
        let dates = holding.compactMap(\.until)
        let once = "as soon as \(changes.joined(separator: " and "))"
        guard let last = dates.max() else { return once }
        return "\(DateText.both(last, at: now)), \(once)"
    }

    var item: JSONItem {
        .object([
            ("identifier", .text(identifier)),
            ("request", request.map { RequestItem.id($0.id) } ?? .null),
            ("state", .text(orNull: request.map { RequestText.stateName($0, isAlone: isOrphan) })),
            (
                "held",
                .bool(!holding.isEmpty)
            ), ("factors", .list(reports.map(RequestItem.item))),
            ("earliest", request?.state.isLive == false ? .null : DateText.item(earliest)),
            ("seen", DateText.item(seen)), ("ahead", .integer(Int64(ahead))),
            ("journal", .list(journal.map(RequestItem.item))),
            ("hosts", .list(hosts.compactMap(Self.item))),
        ])
    }

    private static func item(_ answer: HostAnswer) -> JSONItem? {
        guard let host = answer.host else { return nil }
        return .object(
            HostItem.identity(host) + [
                ("held", .bool(!answer.holding.isEmpty)),
                ("factors", .list(answer.reports.map(RequestItem.item))),
            ])
    }

    /// The JSON members, for help.
    static let rows: [(term: String, text: String)] = [
        ("identifier, request, state", "its subject; the last two are null without a request"),
        ("held", "whether it waits for a factor"),
        (
            "factors",
            "how each stands, those that hold first: factor, state (yes, no, unknown), holds, "
                + "source, detail, since, until (when it allows the launch by itself) and change (what would)"
        ),
        ("earliest", "the earliest launch, or null if unknown"),
        (
            "seen",
            "when the host wrote what the factors say; null if this process has read them itself"
        ),
        ("ahead", "requests of the same identifier that go first"),
        ("journal", "its entries, as in `curfew log --json`"),
        (
            "hosts",
            "the same for each host of the store, first for that of the factors above: host, process, machine, held and factors"
        ),
    ]
}
