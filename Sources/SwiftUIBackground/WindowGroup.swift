// SPDX-License-Identifier: Apache-2.0

/// A scene that has windows on a phone. Here it has none, and its content is never made.
public struct WindowGroup<Content: View>: Scene {
    /// Makes it without its content.
    public init(@ViewBuilder content: @escaping () -> Content) {}

    /// Has none.
    public var body: Never { fatalError("a scene without a body has none") }
    /// Returns none.
    public var _backgroundTasks: [_BackgroundTaskHandler] { [] }
}
