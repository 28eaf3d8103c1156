// SPDX-License-Identifier: Apache-2.0

/// Where an app is in its life, as it says itself.
public enum AppStage: Sendable {
    /// It has not said that it finished launching. A program without a user interface stays here, and
    /// nothing is held against it.
    case launching
    /// Its user sees it.
    case foreground
    /// It goes on, unseen, for as long as it may.
    case background
}
