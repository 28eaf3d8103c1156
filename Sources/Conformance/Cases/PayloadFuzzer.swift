// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import PluginBridge
import Scheduling

/// Payloads by chance: the examples' own with bytes changed, left out, doubled and put in, and such
/// as have nothing to do with them. Each must be answered.
///
/// The directory replaces its mark after the mutation, and precedes every other absolute path that a
/// mutation makes, so that a plugin that writes where its payload says writes there.
struct PayloadFuzzer {
    private let run: CaseRun
    private let trials: [CaseRun.Trial]

    private static var payloads: Int { 10_000 }
    private static var time: UInt64 { 5_000_000_000 }
    private static var lengthLimit: Int { 4_096 }

    init(_ run: CaseRun) throws {
        self.run = run
        trials = try run.examplesThatEnd()
    }

    func go() throws {
        let bed = try TestBed(run)
        try bed.load()
        if run.isReproducing {
            _ = try payload(run.seed, bed)
            return
        }
        var seeds = SeededGenerator(seed: run.seed)
        let until = csys_monotonic_ns() &+ run.time(Self.time)
        var times: [UInt64] = []
        var slowest: (time: UInt64, seed: UInt64) = (0, 0)
        for _ in 0..<Self.payloads where csys_monotonic_ns() < until {
            let seed = seeds.seed()
            let time = try payload(seed, bed)
            times.append(time)
            if time > slowest.time { slowest = (time, seed) }
        }
        let median = times.sorted()[times.count / 2]
        // A delay of a busy machine does not repeat.
        func isSlow(_ time: UInt64) -> Bool { time > 100 * median && time > 100_000_000 }
        for _ in 0..<3 where isSlow(slowest.time) {
            slowest.time = min(slowest.time, try payload(slowest.seed, bed))
        }
        if isSlow(slowest.time) {
            run.warn(
                "one payload took \(slowest.time / 1_000_000) ms, the median is \(median / 1_000) µs (--reproduce \(slowest.seed))"
            )
        }
    }

    private func payload(_ seed: UInt64, _ bed: TestBed) throws -> UInt64 {
        run.trying(seed: seed)
        var chance = SeededGenerator(seed: seed)
        let trial = trials[chance.below(trials.count)]
        _ = try run.prepare(trial)
        let place = run.place(of: trial)
        let mark = ManifestExample.directoryMark
        var pieces = trial.example.payload.split(separator: mark, omittingEmptySubsequences: false)
            .map { Array($0.utf8) }
        if chance.below(4) == 0 {
            pieces = [(0..<chance.below(Self.lengthLimit)).map { _ in UInt8(chance.below(256)) }]
        } else {
            for _ in 0..<1 + chance.below(4) {
                change(&pieces[chance.below(pieces.count)], &chance)
            }
        }
        let payload = Self.confined(pieces, to: Array(place.utf8))
        let start = csys_monotonic_ns()
        let task = try bed.launch(trial, payload: Array(payload), budget: 2_000_000_000)
        let ended = try bed.end(of: task, "\(trial.handler.identifier) with a payload by chance")
        guard ended.outcome != .expired || ended.isAnswered else {
            throw CaseVerdict.fail(
                "\(trial.handler.identifier) did not answer to a payload by chance")
        }
        return csys_monotonic_ns() &- start
    }

    /// Joins the pieces with the directory between them. The directory also precedes each slash that
    /// begins a path.
    static func confined(_ pieces: [[UInt8]], to directory: [UInt8]) -> [UInt8] {
        var payload: [UInt8] = []
        for (number, piece) in pieces.enumerated() {
            if number > 0 { payload += directory }
            for byte in piece {
                if byte == UInt8(ascii: "/"), !(payload.last.map(isOfPath) ?? false) {
                    payload += directory
                }
                payload.append(byte)
            }
        }
        return payload
    }

    private static func isOfPath(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
            UInt8(ascii: "_"), UInt8(ascii: "/"):
            true
        default: false
        }
    }

    private func change(_ bytes: inout [UInt8], _ chance: inout SeededGenerator) {
        let place = chance.below(bytes.count + 1)
        let special: [UInt8] = [
            0, 0xFF, 0x80, 0x7F, UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "9"),
        ]
        switch chance.below(6) {
        case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(chance.below(8))
        case 1 where place < bytes.count: bytes[place] = special[chance.below(special.count)]
        case 2 where place < bytes.count:
            bytes.removeSubrange(place..<min(bytes.count, place + 1 + chance.below(8)))
        case 3 where !bytes.isEmpty:
            let piece = bytes[(place % bytes.count)..<min(bytes.count, place % bytes.count + 16)]
            bytes.insert(contentsOf: piece, at: place)
        case 4: bytes = Array(bytes.prefix(place))
        default: bytes.insert(special[chance.below(special.count)], at: place)
        }
    }
}
