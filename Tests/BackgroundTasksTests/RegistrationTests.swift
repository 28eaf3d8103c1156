// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@Suite("Apple's rules for registering")
struct RegistrationTests {
    @Test("S0.22, S4.1: what the Info.plist does not permit is rejected, with Apple's line")
    func permitted() throws {
        let run = try App().run("register")
        #expect(
            run.lines == [
                "org.example.app.refresh: true", "org.example.app.unknown: false",
                "org.example.app.export.*: true",
            ])
        #expect(
            run.log == [
                "Registration rejected; org.example.app.unknown is not advertised in the application's Info.plist (\(run.plist))"
            ])
        #expect(run.process.succeeded)
    }

    @Test("a second registration ends the process with Apple's text")
    func twice() throws {
        let run = try App().run("register-twice")
        #expect(run.process.ending == .signalled(6))
        #expect(run.lines.isEmpty)
        #expect(
            run.process.errorOutput
                == "*** Terminating app due to uncaught exception 'NSInternalInconsistencyException', reason: 'Launch handler for task with identifier org.example.app.refresh has already been registered'\n"
        )
    }

    @Test("S0.3: where the embedder wants it, a misuse is an error that can be caught")
    func thrown() throws {
        let run = try App().run("register-twice-thrown")
        let reason =
            "Launch handler for task with identifier org.example.app.refresh has already been registered"
        #expect(run.lines == ["registered: true", "thrown: \(reason)", "again: false"])
        #expect(run.log == [reason, reason])
        #expect(run.process.succeeded)
    }

    /// Handlers of continued processing may be late, which is known when one is used.
    @Test("S1.19: registering after the launch works, and is said to be late")
    func late() throws {
        let run = try App(permitted: ["org.example.app.export.7"]).run("register-late")
        #expect(run.said == ["true", "true", "true", "true", "continued"])
        #expect(
            run.log == [
                "All launch handlers must be registered before application finishes launching: org.example.app.refresh"
            ])
        let output = run.process.output.split(separator: "\n")
        let warning = try #require(output.firstIndex { $0.hasPrefix("log: All launch handlers") })
        let continued = try #require(output.firstIndex(of: "continued"))
        #expect(continued < warning, "\(run.process)")
    }

    @Test("S1.6: an app that comes to the foreground is being used, and that is learnt")
    func used() throws {
        #expect(try App().run("used").lines == ["true"])
    }

    @Test(
        "S1.5: the switch for refreshing is kept with the requests, and is known before any handler"
    )
    func refreshSwitch() throws {
        let app = try App()
        #expect(try app.run("refresh-set").lines == ["available", "denied"])
        #expect(try app.run("refresh-set").lines == ["denied", "denied"])
    }

    @Test("a configuration that comes too late ends the process and says so")
    func configuredLate() throws {
        let run = try App().run("configure-late")
        #expect(run.process.ending == .signalled(6))
        #expect(
            run.process.errorOutput.hasPrefix("AppHost.configure has to come before the first use"))
    }

    @Test(
        "an Info.plist that cannot be used permits nothing, and the log says why",
        arguments: [
            ("/nowhere/Info.plist", "/nowhere/Info.plist cannot be used: it cannot be opened"),
            ("/dev/null", "/dev/null cannot be used: it is empty, or larger than 1 MiB"),
            ("/dev/zero", "/dev/zero cannot be used: it is empty, or larger than 1 MiB"),
            ("/proc/self/cmdline", "/proc/self/cmdline cannot be used: it is no property list"),
        ])
    func brokenList(_ path: String, _ fault: String) throws {
        let run = try App().run("register", plist: path)
        #expect(run.lines.allSatisfy { $0.hasSuffix(": false") })
        #expect(run.log.allSatisfy { $0.contains(fault) }, "\(run.log)")
        #expect(run.process.succeeded)
    }
}
