// SPDX-License-Identifier: Apache-2.0
import AppHost
import CCurfew
import CurfewValues
import Foundation

/// The app, as far as its life in the background is concerned: UIKit's class by its name and types,
/// without windows.
///
/// The program that shows the app reports its stage: `AppHost.life.enterBackground()` and similar.
/// This class then calls the delegate and posts the notifications, on the main thread and in
/// Apple's order. The main thread has to run the main queue, as `UIApplicationDelegate.main` does.
///
/// Suspension stops nothing here: `didSuspendNotification` says when Apple's system would. All may be
/// used from any thread; Apple's, but for the background tasks, from the main thread alone.
open class UIApplication: UIResponder, @unchecked Sendable {
    // Sendable: what changes is behind the lock, or belongs to the main thread.

    /// The state of the app.
    public enum State: Int, Sendable {
        /// Its user sees it.
        case active = 0
        /// The app changes its state.
        case inactive = 1
        /// The app is in the background.
        case background = 2
    }

    /// A word for why the app was launched.
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        /// The word.
        public let rawValue: String
        /// Takes any word.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    private struct Shown {
        var machine = LifeStateMachine()
        var scene = SceneStateMachine()
        var state = State.inactive
        nonisolated(unsafe) var delegate: (any UIApplicationDelegate)?
    }

    private static let instance: UIApplication = {
        let made = UIApplication(.shared)
        made.begin()
        return made
    }()

    /// The one there is.
    open class var shared: UIApplication { instance }

    let assertions: ProcessAssertions
    let refresh = RefreshWatch()
    let fetches = BackgroundFetch()
    let scene = Locked<UIWindowScene?>(nil)
    private let device = DeviceWatch()
    private let shown = Locked(Shown())

    private init(_ assertions: ProcessAssertions) { self.assertions = assertions }

    private func begin() {
        assertions.settlesElsewhere()
        assertions.observe { isSuspended in
            UIApplication.shared.post(
                isSuspended
                    ? UIApplication.didSuspendNotification : UIApplication.didResumeNotification)
        }
        // A host is not made for this alone: that would begin to keep requests on disk.
        AppHost.whenMade { self.device.begin($0) }
        AppHost.life.observe { _ in self.follow() }
        if AppHost.life.stage != .launching { follow() }
    }

    // MARK: Its life

    /// The delegate of the app's life cycle. It is retained, unlike Apple's.
    open var delegate: (any UIApplicationDelegate)? {
        get { shown.withLock { $0.delegate } }
        set {
            let old = shown.withLock { shown in
                let old = shown.delegate
                shown.delegate = newValue
                return old
            }
            _ = old
        }
    }

    /// The state of the app.
    open var applicationState: State { shown.withLock { $0.state } }

    /// On the main thread at once, from others in turn: then only the last of several changes counts.
    private func follow() {
        if Thread.isMainThread {
            MainActor.assumeIsolated { move() }
        } else {
            DispatchQueue.main.async { self.move() }
        }
    }

    @MainActor private func move() {
        let stage = AppHost.life.stage
        for told in shown.withLock({ $0.machine.move(to: stage) }) {
            show(told.state)
            let (steps, state) = shown.withLock { shown in
                let steps = shown.scene.follow(told.step)
                return (steps, shown.scene.state)
            }
            tellScene(steps, then: state)
            tell(told.step)
            if told.step == .willResignActive || told.step == .willEnterForeground {
                show(.inactive)
            }
        }
        if stage == .background { assertions.settle() }
        if stage == .foreground { refresh.look() }
    }

    private func show(_ state: State) { shown.withLock { $0.state = state } }

    @MainActor private func tell(_ step: LifeStep) {
        // As on iOS: if the app declares scenes, their delegates are called instead.
        let delegate = AppHost.declared.scenes == nil ? delegate : nil
        switch step {
        case .didFinishLaunching:
            finishLaunching()
        case .didBecomeActive:
            delegate?.applicationDidBecomeActive(self)
            post(Self.didBecomeActiveNotification)
        case .willResignActive:
            delegate?.applicationWillResignActive(self)
            post(Self.willResignActiveNotification)
        case .didEnterBackground:
            delegate?.applicationDidEnterBackground(self)
            post(Self.didEnterBackgroundNotification)
        case .willEnterForeground:
            delegate?.applicationWillEnterForeground(self)
            post(Self.willEnterForegroundNotification)
        }
    }

    /// Tells the delegate, which registers its handlers then, before the stage says that it is over.
    @MainActor func launch() {
        shown.withLock { $0.machine.launched() }
        finishLaunching()
        AppHost.life.finishLaunching()
    }

    @MainActor private func finishLaunching() {
        _ = delegate?.application(self, willFinishLaunchingWithOptions: nil)
        _ = delegate?.application(self, didFinishLaunchingWithOptions: nil)
        post(Self.didFinishLaunchingNotification)
    }

    /// The process is about to end.
    @MainActor func terminate() {
        tellScene(shown.withLock { $0.scene.disconnect() }, then: .unattached)
        delegate?.applicationWillTerminate(self)
        post(Self.willTerminateNotification)
    }

    func post(_ name: NSNotification.Name) {
        NotificationCenter.default.post(name: name, object: self)
    }
}

extension UIApplication {
    /// Whether files that are protected until the first unlock can be read: the machine's factor
    /// `first-unlock`, by its sessions or as the host was told. True if unknown.
    public var isProtectedDataAvailable: Bool {
        AppHost.shared.factor(Int32(CURFEW_FACTOR_FIRST_UNLOCK)) != .no
    }
}
