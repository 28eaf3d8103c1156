// SPDX-License-Identifier: Apache-2.0
import CurfewPlugin

/// Does what it should, with all that an `async` function may do: gives way, and has children.
struct Handler: TaskHandler {
    func run(_ task: HandlerTask) async throws -> [UInt8] {
        await Task.yield()
        async let one = half(of: 42)
        let sum = await withTaskGroup(of: Int.self) { group in
            for number in 1...3 { group.addTask { number } }
            return await group.reduce(0, +)
        }
        task.report(progress: 1)
        if task.request != nil {
            switch String(decoding: task.payload, as: UTF8.self) {
            case "again":
                try task.submit(
                    LaunchRequest(
                        task.identifier,
                        notBefore: .epoch + .seconds(4_000_000_000)))
            case "nightly":
                try task.submitNext(after: .seconds(86_400))
                // A simulation begins at 2026-01-01 00:00 UTC.
                let begin = Instant.epoch + .seconds(1_767_225_600)
                guard task.date == begin || task.date == begin + .seconds(86_400) else {
                    throw CancellationError()
                }
            case "later": try task.snooze(for: .seconds(3_600))
            default: break
            }
        }
        guard await one == 21, sum == 6 else { throw CancellationError() }
        return []
    }

    private func half(of number: Int) async -> Int {
        await Task.yield()
        return number / 2
    }
}
