// SPDX-License-Identifier: Apache-2.0
// Manner: a SwiftUI app with a delegate, whose scenes handle a refresh each, one of which expires.
// Flags: -module-alias SwiftUI=SwiftUIBackground
// Swift 6: yes
// Permits: com.example.swiftui.refresh, com.example.swiftui.feed
// Modes: fetch
// Prints: launched
// Prints: refreshed: 3 articles
// Prints: the feed was cancelled: true
import BackgroundTasks
import SwiftUI

actor ArticleStore {
    static let shared = ArticleStore()

    func refresh() async -> Int { 3 }
}

class AppDelegate: NSObject, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        print("launched")
        submit("com.example.swiftui.refresh")
        return true
    }
}

func submit(_ identifier: String) {
    let request = BGAppRefreshTaskRequest(identifier: identifier)
    request.earliestBeginDate = .now.addingTimeInterval(3600)
    do {
        try BGTaskScheduler.shared.submit(request)
        // What Apple's debugger does.
        BGTaskScheduler.shared._simulateLaunchForTask(withIdentifier: identifier)
    } catch {
        print("not submitted: \(error)")
    }
}

@main
struct NewsApp: App {
    @UIApplicationDelegateAdaptor(AppDelegate.self) private var delegate

    var body: some Scene {
        WindowGroup {
            EmptyView()
        }
        .backgroundTask(.appRefresh("com.example.swiftui.refresh")) {
            let count = await ArticleStore.shared.refresh()
            print("refreshed: \(count) articles")
            submit("com.example.swiftui.feed")
        }
        WindowGroup {
            EmptyView()
        }
        .backgroundTask(.appRefresh("com.example.swiftui.feed")) {
            BGTaskScheduler.shared._simulateExpirationForTask(
                withIdentifier: "com.example.swiftui.feed")
            while !Task.isCancelled { await Task.yield() }
            print("the feed was cancelled: \(Task.isCancelled)")
            exit(0)
        }
    }
}
