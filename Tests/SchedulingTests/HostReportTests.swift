// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Scheduling

@Suite("The report of a host about its state")
struct HostReportTests {
    private var report: HostReport {
        var report = HostReport(
            host: HostIdentity(boot: "b", process: 7, start: 9), at: 1_000)
        report.factors[.network] = FactorBoard.Entry(
            reading: FactorReading(.no, source: "/sys/class/net", detail: "no route"), since: 5)
        report.handlers["org.example.a"] = HandlerState(
            closed: .quarantined("lost a worker"), places: 3, needs: .network,
            plugin: "org.example", build: "c0ffee")
        report.handlers["org.example.b"] = HandlerState(closed: .paused)
        report.handlers["org.example.c"] = HandlerState()
        report.handlers["org.example.e"] = HandlerState(closed: .quarantinedPlugin("it crashed"))
        report.handlers["org.example.f"] = HandlerState(closed: .resting("ended", until: -5))
        report.handlers["org.example.g"] = HandlerState(closed: .refused("no entry"))
        var rate = LaunchRate(spacing: 5, penalty: 7)
        rate.launched(at: 11)
        rate.missed(at: 12)
        report.rates["org.example.a"] = rate
        report.places = 64
        report.dayLimits = DayLimits(launches: 3, cpu: 9)
        report.drainedSince = 900
        report.discovered["org.example.d"] = "org.example.plugin"
        return report
    }

    @Test("it comes back as it was written")
    func roundTrip() {
        #expect(HostReport(bytes: report.bytes) == report)
        #expect(report.builds == ["org.example": "c0ffee"])
    }

    @Test("texts cannot end a word or a line, and what is no report is none")
    func forms() {
        var strange = report
        strange.handlers["org.example.a"]?.plugin = "a\tb\nhandler"
        #expect(
            HostReport(bytes: strange.bytes)?.handlers["org.example.a"]?.plugin == "a b handler")
        for text in [
            "", "x", "host\tb\t7", "host\tb\t7\t9\t1\t0\nfactor\t99\t0\t0\t\t",
            "host\tb\t7\t9\t1\t0\ndrained\tnow",
        ] {
            #expect(HostReport(bytes: Array(text.utf8)) == nil, "\(text)")
        }
    }

    @Test("only the report of the host that uses the store counts")
    func ofOthers() throws {
        let store = MemoryStore()
        let report = report
        let (mine, other) = try store.write { store throws(StoreFault) in
            let host = HostRecord(identity: report.host, since: 0)
            _ = try store.enter(host)
            try store.setStanding(report.bytes, of: host)
            let mine = try HostReport(of: host, store)
            try store.setValue(
                .host,
                HostNote(
                    host: HostIdentity(boot: "b", process: 8, start: 10), since: 0,
                    isStopped: false
                ).bytes)
            return (mine, try HostReport(of: store.hosts()[0], store))
        }
        #expect(mine == report)
        #expect(other == nil)
    }

    @Test("a book writes it when something changed, and not more often than four times a second")
    func coalesced() throws {
        let store = MemoryStore()
        let host = HostIdentity(boot: "b", process: 7, start: 9)
        var book = RequestBook(host: host)
        book.isReporting = true
        func run(_ tenths: UInt64) throws -> Int64? {
            let now = Moment(wall: Int64(tenths), span: tenths * 100_000_000)
            return try store.write { store throws(StoreFault) in
                try store.setValue(
                    .host, HostNote(host: host, since: 0, isStopped: false).bytes)
                try book.writeReport(at: now, store)
                return try HostReport(of: store.hosts()[0], store)?.at
            }
        }
        #expect(try run(1) == 1)
        #expect(try run(50) == 1)
        book.setState(HandlerState(), of: "org.example.a")
        #expect(try run(60) == 60)
        book.setState(HandlerState(), of: "org.example.a")
        #expect(try run(70) == 60)
        book.setState(HandlerState(closed: .paused), of: "org.example.a")
        #expect(try run(71) == 71)
        book.setState(HandlerState(), of: "org.example.a")
        #expect(try run(72) == 71)
        let next: UInt64 = 7_350_000_000
        let wake = try #require(book.wake(after: Moment(wall: 72, span: 7_200_000_000)).span)
        #expect(wake <= next)
        #expect(try run(74) == 74)
    }
}
