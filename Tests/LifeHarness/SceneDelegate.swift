// SPDX-License-Identifier: Apache-2.0
import TestSupport
import UIKitBackground

/// Says what it is told, as the delegate of the app's scene.
final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    private var title = "no title"

    private func told(_ what: String, _ scene: UIScene) {
        say("\(what) \(scene.activationState) \(thread)")
    }

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {
        told("willConnect \(session.configuration.name ?? "without a name")", scene)
        title = scene.session.persistentIdentifier
        scene.title = title
    }

    func sceneDidDisconnect(_ scene: UIScene) { told("didDisconnect", scene) }
    func sceneDidBecomeActive(_ scene: UIScene) {
        told("scene didBecomeActive", scene)
        Scenario.active.send()
    }
    func sceneWillResignActive(_ scene: UIScene) { told("scene willResignActive", scene) }
    func sceneWillEnterForeground(_ scene: UIScene) { told("scene willEnterForeground", scene) }
    func sceneDidEnterBackground(_ scene: UIScene) { told("scene didEnterBackground", scene) }
}
