// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// `curfew serve` with the system's bus as a source of factors: a real dbus-daemon, services by dbusmock.
@Suite("The system's bus")
struct BusTests {
    private let files: TemporaryDirectory

    init() throws { files = try TemporaryDirectory() }

    /// Runs a script with the names of bus.py.
    ///
    /// - Parameter zone: a file in place of the machine's /etc/localtime.
    private func run(_ script: String, zone: String? = nil) throws -> String {
        let module = BuiltProducts.packageRoot + "/Tests/CommandTests/bus.py"
        // Debian's Python, which has Debian's modules.
        let words = ["/usr/bin/python3", "-B", module, script, CommandRun.program, files.path]
        let inside = zone.map {
            [
                "unshare", "-rm", "sh", "-c", "mount --bind '\($0)' /etc/localtime && exec \"$@\"",
                "sh",
            ]
        }
        let all = (inside ?? []) + words
        var environment = CommandRun.environment.merging(
            ["HOME": files.path, "CURFEW_PLUGIN_PATH": files.path("none")]
        ) { $1 }
        if zone != nil { environment["TZ"] = nil }
        let run = try ChildProcess.run(
            all[0], Array(all.dropFirst()), environment: environment, directory: files.path,
            limit: .seconds(60))
        try #require(run.succeeded, "\(run)")
        return run.output
    }

