// SPDX-License-Identifier: Apache-2.0

/// A part of a window, on a phone.
@preconcurrency @MainActor
public protocol View {
    /// The type of its body.
    associatedtype Body: View

    /// The views it consists of.
    @ViewBuilder var body: Body { get }
}

extension Never: View {}

/// A view of nothing.
public struct EmptyView: View {
    /// Makes it.
    public nonisolated init() {}

    /// Has none.
    public var body: Never { fatalError("a view without a body has none") }
}

/// Puts the views of a body together: one, or none.
@MainActor @preconcurrency
@resultBuilder public struct ViewBuilder {
    /// Returns the view.
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    /// Returns a view of nothing.
    public static func buildBlock() -> EmptyView { EmptyView() }
}
