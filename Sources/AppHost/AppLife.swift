// SPDX-License-Identifier: Apache-2.0
import CurfewValues

/// The app's life cycle. On iOS the system knows it; on Linux the program that shows the windows
/// reports it here. All functions may be called from any thread.
///
/// ```swift
/// AppHost.life.finishLaunching()
/// AppHost.life.enterBackground()
/// ```
public final class AppLife: Sendable {
    private struct State {
        var stage = AppStage.launching
        var observers: [@Sendable (AppStage) -> Void] = []
        /// Whether the launch has begun and `finishLaunching` will follow. The actions wait for it.
        var isLaunching = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Locked(State())

    init() {}

    /// The current stage.
    public var stage: AppStage { state.withLock { $0.stage } }

    /// Reports that the app has finished launching and is in the foreground; in the background if
    /// `curfew serve` has started it for a task. The app registers its handlers before. A second call
    /// does nothing.
    public func finishLaunching() {
        guard stage == .launching else { return }
        move(to: AppIdleEnd.launchedFor == nil ? .foreground : .background)
    }

    /// Reports that the app has entered the foreground. A host that stores requests learns the
    /// hours of use from this.
    public func enterForeground() {
        move(to: .foreground)
    }

    /// Reports that the app has entered the background.
    public func enterBackground() { move(to: .background) }

    /// Calls `body` after each change of the stage, on the thread that made it, for the life of the
    /// process.
    public func observe(_ body: @escaping @Sendable (AppStage) -> Void) {
        state.withLock { $0.observers.append(body) }
    }

    /// Announces that the app's delegate will receive the launch, and that `finishLaunching`
    /// follows. Tasks wait until then, as on iOS.
    package func beginLaunching() {
        state.withLock { $0.isLaunching = $0.stage == .launching }
    }

    /// Calls `body` at once, or, if the app is launching, once it has finished.
    package func whenLaunched(_ body: @escaping @Sendable () -> Void) {
        let waits = state.withLock { state -> Bool in
            if state.isLaunching { state.waiting.append(body) }
            return state.isLaunching
        }
        if !waits { body() }
    }

    private func move(to stage: AppStage) {
        let (observers, waiting) = state.withLock {
            state -> ([@Sendable (AppStage) -> Void], [@Sendable () -> Void]) in
            guard state.stage != stage else { return ([], []) }
            state.stage = stage
            state.isLaunching = false
            defer { state.waiting.removeAll() }
            return (state.observers, state.waiting)
        }
        for observer in observers { observer(stage) }
        for body in waiting { body() }
    }
}

/// The stage of an app's life cycle, as the app reports it.
public enum AppStage: Sendable {
    /// The launch has not finished. A program without a user interface stays in this stage, which
    /// has no disadvantage.
    case launching
    /// The user sees the app.
    case foreground
    /// The user does not see the app, which continues to run as long as it may.
    case background
}
