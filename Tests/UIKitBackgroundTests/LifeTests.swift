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

    @Test("Launched in the background, it is there from the beginning")
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

    @Test("A scene is connected when the app is seen first, and follows it")
    func scene() {
        typealias Told = SceneStateMachine.Told
        var scene = SceneStateMachine()
        #expect(scene.follow(.didFinishLaunching) == [])
        #expect(
            scene.follow(.didBecomeActive) == [
                Told(step: .willConnect, state: .unattached),
                Told(step: .willEnterForeground, state: .unattached),
                Told(step: .didBecomeActive, state: .foregroundActive),
            ])
        #expect(
            scene.follow(.willResignActive) == [
                Told(step: .willResignActive, state: .foregroundActive)
            ])
        #expect(scene.state == .foregroundInactive)
        #expect(
            scene.follow(.didEnterBackground) == [
                Told(step: .didEnterBackground, state: .background)
            ])
        #expect(
            scene.follow(.willEnterForeground) == [
                Told(step: .willEnterForeground, state: .background)
            ])
        #expect(
            scene.follow(.didBecomeActive) == [
                Told(step: .didBecomeActive, state: .foregroundActive)
            ])
        #expect(scene.disconnect() == [Told(step: .didDisconnect, state: .unattached)])
        #expect(scene.disconnect() == [])
    }

    @Test("An app that was launched where nobody sees it has no scene until it is seen")
    func sceneOfUnseen() {
        typealias Told = SceneStateMachine.Told
        var scene = SceneStateMachine()
        #expect(scene.follow(.didEnterBackground) == [])
        #expect(
            scene.follow(.willEnterForeground) == [
                Told(step: .willConnect, state: .unattached),
                Told(step: .willEnterForeground, state: .unattached),
            ])
        #expect(scene.disconnect().count == 1)
    }

    @Test(
        "A battery is read from what the host says of it",
        arguments: [
            ("BAT0 discharging, 45 %", false, UIDevice.BatteryState.unplugged, Float(0.45)),
            ("BAT0 charging, 99 %", true, .charging, 0.99),
            ("BAT0 full, 100 %", true, .full, 1),
            ("BAT0 not charging, 80 %", true, .charging, 0.8),
            ("BAT0 full, 100 %; BAT1 discharging, 50 %", false, .unplugged, 0.75),
            ("ups discharging, 70 %", false, .unplugged, 0.7),
            ("BAT0 discharging, low", false, .unknown, -1),
            ("no battery is known", true, .unknown, -1), ("set by hand", false, .unknown, -1),
            ("", false, .unknown, -1), ("BAT0 unknown, 999 %", false, .unplugged, 1),
        ])
    func battery(
        detail: String, isPluggedIn: Bool, state: UIDevice.BatteryState, level: Float
    ) {
        let reading = BatteryReading(detail: detail, isPluggedIn: isPluggedIn)
        #expect(reading.state == state)
        #expect(reading.level == level)
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
