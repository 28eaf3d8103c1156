// SPDX-License-Identifier: Apache-2.0

// The methods as optional ones, as those of UIApplicationDelegate.
extension UISceneDelegate {
    /// Returns the method of this name, to be called with `?`.
    public var scene: _UISceneDelegateMethods? { _UISceneDelegateMethods(delegate: self) }

    /// Returns the method of this name, to be called with `?`.
    public var sceneDidDisconnect: ((UIScene) -> Void)? { { self.sceneDidDisconnect($0) } }

    /// Returns the method of this name, to be called with `?`.
    public var sceneDidBecomeActive: ((UIScene) -> Void)? { { self.sceneDidBecomeActive($0) } }

    /// Returns the method of this name, to be called with `?`.
    public var sceneWillResignActive: ((UIScene) -> Void)? { { self.sceneWillResignActive($0) } }

    /// Returns the method of this name, to be called with `?`.
    public var sceneWillEnterForeground: ((UIScene) -> Void)? {
        { self.sceneWillEnterForeground($0) }
    }

    /// Returns the method of this name, to be called with `?`.
    public var sceneDidEnterBackground: ((UIScene) -> Void)? {
        { self.sceneDidEnterBackground($0) }
    }
}

/// The method of a delegate that is called `scene`, with its labels: the value of `delegate.scene` in
/// `delegate.scene?(scene, willConnectTo: session, options: options)`.
@preconcurrency @MainActor
public struct _UISceneDelegateMethods {
    let delegate: any UISceneDelegate

    /// Calls the delegate's.
    public func callAsFunction(
        _ scene: UIScene, willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {
        delegate.scene(scene, willConnectTo: session, options: connectionOptions)
    }
}
