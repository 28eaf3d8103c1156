// SPDX-License-Identifier: Apache-2.0
import Scheduling
import Testing

@Suite("Factors by hand")
struct FactorBoardTests {
    private let second: UInt64 = 1_000_000_000

    private func at(_ seconds: UInt64) -> Moment {
        Moment(wall: Int64(seconds * second), span: seconds * second)
    }

    private func reading(_ state: FactorState, _ source: String) -> FactorReading {
        FactorReading(state, source: source, detail: "")
    }

    @Test("an override holds for its time, whatever its sources say, and ends by itself")
    func ends() throws {
        var board = FactorBoard()
        board.observe(.battery, reading(.yes, "sensor"), at: at(0))
        board.set(.battery, reading(.no, "hand"), for: 10 * second, at: at(1))
        #expect(board.state(.battery) == .no)
        board.observe(.battery, reading(.unknown, "sensor"), at: at(2))
        #expect(board.state(.battery) == .no)
        #expect(board.next == 11 * second)
        #expect(board.settle(at: at(10)).isEmpty)
        #expect(board.state(.battery) == .no)
        #expect(board.settle(at: at(11)) == [.battery])
        #expect(board.state(.battery) == .unknown)
        #expect(board[.battery]?.reading.source == "sensor")
        #expect(board.next == nil)
    }

    @Test("one without a time ends by hand, also one whose end no clock can show")
    func stays() {
        var board = FactorBoard()
        board.set(.network, reading(.no, "hand"), at: at(1))
        board.set(.battery, reading(.no, "hand"), for: .max, at: at(1))
        #expect(board.next == nil)
        #expect(board.settle(at: at(1_000_000)).isEmpty)
        board.set(.network, nil, at: at(2))
        #expect(board[.network] == nil && board.state(.battery) == .no)
    }

    @Test("a later override takes the place of an earlier one, with its time")
    func replaced() {
        var board = FactorBoard()
        board.set(.idle, reading(.no, "hand"), for: 5 * second, at: at(0))
        board.set(.idle, reading(.yes, "hand"), at: at(1))
        #expect(board.settle(at: at(60)).isEmpty)
        #expect(board.state(.idle) == .yes)
    }
}
