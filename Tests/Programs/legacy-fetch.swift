// SPDX-License-Identifier: Apache-2.0
// Manner: an app from before iOS 13, which asks for fetches in didFinishLaunching, and in
// performFetch tells the three results apart.
// Swift 6: yes
// Modes: fetch
// Prints: asked for fetches
// Prints: fetched: newData
// Prints: fetched: noData
// Prints: fetched: failed
import AppHost
import UIKitBackground

struct NewsError: Error {}

@MainActor
final class NewsStore {
    private var pages = [["first", "second"], []]

    func load(_ completion: (Result<[String], Error>) -> Void) {
        completion(pages.isEmpty ? .failure(NewsError()) : .success(pages.removeFirst()))
    }
}

@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
    private let store = NewsStore()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        application.setMinimumBackgroundFetchInterval(UIApplication.backgroundFetchIntervalMinimum)
        print("asked for fetches")
        // What Xcode's menu does.
        for _ in 1...3 {
            self.application(application) { result in
                print("fetched: \(result)")
            }
        }
        exit(0)
    }

    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler:
            @escaping (UIBackgroundFetchResult) -> Void
    ) {
        store.load { result in
            switch result {
            case .success(let news) where news.isEmpty: completionHandler(.noData)
            case .success: completionHandler(.newData)
            case .failure: completionHandler(.failed)
            }
        }
    }
}
