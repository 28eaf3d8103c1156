// SPDX-License-Identifier: Apache-2.0
import Curfew
import Scheduling
import Service

/// The clients that follow the journal, by server-sent events. Used on one thread.
///
/// A client has a position and at most one portion that it has not taken yet, so that one which reads slowly
/// costs no more than others, and goes on where it was.
struct JournalStreams {
    private struct Follower {
        let stream: HTTPStream
        let peer: HTTPPeer
        /// The request whose entries it gets; nil for all.
        let request: RequestID?
        /// The number of the last entry that was sent.
        var position: UInt64
        /// The CLOCK_MONOTONIC time at which it is sent something, so that one which has left is noticed.
        var beatAt: UInt64
    }

    private struct Place: Hashable {
        let position: UInt64
        let request: RequestID?
    }

    /// The most followers.
    static let limit = 256
    /// The most of one user, so that others can follow as well.
    static let userLimit = 64
    private static let portion = 64
    private static let beat: UInt64 = 15_000_000_000

    private var followers: [Follower] = []

    var isEmpty: Bool { followers.isEmpty }
    var isFull: Bool { followers.count >= Self.limit }
    /// The CLOCK_MONOTONIC time of the next beat.
    var nextBeat: UInt64 { followers.map(\.beatAt).min() ?? .max }

    func count(of user: UInt32) -> Int {
        followers.count { $0.peer.user == user && !$0.stream.isClosed }
    }

    mutating func add(
        _ stream: HTTPStream, _ peer: HTTPPeer, of request: RequestID?, after position: UInt64
    ) {
        followers.append(
            Follower(stream: stream, peer: peer, request: request, position: position, beatAt: 0))
    }

    /// Says goodbye to those who may not follow any more.
    mutating func end(unless mayFollow: (HTTPPeer) -> Bool) {
        for follower in followers where !mayFollow(follower.peer) { Self.end(follower) }
        followers.removeAll { !mayFollow($0.peer) }
    }

    private static func end(_ follower: Follower) {
        follower.stream.put(Array("event: bye\ndata: {}\n\n".utf8))
        follower.stream.end()
    }

    /// Sends what has come to the followers that have taken all before.
    mutating func goOn(_ store: StoreClient, at now: UInt64) throws(CommandError) {
        followers.removeAll { $0.stream.isClosed }
        // Most of them are at the end.
        var read: [Place: [JournalEntry]] = [:]
        for index in followers.indices where followers[index].stream.isEmpty {
            let follower = followers[index]
            let place = Place(position: follower.position, request: follower.request)
            let entries: [JournalEntry]
            if let known = read[place] {
                entries = known
            } else {
                entries = try Self.entries(place, store)
            }
            read[place] = entries
            if let last = entries.last {
                followers[index].position = last.sequence
                follower.stream.put(Array(entries.map(Self.text).joined().utf8))
            } else if follower.beatAt <= now {
                follower.stream.put(Array(":\n\n".utf8))
            } else {
                continue
            }
            followers[index].beatAt = now &+ Self.beat
        }
    }

    private static func entries(
        _ place: Place, _ store: StoreClient
    ) throws(CommandError) -> [JournalEntry] {
        let entries = try StorePlace.translated { () throws(StoreFault) in
            try store.read { (transaction) throws(StoreFault) in
                try transaction.journal(
                    after: place.position, of: place.request, limit: portion)
            }
        }
        // The journal of one request always has gaps in its numbers.
        return place.request == nil
            ? JournalEntry.tellingGap(entries, after: place.position) : entries
    }

    /// An entry as an event, with its number as the id.
    private static func text(_ entry: JournalEntry) -> String {
        "id: \(entry.sequence)\nevent: \(entry.what.name)\ndata: \(RequestItem.item(entry).written)\n\n"
    }

    /// Says goodbye to all.
    mutating func end() {
        for follower in followers { Self.end(follower) }
        followers = []
    }
}
