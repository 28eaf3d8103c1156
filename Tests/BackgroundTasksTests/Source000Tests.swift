// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

/// The tutorial's native half, on Apple's module: its other half, the subs, is tested with targets.
@Suite("The tutorial of the source documents, as an app")
struct Source000Tests {
    private let refresh = "backgroundapprefreshtask_done::"
    private let processing = "backgroundprocessingtask_done::"

    @Test(
        "S0.2, S0.4, S0.6, S0.9, S0.11, S0.12, S0.13, S0.15, S0.17, S0.18: register, schedule, handle, do, done"
    )
    func wholeWay() throws {
        let run = try App().run("source-000")
        #expect(
            run.lines == [
                "registering\(refresh) true ''", "scheduling\(refresh) true ''",
                "scheduling\(refresh) true ''", "\(refresh) true ''", "refresh succeeded",
                // The tutorial's own slip: registering for processing always says no.
                "registering\(processing) false ''", "scheduling\(processing) true ''",
                "scheduling\(processing) true ''",
                // Its work failed, and its task was completed with success all the same.
                "\(processing) false 'no disk'", "processing succeeded",
            ])
    }

    @Test(
        "S0.14, S0.16, S0.20, S0.21: an operation that does not look is over late, as expired, once"
    )
    func expired() throws {
        let run = try App().run("source-000-expired")
        #expect(run.lines.suffix(3).first == "told to stop")
        // The event comes on the loop's thread, the end of the operation on its own.
        #expect(
            run.lines.suffix(2).sorted() == [
                "\(refresh) false 'Background task expired.'", "expired",
            ])
    }

    @Test(
        "S0.3, S0.9, S0.10, S0.22: what is refused becomes an event with the reason, never a crash")
    func refused() throws {
        let run = try App().run("source-000-refused")
        #expect(
            run.lines == [
                "scheduling\(refresh) false 'No launch handler registered for task with identifier org.example.app.refresh'",
                "registering\(refresh) true ''",
                "registering\(refresh) false 'Launch handler for task with identifier org.example.app.refresh has already been registered'",
                "registering\(refresh) false ''",
                "scheduling\(refresh) false 'Unrecognized Identifier: org.example.app.unknown is not in BGTaskSchedulerPermittedIdentifiers (\(run.plist)); nothing was submitted'",
            ])
        #expect(run.process.succeeded)
    }
}
