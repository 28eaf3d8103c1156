// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface
import TestSupport
import Testing

/// C functions with exactly the parameters of an event, called through libffi.
@Suite("Typed subscribers")
struct SubscriberTests {
    // C functions have no context: one place per test, and each test has its own function.
    private static let everyType = Guarded<[[Parameter]]>([])
    private static let doneCalls = Guarded<[String]>([])
    private static let sixteen = Guarded<[Int32]>([])
    private static let emptyCalls = Guarded(0)
    private static let directCalls = Guarded<[String]>([])

    private func subscribe<Function>(
        _ host: TestHost, _ selector: String, _ function: Function,
        _ data: UnsafeMutableRawPointer? = nil
    ) -> Answer {
        Answer(
            curfew_host_subscribe(
                host.raw, selector, unsafeBitCast(function, to: curfew_any_function.self), data,
                nil,
                nil))
    }

    @Test("every parameter type arrives")
    func everyParameterType() throws {
        typealias Function =
            @convention(c) (
                UnsafeMutableRawPointer?, Bool, Int32, Int64, Double, UnsafePointer<CChar>, Bool,
                Double, UnsafePointer<CChar>
            ) -> Void
        let function: Function = { _, flag, small, large, number, text, other, last, end in
            SubscriberTests.everyType.change {
                $0.append([
                    .bool(flag), .int32(small), .int64(large), .double(number),
                    .text(String(cString: text)), .bool(other), .double(last),
                    .text(String(cString: end)),
                ])
            }
        }
        let host = try TestHost()
        let sent: [[Parameter]] = [
            [
                .bool(true), .int32(.min), .int64(.min), .double(-0.1), .text("naïve ☂"),
                .bool(false), .double(.infinity), .text(""),
            ],
            [
                .bool(false), .int32(.max), .int64(.max), .double(.greatestFiniteMagnitude),
                .text(""), .bool(true), .double(0), .text(String(repeating: "x", count: 5_000)),
            ],
        ]
        #expect(subscribe(host, "all_types::::::::", function) == .notFound)
        try host.register(
            "org.example.all", events: ["all_types(bool,int32,int64,double,text,bool,double,text)"]
        ) { call in
            for parameters in sent where call.raise("all_types", parameters) != .ok {
                return call.fail("raise")
            }
            return 0
        }
        #expect(subscribe(host, "all_types::::::::", function) == .ok)
        let task = try host.launch("org.example.all")
        #expect(host.wait(task) == .ok)
        #expect(try host.query(task).outcome == CURFEW_OUTCOME_SUCCEEDED)
        #expect(host.shutDown() == .ok)
        #expect(SubscriberTests.everyType.value == sent)
    }

    @Test("void tidy_done(void *, bool, const char *), as the header has it")
    func doneFunction() throws {
        typealias Function =
            @convention(c) (UnsafeMutableRawPointer?, Bool, UnsafePointer<CChar>) -> Void
        let function: Function = { data, success, text in
            SubscriberTests.doneCalls.change {
                $0.append("\(Int(bitPattern: data)) \(success) \(String(cString: text))")
            }
        }
        let host = try TestHost()
        try host.register { call in call.payload == nil || call.payload == [] ? 0 : call.fail("no")
        }
        let data = UnsafeMutableRawPointer(bitPattern: 77)
        #expect(subscribe(host, "tidy_done::", function, data) == .ok)
        #expect(host.wait(try host.launch()) == .ok)
        #expect(host.wait(try host.launch(payload: [1])) == .ok)
        #expect(host.shutDown() == .ok)
        #expect(SubscriberTests.doneCalls.value == ["77 true ", "77 false no"])
    }

    @Test("no doubles, and up to five parameters")
    func directCalls() throws {
        typealias Text = UnsafePointer<CChar>
        typealias Data = UnsafeMutableRawPointer?
        let one: @convention(c) (Data, Int32) -> Void = { data, small in
            SubscriberTests.directCalls.change { $0.append("\(Int(bitPattern: data)) \(small)") }
        }
        let three: @convention(c) (Data, Bool, Int32, Int64) -> Void = { data, flag, small, large in
            SubscriberTests.directCalls.change {
                $0.append("\(Int(bitPattern: data)) \(flag) \(small) \(large)")
            }
        }
        let five: @convention(c) (Data, Int64, Bool, Text, Int32, Int32) -> Void = {
            data, large, flag, text, small, last in
            let text = String(cString: text)
            SubscriberTests.directCalls.change {
                $0.append("\(Int(bitPattern: data)) \(large) \(flag) \(text) \(small) \(last)")
            }
        }
        let host = try TestHost()
        let events = [
            "one(int32)", "three(bool,int32,int64)", "five(int64,bool,text,int32,int32)",
        ]
        try host.register(events: events) { call in
            _ = call.raise("one", [.int32(.min)])
            _ = call.raise("three", [.bool(true), .int32(-1), .int64(.min)])
            _ = call.raise(
                "five", [.int64(-2), .bool(false), .text("ä"), .int32(.max), .int32(-3)])
            return 0
        }
        let data = UnsafeMutableRawPointer(bitPattern: 77)
        #expect(subscribe(host, "one:", one, data) == .ok)
        #expect(subscribe(host, "three:::", three, data) == .ok)
        #expect(subscribe(host, "five:::::", five, data) == .ok)
        #expect(host.wait(try host.launch()) == .ok)
        #expect(host.shutDown() == .ok)
        #expect(
            SubscriberTests.directCalls.value
                == [
                    "77 -2147483648", "77 true -1 -9223372036854775808",
                    "77 -2 false ä 2147483647 -3",
                ])
    }

    @Test("sixteen parameters, and none")
    func sixteenParameters() throws {
        typealias Function =
            @convention(c) (
                UnsafeMutableRawPointer?, Int32, Int32, Int32, Int32, Int32, Int32, Int32, Int32,
                Int32, Int32, Int32, Int32, Int32, Int32, Int32, Int32
            ) -> Void
        let function: Function = { _, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p in
            SubscriberTests.sixteen.change {
                $0 = [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
            }
        }
        let empty: @convention(c) (UnsafeMutableRawPointer?) -> Void = { _ in
            SubscriberTests.emptyCalls.change { $0 += 1 }
        }
        let host = try TestHost()
        let types = [String](repeating: "int32", count: 16).joined(separator: ",")
        try host.register(events: ["wide(\(types))", "empty"]) { call in
            _ = call.raise("wide", (1...16).map { .int32($0) })
            _ = call.raise("empty")
            return 0
        }
        #expect(subscribe(host, "wide" + String(repeating: ":", count: 16), function) == .ok)
        #expect(subscribe(host, "empty", empty) == .ok)
        #expect(host.wait(try host.launch()) == .ok)
        #expect(host.shutDown() == .ok)
        #expect(SubscriberTests.sixteen.value == Array(1...16))
        #expect(SubscriberTests.emptyCalls.value == 1)
    }
}
