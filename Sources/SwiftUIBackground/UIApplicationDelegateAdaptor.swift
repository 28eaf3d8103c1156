// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import UIKitBackground

/// The delegate of an `App`, as a property of it: an instance that is made by its `init()`.
@MainActor @preconcurrency
@propertyWrapper public struct UIApplicationDelegateAdaptor<DelegateType>
where DelegateType: NSObject, DelegateType: UIApplicationDelegate {
    /// The delegate.
    public let wrappedValue: DelegateType

    /// Makes the delegate.
    public init(_ delegateType: DelegateType.Type = DelegateType.self) {
        guard let made = _RuntimeInstance.make(delegateType) as? DelegateType else {
            fatalError("an instance of \(delegateType) is not one")
        }
        wrappedValue = made
        DelegateOfApp.chosen = made
    }
}

/// The delegate of an app that has none of its own.
final class DelegateOfApp: UIResponder, UIApplicationDelegate {
    /// The delegate of the app's `UIApplicationDelegateAdaptor`.
    static var chosen: (any UIApplicationDelegate)?
}
