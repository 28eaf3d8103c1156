// SPDX-License-Identifier: Apache-2.0
import UIKitBackground

/// The delegate of an app that has none of its own.
final class DelegateOfApp: UIResponder, UIApplicationDelegate {
    /// The delegate of the app's `UIApplicationDelegateAdaptor`.
    static var chosen: (any UIApplicationDelegate)?
}