    @Test("A service that comes, changes and leaves: what it says counts while it runs")
    func services() throws {
        let output = try run(
            """
            bus = start_bus()
            host = start_host()
            kernels = factor("external-power")
            print(kernels[1].startswith("/sys/"))
            power = start_service("upower", POWER)
            print(*until(lambda: (now := factor("external-power"))[1] == "UPower" and now))
            change(POWER, OnBattery=True)
            change(BATTERY, IsPresent=True, State=dbus.UInt32(2), Percentage=19.5, WarningLevel=dbus.UInt32(1))
            print(*until(lambda: (now := factor("battery"))[0] == "no" and now))
            print(*until(lambda: (now := factor("external-power"))[0] == "no" and now))
            curfew("submit", "--needs", "external-power", "--", "/bin/true")
            print(*until(lambda: held_by(1)))
            change(BATTERY, State=dbus.UInt32(1))
            print(*until(lambda: (now := factor("battery"))[0] == "yes" and now))
            change(BATTERY, Percentage=float("nan"))
            print(until(lambda: factor("battery")[1].startswith("/sys/")))
            change(POWER, OnBattery=False)
            print(curfew("wait", "1").splitlines()[0].split(",")[0])
            change(POWER, OnBattery=dbus.String("perhaps"))
            print(until(lambda: factor("external-power") == kernels))
            change(POWER, OnBattery=True)
            until(lambda: factor("external-power")[0] == "no")
            end(power)
            print(until(lambda: factor("external-power") == kernels))
            start_service("networkmanager", NETWORK)
            print(*until(lambda: (now := factor("network"))[1] == "NetworkManager" and now))
            change(NETWORK, Connectivity=dbus.UInt32(2))
            print(*until(lambda: (now := factor("network"))[0] == "no" and now))
            # There may be a network that NetworkManager does not care for.
            change(NETWORK, Connectivity=dbus.UInt32(1))
            print(until(lambda: factor("network")[1].startswith("/proc/")))
            start_service("power_profiles_daemon", PROFILES)
            print(*until(lambda: (now := factor("low-power-mode"))[1] == "power-profiles-daemon" and now))
            change(PROFILES, ActiveProfile="power-saver")
            print(*until(lambda: (now := factor("low-power-mode"))[0] == "no" and now))
            start_service("logind", LOGIN)
            print(*until(lambda: (now := factor("idle"))[1] == "login1" and now))
            change(LOGIN, IdleHint=True, IdleSinceHint=dbus.UInt64((time.time() - 3600) * 1e6))
            print(*until(lambda: (now := factor("idle"))[0] == "yes" and now))
            print("ended", end(host))
            """)
        #expect(
            output == """
                True
                yes UPower not on battery
                no UPower 19 %, discharging
                no UPower on battery, 19 %
                on battery, 19 %
                yes UPower 19 %, not discharging
                True
                1  org.curfew.command  succeeded
                True
                True
                yes NetworkManager full connectivity
                no NetworkManager behind a portal that asks for a login
                True
                yes power-profiles-daemon the profile is balanced
                no power-profiles-daemon the profile is power-saver
                no login1 a session is in use
                yes login1 no session is in use for 1 h
                ended 0

                """)
    }

    @Test(
        "A threshold of the machine counts for what the bus says once the configuration is read again"
    )
    func threshold() throws {
        let output = try run(
            """
            bus = start_bus()
            start_service("upower", POWER)
            change(BATTERY, IsPresent=True, State=dbus.UInt32(2), Percentage=15.0, WarningLevel=dbus.UInt32(1))
            host = start_host()
            print(*until(lambda: (now := factor("battery"))[1] == "UPower" and now))
            with open(place, "w") as file:
                json.dump({"factors": {"source": "bus"}, "schedules": [], "thresholds": {"low-battery": "10%"}}, file)
            print(curfew("reload").strip())
            print(*until(lambda: (now := factor("battery"))[0] == "yes" and now))
            print("ended", end(host))
            """)
        #expect(
            output == """
                no UPower 15 %, discharging
                0 schedules; 1 threshold changed (low-battery)
                yes UPower 15 %, discharging
                ended 0

                """)
    }

    @Test(
        "Sleep: the machine waits until tasks are told to stop, and they run again once it is back")
    func sleep() throws {
        let output = try run(
            """
            bus = start_bus()
            login = start_service("logind", LOGIN)
            host = start_host()
            def held():
                login = connect().get_object(*LOGIN[:2])
                return [tuple(map(str, each[:4])) for each in login.ListInhibitors(dbus_interface=LOGIN[2])]
            print(*until(held)[0], sep=", ")
            curfew("submit", "--", "/bin/sh", "-c", 'trap "sleep 0.3; exit 1" TERM; echo >> runs; while :; do sleep 0.01; done')
            runs = os.path.join(directory, "runs")
            until(lambda: request(1)["state"] == "running" and os.path.exists(runs))
            # Not of login1: any peer can send a signal to one that looks like it.
            stranger = connect()
            for name in stranger.list_names():
                if name.startswith(":"):
                    lie = dbus.lowlevel.SignalMessage(LOGIN[1], LOGIN[2], "PrepareForSleep")
                    lie.append(True)
                    lie.set_destination(name)
                    stranger.send_message(lie)
            stranger.flush()
            change(LOGIN, IdleHint=True, IdleSinceHint=dbus.UInt64(1))
            until(lambda: factor("idle")[0] == "yes")
            print(request(1)["state"], len(held()))
            tell(LOGIN, "PrepareForSleep", True)
            # The task takes a moment to stop, and the machine waits for it.
            until(lambda: not ask("/v1/tasks")["tasks"])
            until(lambda: not held())
            print(request(1)["state"], request(1)["reason"], request(1)["attempts"])
            print(*until(lambda: held_by(1)))
            tell(LOGIN, "PrepareForSleep", False)
            until(held)
            until(lambda: request(1)["state"] == "running")
            print(request(1)["attempts"])
            tell(LOGIN, "PrepareForShutdown", True)
            until(lambda: not held())
            print(request(1)["state"])
            # In a shutdown others may end before this host does.
            end(login)
            until(lambda: not connect().name_has_owner(LOGIN[0]))
            print(*until(lambda: held_by(1)))
            end(bus, signal.SIGKILL)
            print(*until(lambda: held_by(1)))
            print("ended", end(host))
            """)
        #expect(
            output == """
                sleep:shutdown, Curfew, running tasks are told to stop first, delay
                running 1
                pending interrupted 0
                the machine goes to sleep or is shut down: nothing is launched
                0
                pending
                the machine goes to sleep or is shut down: nothing is launched
                the machine goes to sleep or is shut down: nothing is launched
                ended 0

                """)
    }

    @Test("A bus that dies and comes back: the kernel tells meanwhile, and no delay is left")
    func lost() throws {
        let output = try run(
            """
            # Nothing is there at first.
            host = start_host()
            kernels = factor("external-power")
            bus = start_bus()
            power = start_service("upower", POWER)
            until(lambda: factor("external-power")[1] == "UPower")
            end(bus, signal.SIGKILL)
            print(until(lambda: factor("external-power") == kernels))
            power.wait(30)
            os.unlink(socket)
            bus = start_bus()
            power = start_service("upower", POWER)
            print(until(lambda: factor("external-power")[1] == "UPower"))
            # A service that does not answer keeps nobody else waiting.
            power.send_signal(signal.SIGSTOP)
            start_service("networkmanager", NETWORK)
            print(until(lambda: factor("network")[1] == "NetworkManager"))
            print("ended", end(host))
            # One that does not answer at first is asked again.
            host = start_host()
            print(factor("external-power") == kernels)
            power.send_signal(signal.SIGCONT)
            print(until(lambda: factor("external-power")[1] == "UPower"))
            print("ended", end(host))
            host = start_host("none")
            print(ask("/v1/factors")["factors"])
            print("ended", end(host))
            """)
        #expect(
            output == "True\nTrue\nTrue\nended 0\nTrue\nTrue\nended 0\n[]\nended 0\n")
    }

    @Test("Another time zone: dates of cron expressions move with it, and no others do")
    func zone() throws {
        let zone = files.path("localtime")
        try FileManager.default.copyItem(atPath: "/usr/share/zoneinfo/Etc/UTC", toPath: zone)
        // glibc sees another file by its number and the second of its change.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: zone)
        let output = try run(
            """
            bus = start_bus()
            host = start_host()
            curfew("submit", "--cron", "30 12 * * *", "--", "/bin/true")
            curfew("submit", "--every", "3h", "--", "/bin/true")
            curfew("submit", "--at", "2099-01-01T12:30:00Z", "--", "/bin/true")
            before = [request(number)["due"] for number in (1, 2, 3)]
            print(before[0][11:19])
            start_service("timedated", ZONE)
            with open("/usr/share/zoneinfo/Asia/Tokyo", "rb") as new, open("/etc/localtime", "wb") as old:
                old.write(new.read())
            change(ZONE, Timezone="Asia/Tokyo")
            print(until(lambda: (now := request(1)["due"]) != before[0] and now)[11:19])
            print([request(number)["due"] for number in (2, 3)] == before[1:])
            print("ended", end(host))
            """, zone: zone)
        #expect(output == "12:30:00\n03:30:00\nTrue\nended 0\n")
    }
}
