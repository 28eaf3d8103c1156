// SPDX-License-Identifier: Apache-2.0

extension UIApplicationDelegate {
    /// Runs the app with a delegate of this class, made by its `init()`. `@main` calls it; it does not
    /// return.
    public static func main() { UIApplication.run(_RuntimeInstance.make(Self.self)) }
}
