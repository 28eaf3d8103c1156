// SPDX-License-Identifier: Apache-2.0

/// One step of a scene's life.
enum SceneStep: Sendable, Equatable {
    case willConnect
    case willEnterForeground
    case didBecomeActive
    case willResignActive
    case didEnterBackground
    case didDisconnect
}
