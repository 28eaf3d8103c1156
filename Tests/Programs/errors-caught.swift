// SPDX-License-Identifier: Apache-2.0
// Manner: each way in which apps catch what `submit` throws: by case, by type and a condition, and in
// general.
// Swift 6: yes
// Permits: com.example.errors.refresh, com.example.errors.second, com.example.errors.processing
// Modes: fetch
// Prints: refresh: submitted
// Prints: refresh again: submitted
// Prints: second refresh: too many are pending
// Prints: processing without its mode: not permitted
// Prints: unknown: not permitted
import BackgroundTasks

enum Scheduling {
    static func registerAll() {
        for identifier in [
            "com.example.errors.refresh", "com.example.errors.second",
            "com.example.errors.processing",
        ] {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) {
                $0.setTaskCompleted(success: true)
            }
        }
    }

    static func submit(_ request: BGTaskRequest) -> String {
        request.earliestBeginDate = Date().addingTimeInterval(3_600)
        do {
            try BGTaskScheduler.shared.submit(request)
            return "submitted"
        } catch BGTaskScheduler.Error.notPermitted {
            return "not permitted"
        } catch let error as BGTaskScheduler.Error where error.code == .tooManyPendingTaskRequests {
            return "too many are pending"
        } catch BGTaskScheduler.Error.unavailable {
            return "unavailable"
        } catch {
            return "\(error)"
        }
    }
}

Scheduling.registerAll()
let refresh = BGAppRefreshTaskRequest(identifier: "com.example.errors.refresh")
print("refresh: \(Scheduling.submit(refresh))")
print("refresh again: \(Scheduling.submit(refresh))")
let second = BGAppRefreshTaskRequest(identifier: "com.example.errors.second")
print("second refresh: \(Scheduling.submit(second))")
let processing = BGProcessingTaskRequest(identifier: "com.example.errors.processing")
print("processing without its mode: \(Scheduling.submit(processing))")
let unknown = BGProcessingTaskRequest(identifier: "com.example.errors.unknown")
print("unknown: \(Scheduling.submit(unknown))")
exit(0)
