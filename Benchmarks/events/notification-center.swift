// SPDX-License-Identifier: Apache-2.0
// The Swift alternative: notifications posted to Foundation's NotificationCenter with a
// truth and a text in their userInfo, and one observer that reads both, on one thread.
import Foundation

/// Fewer than of the others: each takes microseconds.
let count = 100_000

let done = Notification.Name("done")
let successKey = "success"
let errorKey = "error"

final class Received {
    var delivered = 0
    var failures = 0
}

func observe(_ center: NotificationCenter, _ received: Received) -> any NSObjectProtocol {
    nonisolated(unsafe) let received = received
    return center.addObserver(forName: done, object: nil, queue: nil) { notification in
        let success = notification.userInfo?[successKey] as? Bool
        let error = notification.userInfo?[errorKey] as? String
        if success != true || error != "" { received.failures += 1 }
        received.delivered += 1
    }
}

func nanoseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

let center = NotificationCenter()
let received = Received()
let observer = observe(center, received)

let started = nanoseconds()
for _ in 0..<count {
    center.post(name: done, object: nil, userInfo: [successKey: true, errorKey: ""])
}
let ended = nanoseconds()

center.removeObserver(observer)
guard received.delivered == count, received.failures == 0 else {
    FileHandle.standardError.write(
        Data(
            """
            events/notification-center: \(received.delivered) notifications delivered, \
            \(received.failures) of failure

            """.utf8))
    exit(1)
}
print("ns_per_event \(String(format: "%.2f", Double(ended - started) / Double(count)))")
