// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling
import Synchronization

/// Launches, stops and records the tasks of requests.
extension RequestLoop {
    private static let takenBackEnd = AttemptEnd(
        .interrupted, reason: .condition, error: "it had not begun when what it needs was lost")

    /// Carries out a decision that was committed.
    func perform(_ effect: RequestBook.Effect) {
        switch effect {
        case .launch(let request, let attempt, let payload, let isSimulated):
            launch(request, attempt, payload, isSimulated)
        case .stop(let id, let launch, let factor):
            guard let task = tasks[RequestTicket(request: id, launch: launch)] else { return }
            log(
                .info, nil, task,
                factor == .host
                    ? "the machine goes to sleep or is shut down; the task of request \(id) is told to stop"
                    : "request \(id) needs \(factor.name), which no longer holds; its task is told to stop"
            )
            if factor == .host {
                _ = engine.interrupt(task)
            } else {
                stop(task, RequestTicket(request: id, launch: launch))
            }
        case .cancel(let id, let launch):
            if let task = tasks[RequestTicket(request: id, launch: launch)] {
                _ = engine.cancel(task)
            }
        case .quarantine(let list): quarantineChanged(list)
        }
    }

    /// Stops a task. One that has not begun is cancelled, and its request waits again.
    private func stop(_ task: UInt64, _ ticket: RequestTicket) {
        guard engine.stopTask(task, .condition) == .wrongState else { return }
        takenBack.insert(ticket)
        guard engine.cancel(task) != .ok else { return }
        takenBack.remove(ticket)
    }

    private func launch(
        _ request: Request, _ attempt: Attempt, _ payload: [UInt8], _ isSimulated: Bool
    ) {
        let identifier = request.description.identifier
        guard let handler = engine.handlers.find(identifier) else {
            refused(request, attempt, "no handler is registered")
            return
        }
        // Without a worker, the task would wait while its request counts as running.
        guard engine.pool(of: handler.queue.pointee.kind).hasWorker(for: engine) else {
            refused(request, attempt, "no thread could be started for it")
            return
        }
        let ticket = RequestTicket(request: request.id, launch: attempt.launch)
        let kind = request.description.kind
        let isOther = kind != handler.description.kind
        let program = identifier == CommandPayload.identifier ? CommandPayload(payload) : nil
        let (noteTask, id) = (configuration.launched, request.id)
        let launched = payload.withUnsafeBytes {
            var launch = Launch(
                payload: $0, budget: program?.budget ?? (isOther ? kind.defaultBudget : 0),
                // 0 is that of the handler.
                grace: program?.grace.map { max(1, $0) } ?? 0, attempt: attempt.number, keep: true)
            launch.request = RequestLaunch(
                ticket, isOther ? kind : nil, owner: request.owner,
                trace: request.trace(ofLaunch: attempt.launch, attempt: attempt.number),
                hasTask: { noteTask?($0, id) }
            ) { [weak self] in
                self?.taskEnded($0, $1, publish: $2) ?? false
            }
            return engine.launch(handler.index, launch)
        }
        switch launched.status {
        case .ok:
            tasks[ticket] = launched.task
            if isSimulated {
                let name = "<\(kind.className): \(identifier)>"
                simulated[ticket] = name
                log(.info, nil, launched.task, "Starting simulated task: \(name)")
            }
        case .closing:
            _ = inbox.add(
                end(ticket, AttemptEnd(.interrupted, reason: .shutdown), isAnswered: true) { _ in })
        default: refused(request, attempt, launched.status.description)
        }
    }

    private func refused(_ request: Request, _ attempt: Attempt, _ why: String) {
        let (id, launch) = (request.id, attempt.launch)
        _ = inbox.add(
            RequestJob(
                apply: { (book, store, now) throws(StoreFault) in
                    try book.launchRefused(id, launch: launch, why, at: now, store)
                }, finish: { _ in }, isOwed: true))
    }

    /// Records the end of a task, then calls `publish`. Returns false after the last batch.
    ///
    /// If a done event were published before its end is in the store and the process were killed,
    /// the relaunched request would raise a second one. So nothing is published while the store
    /// fails. If the host closes the store first, or another host has ended the attempt, `publish`
    /// gets false.
    private func taskEnded(
        _ launch: RequestLaunch, _ end: TaskEnd, publish: @escaping @Sendable (Bool) -> Void
    ) -> Bool {
        let ticket = launch.ticket
        var job = self.end(
            ticket, end.attempt, isAnswered: end.isAnswered, cost: end.cost, then: publish)
        job.deferred = { [self] in
            launch.isEndWaiting.store(true, ordering: .sequentiallyConsistent)
            engine.phase.progressed()
            log(
                .warning, nil, tasks[ticket] ?? 0,
                "the task of request \(ticket.request) is over, which could not be written into the store yet: its done event comes once it is"
            )
        }
        return inbox.add(job)
    }

    private func end(
        _ ticket: RequestTicket, _ end: AttemptEnd, isAnswered: Bool,
        cost: DayAmounts = .nothing,
        then publish: @escaping @Sendable (_ isWritten: Bool) -> Void
    ) -> RequestJob {
        RequestJob(
            apply: { [self] (book, store, now) throws(StoreFault) in
                // Withdrawn, not cancelled.
                let end = takenBack.contains(ticket) ? Self.takenBackEnd : end
                let ended = try book.ended(
                    ticket.request, launch: ticket.launch, end, answered: isAnswered, at: now,
                    store)
                if ended == nil { fenced.insert(ticket) } else { fenced.remove(ticket) }
                book.scheduler.budget.spend(wall: cost.wall, cpu: cost.cpu, at: now.wall)
            },
            finish: { [self] fault in
                takenBack.remove(ticket)
                let isWritten = fault == nil && !fenced.contains(ticket)
                fenced.remove(ticket)
                let task = tasks.remove(ticket)
                if let task, let name = simulated.removeValue(forKey: ticket) {
                    log(.info, nil, task, "Marking simulated task complete: \(name)")
                }
                publish(isWritten)
                if let task { _ = engine.release(task) }
            }, ended: ticket.request, isOwed: true)
    }
}
