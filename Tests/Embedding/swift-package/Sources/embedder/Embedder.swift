// SPDX-License-Identifier: Apache-2.0
import Curfew

/// A host, and its events as they come.
struct Embedder {
    let name: String
    let host: Host
    private let events: HostEvents.AsyncIterator
    /// What came while the events of another task were waited for.
    private var early: [HostEvent] = []
    private var done = 0

    init(_ name: String) throws {
        self.name = name
        host = try Host()
        events = try host.events().makeAsyncIterator()
    }

    func load(_ plugins: String, _ testPlugins: String) throws {
        try host.load(plugin: "\(plugins)/sqlite-care")
        try host.load(plugin: "\(plugins)/mirror")
        try host.load(plugin: "\(testPlugins)/patient")
        print("\(name): loaded sqlite-care, mirror, patient")
        refuses("nobody", "org.example.nobody")
    }

    /// Tells why a handler is not launched.
    func refuses(_ plugin: String, _ identifier: String) {
        do {
            try host.launch(identifier)
            print("\(name): \(plugin): launched")
        } catch {
            print("\(name): \(plugin): \(error.code)")
        }
    }

    func mirror(_ scratch: String) throws -> LaunchedTask {
        let place = "\(scratch)/\(name)"
        let payload = #"{"from": "\#(place)/from", "to": "\#(place)/to"}"#
        return try host.launch("org.curfew.mirror", payload: Array(payload.utf8))
    }

    func launch(_ scratch: String) throws -> [(String, LaunchedTask)] {
        let database = #"{"database": "\#(scratch)/\#(name)/notes.db"}"#
        let wrong = #"{"from": "here", "to": "/there"}"#
        return [
            (
                "sqlite-care",
                try host.launch("org.curfew.sqlite-care", payload: Array(database.utf8))
            ),
            ("mirror", try mirror(scratch)),
            ("mirror", try host.launch("org.curfew.mirror", payload: Array(wrong.utf8))),
            ("patient", try host.launch("org.curfew.test.patient")),
        ]
    }

    /// Waits for a task's done event, and tells all that was heard of the task.
    mutating func tell(_ plugin: String, _ task: LaunchedTask) async {
        var words: [String] = []
        var progress = 0.0
        for event in await story(of: task) {
            switch event.name {
            case let name where name.hasSuffix("_progress"):
                if case .double(let fraction)? = event.values.first {
                    progress = max(progress, fraction)
                }
            case let name where name.hasSuffix("_expired"):
                words.append("expired")
            default:
                guard event.isDone, case .bool(let success) = event.values[0],
                    case .text(let text) = event.values[1]
                else { continue }
                words.append("done(\(success), \"\(text)\")")
                done += 1
            }
        }
        if progress > 0 {
            let number = progress == 1 ? "1" : "\(progress)"
            words.insert("progress to \(number)", at: 0)
        }
        let result = await task.result
        if result.outcome == .succeeded {
            let text = String(decoding: result.bytes, as: UTF8.self)
            if text.hasPrefix(#"{"copied""#) { words.append(text) }
        }
        print("\(name): \(plugin): \(words.joined(separator: ", "))")
    }

    /// The events about a task, up to its last one.
    private mutating func story(of task: LaunchedTask) async -> [HostEvent] {
        var story = early.filter { $0.task == task.id }
        early.removeAll { $0.task == task.id }
        while story.last?.isDone != true, let event = await events.next() {
            if event.task == task.id { story.append(event) } else { early.append(event) }
        }
        return story
    }

    func shutDown() throws {
        try host.shutDown()
        print("\(name): shut down after \(done) done events")
    }
}

extension HostEvent {
    /// Whether it is the last event about a task.
    var isDone: Bool { task != 0 && name.hasSuffix("_done") && values.count == 2 }
}
