// SPDX-License-Identifier: Apache-2.0

/// The scenes of an app, from `UIApplicationSceneManifest` in its `Info.plist`: the first
/// configuration for windows on the machine's own screen.
package struct AppSceneManifest: Sendable {
    /// `UISceneConfigurationName`.
    package let configurationName: String?
    /// `UISceneDelegateClassName`.
    package let delegateClassName: String?

    /// Returns nil if the app has no scenes of its own.
    init?(_ contents: [String: Any]) {
        guard let manifest = contents["UIApplicationSceneManifest"] as? [String: Any] else {
            return nil
        }
        let roles = manifest["UISceneConfigurations"] as? [String: Any]
        let first = (roles?["UIWindowSceneSessionRoleApplication"] as? [Any])?.first
        let configuration = first as? [String: Any]
        configurationName = configuration?["UISceneConfigurationName"] as? String
        delegateClassName = configuration?["UISceneDelegateClassName"] as? String
    }
}
