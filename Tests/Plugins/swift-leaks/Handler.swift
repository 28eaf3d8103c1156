// SPDX-License-Identifier: Apache-2.0
import CurfewPlugin

/// Lets two objects hold each other, so that both stay for ever.
struct Handler: TaskHandler {
    private final class Step {
        var next: Step?
        let text = [UInt8](repeating: 0, count: 256)
    }

    func run(_ task: HandlerTask) async throws -> [UInt8] {
        let first = Step()
        let second = Step()
        first.next = second
        second.next = first
        return [first.text[0]]
    }
}
