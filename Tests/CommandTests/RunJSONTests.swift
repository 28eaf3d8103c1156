// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("curfew run --json")
struct RunJSONTests {
    private func events(_ records: [[String: Any]]) -> [String] {
        records.map { $0["event"] as? String ?? "?" }
    }

    @Test("the life of a success")
    func success() throws {
        let run = try CommandRun("run", "--json", CommandRun.errand("works"))
        #expect(run.code == 0, "\(run.process)")
        let records = try run.records()
        #expect(
            events(records) == [
                "launching", "started", "log", "log", "progress", "raised", "progress", "done",
                "outcome",
            ])
        let times = records.compactMap { $0["time"] as? Double }
        #expect(times.count == records.count && times == times.sorted())
        #expect(records[0]["identifier"] as? String == CommandRun.errand("works"))
        #expect(records[0]["budget"] as? Double == 30)
        #expect(records[2]["level"] as? String == "debug")
        #expect(records[4]["fraction"] as? Double == 0.5)
        #expect(records[5]["name"] as? String == "works_made")
        let values = try #require(records[5]["values"] as? [Any])
        #expect(values[0] as? String == #"a "cup""#)
        #expect(values[1] as? Int == 12)
        let outcome = records[8]
        #expect(outcome["outcome"] as? String == "succeeded")
        #expect(outcome["result"] as? String == #"{"made":2}"#)
        #expect(outcome["error"] is NSNull)
        #expect(outcome["exit"] as? Int == 0)
        #expect(try #require(outcome["duration"] as? Double) > 0)
    }

    @Test("what a plugin writes stays one line and harmless")
    func hostile() throws {
        let run = try CommandRun("run", "--json", CommandRun.errand("fails"))
        #expect(run.code == 100)
        #expect(!run.process.outputBytes.contains(0x1B))
        #expect(!run.output.unicodeScalars.contains("\u{202E}"))
        let outcome = try #require(try run.records().last)
        #expect(outcome["error"] as? String == "no paper\u{1B}[2J\nleft \u{202E}in the tray")
    }

    @Test("an expiry with its reason, grace and answer")
    func expiry() throws {
        let run = try CommandRun("run", "--json", "org.curfew.test.patient")
        #expect(run.code == 124)
        let records = try run.records()
        #expect(events(records) == ["launching", "started", "expiring", "done", "outcome"])
        #expect(records[2]["reason"] as? String == "budget")
        #expect(records[2]["grace"] as? Double == 2)
        let outcome = records[4]
        #expect(outcome["outcome"] as? String == "expired")
        #expect(outcome["error"] as? String == "Background task expired.")
        #expect(outcome["answer"] as? String == "Left when I was told to.")
        #expect(outcome["answered"] as? Bool == true)
        #expect(outcome["exit"] as? Int == 124)
    }

    @Test("a result that is not text")
    func bytes() throws {
        let files = try TemporaryDirectory()
        for (bytes, text) in [
            ([0xFF, 0, 0x62], "/wBi"), ([0xFF, 0], "/wA="), ([0xFF], "/w=="),
            ([0xFB, 0xEF, 0xBE, 0xFF], "++++/w=="),
        ] as [([UInt8], String)] {
            let file = try files.write(bytes, to: "payload")
            let run = try CommandRun(
                "run", CommandRun.errand("echoes"), "--payload", "@" + file, "--json")
            let outcome = try #require(try run.records().last)
            #expect(outcome["result"] is NSNull)
            #expect(outcome["resultBase64"] as? String == text)
        }
    }

    @Test("also without a task the last object says how it went")
    func refused() throws {
        for (identifier, code, fault) in [
            ("org.curfew.test.refuses", 126, "CF0305"), ("org.curfew.nothing", 127, nil),
        ] as [(String, Int, String?)] {
            let run = try CommandRun("run", identifier, "--json")
            #expect(run.code == Int32(code))
            let outcome = try #require(try run.records().last)
            #expect(outcome["event"] as? String == "outcome")
            #expect(outcome["outcome"] is NSNull)
            #expect(outcome["exit"] as? Int == code)
            #expect(outcome["code"] as? String == fault)
            #expect(run.errors.hasPrefix("error\(fault.map { "[\($0)]" } ?? ""): "))
            #expect(fault == nil || run.errors.hasSuffix("curfew explain \(fault ?? "")\n"))
        }
    }

    @Test("every event is there")
    func every() throws {
        let run = try CommandRun("run", "--json", CommandRun.errand("chatters"))
        #expect(events(try run.records()).count { $0 == "raised" } == 500)
    }
}
