// SPDX-License-Identifier: Apache-2.0
import AppHost
public import Foundation

/// One launch of a handler. Abstract: the launch handler gets one of its subclasses, by the kind of the
/// request.
///
/// It has to be completed: as early as possible, and at the latest a moment after `expirationHandler`
/// was called. All may be used from any thread.
open class BGTask: NSObject, @unchecked Sendable {
    // Sendable: what changes is behind the lock.

    /// The identifier of its handler.
    public let identifier: String

    let launch: TaskLaunch
    private let life = AppLocked(TaskLifeStateMachine())
    private let handler = AppLocked<ExpirationHandler?>(nil)

    init(_ launch: TaskLaunch) {
        identifier = launch.identifier
        self.launch = launch
    }

    /// Called once, on a thread of the system's, concurrently with the launch handler, when the time is
    /// up or something that the task needs is lost. It cleans up, quickly, and sees to it that the task
    /// is completed. Cleared when it is called, and when the task is completed. Without one the task is
    /// completed as unsuccessful in its place.
    open var expirationHandler: (() -> Void)? {
        get { handler.withLock { $0?.body } }
        set {
            // Whoever comes too late is not called any more.
            let kept = life.withLock { $0.isOpen } ? newValue.map(ExpirationHandler.init) : nil
            handler.exchange(kept)
        }
    }

    /// Completes the task. The first call counts.
    open func setTaskCompleted(success: Bool) {
        guard life.withLock({ $0.complete() }) else { return }
        handler.exchange(nil)
        willComplete(success)
        launch.complete(success)
    }

    /// Its time is up, or it was lost what it needs: once.
    func expire() {
        guard life.withLock({ $0.expire() }) else { return }
        guard let handler = handler.exchange(nil) else {
            setTaskCompleted(success: false)
            return
        }
        handler.body()
    }

    /// What a kind of tasks does before it is over.
    func willComplete(_ success: Bool) {}

    deinit {
        guard life.withLock({ $0.complete() }) else { return }
        launch.abandon(
            "Task <\(type(of: self)): \(identifier)> dealloc'd without completing. This is a programmer error."
        )
    }

    /// As Apple prints it.
    open override var description: String { "<\(type(of: self)): \(identifier)>" }
}
