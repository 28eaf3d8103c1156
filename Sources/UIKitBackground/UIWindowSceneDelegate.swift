// SPDX-License-Identifier: Apache-2.0

/// Receives the steps of a window scene's life.
@preconcurrency @MainActor
public protocol UIWindowSceneDelegate: UISceneDelegate {}
