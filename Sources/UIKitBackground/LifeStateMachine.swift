// SPDX-License-Identifier: Apache-2.0
import AppHost

/// The order of an app's life cycle calls. Each step has the application state during the call.
struct LifeStateMachine: Sendable {
    /// A step and its state.
    struct Told: Equatable, Sendable {
        let step: LifeStep
        let state: UIApplication.State
    }

    private var isLaunched = false
    private var isInBackground = false
    /// The state after the last step.
    private(set) var state = UIApplication.State.inactive

    /// The code that runs the app has called the delegate before the stage changed.
    mutating func launched() { isLaunched = true }

    /// The steps to a stage.
    mutating func move(to stage: AppStage) -> [Told] {
        var steps: [Told] = []
        guard stage != .launching else { return steps }
        if !isLaunched {
            isLaunched = true
            // An app that is launched in the background is there from the beginning.
            if stage == .background { (isInBackground, state) = (true, .background) }
            steps.append(Told(step: .didFinishLaunching, state: state))
        }
        if stage == .foreground { steps += toForeground() } else { steps += toBackground() }
        return steps
    }

    private mutating func toForeground() -> [Told] {
        guard state != .active else { return [] }
        var steps: [Told] = []
        if isInBackground { steps.append(Told(step: .willEnterForeground, state: .background)) }
        isInBackground = false
        state = .active
        return steps + [Told(step: .didBecomeActive, state: .active)]
    }

    private mutating func toBackground() -> [Told] {
        guard !isInBackground else { return [] }
        var steps: [Told] = []
        if state == .active { steps.append(Told(step: .willResignActive, state: .active)) }
        isInBackground = true
        state = .background
        return steps + [Told(step: .didEnterBackground, state: .background)]
    }
}

/// One step of an app's life cycle: a call of its delegate, then a notification.
enum LifeStep: Sendable, Equatable {
    case didFinishLaunching
    case didBecomeActive
    case willResignActive
    case didEnterBackground
    case willEnterForeground
}
