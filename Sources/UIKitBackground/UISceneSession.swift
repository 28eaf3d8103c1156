// SPDX-License-Identifier: Apache-2.0
import AppHost
import CurfewValues
public import Foundation

/// The part of a scene that also exists while it is not connected.
open class UISceneSession: NSObject, @unchecked Sendable {
    // Sendable: what changes is behind the lock.

    /// The purpose of a scene.
    public struct Role: RawRepresentable, Hashable, Sendable {
        /// The word.
        public let rawValue: String
        /// Takes any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It shows windows on the machine's own screen.
        public static let windowApplication = Role(rawValue: "UIWindowSceneSessionRoleApplication")
    }

    /// The purpose of the scene.
    public let role: Role
    /// A name that is constant over starts of the app.
    public let persistentIdentifier: String

    private let kept: Locked<UISceneConfiguration>
    private let connected = Locked<WeakScene>(WeakScene())

    private struct WeakScene {
        weak var scene: UIScene?
    }

    init(_ configuration: UISceneConfiguration, identifier: String) {
        role = configuration.role
        persistentIdentifier = identifier
        kept = Locked(configuration)
    }

    /// The configuration of the scene.
    open var configuration: UISceneConfiguration { kept.withLock { $0 } }

    /// The scene, while it is connected.
    open var scene: UIScene? { connected.withLock { $0.scene } }

    func use(_ configuration: UISceneConfiguration) { kept.exchange(configuration) }

    func connect(_ scene: UIScene?) { connected.exchange(WeakScene(scene: scene)) }
}
