// SPDX-License-Identifier: Apache-2.0

/// Puts the views of a body together: one, or none.
@MainActor @preconcurrency
@resultBuilder public struct ViewBuilder {
    /// Returns the view.
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    /// Returns a view of nothing.
    public static func buildBlock() -> EmptyView { EmptyView() }
}
