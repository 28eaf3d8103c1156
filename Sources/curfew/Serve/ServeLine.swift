// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// A line of `curfew serve`: in a text for people, in JSON, or as an entry of systemd's journal.
struct ServeLine {
    enum Event: String {
        case serving, planned, refused, faulty, log, ended, stopping

        /// The MESSAGE_ID of the event's entries in systemd's journal, which never changes.
        var id: String {
            switch self {
            case .serving: "4d388e245b664aa28fd84e7f271b7b4c"
            case .planned: "500a08d432cf4286b8fd5fb1e5cb65b1"
            case .refused: "682d3faa8701404d9a6c7b747ebae27c"
            case .faulty: "41047903ddf54c51bc3e820cd768d512"
            case .log: "972b00884ddd426183e0c245b6994d76"
            case .ended: "39bbefd1993f4060a00128f0baffb9ac"
            case .stopping: "dc5ee2f410474d97b9553730baccace8"
            }
        }
    }

    /// The levels of syslog(3).
    enum Severity: Int {
        case error = 3
        case warning = 4
        case information = 6
        case debug = 7
    }

    let event: Event
    let severity: Severity
    let members: [(key: String, value: JSONItem)]
    /// For people, in one line; it may quote foreign text.
    let text: String
    /// Nanoseconds since 1970 in UTC.
    let date: Int64

    var shown: String {
        "\(DateText.full(date))  \(Shown.padded(event.rawValue, 8))  \(Shown.line(text))"
    }

    var json: String {
        let head: [(key: String, value: JSONItem)] = [
            ("event", .text(event.rawValue)), ("date", DateText.item(date)),
        ]
        return JSONItem.object(head + members).written
    }

    /// The fields of an entry of systemd's journal: see systemd.journal-fields(7). Each member is one, and each
    /// item of a list.
    var fields: [(name: String, value: String)] {
        var fields = [
            (
                "MESSAGE",
                event == .log ? Shown.line(text) : "\(event.rawValue): \(Shown.line(text))"
            ),
            ("MESSAGE_ID", event.id), ("PRIORITY", "\(severity.rawValue)"),
            ("SYSLOG_IDENTIFIER", "curfew"), ("CURFEW_EVENT", event.rawValue),
        ]
        for (key, value) in members where event != .log || key != "text" {
            let name = "CURFEW_" + key.uppercased()
            switch value {
            case .list(let items): fields += items.compactMap { Self.field(name, $0) }
            default: fields += [Self.field(name, value)].compactMap(\.self)
            }
        }
        return fields
    }

    private static func field(_ name: String, _ value: JSONItem) -> (String, String)? {
        switch value {
        case .null: nil
        case .text(let text): (name, text)
        default: (name, value.written)
        }
    }
}
