// SPDX-License-Identifier: Apache-2.0
import AppHost
import CurfewValues
import Foundation

/// The app's scene.
extension UIApplication {
    /// The scenes that are connected: one from the first time on that the app is in the foreground.
    public var connectedScenes: Set<UIScene> { scene.withLock { $0 }.map { [$0] } ?? [] }

    /// Makes the scene and its delegate, of the class that the app's delegate or the `Info.plist` names.
    @MainActor private func connect() -> UIWindowScene {
        let bundle = AppHost.declared
        let configuration = UISceneConfiguration(
            name: bundle.scenes?.configurationName, sessionRole: .windowApplication)
        configuration.delegateClass = bundle.scenes?.delegateClassName.flatMap(delegateClass)
        let session = UISceneSession(configuration, identifier: bundle.identifier + ".scene")
        let options = UIScene.ConnectionOptions()
        if let delegate {
            session.use(
                delegate.application(self, configurationForConnecting: session, options: options))
        }
        let made = UIWindowScene(session: session, connectionOptions: options)
        if let type = session.configuration.delegateClass {
            made.delegate = _RuntimeInstance.make(type) as? any UISceneDelegate
            if made.delegate == nil {
                AppHost.shared.log(.error, "\(type) is no UISceneDelegate, so the scene has none")
            }
        }
        session.connect(made)
        scene.exchange(made)
        return made
    }

    /// Returns the class that an `Info.plist` names: `Module.Class`, with Xcode's word for the module, or
    /// `Class` alone.
    private func delegateClass(_ name: String) -> AnyClass? {
        let module = delegate.map { String(reflecting: type(of: $0)).prefix { $0 != "." } } ?? ""
        let full = name.replacingOccurrences(of: "$(PRODUCT_MODULE_NAME)", with: String(module))
        let found: AnyClass? = NSClassFromString(full.contains(".") ? full : "\(module).\(full)")
        if found == nil {
            AppHost.shared.log(
                .error,
                "the Info.plist names the scene delegate \(name), and the program has no such class, so the scene has none; write it as Module.Class"
            )
        }
        return found
    }

    @MainActor func tellScene(
        _ steps: [SceneStateMachine.Told], then state: UIScene.ActivationState
    ) {
        guard !steps.isEmpty else { return }
        let scene = scene.withLock { $0 } ?? connect()
        for told in steps {
            scene.show(told.state)
            tell(told.step, scene)
        }
        scene.show(state)
        if state == .unattached {
            scene.session.connect(nil)
            self.scene.exchange(nil)
        }
    }

    @MainActor private func tell(_ step: SceneStep, _ scene: UIWindowScene) {
        let delegate = scene.delegate
        let name: NSNotification.Name
        switch step {
        case .willConnect:
            delegate?.scene(
                scene, willConnectTo: scene.session, options: UIScene.ConnectionOptions())
            name = UIScene.willConnectNotification
        case .willEnterForeground:
            delegate?.sceneWillEnterForeground(scene)
            name = UIScene.willEnterForegroundNotification
        case .didBecomeActive:
            delegate?.sceneDidBecomeActive(scene)
            name = UIScene.didActivateNotification
        case .willResignActive:
            delegate?.sceneWillResignActive(scene)
            name = UIScene.willDeactivateNotification
        case .didEnterBackground:
            delegate?.sceneDidEnterBackground(scene)
            name = UIScene.didEnterBackgroundNotification
        case .didDisconnect:
            delegate?.sceneDidDisconnect(scene)
            name = UIScene.didDisconnectNotification
        }
        NotificationCenter.default.post(name: name, object: scene)
    }
}
