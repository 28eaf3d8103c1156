// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

/// Numbers that a connection has drawn ahead, for transactions and requests, so that a transaction which only submits
/// asks the server for nothing; and where the journal begins.
///
/// Numbers that are never used leave gaps. They belong to the server of the connection: another one, such as a standby
/// that was promoted, may give them to others.
final class PostgresNumbers {
    private var turns: [Int64] = []
    private var requests: [RequestID] = []
    /// Whether a transaction came before: a program that has only one draws nothing ahead.
    private var isRepeated = false
    /// The requests that the transaction has given numbers to.
    private var used = 0

    private static let least = 64
    private static let most = 1_024

    var requestCount: Int { requests.count }

    func nextTurn() -> Int64? { turns.popLast() }

    func nextRequest() -> RequestID? { requests.popLast() }

    func beginTurn() { used = 0 }

    /// A request got a number, of these or another one.
    func use() { used += 1 }

    /// How many numbers of transactions are to be drawn.
    var turnsWanted: Int { isRepeated && turns.isEmpty ? Self.least : 0 }

    /// How many numbers of requests are to be drawn, for as many as the transaction has used.
    var requestsWanted: Int {
        let wanted = min(max(used, Self.least), Self.most)
        return isRepeated && used > 0 && requests.count < used ? wanted : 0
    }

    /// A transaction was committed, which has drawn these, in order.
    func committed(turns newTurns: [Int64], requests newRequests: [RequestID]) {
        turns = newTurns.reversed() + turns
        // Those that are left are smaller.
        requests = newRequests.reversed() + requests
        isRepeated = true
    }

    /// Before this number there is no entry of the journal any more, as far as is known.
    var firstEntry: Int64 = 0

    func drop() { (turns, requests, firstEntry) = ([], [], 0) }
}
