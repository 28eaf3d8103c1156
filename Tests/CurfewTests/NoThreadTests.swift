// SPDX-License-Identifier: Apache-2.0
import Curfew
import Foundation
import Glibc
import Testing

/// A machine that has no thread to give. Serialized: what limits the process limits every test.
@Suite("Requests where no worker can be started", .serialized, .timeLimit(.minutes(5)))
struct NoThreadTests {
    /// Runs `body` while the process can map 512 MiB more, which is less than a worker's stack here.
    private func withoutRoom(_ body: () async throws -> Void) async throws {
        var before = rlimit()
        try #require(getrlimit(Int32(RLIMIT_AS.rawValue), &before) == 0)
        let pages = try #require(
            String(contentsOfFile: "/proc/self/statm").split(separator: " ").first.flatMap {
                UInt($0)
            })
        var tight = rlimit(
            rlim_cur: pages * UInt(sysconf(Int32(_SC_PAGESIZE))) + 512 << 20,
            rlim_max: before.rlim_max)
        try #require(setrlimit(Int32(RLIMIT_AS.rawValue), &tight) == 0)
        defer { setrlimit(Int32(RLIMIT_AS.rawValue), &before) }
        try await body()
    }

    @Test(
        "A request goes back to its store, uses no attempt, and is launched once there is a thread")
    func goesBack() async throws {
        let clock = ManualClock()
        let host = try Host.forTests(clock: clock) {
            $0.appRefresh.stackBytes = 4 << 30
            $0.requests.patience = 0
        }
        try host.register(.tidy) { _ in }
        var id = RequestID(rawValue: 0)
        try await withoutRoom {
            id = try host.submit(RequestDescription("org.example.tidy")).id
            #expect(await eventually { (try? host.attempts(of: id))?.first?.outcome == .abandoned })
            let attempt = try #require(try host.attempts(of: id).first)
            #expect(attempt.error == "no thread could be started for it; it waits again")
            #expect(try host.request(id)?.state == .pending)
        }
        #expect(clock.advance(by: 1_000_000_000) == .ok)
        #expect(await eventually { (try? host.request(id))??.state == .finished })
        let request = try #require(try host.request(id))
        #expect(request.outcome == .succeeded)
        #expect(try host.attempts(of: id).map(\.number) == [1, 1])
        #expect(request.launches == 2)
    }
}
