// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling
import TestSupport
import Testing

@testable import Service

/// What the files of a configuration say, and what is wrong with them.
@Suite("The configuration of a service")
struct ServiceConfigurationTests {
    private func read(
        _ texts: String..., payload: [String: [UInt8]] = [:]
    ) -> (configuration: ServiceConfiguration, faults: [Diagnostic]) {
        let sources = texts.enumerated().map { index, text in
            DiagnosticSource(file: "/etc/curfew/\(index).json", bytes: Array(text.utf8))
        }
        return ServiceConfiguration.read(sources, isZone: { $0 == "Europe/Berlin" }) { path in
            payload[path].map { .success($0) }
                ?? .failure(ServiceConfiguration.PayloadFault(reason: "\(path) is not there"))
        }
    }

    private func schedule(_ text: String) throws -> Schedule {
        let (configuration, faults) = read("{\"schedules\": [\(text)]}")
        try #require(faults.isEmpty, "\(faults.map(\.message))")
        return try #require(configuration.schedules.first)
    }

    @Test("the schedules of a set have its name before theirs")
    func set() throws {
        let (configuration, faults) = read(
            #"{"store": "postgresql://db/x", "scheduleSet": "web", "schedules": [{"name":"tick","command":["/bin/true"],"every":"1s"}]}"#
        )
        #expect(faults.isEmpty && configuration.store == "postgresql://db/x")
        #expect(configuration.scheduleSet == "web")
        #expect(configuration.schedules.map(\.name) == ["web/tick"])
    }

