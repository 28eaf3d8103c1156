// SPDX-License-Identifier: Apache-2.0

extension UIApplicationDelegate {
    /// Runs the app with a delegate of this class, made by its `init()`. `@main` calls it; it does not
    /// return.
    public static func main() {
        guard let delegate = _RuntimeInstance.make(Self.self) as? any UIApplicationDelegate else {
            fatalError("\(Self.self) is a delegate, and an instance of it is not")
        }
        UIApplication.run(delegate)
    }
}
