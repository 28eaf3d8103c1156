// SPDX-License-Identifier: Apache-2.0
// Manner: uploads that go on for a while after the app has left the screen: one assertion for each, a
// helper that sees to it that none is ended twice, and the time that remains.
// Swift 6: yes
// Prints: 2 uploads begun
// Prints: uploaded holiday.jpg
// Prints: uploaded party.jpg
// Prints: nothing is held any more
import AppHost
import UIKitBackground

@MainActor
final class BackgroundAssertion {
    private var identifier: UIBackgroundTaskIdentifier = .invalid

    init(_ name: String) {
        identifier = UIApplication.shared.beginBackgroundTask(withName: name) { [weak self] in
            self?.end()
        }
    }

    func end() {
        guard identifier != .invalid else { return }
        UIApplication.shared.endBackgroundTask(identifier)
        identifier = .invalid
    }

    var isHeld: Bool { identifier != .invalid }
}

@MainActor
final class Uploader {
    static let shared = Uploader()

    private var assertions: [String: BackgroundAssertion] = [:]

    func upload(_ names: [String]) {
        for name in names { assertions[name] = BackgroundAssertion("Upload of \(name)") }
        print("\(assertions.count) uploads begun")
        Task {
            for name in names { await self.upload(name) }
            print(self.assertions.isEmpty ? "nothing is held any more" : "leaked")
            exit(0)
        }
    }

    private func upload(_ name: String) async {
        await Task.yield()
        print("uploaded \(name)")
        assertions.removeValue(forKey: name)?.end()
    }
}

@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        DispatchQueue.main.async { AppHost.life.enterBackground() }
        Uploader.shared.upload(["holiday.jpg", "party.jpg"])
        return true
    }
}
