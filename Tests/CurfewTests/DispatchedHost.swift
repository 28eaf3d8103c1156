// SPDX-License-Identifier: Apache-2.0
import Curfew
import CurfewB4X
import Runner
import TestSupport

/// A host on a manual clock whose loop the test turns, and what subs wrote down.
final class DispatchedHost: Sendable {
    let clock = ManualClock()
    let host: Host
    /// What subs noted, in order.
    let notes = Guarded<[String]>([])
    /// Log lines, with their levels.
    let log = Guarded<[String]>([])

    init(_ change: (inout HostConfiguration) -> Void = { _ in }) throws {
        var configuration = HostConfiguration()
        configuration.manualDispatch = true
        configuration.clock = clock
        let log = log
        configuration.log = { level, _, _, text in log.change { $0.append("\(level) \(text)") } }
        change(&configuration)
        host = try Host(configuration)
    }

    func note(_ text: String) { notes.change { $0.append(text) } }

    /// A sub that notes its name and its values.
    func noting(_ target: Target, _ selector: String) throws {
        try target.sub(selector) { [notes] _, event in
            notes.change { $0.append(event.transcript) }
        }
    }

    /// Turns the loop until nothing is left.
    func run() throws { while try host.dispatch() > 0 {} }

    /// Moves the clock, then turns the loop.
    func pass(milliseconds: UInt64) throws {
        _ = clock.advance(by: milliseconds * 1_000_000)
        try run()
    }
}

extension TargetEvent {
    /// The name and the values, as a person would write them down.
    var transcript: String {
        let texts = values.map { value in
            switch value {
            case .bool(let flag): "\(flag)"
            case .int32(let number): "\(number)"
            case .int64(let number): "\(number)"
            case .double(let number): "\(number)"
            case .text(let text): "\"\(text)\""
            }
        }
        return "\(name)(\(texts.joined(separator: ", ")))"
    }
}
