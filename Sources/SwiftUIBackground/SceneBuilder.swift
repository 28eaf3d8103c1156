// SPDX-License-Identifier: Apache-2.0

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
