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

/// Puts the scenes of a body together.
@MainActor @preconcurrency
@resultBuilder public struct SceneBuilder {
    /// Returns the scene.
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }

    /// Returns several scenes as one.
    public static func buildBlock<each Content: Scene>(
        _ content: repeat each Content
    ) -> some Scene { _Scenes(repeat each content) }
}

/// A scene and a background task that it handles.
public struct _SceneWithTask<Content: Scene>: Scene {
    let content: Content
    let handler: _BackgroundTaskHandler

    /// Has none.
    public var body: Never { fatalError("a scene without a body has none") }
    /// Returns those of the scene, and its own.
    public var _backgroundTasks: [_BackgroundTaskHandler] { content._backgroundTasks + [handler] }
}

/// Several scenes.
public struct _Scenes<each Content: Scene>: Scene {
    private let content: (repeat each Content)

    init(_ content: repeat each Content) { self.content = (repeat each content) }

    /// Has none.
    public var body: Never { fatalError("a scene without a body has none") }

    /// Returns those of each scene.
    public var _backgroundTasks: [_BackgroundTaskHandler] {
        var all: [_BackgroundTaskHandler] = []
        for scene in repeat each content { all += scene._backgroundTasks }
        return all
    }
}
