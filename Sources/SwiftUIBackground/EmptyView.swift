// SPDX-License-Identifier: Apache-2.0

/// A view of nothing.
public struct EmptyView: View {
    /// Makes it.
    public nonisolated init() {}

    /// Has none.
    public var body: Never { fatalError("a view without a body has none") }
}
