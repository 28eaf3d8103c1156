// SPDX-License-Identifier: Apache-2.0

/// One step of an app's life cycle: a call of its delegate, then a notification.
enum LifeStep: Sendable, Equatable {
    case didFinishLaunching
    case didBecomeActive
    case willResignActive
    case didEnterBackground
    case willEnterForeground
}
