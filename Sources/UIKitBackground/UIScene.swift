// SPDX-License-Identifier: Apache-2.0
import AppHost
import CurfewValues
public import Foundation

/// An instance of the app's user interface, with its life cycle only.
///
/// An app has one here, a `UIWindowScene` without windows. It is connected when the app comes to the
/// foreground for the first time, and follows the app's life from then on.
open class UIScene: UIResponder, @unchecked Sendable {
    // Sendable: what changes is behind the lock.

    /// The state of a scene.
    public enum ActivationState: Int, Sendable {
        /// The scene is not connected.
        case unattached = -1
        /// Its user sees it, and works with it.
        case foregroundActive = 0
        /// Its user sees it.
        case foregroundInactive = 1
        /// The scene is in the background.
        case background = 2
    }

    /// Why a scene is connected: nothing is known of that here.
    open class ConnectionOptions: NSObject, @unchecked Sendable {
        // Sendable: it has no state.
        override init() {}
    }

    private struct State {
        var activation = ActivationState.unattached
        nonisolated(unsafe) var delegate: (any UISceneDelegate)?
        var title: String?
    }

    /// The session that it belongs to.
    public let session: UISceneSession

    private let state = Locked(State())

    /// Makes a scene that is not connected.
    public init(session: UISceneSession, connectionOptions: UIScene.ConnectionOptions) {
        self.session = session
    }

    /// The state of the scene.
    open var activationState: ActivationState { state.withLock { $0.activation } }

    /// Receives the steps of its life.
    open var delegate: (any UISceneDelegate)? {
        get { state.withLock { $0.delegate } }
        set {
            let old = state.withLock { state in
                let old = state.delegate
                state.delegate = newValue
                return old
            }
            _ = old
        }
    }

    /// The title that its user reads. It is kept, and has no effect.
    open var title: String! {
        get { state.withLock { $0.title } }
        set { state.withLock { $0.title = newValue } }
    }

    func show(_ activation: ActivationState) { state.withLock { $0.activation = activation } }
}

/// A scene that has windows on a phone. Here it has none.
open class UIWindowScene: UIScene, @unchecked Sendable {}
