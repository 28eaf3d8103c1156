// SPDX-License-Identifier: Apache-2.0
// Manner: an app delegate that derives from NSObject and has an init() of its own, responders with and
// without init(), and calls of the delegate's optional methods.
// Swift 6: yes
// Prints: launched, with 2 accounts
// Prints: responders: 3
// Prints: in the background
// Prints: fetched: newData
import UIKitBackground

class Page: UIResponder {
    let number: Int

    override init() {
        number = 1
        super.init()
    }
}

class Section: UIResponder {
    let title: String

    init(title: String) {
        self.title = title
        super.init()
    }
}

@main
class AppDelegate: NSObject, UIApplicationDelegate {
    let accounts: [String]

    override init() {
        accounts = ["home", "work"]
        super.init()
    }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        print("launched, with \(accounts.count) accounts")
        let responders: [UIResponder] = [application, Page(), Section(title: "News")]
        print("responders: \(responders.count)")
        application.delegate?.applicationDidEnterBackground?(application)
        application.delegate?.applicationWillTerminate?(application)
        application.delegate?.application?(application) { print("fetched: \($0)") }
        exit(0)
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        print("in the background")
    }

    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler:
            @escaping (UIBackgroundFetchResult) -> Void
    ) {
        completionHandler(.newData)
    }
}
