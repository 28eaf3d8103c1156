// SPDX-License-Identifier: Apache-2.0

/// The knowledge that a host has only in memory, as it writes it into its store for other processes:
/// the machine's factors and its handlers.
package struct HostReport: Equatable, Sendable {
    /// The host that wrote it.
    package var host: HostIdentity
    /// The date of the report, in nanoseconds since 1970 in UTC.
    package var at: Int64
    package var factors: [Factor: FactorBoard.Entry] = [:]
    /// The registered handlers.
    package var handlers: [String: HandlerState] = [:]
    /// The plugins that were found and are not loaded, by the identifiers of their handlers.
    package var discovered: [String: String] = [:]
    /// The launch rates of the handlers that rest after a launch or a missed completion.
    package var rates: [String: LaunchRate] = [:]
    /// The maximum number of running request tasks, for short and long ones each.
    package var places = 0
    package var dayLimits = DayLimits()
    /// Since when it launches nothing because it is drained.
    package var drainedSince: Int64?
    /// Since when it launches nothing because the machine is about to sleep or to be shut down.
    package var leavingSince: Int64?
    /// Whether there are more handlers than a report has room for.
    package var isCut = false

    /// The maximum number of handlers, and of discovered ones.
    package static let limit = 1_000

    package init(host: HostIdentity, at: Int64) {
        self.host = host
        self.at = at
    }

    /// Reads the report of a host; nil if it wrote none.
    package init?(of host: HostRecord, _ store: any StoreTransaction) throws(StoreFault) {
        // Nothing depends on a report, so a damaged one counts as missing.
        guard let bytes = try store.standing(of: host), let report = HostReport(bytes: bytes),
            report.host == host.identity
        else { return nil }
        self = report
    }

    // MARK: Form

    private static let (tab, newline) = (UInt8(ascii: "\t"), UInt8(ascii: "\n"))

    /// One line for the host and for each factor and handler, with tabs between the words.
    var bytes: [UInt8] {
        var lines = [
            "host\t\(host.boot)\t\(host.process)\t\(host.start)\t\(at)\t\(isCut ? 1 : 0)"
        ]
        let limits = [dayLimits.launches, dayLimits.wall, dayLimits.cpu].map { limit in
            limit.map { "\($0)" } ?? "-"
        }
        lines.append("limits\t\(places)\t" + limits.joined(separator: "\t"))
        if let drainedSince { lines.append("drained\t\(drainedSince)") }
        if let leavingSince { lines.append("leaving\t\(leavingSince)") }
        for (factor, entry) in factors {
            let reading = entry.reading
            lines.append(
                "factor\t\(factor.rawValue)\t\(reading.state.rawValue)\t\(entry.since)\t\(Self.plain(reading.source))\t\(Self.plain(reading.detail))"
            )
        }
        for (identifier, state) in handlers {
            let (word, reason) =
                switch state.closed {
                case nil, .missing: ("open", "")
                case .paused: ("paused", "")
                case .quarantined(let reason): ("quarantined", reason)
                case .quarantinedPlugin(let reason): ("quarantined-plugin", reason)
                case .resting(let reason, let until): ("resting-\(until)", reason)
                case .refused(let reason): ("refused", reason)
                }
            lines.append(
                "handler\t\(identifier)\t\(word)\t\(state.places)\t\(state.needs.rawValue)\t\(Self.plain(state.plugin))\t\(Self.plain(reason.cut(to: 255)))"
            )
        }
        for (identifier, state) in handlers {
            let usual = HandlerState(places: state.places).mostInStore
            guard let most = state.mostInStore, most != usual else { continue }
            lines.append("most\t\(identifier)\t\(most)")
        }
        for (plugin, build) in builds { lines.append("build\t\(Self.plain(plugin))\t\(build)") }
        for (identifier, rate) in rates {
            guard let words = rate.words(at: 0) else { continue }
            lines.append("rate\t\(identifier)\t" + words.joined(separator: "\t"))
        }
        for (identifier, plugin) in discovered {
            lines.append("found\t\(identifier)\t\(Self.plain(plugin))")
        }
        return Array(lines.joined(separator: "\n").utf8)
    }

    /// The digests of the plugins whose handlers are registered, by their ids.
    package var builds: [String: String] {
        let known = handlers.values.filter { !$0.build.isEmpty }
        return Dictionary(known.map { ($0.plugin, $0.build) }) { first, _ in first }
    }

    /// Without the characters that separate words and lines.
    private static func plain(_ text: String) -> String {
        String(
            decoding: text.utf8.map { $0 == tab || $0 == newline ? UInt8(ascii: " ") : $0 },
            as: UTF8.self)
    }

    private static func closed(_ word: String, _ reason: String) -> HandlerState.Closed? {
        switch word {
        case "paused": .paused
        case "quarantined": .quarantined(reason)
        case "quarantined-plugin": .quarantinedPlugin(reason)
        case "refused": .refused(reason)
        default:
            word.begins(with: "resting-")
                ? Int64(word.dropFirst("resting-".count)).map { .resting(reason, until: $0) } : nil
        }
    }

    /// Reads the form of `bytes`; returns nil if they are malformed.
    init?(bytes: [UInt8]) {
        let lines = bytes.split(separator: Self.newline).map { line in
            line.split(separator: Self.tab, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
        }
        guard let head = lines.first, head.count == 6, head[0] == "host",
            let process = Int32(head[2]), let start = UInt64(head[3]), let at = Int64(head[4])
        else { return nil }
        host = HostIdentity(boot: head[1], process: process, start: start)
        self.at = at
        isCut = head[5] == "1"
        for words in lines.dropFirst() {
            switch (words[0], words.count) {
            case ("factor", 6):
                guard let factor = UInt8(words[1]).flatMap(Factor.init),
                    let state = UInt8(words[2]).flatMap(FactorState.init),
                    let since = Int64(words[3])
                else { return nil }
                factors[factor] = FactorBoard.Entry(
                    reading: FactorReading(state, source: words[4], detail: words[5]), since: since)
            case ("handler", 7):
                guard let places = Int(words[3]), let needs = UInt8(words[4]) else { return nil }
                handlers[words[1]] = HandlerState(
                    closed: Self.closed(words[2], words[6]), places: places,
                    needs: RequestNeeds(rawValue: needs), plugin: words[5])
            case ("rate", 7):
                guard let rate = LaunchRate(words: Array(words[2...])) else { return nil }
                rates[words[1]] = rate
            case ("limits", 5):
                guard let places = Int(words[1]) else { return nil }
                self.places = places
                dayLimits = DayLimits(
                    launches: UInt64(words[2]), wall: UInt64(words[3]), cpu: UInt64(words[4]))
            case ("most", 3):
                guard let most = Int(words[2]) else { return nil }
                handlers[words[1]]?.mostInStore = most
            case ("build", 3):
                for (identifier, state) in handlers where state.plugin == words[1] {
                    handlers[identifier]?.build = words[2]
                }
            case ("drained", 2):
                guard let date = Int64(words[1]) else { return nil }
                drainedSince = date
            case ("leaving", 2):
                guard let date = Int64(words[1]) else { return nil }
                leavingSince = date
            case ("found", 3): discovered[words[1]] = words[2]
            default: return nil
            }
        }
    }
}
