// SPDX-License-Identifier: Apache-2.0
import AppHost
import CurfewValues
public import Foundation

/// A launch of a handler. Abstract: the launch handler gets a subclass, by the kind of the request.
///
/// The handler has to complete the task as early as possible, and at the latest shortly after
/// `expirationHandler` was called. All members may be used from any thread.
open class BGTask: NSObject, @unchecked Sendable {
    // Sendable: what changes is behind the lock.

    /// The identifier of its handler.
    public let identifier: String

    let launch: TaskLaunch
    private let life = Locked(TaskLifeStateMachine())
    private let handler = Locked<ExpirationHandler?>(nil)

    init(_ launch: TaskLaunch) {
        identifier = launch.identifier
        self.launch = launch
    }

    /// Called once, when the time is up or something that the task needs is lost. It cleans up, quickly,
    /// and sees to it that the task is completed. Cleared when it is called, and when the task is
    /// completed. Without one the task is completed as unsuccessful in its place.
    ///
    /// The expiration handler is called on the queue of the launch handler; if that is nil, on a
    /// queue of the system, concurrently with the launch handler. A serial queue calls it after its
    /// current block has returned, such as the launch handler: the grace passes meanwhile, and at
    /// its end the task expires, whatever the handler does later.
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

    /// The description, as Apple prints it.
    open override var description: String { "<\(type(of: self)): \(identifier)>" }
}

/// A task that refreshes what the app shows: 30 s.
open class BGAppRefreshTask: BGTask, @unchecked Sendable {}

/// A processing task of a study that the user takes part in.
open class BGHealthResearchTask: BGProcessingTask, @unchecked Sendable {}

/// A task that takes minutes. It expires when the machine's user comes back.
open class BGProcessingTask: BGTask, @unchecked Sendable {}
