// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Conformance

@Suite("What a plugin has done about its tasks")
struct FollowedTasksTests {
    @Test("the last reference, with which the payload goes")
    func references() {
        var tasks = FollowedTasks()
        tasks.keep(1)
        tasks.keep(1)
        let isLast = [tasks.drop(1), tasks.drop(1), tasks.drop(1)]
        #expect(isLast == [false, true, false])
    }

    @Test("a completion is wrong that is not the first answer")
    func completions() {
        var tasks = FollowedTasks()
        #expect(tasks.fault(ofCompleting: 1, by: 7)?.contains("never given") == true)
        tasks.keep(1)
        #expect(tasks.fault(ofCompleting: 1, by: 7) == nil)
        tasks.answer(1, by: 7, wasStopped: false, isCall: true)
        #expect(tasks.fault(ofCompleting: 1, by: 8) == "completed a task twice")
        tasks.keep(2)
        tasks.answer(2, by: 7, wasStopped: false, isCall: false)
        #expect(tasks.fault(ofCompleting: 2, by: 7)?.hasPrefix("completed a task after") == true)
        // Only the first answer is kept.
        tasks.answer(2, by: 7, wasStopped: false, isCall: true)
        #expect(tasks.fault(ofCompleting: 2, by: 7)?.hasPrefix("completed a task after") == true)
    }

    @Test("a function and an expiration callback that cannot know of each other may both answer")
    func twoAnswers() {
        var tasks = FollowedTasks()
        tasks.keep(1)
        tasks.answer(1, by: 7, wasStopped: true, isCall: false)
        #expect(tasks.fault(ofCompleting: 1, by: 8) == nil)
        #expect(tasks.fault(ofCompleting: 1, by: 7) != nil)
        tasks.keep(2)
        tasks.answer(2, by: 7, wasStopped: false, isCall: false)
        tasks.beginStop(2)
        #expect(tasks.areStopping && tasks.fault(ofCompleting: 2, by: 8) == nil)
        tasks.endStop(2)
        #expect(!tasks.areStopping && tasks.fault(ofCompleting: 2, by: 8) != nil)
    }

    @Test("a task that was completed before its function returned PENDING does not become pending")
    func completedFirst() {
        var tasks = FollowedTasks()
        tasks.keep(1)
        let order = [tasks.complete(1), tasks.pend(1), tasks.complete(1)]
        #expect(order == [false, false, false])
    }

    @Test("less progress than before is told, with the most there was")
    func progress() {
        var tasks = FollowedTasks()
        let told = [0.25, 0.75, 0.75, 0.5, 0.6, 0.8].map { tasks.report($0, of: 1) }
        #expect(told == [nil, nil, nil, 0.75, 0.75, nil])
        #expect(tasks.report(0, of: 2) == nil)
    }

    @Test("a completion that was refused for lack of memory may be repeated once")
    func retry() {
        var tasks = FollowedTasks()
        tasks.permitRetry(1)
        let retries = [tasks.takeRetry(2), tasks.takeRetry(1), tasks.takeRetry(1)]
        #expect(retries == [false, true, false])
    }

    @Test("a task is held that was answered, and to which there is a reference")
    func held() {
        var tasks = FollowedTasks()
        for task: UInt64 in [3, 1, 2] {
            tasks.keep(task)
            if task != 2 { tasks.answer(task, by: 7, wasStopped: false, isCall: true) }
        }
        #expect(
            tasks.held == [1, 3] && tasks.wasAnswered(1, by: 7) && !tasks.wasAnswered(1, by: 8))
        _ = tasks.drop(1)
        #expect(tasks.held == [3])
        let isPending = tasks.pend(3)
        let wasPending = [tasks.complete(3), tasks.complete(1)]
        #expect(isPending && wasPending == [true, false])
        #expect(tasks.isCompleted(3) && !tasks.isCompleted(2))
    }
}
