// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// Scenes and the machine, as an app sees them, in a process of its own.
@Suite("Scenes and the device")
struct DeviceTests {
    @Test(
        "The Info.plist's scene delegate follows the app's life, and the app's is not told of it",
        arguments: ["$(PRODUCT_MODULE_NAME).SceneDelegate", "SceneDelegate"])
    func scenes(name: String) throws {
        let run = try LifeHarness("scenes", ["--loud", "--scenes"], sceneDelegate: name)
        let own = run.lines.filter { !$0.hasPrefix("note did") && !$0.hasPrefix("note will") }
        #expect(
            own == [
                "willFinishLaunching inactive main", "didFinishLaunching inactive main",
                "willConnect Default unattached main", "note UISceneWillConnectNotification main",
                "scene willEnterForeground unattached main",
                "note UISceneWillEnterForegroundNotification main",
                "scene didBecomeActive foregroundActive main",
                "note UISceneDidActivateNotification main",
                "scene com.example.life.scene, 1",
                "scene willResignActive foregroundActive main",
                "note UISceneWillDeactivateNotification main",
                "scene didEnterBackground background main",
                "note UISceneDidEnterBackgroundNotification main", "background",
                "scene willEnterForeground background main",
                "note UISceneWillEnterForegroundNotification main",
                "scene didBecomeActive foregroundActive main",
                "note UISceneDidActivateNotification main", "didDisconnect unattached main",
                "note UISceneDidDisconnectNotification main", "willTerminate active main",
            ], "\(run.process)")
        #expect(run.lines.contains("note didEnterBackground main"))
        #expect(run.process.succeeded)
    }

    @Test("An app without scenes of its own has one without a delegate")
    func sceneless() throws {
        let run = try LifeHarness("sceneless")
        #expect(run.lines == ["foregroundActive, delegate false"], "\(run.process)")
    }

    @Test("A scene delegate that is not in the program is named, and the app goes on")
    func missingSceneDelegate() throws {
        let run = try LifeHarness("sceneless", sceneDelegate: "$(PRODUCT_MODULE_NAME).Missing")
        #expect(
            run.process.output.contains(
                "log: the Info.plist names the scene delegate $(PRODUCT_MODULE_NAME).Missing, and the program has no such class"
            ), "\(run.process)")
        let other = try LifeHarness("sceneless", sceneDelegate: "Delegate")
        #expect(other.process.output.contains("Delegate is no UISceneDelegate"), "\(other.process)")
    }

    @Test("Protected data can be asked for, and its changes are told on the main thread")
    func protectedData() throws {
        let run = try LifeHarness("protected-data")
        #expect(
            run.lines == [
                "true", "protectedDataWillBecomeUnavailable main",
                "note UIApplicationProtectedDataWillBecomeUnavailable main", "false",
                "protectedDataDidBecomeAvailable main",
                "note UIApplicationProtectedDataDidBecomeAvailable main",
                "protectedDataWillBecomeUnavailable main",
                "note UIApplicationProtectedDataWillBecomeUnavailable main",
            ], "\(run.process)")
    }

    @Test("A machine that is short of memory warns the app, once, and of nothing else")
    func memoryWarning() throws {
        let run = try LifeHarness("memory-warning")
        #expect(
            run.lines.filter { !$0.hasPrefix("protectedData") }
                == ["didReceiveMemoryWarning main", "note main"], "\(run.process)")
    }

    @Test("The battery can be asked for while it is monitored, and its changes are posted")
    func battery() throws {
        let run = try LifeHarness("battery")
        #expect(
            run.lines.filter { !$0.hasPrefix("protectedData") } == [
                "false unknown -1.0", "unplugged 0.5", "59 s later",
                "note UIDeviceBatteryLevelDidChangeNotification main", "unplugged 0.25",
                "note UIDeviceBatteryStateDidChangeNotification main", "charging 0.25",
                "unknown -1.0",
            ], "\(run.process)")
    }
}
