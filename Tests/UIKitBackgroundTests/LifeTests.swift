// SPDX-License-Identifier: Apache-2.0
import AppHost
import Testing

@testable import UIKitBackground

/// In which order an app hears about its life.
@Suite("The life of an app")
struct LifeTests {
    private typealias Told = LifeStateMachine.Told
    private var machine = LifeStateMachine()

    @Test("It launches, goes to the background and comes back, in Apple's order")
    mutating func order() {
        #expect(
            machine.move(to: .foreground) == [
                Told(step: .didFinishLaunching, state: .inactive),
                Told(step: .didBecomeActive, state: .active),
            ])
        #expect(
            machine.move(to: .background) == [
                Told(step: .willResignActive, state: .active),
                Told(step: .didEnterBackground, state: .background),
            ])
        #expect(
            machine.move(to: .foreground) == [
                Told(step: .willEnterForeground, state: .background),
                Told(step: .didBecomeActive, state: .active),
            ])
    }

    @Test("What is said twice is told once")
    mutating func once() {
        #expect(machine.move(to: .launching) == [])
        _ = machine.move(to: .foreground)
        #expect(machine.move(to: .foreground) == [])
        _ = machine.move(to: .background)
        #expect(machine.move(to: .background) == [])
    }

    @Test("Launched where nobody sees it, it is in the background from the beginning")
    mutating func unseen() {
        #expect(
            machine.move(to: .background) == [
                Told(step: .didFinishLaunching, state: .background)
            ])
        #expect(machine.state == .background)
    }

    @Test("Whoever runs the app has told of its launch")
    mutating func launched() {
        machine.launched()
        #expect(machine.move(to: .foreground) == [Told(step: .didBecomeActive, state: .active)])
    }

    @Test("S1.13: of a fetch's answer and its end the first counts")
    func fetch() {
        var answered = FetchLifeStateMachine()
        #expect(answered.complete() == true)
        #expect(answered.complete() == nil)
        #expect(answered.expire() == false)
        var late = FetchLifeStateMachine()
        #expect(late.expire() == true)
        #expect(late.expire() == false)
        #expect(late.complete() == false)
        #expect(late.complete() == nil)
    }

    @Test("S2.7, S2.8: what is supported can be asked, and an invalid task has one value")
    func constants() {
        #expect(UIDevice.current.isMultitaskingSupported)
        #expect(UIBackgroundTaskInvalid == .invalid)
        #expect(UIBackgroundTaskIdentifier(rawValue: 0) == .invalid)
        #expect(UIApplication.backgroundFetchIntervalNever == .greatestFiniteMagnitude)
        #expect(UIApplication.backgroundFetchIntervalMinimum == 0)
    }
}
