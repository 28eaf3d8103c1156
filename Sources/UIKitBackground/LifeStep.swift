// SPDX-License-Identifier: Apache-2.0

/// One step of an app's life: what its delegate is told, and then whoever observes it.
enum LifeStep: Sendable, Equatable {
    case didFinishLaunching
    case didBecomeActive
    case willResignActive
    case didEnterBackground
    case willEnterForeground
}
