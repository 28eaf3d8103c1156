// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// The configuration of a scene: the class of its delegate.
open class UISceneConfiguration: NSObject, @unchecked Sendable {
    // Sendable: as in Apple's framework it is filled by one thread, and then returned.

    /// Its name in the `Info.plist`.
    public let name: String?
    /// The purpose of the scene.
    public let role: UISceneSession.Role

    /// The class of the scene's delegate, of which an instance is made by its `init()`.
    open var delegateClass: AnyClass?

    /// Makes one without a delegate.
    public init(name: String?, sessionRole: UISceneSession.Role) {
        self.name = name
        role = sessionRole
    }
}
