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
