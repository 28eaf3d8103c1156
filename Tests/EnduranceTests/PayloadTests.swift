// SPDX-License-Identifier: Apache-2.0
import Curfew
import Runner
import Scheduling
import TestSupport
import Testing

@Suite("The payload of a request", .timeLimit(.minutes(1)))
struct PayloadTests {
    private let request = RequestDescription(
        "org.example.quick", kind: .processing, onPending: .add)

    private func host(_ directory: TemporaryDirectory) throws -> Host {
        var configuration = HostConfiguration()
        configuration.log = { _, _, _, _ in }
        try configuration.requests.store(in: directory.path("store"))
        return try Host(configuration)
    }

    @Test(
        "arrives as it was, in the next host as well, up to the limit and not beyond",
        arguments: [0, 1, 4_096, 1 << 20])
    func limits(bytes: Int) async throws {
        let directory = try TemporaryDirectory()
        let payload = (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let first = try host(directory)
        try await first.submit(request, payload: payload)
        #expect(throws: CurfewError.self) {
            try first.submit(request, payload: [UInt8](repeating: 1, count: 1 << 20 + 1))
        }
        #expect(try first.requests().count == 1)
        try first.shutDown()

        let second = try host(directory)
        let seen = Locked<[UInt8]?>(nil)
        let done = try second.expect("quick_done::")
        try second.register(
            HandlerDescription(identifier: "org.example.quick", kind: .processing)
        ) { task in seen.withLock { $0 = task.payload } }
        _ = try await done.event(within: .seconds(60))
        #expect(seen.withLock { $0 } == payload)
        try second.shutDown()
    }
}
