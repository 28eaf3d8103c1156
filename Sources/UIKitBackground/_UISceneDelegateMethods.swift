// SPDX-License-Identifier: Apache-2.0

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
