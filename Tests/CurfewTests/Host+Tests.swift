// SPDX-License-Identifier: Apache-2.0
import Curfew
import Runner
import Scheduling

extension Host {
    /// A host that writes no log.
    static func forTests(
        clock: ManualClock? = nil, _ change: (inout HostConfiguration) -> Void = { _ in }
    ) throws -> Host {
        var configuration = HostConfiguration()
        configuration.clock = clock
        configuration.log = { _, _, _, _ in }
        change(&configuration)
        return try Host(configuration)
    }
}

extension HandlerDescription {
    /// The handler most tests use: its events begin with `tidy`.
    static let tidy = HandlerDescription(identifier: "org.example.tidy")
}

extension Array where Element == HostEvent {
    /// What a person would write down of the events: the name and the values.
    var transcript: [String] {
        map { event in
            let values = event.values.map { value in
                switch value {
                case .bool(let flag): "\(flag)"
                case .int32(let number): "\(number)"
                case .int64(let number): "\(number)"
                case .double(let number): "\(number)"
                case .text(let text): "\"\(text)\""
                }
            }
            return "\(event.selector.name)(\(values.joined(separator: ", ")))"
        }
    }
}

/// Gives way to other threads until `condition` holds, at most a minute.
func eventually(_ condition: () -> Bool) async -> Bool {
    let until = ContinuousClock.now + .seconds(60)
    while !condition() {
        guard ContinuousClock.now < until else { return false }
        await Task.yield()
    }
    return true
}
