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

    /// Called once, when the time is up or something that the task needs is lost. It cleans up, quickly,
    /// and sees to it that the task is completed. Cleared when it is called, and when the task is
    /// completed. Without one the task is completed as unsuccessful in its place.
    ///
    /// It is called on the queue that the launch handler was registered with; where that was nil, on a
    /// queue of the system's, concurrently with the launch handler. A serial queue calls it when what it
    /// has begun returns, the launch handler for instance: the task's grace goes on meanwhile, and when
    /// that is over the task has expired, whatever is answered later.
    open var expirationHandler: (() -> Void)? {
        get { handler.withLock { $0?.body } }
        set {
            // A handler that is set after the expiration is not called any more.
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

    /// Finishes the task's kind-specific work before the task is over.
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
