// SPDX-License-Identifier: Apache-2.0
import UIKitBackground

/// A program whose scenes say what it does in the background: Apple's protocol, without windows.
///
/// ```swift
/// import SwiftUIBackground
///
/// @main
/// struct NewsApp: App {
///     var body: some Scene {
///         WindowGroup { EmptyView() }
///             .backgroundTask(.appRefresh("org.example.news.refresh")) { print("refreshed") }
///     }
/// }
/// ```
@preconcurrency @MainActor
public protocol App {
    /// The type of its scenes.
    associatedtype Body: Scene

    /// Its scenes.
    @SceneBuilder var body: Body { get }

    /// Makes the app, when the process begins.
    init()
}

extension App {
    /// Runs the app: registers the handlers of its background tasks, tells the delegate of its
    /// `UIApplicationDelegateAdaptor` of the launch, and does not return. `@main` calls it.
    public static func main() {
        let app = Self()
        for task in app.body._backgroundTasks { task.register() }
        UIApplication.run(DelegateOfApp.chosen ?? DelegateOfApp())
    }
}