    @Test("the smallest one has a schedule with all defaults")
    func smallest() throws {
        let schedule = try schedule(
            #"{"name":"tick","command":["/bin/sh","-c","date"],"every":"1s"}"#)
        #expect(schedule.name == "tick" && schedule.isEnabled)
        let description = schedule.description
        #expect(description.identifier == CommandPayload.identifier)
        #expect(description.kind == .processing && description.onPending == .add)
        #expect(description.repetition == Repetition(.every(UInt64.second)))
        #expect(description.retry == .none && description.needs == [])
        let command = try #require(CommandPayload(schedule.payload))
        #expect(command.arguments == ["/bin/sh", "-c", "date"] && command.directory == "/")
        #expect(command.environment == ["CURFEW_SCHEDULE": "tick"] && command.input == nil)
        #expect(command.budget == 600 * UInt64.second && command.grace == 10 * UInt64.second)
    }

    @Test("a zone by its name: of the key, or of the expression, not of both")
    func zones() throws {
        let rest = #""name": "a", "command": ["/bin/a"]"#
        let named = try schedule(#"{\#(rest), "cron": "0 3 * * *", "zone": "Europe/Berlin"}"#)
        let written = try schedule(#"{\#(rest), "cron": "CRON_TZ=Europe/Berlin  0 3 * * *"}"#)
        let plain = try schedule(#"{\#(rest), "cron": "0 3 * * *"}"#)
        #expect(named.description.repetition?.zoneName == "Europe/Berlin")
        #expect(written.description.repetition?.zoneName == "Europe/Berlin")
        #expect(plain.description.repetition?.zoneName == nil && plain.digest != named.digest)
        for (more, message) in [
            (#""zone": "Mars""#, "there is no time zone `Mars` on this machine"),
            (
                #""zone": "../Europe/Berlin""#,
                "there is no time zone `../Europe/Berlin` on this machine"
            ),
        ] {
            let faults = read(#"{"schedules": [{\#(rest), "cron": "0 3 * * *", \#(more)}]}"#).faults
            #expect(faults.map(\.message) == [message])
        }
        for (more, message) in [
            ("", "there is no time zone `Mars` on this machine"),
            (#", "zone": "UTC""#, "the expression of `cron` names a zone as well"),
        ] {
            let faults = read(
                #"{"schedules": [{\#(rest), "cron": "CRON_TZ=Mars 0 3 * * *"\#(more)}]}"#
            ).faults
            #expect(faults.map(\.message) == [message])
        }
    }

    @Test("every key counts")
    func everyKey() throws {
        let schedule = try schedule(
            """
            {"name": "backup", "command": ["/bin/cat"], "cron": "0  3 * * *", "zone": "UTC",
             "payload": "all \\"of\\" it\\n", "directory": "/srv", "environment": {"LANG": "C"},
             "kind": "app-refresh", "budget": "2h", "grace": "1s", "needs": ["network"],
             "priority": "high", "catchUp": "skip", "jitter": "5min",
             "retry": {"attempts": 3, "base": "10s", "longest": "1d", "jitter": 0.5},
             "enabled": false}
            """)
        let description = schedule.description
        #expect(description.kind == .appRefresh && description.needs == .network)
        #expect(description.priority == .high && !schedule.isEnabled)
        let repetition = try #require(description.repetition)
        #expect(repetition.rule == .cron(try CronSchedule("0 3 * * *"), isLocal: false))
        #expect(repetition.catchUp == .skip && repetition.jitter == 300 * UInt64.second)
        #expect(
            description.retry
                == RetryPolicy(
                    attempts: 3, base: 10 * .second, longest: 86_400 * .second, jitter: 0.5))
        let command = try #require(CommandPayload(schedule.payload))
        #expect(command.input == "all \"of\" it\n" && command.directory == "/srv")
        #expect(command.environment == ["LANG": "C", "CURFEW_SCHEDULE": "backup"])
        #expect(command.budget == 7_200 * UInt64.second && command.grace == UInt64.second)
    }

    @Test("a handler's payload is the text, or the file")
    func payloads() throws {
        let text = #"{"name":"a","identifier":"org.example.a","every":"1h","payload":"héllo"}"#
        #expect(try schedule(text).payload == Array("héllo".utf8))
        let file =
            #"{"schedules":[{"name":"a","identifier":"org.example.a","every":"1h","payloadFile":"/p"}]}"#
        #expect(
            read(file, payload: ["/p": [0, 255]]).configuration.schedules[0].payload == [0, 255])
        let faults = read(file).faults
        #expect(faults.count == 1 && faults[0].message.contains("/p is not there"))
    }

    @Test("order, spaces and defaults that are spelt out change no schedule; all else does")
    func digests() throws {
        let plain = #"{"name":"a","command":["/bin/a"],"every":"60s"}"#
        let same = [
            #"{ "every": "1min", "command": ["/bin/a"], "name": "a" }"#,
            #"{"name":"a","command":["/bin/a"],"every":"60s","enabled":true,"kind":"processing"}"#,
            #"{"name":"a","command":["/bin/a"],"every":"60s","budget":"10min","directory":"/"}"#,
            #"{"name":"a","command":["/bin/a"],"every":"60s","retry":{"attempts":1}}"#,
        ]
        let first = try schedule(plain).digest
        for text in same { #expect(try schedule(text).digest == first, "\(text)") }
        let changes = [
            "\"every\":\"61s\"", "\"cron\":\"* * * * *\"", "\"every\":\"60s\",\"enabled\":false",
            "\"every\":\"60s\",\"jitter\":\"1s\"", "\"every\":\"60s\",\"catchUp\":\"all\"",
            "\"every\":\"60s\",\"payload\":\"x\"", "\"every\":\"60s\",\"needs\":[\"network\"]",
            "\"every\":\"60s\",\"priority\":\"low\"", "\"every\":\"60s\",\"grace\":\"11s\"",
            "\"every\":\"60s\",\"environment\":{\"A\":\"b\"}",
            "\"every\":\"60s\",\"retry\":{\"attempts\":2}",
        ]
        var digests: Set<String> = [first]
        for change in changes {
            let text = "{\"name\":\"a\",\"command\":[\"/bin/a\"],\(change)}"
            #expect(digests.insert(try schedule(text).digest).inserted, "\(change)")
        }
    }

    @Test("later files add schedules and replace settings; a name is there once in all of them")
    func files() {
        let (configuration, faults) = read(
            """
            {"store": "/srv/a", "plugins": {"directories": ["/p"], "trust": "warn"},
             "schedules": [{"name":"b","command":["/bin/a"],"every":"1h"}]}
            """,
            """
            {"store": "/srv/b", "plugins": {"isolation": "fresh", "confine": true},
             "schedules": [{"name":"a","command":["/bin/a"],"every":"1h"}]}
            """)
        #expect(faults.isEmpty)
        #expect(configuration.store == "/srv/b" && configuration.plugins.directories == ["/p"])
        #expect(configuration.plugins.trust == .warn && configuration.plugins.isolation == .fresh)
        #expect(configuration.plugins.confines == true)
        #expect(configuration.schedules.map(\.name) == ["a", "b"])
        #expect(configuration.files == ["/etc/curfew/0.json", "/etc/curfew/1.json"])

        let twice = #"{"schedules":[{"name":"a","command":["/bin/a"],"every":"1h"}]}"#
        let doubled = read(twice, twice).faults
        #expect(doubled.map(\.rule) == ["configuration-duplicate"])
        #expect(doubled[0].file == "/etc/curfew/1.json" && doubled[0].message.contains("/0.json"))
    }

    @Test("settings of plugins: a later file replaces what it says, and leaves the rest")
    func plugins() {
        let (configuration, faults) = read(
            """
            {"plugins": {"idle": "1min", "limits": {"memory": "2GB", "descriptors": 64},
             "overrides": {"org.example.a": {"isolation": "thread"}, "org.example.b": {"enabled": false}}}}
            """,
            """
            {"plugins": {"limits": {"memory": "512MiB", "fileSize": "64MB", "processes": 8},
             "overrides": {"org.example.a": {"enabled": false}, "org.example.b": {"enabled": true}}}}
            """)
        #expect(faults.isEmpty)
        let settings = configuration.plugins
        #expect(settings.idleLimit == 60_000_000_000)
        #expect(settings.limits.memory == 1 << 29 && settings.limits.fileBytes == 64_000_000)
        #expect(settings.limits.descriptors == 64 && settings.limits.processes == 8)
        #expect(settings.disabled == ["org.example.a"])
        #expect(settings.isolations == ["org.example.a": .thread])
    }

    @Test(
        "what is wrong is named with its place",
        arguments: [
            (#"[]"#, "type", "must be an object"),
            (#"{"schedule": []}"#, "unknown-key", "`schedule`"),
            (#"{"schedules": {}}"#, "type", "`schedules` must be a list"),
            (#"{"schedules": [7]}"#, "type", "must be an object, not a number"),
            (#"{"store": 7}"#, "type", "`store` must be text"),
            (#"{"store": "here"}"#, "value", "not an absolute path"),
            (#"{"store": "http://db/x"}"#, "value", "not an absolute path"),
            (#"{"scheduleSet": "a/b"}"#, "value", "cannot be the name of a set"),
            (#"{"plugins": {"directories": ["p"]}}"#, "value", "not an absolute path"),
            (#"{"plugins": {"directories": [7]}}"#, "type", "a list of texts"),
            (#"{"plugins": {"isolation": "thraed"}}"#, "value", "cannot be `thraed`"),
            (#"{"plugins": {"confine": 1}}"#, "type", "true or false"),
            (#"{"plugins": {"idle": "1"}}"#, "value", "not a span of time"),
            (#"{"plugins": {"idle": "100ms"}}"#, "value", "out of bounds"),
            (#"{"plugins": {"limits": {"memory": "63MB"}}}"#, "value", "no amount from 64MB"),
            (#"{"plugins": {"limits": {"cpu": 1}}}"#, "unknown-key", "`cpu`"),
            (
                #"{"plugins": {"overrides": {"a.b": {"enable": true}}}}"#, "unknown-key",
                "`a.b` has no key"
            ),
            (#"{"plugins": {"overrides": 1}}"#, "type", "must be an object"),
        ])
    func wrong(_ text: String, _ rule: String, _ words: String) {
        let faults = read(text).faults
        #expect(faults.map(\.rule) == ["configuration-\(rule)"], "\(faults)")
        #expect(faults.first?.message.contains(words) == true, "\(faults)")
        #expect(faults.allSatisfy { $0.line == 1 && $0.column >= 1 && $0.code != nil })
    }

    @Test(
        "what is wrong with a schedule is named with its place",
        arguments: [
            (#""command":["/bin/a"],"every":"1h""#, "missing-key", "`name`"),
            (#""name":"a","every":"1h""#, "missing-key", "`command`"),
            (#""name":"a","command":["/bin/a"]"#, "missing-key", "`every`"),
            (#""name":"A","command":["/bin/a"],"every":"1h""#, "value", "the name of a schedule"),
            (#""name":7,"command":["/bin/a"],"every":"1h""#, "type", "`name` must be text"),
            (#""name":"a","command":[],"every":"1h""#, "value", "empty"),
            (#""name":"a","command":"/bin/a","every":"1h""#, "type", "a list of texts"),
            (#""name":"a","command":["a"],"every":"1h""#, "value", "not an absolute path"),
            (#""name":"a","command":["/bin/a\u0000"],"every":"1h""#, "value", "NUL"),
            (
                #""name":"a","command":["/bin/a"],"identifier":"a.b","every":"1h""#, "schedule",
                "not both"
            ),
            (
                #""name":"a","command":["/bin/a"],"every":"1h","cron":"* * * * *""#, "schedule",
                "not both"
            ),
            (#""name":"a","command":["/bin/a"],"every":"soon""#, "value", "not a span"),
            (#""name":"a","command":["/bin/a"],"every":"1ms""#, "value", "out of bounds"),
            (#""name":"a","command":["/bin/a"],"every":"367d""#, "value", "out of bounds"),
            (#""name":"a","command":["/bin/a"],"cron":"61 * * * *""#, "schedule", "minute"),
            (#""name":"a","command":["/bin/a"],"cron":"0 0 31 2 *""#, "schedule", "`cron`"),
            (#""name":"a","command":["/bin/a"],"every":"1h","zone":"UTC""#, "schedule", "`zone`"),
            (
                #""name":"a","command":["/bin/a"],"cron":"0 0 * * *","zone":"Mars""#, "value",
                "no time zone `Mars`"
            ),
            (
                #""name":"a","command":["/bin/a"],"every":"1h","environment":{"A=B":"c"}"#, "value",
                "no name of a variable"
            ),
            (
                #""name":"a","command":["/bin/a"],"every":"1h","directory":"srv""#, "value",
                "absolute path"
            ),
            (#""name":"a","command":["/bin/a"],"every":"1h","budget":"0s""#, "value", "`budget`"),
            (
                #""name":"a","command":["/bin/a"],"every":"1h","retry":{}"#, "missing-key",
                "`attempts`"
            ),
            (
                #""name":"a","command":["/bin/a"],"every":"1h","retry":{"attempts":0}"#, "value",
                "1…100"
            ),
            (
                #""name":"a","command":["/bin/a"],"every":"1h","retry":{"attempts":2,"jitter":2}"#,
                "value", "0…1"
            ),
            (
                #""name":"a","command":["/bin/a"],"every":"1h","needs":["power"]"#, "value",
                "cannot be `power`"
            ),
            (#""name":"a","identifier":"a","every":"1h""#, "value", "not an identifier"),
            (#""name":"a","identifier":"a.b","every":"1h","budget":"1s""#, "schedule", "`budget`"),
            (
                #""name":"a","identifier":"org.curfew.command","every":"1h""#, "value",
                "runs programs"
            ),
            (
                #""name":"a","command":["/bin/a"],"every":"1h","outputs":"log""#, "unknown-key",
                "`outputs`"
            ),
            (
                #""name":"a","command":["/bin/a"],"every":"1h","output":"here""#, "value",
                "no absolute path"
            ),
            (
                #""name":"a","identifier":"a.b","every":"1h","output":"log""#, "schedule",
                "`output`"
            ),
            (
                #""name":"a","command":["/bin/a"],"every":"1h","payload":"a","payloadFile":"/b""#,
                "schedule", "not both"
            ),
        ])
    func wrongSchedule(_ members: String, _ rule: String, _ words: String) {
        let faults = read("{\"schedules\": [\n{\(members)}]}").faults
        #expect(faults.map(\.rule) == ["configuration-\(rule)"], "\(faults.map(\.message))")
        #expect(faults.first?.message.contains(words) == true, "\(faults.map(\.message))")
        #expect(faults.allSatisfy { $0.line == 2 && $0.code != nil })
    }

    @Test("all faults of all files are noted, each at its line")
    func allFaults() {
        let (_, faults) = read(
            "{\"store\": 7,\n\"schedules\": [{\"name\": 1},\n{\"nome\": \"a\"}]}", "{", "")
        #expect(faults.count > 5)
        #expect(Set(faults.map(\.file)).count == 3)
        for fault in faults { #expect(fault.code != nil, "\(fault.rule)") }
    }

    @Test("no text is read without an answer", arguments: 0..<4)
    func fuzz(_ seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed) + 7)
        let whole = Array(
            #"{"store":"/s","plugins":{"directories":["/p"],"trust":"off"},"schedules":[{"name":"a","command":["/bin/a","b"],"cron":"0 3 * * 1-5","zone":"UTC","payload":"x","retry":{"attempts":3,"base":"1s"},"needs":["network"],"environment":{"A":"b"}},{"name":"b","identifier":"org.example.b","every":"1.5h","jitter":"1d"}]}"#
                .utf8)
        for _ in 0..<3_000 {
            var bytes = whole
            for _ in 0...Int.random(in: 0..<4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch UInt.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(contentsOf: bytes[place...].prefix(9), at: place)
                default: bytes.removeSubrange(place...)
                }
                if bytes.isEmpty { bytes = [0x7B] }
            }
            let (configuration, faults) = ServiceConfiguration.read([
                DiagnosticSource(file: "f", bytes: bytes)
            ]) { _ in .success([]) }
            for fault in faults { #expect(fault.code != nil && !fault.rendered.isEmpty) }
            for schedule in configuration.schedules {
                #expect(schedule.description.fault == nil && Schedule.isName(schedule.name))
            }
        }
    }
}
