// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("A host that ends at a named point", .timeLimit(.minutes(60)))
struct CrashPointTests {
    enum Place: CaseIterable {
        case directory, server

        static var all: [Place] { PostgresServer.programs == nil ? [.directory] : allCases }

        func trial() throws -> StoreTrial {
            switch self {
            case .directory: try StoreTrial()
            case .server: try StoreTrial(at: PostgresServer.shared.url())
            }
        }
    }

    /// Work that reaches every point.
    private static let work = ["--name", "w", "--count", "8", "--threads", "2"]

    /// In whoever uses the host.
    private static let ours = [
        "opened", "submit-asked", "submit-answered", "submit-told", "cancel-asked",
        "cancel-answered", "handler-entered", "handler-submitted", "handler-ended", "told", "left",
    ]
    /// In transactions of a host's life…
    private static let store = ["asked", "begun", "call", "done", "committed"].map { "store-\($0)" }
    /// …the first one, which takes up what is there…
    private static let recovery = ["asked", "begun", "call", "done", "committed"].map {
        "recovery-\($0)"
    }
    /// …and the last one.
    private static let leaving = ["asked", "begun", "call", "done", "committed"].map {
        "leaving-\($0)"
    }
    /// Calls of a transaction that a host's life cannot do without.
    private static let calls = [
        "insert", "payload", "update", "put", "append", "request", "end", "head", "setValue",
    ].map { "store-call-\($0)" }

    /// Ends a host at a point, starts it again, and says whether it got there.
    private func crash(at point: String, _ count: Int, of place: Place) throws -> Bool {
        let trial = try place.trial()
        let ending = try trial.run("drain", Self.work + ["--crash", "\(point):\(count)"])
        let wasReached = !trial.points.isEmpty
        #expect(
            ending == (wasReached ? .signalled(SIGKILL) : .exited(0)), "\(place) \(point):\(count)")
        let faults = try trial.faults()
        #expect(faults.count == 0, "\(place) \(point):\(count): \(faults.prefix(10))")
        return wasReached
    }

    @Test("loses and doubles nothing, and each point is reached", arguments: Place.all)
    func named(_ place: Place) throws {
        var unreached: [String] = []
        for point in Self.ours + Self.store + Self.recovery + Self.leaving + Self.calls {
            // The first time, and one in the middle of things.
            let counts =
                Self.store.contains(point)
                ? [1, 4] : Self.ours.contains(point) || Self.calls.contains(point) ? [2, 1] : [1]
            var wasReached = false
            for count in Torture.isWanted ? Array(1...12) : counts {
                if wasReached, !Torture.isWanted, !Self.store.contains(point) { break }
                if try crash(at: point, count, of: place) { wasReached = true }
            }
            if !wasReached { unreached.append(point) }
        }
        #expect(unreached == [], "points that no host came to")
    }

    @Test("loses nothing at whatever call of a transaction it ends", arguments: Place.all)
    func everyCall(_ place: Place) throws {
        var count = 1
        var reached = 0
        while try crash(at: "call", count, of: place) {
            reached += 1
            count += Torture.isWanted ? 1 : 1 + count / 3
        }
        #expect(reached > 10)
        Torture.tell(
            "\(reached) of about \(count) calls of a store in a \(place) were a host's last")
    }

    @Test(
        "loses nothing when it ends again while it takes up what the one before left",
        arguments: Place.all)
    func again(_ place: Place) throws {
        var reached: Set<String> = []
        let points = Self.recovery + ["opened", "recovery-call-append", "recovery-call-end"]
        for point in points {
            for count in Torture.isWanted ? Array(1...20) : [1, 9] {
                let trial = try place.trial()
                try trial.run("drain", Self.work + ["--crash", "handler-entered:2"])
                try trial.run("drain", ["--crash", "\(point):\(count)"])
                // And once more, in the middle of the second recovery's launches.
                try trial.run("drain", ["--crash", "store-done:2"])
                if trial.points.contains(point) { reached.insert(point) }
                let faults = try trial.faults()
                #expect(faults.count == 0, "\(place) \(point):\(count): \(faults.prefix(10))")
            }
        }
        #expect(reached == Set(points), "points that no host came to")
    }
}
