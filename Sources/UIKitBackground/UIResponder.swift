// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// The class that an app's delegate derives from. There are no events to respond to.
open class UIResponder: NSObject {
    /// Makes it; `UIApplicationDelegate.main` makes the delegate so.
    public required override init() {}
}
