// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// Receives the steps of a scene's life, on the main thread. Each method is optional, as those of
/// `UIApplicationDelegate` are.
@preconcurrency @MainActor
public protocol UISceneDelegate: NSObjectProtocol {
    /// The scene is connected, when the app comes to the foreground for the first time.
    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions)

    /// The scene is not connected any more: the process is about to end.
    func sceneDidDisconnect(_ scene: UIScene)

    /// The scene is seen, and its user can work with it.
    func sceneDidBecomeActive(_ scene: UIScene)

    /// The scene is about to leave the foreground.
    func sceneWillResignActive(_ scene: UIScene)

    /// The scene is about to be seen.
    func sceneWillEnterForeground(_ scene: UIScene)

    /// The scene is not seen any more. Requests are submitted here, as in
    /// `applicationDidEnterBackground`.
    func sceneDidEnterBackground(_ scene: UIScene)
}

extension UISceneDelegate {
    /// Does nothing.
    public func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {}

    /// Does nothing.
    public func sceneDidDisconnect(_ scene: UIScene) {}
    /// Does nothing.
    public func sceneDidBecomeActive(_ scene: UIScene) {}
    /// Does nothing.
    public func sceneWillResignActive(_ scene: UIScene) {}
    /// Does nothing.
    public func sceneWillEnterForeground(_ scene: UIScene) {}
    /// Does nothing.
    public func sceneDidEnterBackground(_ scene: UIScene) {}
}

/// Receives the steps of a window scene's life.
@preconcurrency @MainActor
public protocol UIWindowSceneDelegate: UISceneDelegate {}
