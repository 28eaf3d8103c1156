// SPDX-License-Identifier: Apache-2.0

// Apple's protocol has optional methods, which Swift supports with Objective-C only: callers write
// `delegate.applicationWillTerminate?(application)`. Here every method has a default
// implementation, and beside it a property of its base name, which is never nil, so that such a
// call compiles.
extension UIApplicationDelegate {
    /// Returns the methods whose names begin with `application(`, to be called with `?`.
    public var application: _UIApplicationDelegateMethods? {
        _UIApplicationDelegateMethods(delegate: self)
    }

    /// Returns the method of this name, to be called with `?`.
    public var applicationDidBecomeActive: ((UIApplication) -> Void)? {
        { self.applicationDidBecomeActive($0) }
    }

    /// Returns the method of this name, to be called with `?`.
    public var applicationWillResignActive: ((UIApplication) -> Void)? {
        { self.applicationWillResignActive($0) }
    }

    /// Returns the method of this name, to be called with `?`.
    public var applicationDidEnterBackground: ((UIApplication) -> Void)? {
        { self.applicationDidEnterBackground($0) }
    }

    /// Returns the method of this name, to be called with `?`.
    public var applicationWillEnterForeground: ((UIApplication) -> Void)? {
        { self.applicationWillEnterForeground($0) }
    }

    /// Returns the method of this name, to be called with `?`.
    public var applicationWillTerminate: ((UIApplication) -> Void)? {
        { self.applicationWillTerminate($0) }
    }

    /// Returns the method of this name, to be called with `?`.
    public var applicationDidReceiveMemoryWarning: ((UIApplication) -> Void)? {
        { self.applicationDidReceiveMemoryWarning($0) }
    }

    /// Returns the method of this name, to be called with `?`.
    public var applicationProtectedDataDidBecomeAvailable: ((UIApplication) -> Void)? {
        { self.applicationProtectedDataDidBecomeAvailable($0) }
    }

    /// Returns the method of this name, to be called with `?`.
    public var applicationProtectedDataWillBecomeUnavailable: ((UIApplication) -> Void)? {
        { self.applicationProtectedDataWillBecomeUnavailable($0) }
    }
}
