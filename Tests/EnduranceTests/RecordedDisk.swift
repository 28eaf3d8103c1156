// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// What `disk-recorder.c` has written down of a process and its store: a disk whose power can fail
/// after any of its events.
struct RecordedDisk {
    /// What becomes of what was written and not brought to the disk.
    enum Loss: CaseIterable { case all, nothing, some }

    private struct Event {
        let kind: UInt8
        let file: Int
        let offset: Int
        let bytes: ArraySlice<UInt8>
    }

    /// A file without a name, as the disk has it.
    private struct File {
        var kept: [UInt8] = []
        var pending: [Event] = []
    }

    private static let headLength = 24
    private static let sector = 512

    private let events: [Event]
    /// Events that told somebody of something.
    let told: [Int]
    var count: Int { events.count }

    init(_ log: [UInt8]) {
        var events: [Event] = []
        var place = 0
        while place + Self.headLength <= log.count {
            let head = (0..<6).map { index in
                (0..<4).reduce(0) { $0 | Int(log[place + index * 4 + $1]) << ($1 * 8) }
            }
            place += Self.headLength
            let end = min(place + head[4], log.count)
            events.append(
                Event(
                    kind: UInt8(truncatingIfNeeded: head[0]), file: head[1],
                    offset: head[2] | head[3] << 32, bytes: log[place..<end]))
            place = end
        }
        self.events = events
        told = events.indices.filter { events[$0].kind == UInt8(ascii: "a") }
    }

    /// The files there are, and all that was told, when the power fails before an event. A disk that
    /// lies loses what it has said to be safe as well.
    func failing(
        before end: Int, losing loss: Loss, isLying: Bool = false,
        using generator: inout SeededGenerator
    ) -> (files: [String: [UInt8]], told: [Record]) {
        var files: [File] = []
        // By number of an opening; by name now, and on the disk.
        var opened: [Int: Int] = [:]
        var (names, kept): ([String: Int], [String: Int]) = ([:], [:])
        var told: [UInt8] = []
        for event in events[..<end] {
            switch event.kind {
            case UInt8(ascii: "o"):
                let name = String(decoding: event.bytes, as: UTF8.self)
                if names[name] == nil {
                    names[name] = files.count
                    files.append(File())
                }
                opened[event.file] = names[name]
            case UInt8(ascii: "w"), UInt8(ascii: "t"):
                if let file = opened[event.file] { files[file].pending.append(event) }
            case UInt8(ascii: "s"):
                guard !isLying, let file = opened[event.file] else { continue }
                for change in files[file].pending { Self.apply(change, to: &files[file].kept) }
                files[file].pending = []
            case UInt8(ascii: "d"): kept = names
            case UInt8(ascii: "u"): names[String(decoding: event.bytes, as: UTF8.self)] = nil
            default: told += event.bytes
            }
        }
        let found = Self.names(names, kept, loss, &generator)
        return (
            found.mapValues { Self.content(files[$0], loss, &generator) },
            told.split(separator: UInt8(ascii: "\n")).map {
                Record(String(decoding: $0, as: UTF8.self))
            }
        )
    }

    private static func names(
        _ now: [String: Int], _ kept: [String: Int], _ loss: Loss,
        _ generator: inout SeededGenerator
    ) -> [String: Int] {
        switch loss {
        case .nothing: return now
        case .all: return kept
        case .some:
            var names: [String: Int] = [:]
            for name in Set(now.keys).union(kept.keys).sorted() {
                names[name] = Bool.random(using: &generator) ? now[name] : kept[name]
            }
            return names
        }
    }

    private static func content(
        _ file: File, _ loss: Loss, _ generator: inout SeededGenerator
    ) -> [UInt8] {
        var bytes = file.kept
        for event in file.pending where loss != .all {
            if loss == .nothing {
                apply(event, to: &bytes)
                continue
            }
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: continue
            case 1 where event.kind == UInt8(ascii: "w"):
                // Torn: of a write each sector comes to the disk by itself.
                for start in stride(from: 0, to: event.bytes.count, by: sector)
                where Bool.random(using: &generator) {
                    let part = event.bytes.dropFirst(start).prefix(sector)
                    apply(
                        Event(
                            kind: event.kind, file: event.file, offset: event.offset + start,
                            bytes: part), to: &bytes)
                }
            default: apply(event, to: &bytes)
            }
        }
        return bytes
    }

    private static func apply(_ event: Event, to bytes: inout [UInt8]) {
        let end = event.offset + event.bytes.count
        if event.kind == UInt8(ascii: "t"), bytes.count > end {
            bytes.removeLast(bytes.count - end)
        }
        if bytes.count < end { bytes += Array(repeating: 0, count: end - bytes.count) }
        bytes.replaceSubrange(event.offset..<end, with: event.bytes)
    }
}
