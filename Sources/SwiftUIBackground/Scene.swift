// SPDX-License-Identifier: Apache-2.0

/// A part of an app, with the background tasks that it handles.
@preconcurrency @MainActor
public protocol Scene {
    /// The type of its body.
    associatedtype Body: Scene

    /// The scenes it consists of.
    @SceneBuilder var body: Body { get }

    /// Curfew's own: the background tasks that it handles.
    var _backgroundTasks: [_BackgroundTaskHandler] { get }
}

extension Scene {
    /// Returns those of its body.
    public var _backgroundTasks: [_BackgroundTaskHandler] { body._backgroundTasks }

    /// Calls `action` when the system launches a task of that kind. The task is completed when it
    /// returns. Its time is up when the `Task` that `action` runs in is cancelled.
    public func backgroundTask<D: Sendable, R: Sendable>(
        _ task: BackgroundTask<D, R>, action: @escaping @Sendable (D) async -> R
    ) -> some Scene {
        let request = task.request
        return _SceneWithTask(
            content: self,
            handler: _BackgroundTaskHandler(identifier: task.identifier) {
                _ = await action(request)
            })
    }
}

/// The body of a scene that consists of nothing else.
extension Never: Scene {
    /// Is never asked for.
    public var body: Never { fatalError("a scene without a body has none") }
}
