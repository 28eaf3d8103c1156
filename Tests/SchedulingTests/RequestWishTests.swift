// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Scheduling

@Suite("Requests that wait for a quiet machine", .timeLimit(.minutes(1)))
struct RequestWishTests {
    private let identifier = "org.example.tidy"

    private func at(_ seconds: Int64) -> Moment {
        Moment(wall: (1_000 + seconds) * second, span: UInt64(seconds) * 1_000_000_000)
    }

    /// A scheduler with one due request, on a machine where everything says no.
    private func scheduler(
        _ wish: RequestWish, atMost: UInt64 = 0, kind: TaskKind = .processing,
        needs: RequestNeeds = []
    ) -> (RequestScheduler, RequestQueue) {
        var scheduler = RequestScheduler()
        scheduler.setState(HandlerState(places: 8), of: identifier)
        scheduler.budget.limits = DayLimits(launches: 0)
        for factor in Factor.allCases where factor.isSettable {
            scheduler.board.set(
                factor, FactorReading(.no, source: "test", detail: "no"), at: at(0))
        }
        let queue = RequestQueue(
            identifier: identifier, kind: kind, needs: needs, opportunistic: wish,
            atMost: atMost)
        scheduler.setHead(
            RequestHead(id: RequestID(rawValue: 1), notBefore: at(0).wall), of: queue)
        return (scheduler, queue)
    }

    @Test(
        "a request without a wish waits for its date and its needs alone",
        arguments: TaskKind.allCases)
    func none(kind: TaskKind) {
        var (scheduler, queue) = scheduler(.no, kind: kind)
        #expect(!scheduler.why(queue, at: at(0)).contains { $0.holds })
        #expect(scheduler.next(at: at(0))?.id.rawValue == 1)
        (scheduler, queue) = self.scheduler(.no, kind: kind, needs: .network)
        #expect(scheduler.why(queue, at: at(0)).filter(\.holds).map(\.factor) == [.network])
        #expect(scheduler.next(at: at(0)) == nil)
    }

    @Test("a wish waits for the state of the machine, and an idle one for users, too")
    func wishes() {
        let calm: Set<Factor> = [.battery, .lowPowerMode, .thermal, .pressure, .dayBudget]
        for (wish, kind, factors) in [
            (RequestWish.calm, TaskKind.processing, calm),
            (.idle, .appRefresh, calm.union([.idle])), (.calm, .continuedProcessing, [.thermal]),
        ] {
            var (scheduler, queue) = scheduler(wish, kind: kind)
            let holding = scheduler.why(queue, at: at(0)).filter(\.holds).map(\.factor)
            #expect(Set(holding) == factors)
            #expect(scheduler.next(at: at(0)) == nil)
        }
    }

    @Test("after its longest wait a request is launched anyway, and does not stop for its wish")
    func longest() {
        var (scheduler, queue) = scheduler(.idle, atMost: 60_000_000_000)
        #expect(scheduler.next(at: at(59)) == nil)
        #expect(scheduler.wake(after: at(59)).wall == at(60).wall)
        let launch = scheduler.next(at: at(60))
        #expect(launch?.queue == queue)
        if let launch { scheduler.launched(launch, at: at(60)) }
        #expect(scheduler.losing().isEmpty)
    }

    @Test("the launch rate holds back no longer than the longest wait")
    func rate() {
        var scheduler = RequestScheduler()
        let queue = RequestQueue(
            identifier: identifier, kind: .processing, opportunistic: .calm,
            atMost: 60_000_000_000)
        scheduler.rate.spacing = 3_600_000_000_000
        scheduler.setState(HandlerState(places: 8), of: identifier)
        scheduler.launched(
            .init(queue: queue, id: RequestID(rawValue: 1), date: at(0).wall), at: at(0))
        scheduler.setHead(
            RequestHead(id: RequestID(rawValue: 2), notBefore: at(0).wall), of: queue)
        #expect(scheduler.next(at: at(1)) == nil)
        #expect(scheduler.wake(after: at(1)).wall == at(60).wall)
        #expect(scheduler.next(at: at(60))?.id.rawValue == 2)
    }
}
