// SPDX-License-Identifier: Apache-2.0

/// The stage of an app's life cycle, as the app reports it.
public enum AppStage: Sendable {
    /// The launch has not finished. A program without a user interface stays in this stage, which
    /// has no disadvantage.
    case launching
    /// The user sees the app.
    case foreground
    /// The user does not see the app, which continues to run as long as it may.
    case background
}
