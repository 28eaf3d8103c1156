// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// Notifications of a scene's life cycle, which are posted with the scene as object, on the main
/// thread, after the call of its delegate.
extension UIScene {
    /// The scene is connected.
    public class var willConnectNotification: NSNotification.Name {
        NSNotification.Name("UISceneWillConnectNotification")
    }

    /// The scene is not connected any more.
    public class var didDisconnectNotification: NSNotification.Name {
        NSNotification.Name("UISceneDidDisconnectNotification")
    }

    /// The scene is seen, and its user can work with it.
    public class var didActivateNotification: NSNotification.Name {
        NSNotification.Name("UISceneDidActivateNotification")
    }

    /// The scene is about to leave the foreground.
    public class var willDeactivateNotification: NSNotification.Name {
        NSNotification.Name("UISceneWillDeactivateNotification")
    }

    /// The scene is about to be seen.
    public class var willEnterForegroundNotification: NSNotification.Name {
        NSNotification.Name("UISceneWillEnterForegroundNotification")
    }

    /// The scene is not seen any more.
    public class var didEnterBackgroundNotification: NSNotification.Name {
        NSNotification.Name("UISceneDidEnterBackgroundNotification")
    }
}
