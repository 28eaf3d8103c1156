// SPDX-License-Identifier: Apache-2.0
import Curfew
import Scheduling

/// The note about the host of a store, after a command wrote to the store.
enum HostNote {
    static func print(_ store: StoreClient, _ place: StorePlace, _ errors: Output) {
        if isAlone(store) {
            if !ControlClient(place).wakeHost() { errors.note(alone(place)) }
        } else if let fault = store.wakeFault {
            errors.note(
                "the host could not be notified, and will see the change later: \(fault.message)")
        }
    }

    /// The text for a store that no host uses.
    static func alone(_ place: StorePlace) -> String {
        "no host uses this store, so nothing is launched; start one: curfew serve\(place.option)"
    }

    /// Returns whether no host uses the store; false if that is unknown.
    static func isAlone(_ store: StoreClient) -> Bool {
        do throws(StoreFault) {
            return try store.host() == nil
        } catch {
            return false
        }
    }

    /// `process 4711, since 2026-11-22 03:20:00 (2 h ago)`
    static func text(_ host: HostPresence, at now: Int64) -> String {
        var text = host.process.map { "process \($0)" } ?? "a process that does not say its number"
        if !host.machine.isEmpty { text += " on \(Shown.line(host.machine))" }
        if let since = host.since {
            text +=
                ", since \(DateText.short(since, at: now)) (\(DateText.relative(since, at: now)))"
        }
        if host.others > 0 { text += ", and \(host.others) more: see curfew hosts" }
        return text
    }
}

extension Output {
    /// A line that is good to know, broken where the terminal ends.
    func note(_ text: String) {
        line(paint("note", .warning) + ": " + wrapped(Shown.line(text), after: 6, indent: 6))
    }
}
