// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling

/// An event or sub name as the caller wrote it, with its parsed selector.
struct TargetText {
    let text: String
    /// Nil when no sub can have the name, for example because of upper case.
    let selector: EventSelector?

    /// Parses a raised event: its name and one colon for each value.
    init(raised text: String, values: Int) throws(BridgeError) {
        let colons = text.utf8.reversed().prefix { $0 == UInt8(ascii: ":") }.count
        let name = text.utf8.count - colons
        guard (1...EventSelector.nameLimit).contains(name), colons <= EventSelector.arityLimit
        else {
            throw BridgeError(
                .invalid,
                "\"\(text.prefix(64))\" is no event: a name of at most \(EventSelector.nameLimit) bytes and at most \(EventSelector.arityLimit) colons"
            )
        }
        guard colons == values else {
            throw BridgeError(
                .invalid,
                "\"\(text)\" has \(colons) colons and comes with \(values) parameters; write one colon for each; nothing was raised"
            )
        }
        self.text = text
        selector = EventSelector(text)
    }

    /// Parses the name of a called sub: case-insensitive, without colons.
    init(called name: String, values: Int) throws(BridgeError) {
        let lowered = name.loweredASCII
        guard let selector = EventSelector(name: lowered, arity: values) else {
            throw BridgeError(
                .invalid,
                "\"\(name.prefix(64))\" cannot be a sub's name: letters, digits and underscores, beginning with a letter, and no colons"
            )
        }
        text = selector.description
        self.selector = selector
    }

    /// Parses the case-insensitive selector of a sub or of an awaited event, with its colons.
    static func selector(_ text: String) throws(BridgeError) -> EventSelector {
        guard let selector = EventSelector(text.loweredASCII) else {
            throw BridgeError(
                .invalid,
                "\"\(text.prefix(64))\" is not a selector: a name and one colon per parameter, such as jobdone::"
            )
        }
        return selector
    }
}

extension String {
    /// The string in lower case, independent of the locale.
    fileprivate var loweredASCII: String {
        String(
            decoding: utf8.map {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 32 : $0
            },
            as: UTF8.self)
    }
}
