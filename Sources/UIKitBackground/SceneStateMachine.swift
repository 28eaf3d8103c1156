// SPDX-License-Identifier: Apache-2.0

/// The life cycle of the app's scene, which follows the app. Each step has the scene's state during
/// the call of its delegate.
struct SceneStateMachine: Sendable {
    /// A step and its state.
    struct Told: Equatable, Sendable {
        let step: SceneStep
        let state: UIScene.ActivationState
    }

    /// The state after the last step.
    private(set) var state = UIScene.ActivationState.unattached

    /// The app has made a step.
    mutating func follow(_ step: LifeStep) -> [Told] {
        switch step {
        case .didFinishLaunching: return []
        case .willEnterForeground: return enterForeground()
        case .didBecomeActive:
            let before = state == .foregroundInactive ? [] : enterForeground()
            state = .foregroundActive
            return before + [Told(step: .didBecomeActive, state: state)]
        case .willResignActive:
            guard state == .foregroundActive else { return [] }
            state = .foregroundInactive
            return [Told(step: .willResignActive, state: .foregroundActive)]
        case .didEnterBackground:
            // An app that is launched in the background has no scene yet.
            guard state != .unattached else { return [] }
            state = .background
            return [Told(step: .didEnterBackground, state: .background)]
        }
    }

    private mutating func enterForeground() -> [Told] {
        let connects = state == .unattached ? [Told(step: .willConnect, state: .unattached)] : []
        defer { state = .foregroundInactive }
        return connects + [Told(step: .willEnterForeground, state: state)]
    }

    /// The process is about to end.
    mutating func disconnect() -> [Told] {
        guard state != .unattached else { return [] }
        state = .unattached
        return [Told(step: .didDisconnect, state: .unattached)]
    }
}

/// One step of a scene's life.
enum SceneStep: Sendable, Equatable {
    case willConnect
    case willEnterForeground
    case didBecomeActive
    case willResignActive
    case didEnterBackground
    case didDisconnect
}
