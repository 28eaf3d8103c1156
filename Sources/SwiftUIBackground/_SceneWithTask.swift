// SPDX-License-Identifier: Apache-2.0

/// A scene and a background task that it handles.
public struct _SceneWithTask<Content: Scene>: Scene {
    let content: Content
    let handler: _BackgroundTaskHandler

    /// Has none.
    public var body: Never { fatalError("a scene without a body has none") }
    /// Returns those of the scene, and its own.
    public var _backgroundTasks: [_BackgroundTaskHandler] { content._backgroundTasks + [handler] }
}
