// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling

/// A selector as somebody wrote it, and what can be called by it.
struct TargetText {
    let text: String
    /// Nil where no sub can have the name: it is not in lower case, for one.
    let selector: EventSelector?

    /// An event as it is raised: the name as given, and as many colons as there are values.
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

    /// A sub that is called by its name, in whatever case, without colons.
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

    /// A sub, or an event to wait for: in whatever case, with its colons.
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
    /// In lower case as no locale has a say in.
    fileprivate var loweredASCII: String {
        String(
            decoding: utf8.map {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 32 : $0
            },
            as: UTF8.self)
    }
}
