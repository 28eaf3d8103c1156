// SPDX-License-Identifier: Apache-2.0
import AppHost
import BackgroundTasks
import CCurfew
import CInterface
import TestSupport

/// The tutorial's app: register, schedule (cancel first, then submit), handle (reschedule first), do,
/// done; and the form with a controller. Each call ends with an event that it raises.
final class Source000: @unchecked Sendable {
    // Sendable: what changes is the task's alone, as the tutorial has it; one runs at a time.
    let identifier: String
    let isRefresh: Bool
    /// Does the work: "Done.", or what went wrong.
    let work: @Sendable () -> String
    let isFlagKept: Bool
    let cancelled = Signal()

    init(
        _ identifier: String, isRefresh: Bool, isFlagKept: Bool = true,
        _ work: @escaping @Sendable () -> String
    ) {
        self.identifier = identifier
        self.isRefresh = isRefresh
        self.isFlagKept = isFlagKept
        self.work = work
    }

    private var name: String { isRefresh ? "backgroundapprefreshtask" : "backgroundprocessingtask" }

    /// Raises `…_done(success, error)` on the host's loop, as `raiseUIEvent` does.
    private func raise(_ prefix: String, _ success: Bool, _ error: String) {
        var values = [curfew_value(), curfew_value()]
        for index in values.indices {
            values[index].struct_size = UInt32(MemoryLayout<curfew_value>.size)
        }
        values[0].type = curfew_type(CURFEW_TYPE_BOOL)
        values[0].integer = success ? 1 : 0
        values[1].type = curfew_type(CURFEW_TYPE_TEXT)
        error.withCString { text in
            values[1].text = text
            values[1].text_bytes = UInt64(error.utf8.count)
            guard let host = AppHost.shared.host else { return }
            _ = curfew_host_raise_event(host, "\(prefix)\(name)_done::", values, 2, nil)
        }
    }

    func register() {
        do {
            let isTaken = try BGTaskScheduler.shared.registerOrThrow(
                forTaskWithIdentifier: identifier, using: nil
            ) { [weak self] task in self?.handle(task) }
            // The tutorial's processing form says no also where it succeeded.
            raise("registering", isFlagKept ? isTaken : false, "")
        } catch {
            raise("registering", false, "\(error)")
        }
    }

    func schedule() {
        BGTaskScheduler.shared.cancel(taskRequestWithIdentifier: identifier)
        let request: BGTaskRequest
        if isRefresh {
            request = BGAppRefreshTaskRequest(identifier: identifier)
        } else {
            let processing = BGProcessingTaskRequest(identifier: identifier)
            processing.requiresExternalPower = false
            processing.requiresNetworkConnectivity = false
            request = processing
        }
        request.earliestBeginDate = Stage.date(in: 900)
        do {
            try BGTaskScheduler.shared.submit(request)
            raise("scheduling", true, "")
        } catch let error as Misuse {
            raise("scheduling", false, error.reason)
        } catch {
            raise("scheduling", false, error.localizedDescription)
        }
    }

    private func handle(_ task: BGTask) {
        schedule()
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let result = Guarded("")
        let operation = BlockOperation { [weak self] in
            guard let self else { return }
            result.value = work()
        }
        task.expirationHandler = { [cancelled] in
            operation.cancel()
            cancelled.send()
        }
        operation.completionBlock = { [self] in
            if operation.isCancelled {
                raise("", false, "Background task expired.")
            } else {
                let said = result.value
                raise("", said == "Done.", said == "Done." ? "" : said)
            }
            task.setTaskCompleted(success: !operation.isCancelled)
        }
        queue.addOperation(operation)
    }
}
