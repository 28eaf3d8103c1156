// SPDX-License-Identifier: Apache-2.0

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
