// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Scheduling

@Suite("Values that a store keeps under a name", .timeLimit(.minutes(1)))
struct KeptValueTests {
    private let store = MemoryStore()
    private let now = Moment(wall: 1_000_000 * second, span: 1_000_000_000)
    private let removed = HandlerSetting(enablement: .removed)

    private func open() throws -> RequestBook {
        var book = RequestBook(host: HostIdentity(boot: "a", process: 1, start: 1))
        try store.write { (transaction) throws(StoreFault) in
            _ = try book.open(at: now, transaction)
            try book.readState(at: now, transaction)
        }
        return book
    }

    private func write(_ name: String, _ bytes: [UInt8]) throws {
        try store.write { (transaction) throws(StoreFault) in
            try transaction.setValue(name, bytes)
        }
    }

    @Test(
        "names of settings are written so that they are read as they were",
        arguments: [
            "org.example.tidy", "", " ", "a b", "a\nb", "a\u{301} b", "%", "%41", "\0", "ä",
            "removed denied", "\n\nall - available removed",
        ])
    func names(name: String) throws {
        var settings = HandlerSettings()
        settings.set(removed, for: .identifier(name))
        settings.set(removed, for: .plugin(name))
        settings.set(HandlerSetting(refresh: .denied), for: .identifier("org.example.feed"))
        #expect(HandlerSettings(bytes: settings.bytes) == settings)
    }

    @Test("settings of earlier versions are read, with a blank in a name or without")
    func earlier() throws {
        let text = "all - denied enabled\nidentifier org.example.feed available removed"
        let settings = try #require(
            HandlerSettings(bytes: Array((text + "\nplugin a b denied suspended").utf8)))
        #expect(settings.settings[.all] == HandlerSetting(refresh: .denied))
        #expect(settings.settings[.identifier("org.example.feed")] == removed)
        #expect(
            settings.settings[.plugin("a b")]
                == HandlerSetting(refresh: .denied, enablement: .suspended))
    }

    @Test(
        "settings that were never written are read as none",
        arguments: [
            "x", "all - denied", "everybody - denied removed", "all - denied removed x",
            "identifier org.example.feed maybe removed", "identifier %4 denied removed",
            "identifier %zz denied removed", "identifier %ff denied removed",
            "all \u{301}- denied removed",
            "identifier a denied removed\nidentifier a available removed",
            "identifier a\nb denied removed",
        ])
    func damaged(text: String) {
        #expect(HandlerSettings(bytes: Array(text.utf8)) == nil)
    }

    @Test("nothing is set for a name that no handler can have, and what was set stays")
    func refused() throws {
        var book = try open()
        try store.write { (transaction) throws(StoreFault) in
            let known = try book.set(removed, for: .identifier("org.example.tidy"), transaction)
            let count = (try? known.get())?.settings.count
            #expect(count == 1)
            for name in ["", "a b", "tidy", "org.example.tidy\n", "org.exämple.tidy"] {
                for scope in [HandlerScope.identifier(name), .plugin(name)] {
                    let answer = try book.set(HandlerSetting(), for: scope, transaction)
                    #expect(throws: HandlerScope.Fault.self) { try answer.get() }
                }
            }
        }
        #expect(try open().settings.settings == [.identifier("org.example.tidy"): removed])
    }

    @Test("there is a limit of names, up to which all are kept")
    func limit() throws {
        var settings = HandlerSettings()
        for number in 1..<HandlerSettings.limit {
            settings.set(removed, for: .plugin("org.example.p\(number)"))
        }
        try write(KeptValue.settings.rawValue, settings.bytes)
        var book = try open()
        try store.write { (transaction) throws(StoreFault) in
            _ = try book.set(removed, for: .all, transaction)
            let answer = try book.set(removed, for: .plugin("org.example.more"), transaction)
            #expect(throws: HandlerScope.Fault.self) { try answer.get() }
        }
        #expect(try open().settings.settings.count == HandlerSettings.limit)
    }

    @Test(
        "a value that cannot be read closes the store, until it is forgotten",
        arguments: KeptValue.allCases)
    func unreadable(value: KeptValue) throws {
        var book = try open()
        book.scheduler.usage.note(at: now.wall)
        try store.write { (transaction) throws(StoreFault) in
            _ = try book.set(removed, for: .all, transaction)
            try book.writeState(at: now, transaction)
        }
        _ = try open()
        for bytes in [[], [0], Array("2 two".utf8), Array("a 1 1 5 asleep".utf8)] {
            try write(value.rawValue, bytes)
            // Without any settings, or plugins in quarantine, there are no bytes.
            if value == .settings || value == .quarantine, bytes.isEmpty { continue }
            let fault = #expect(throws: StoreFault.self) { try open() }
            #expect(fault?.kind == .corrupt)
            #expect(fault?.message.contains("`curfew db forget \(value.rawValue)`") == true)
            let found = try store.read { (transaction) throws(StoreFault) in
                try KeptValue.faults(in: transaction)
            }
            #expect(found == [fault?.message])
        }
        try store.write { (transaction) throws(StoreFault) in try transaction.forget(value) }
        #expect(try open().settings.settings.isEmpty == (value == .settings))
    }
}
