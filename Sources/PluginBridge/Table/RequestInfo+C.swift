// SPDX-License-Identifier: Apache-2.0
package import CCurfew
package import Scheduling

extension curfew_request_state {
    package init(_ request: Request) {
        self.init()
        let description = request.description
        kind = description.kind.rawValue
        self.request = request.id.rawValue
        phase = Int32(request.state.rawValue)
        pending_reason = Int32(request.reason.rawValue)
        needs = UInt32(description.needs.rawValue)
        priority = Int32(description.priority.rawValue)
        submitted_ns = request.submittedAt
        not_before_ns = request.notBefore
        latest_ns = description.latest ?? 0
        changed_ns = request.changedAt
        launches = request.launches
        attempts = request.attempts
        attempt_limit = description.retry.attempts
        crashes = request.crashes
        outcome = Int32(request.outcome?.rawValue ?? 0)
        payload_bytes = UInt64(request.payloadBytes)
        opportunistic = Int32(description.opportunistic.rawValue)
        at_most_ns = description.atMost ?? 0
        owner = request.owner.map { Int64($0) } ?? -1
        is_repeated = description.repetition != nil
        StructArray.put(description.identifier, &identifier)
        StructArray.put(description.key ?? "", &key)
        switch description.repetition?.rule {
        case .every(let interval): interval_ns = interval
        case .cron(let schedule, _): StructArray.put(schedule.text, &cron)
        case nil: break
        }
    }
}
