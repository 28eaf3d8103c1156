// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// The notifications, which are posted with the `UIApplication` as object, on the main thread,
/// after the call of the delegate.
extension UIApplication {
    /// The app has finished launching.
    public class var didFinishLaunchingNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationDidFinishLaunchingNotification")
    }

    /// The app is seen, and its user can work with it.
    public class var didBecomeActiveNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationDidBecomeActiveNotification")
    }

    /// The app is about to leave the foreground.
    public class var willResignActiveNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationWillResignActiveNotification")
    }

    /// The app is not seen any more.
    public class var didEnterBackgroundNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationDidEnterBackgroundNotification")
    }

    /// The app is about to be seen again.
    public class var willEnterForegroundNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationWillEnterForegroundNotification")
    }

    /// The process is about to end.
    public class var willTerminateNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationWillTerminateNotification")
    }

    /// The machine is short of memory.
    public class var didReceiveMemoryWarningNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationDidReceiveMemoryWarningNotification")
    }

    /// `isProtectedDataAvailable` has become true.
    public class var protectedDataDidBecomeAvailableNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationProtectedDataDidBecomeAvailable")
    }

    /// `isProtectedDataAvailable` has become false.
    public class var protectedDataWillBecomeUnavailableNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationProtectedDataWillBecomeUnavailable")
    }

    /// `backgroundRefreshStatus` has changed.
    public class var backgroundRefreshStatusDidChangeNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationBackgroundRefreshStatusDidChangeNotification")
    }

    /// Another name of the notification.
    public class var backgroundStatusDidChangeNotification: NSNotification.Name {
        backgroundRefreshStatusDidChangeNotification
    }

    /// Curfew's own: nothing keeps the app running any more, and Apple's system would stop it here
    /// until it is seen or launched again. Nothing is stopped: who wants to save what a phone saves,
    /// stops its own work.
    public class var didSuspendNotification: NSNotification.Name {
        NSNotification.Name("CurfewApplicationDidSuspendNotification")
    }

    /// Curfew's own: after `didSuspendNotification` the app goes on.
    public class var didResumeNotification: NSNotification.Name {
        NSNotification.Name("CurfewApplicationDidResumeNotification")
    }
}
