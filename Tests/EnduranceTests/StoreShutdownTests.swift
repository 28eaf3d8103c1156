// SPDX-License-Identifier: Apache-2.0
import Curfew
import Dispatch
import Runner
import Scheduling
import TestSupport
import Testing

@Suite("A host with a store that shuts down", .timeLimit(.minutes(5)))
struct StoreShutdownTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func host() throws -> Host {
        var configuration = HostConfiguration()
        configuration.log = { _, _, _, _ in }
        configuration.requests.limits.pendingPerIdentifier = 10_000_000
        configuration.requests.limits.pendingInAll = 10_000_000
        try configuration.requests.store(in: directory.path("store"))
        let host = try Host(configuration)
        try host.register(
            HandlerDescription(identifier: "org.example.quick", kind: .processing)
        ) { _ in }
        return host
    }

    private static let request = RequestDescription(
        "org.example.quick", kind: .processing, onPending: .add)

    @Test("is over at once, whatever ends at the same moment")
    func soon() throws {
        for _ in 0..<60 {
            let host = try host()
            try host.pause()
            for _ in 0..<2 { try host.submit(Self.request) }
            try host.resume()
            let began = ContinuousClock.now
            try host.shutDown()
            try #require(ContinuousClock.now - began < .seconds(8))
        }
    }

    @Test("leaves its store to the next host while a reference to it is kept")
    func leaves() throws {
        let first = try host()
        try first.submit(Self.request)
        try first.shutDown()
        let second = try host()
        #expect(throws: CurfewError.self) { try first.submit(Self.request) }
        try second.submit(Self.request)
        try second.shutDown()
        withExtendedLifetime(first) {}
    }

    @Test("gives a concurrent submission the id of a stored request, or CLOSING")
    func submitting() throws {
        for _ in 0..<10 {
            let host = try host()
            let ids = Locked<[RequestID]>([])
            let codes = Locked<[Status]>([])
            let begun = DispatchSemaphore(value: 0)
            let group = DispatchGroup()
            for number in 0..<2 {
                DispatchQueue(label: "submitter \(number)").async(group: group) {
                    while true {
                        do {
                            let id = try host.submit(Self.request).id
                            ids.withLock { $0.append(id) }
                            begun.signal()
                        } catch {
                            let code = (error as? CurfewError)?.code ?? .failed
                            codes.withLock { $0.append(code) }
                            return
                        }
                    }
                }
            }
            begun.wait()
            try host.shutDown()
            #expect(group.wait(timeout: .now() + .seconds(60)) == .success)
            #expect(codes.withLock { $0 } == [.closing, .closing])
            let kept = Set(try StoreContents(of: directory.path("store")).requests.map(\.id))
            #expect(kept.isSuperset(of: ids.withLock { $0 }))
        }
    }
}
