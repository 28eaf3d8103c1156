// SPDX-License-Identifier: Apache-2.0
import CCurfew
import PluginBridge
import Scheduling
import Synchronization

extension PluginServices {
    private func isOwn(_ identifier: String, _ plugin: Int32) -> HandlerRecord? {
        guard let handler = engine.handlers.find(identifier),
            handler.queue.pointee.plugin == plugin
        else {
            return nil
        }
        return handler
    }

    var date: Int64 { requests.moment.wall }

    func submit(
        _ identifier: String, _ options: curfew_submit_options, plugin: Int32
    ) -> Result<UInt64, BridgeError> {
        guard let handler = isOwn(identifier, plugin) else {
            return .failure(
                BridgeError(
                    .denied,
                    "\"\(identifier)\" is not a handler of this plugin; nothing was submitted"))
        }
        let limit = requests.payloadLimit
        do throws(BridgeError) {
            let description = try RequestDescription(
                identifier, options, handlerKind: handler.description.kind, at: date)
            guard options.payload_bytes <= UInt64(limit),
                options.payload != nil || options.payload_bytes == 0
            else {
                let refusal = RequestRefusal.tooLarge(
                    bytes: Int(clamping: options.payload_bytes), limit: limit)
                throw BridgeError(refusal.status, refusal.message)
            }
            let bytes = UnsafeRawBufferPointer(
                start: options.payload, count: Int(options.payload_bytes))
            do throws(RequestFailure) {
                let submission = try requests.submit(
                    description, payload: Array(bytes), isNext: options.on_pending == 0)
                return .success(submission.id.rawValue)
            } catch {
                throw BridgeError(error.status, error.message)
            }
        } catch {
            return .failure(error)
        }
    }

    func cancelRequests(of identifier: String, plugin: Int32) -> Status {
        guard isOwn(identifier, plugin) != nil else { return .denied }
        do throws(RequestFailure) {
            _ = try requests.cancelPending(identifier)
            return .ok
        } catch {
            return error.status
        }
    }

    /// Collects the plugin's own requests from pages of all requests.
    func pendingRequests(
        after: UInt64, limit: Int, plugin: Int32
    ) -> Result<[curfew_request_state], BridgeError> {
        var own: [Request] = []
        var filter = RequestFilter(
            states: [.pending], after: RequestID(rawValue: after), limit: 1_000)
        do throws(RequestFailure) {
            while own.count < limit {
                let page = try requests.requests(filter)
                own += page.filter { isOwn($0.description.identifier, plugin) != nil }
                guard let last = page.last, page.count == filter.limit else { break }
                filter.after = last.id
            }
            return .success(own.prefix(limit).map { curfew_request_state($0) })
        } catch {
            return .failure(BridgeError(error.status, error.message))
        }
    }

    func payload(of request: UInt64, plugin: Int32) -> Result<[UInt8], BridgeError> {
        let id = RequestID(rawValue: request)
        do throws(RequestFailure) {
            if let found = try requests.request(id),
                isOwn(found.description.identifier, plugin) != nil,
                let payload = try requests.payload(of: id)
            {
                return .success(payload)
            }
            return .failure(
                BridgeError(.notFound, "there is no request \(request) of this plugin's"))
        } catch {
            return .failure(BridgeError(error.status, error.message))
        }
    }

    private func record(_ id: UInt64, _ plugin: Int32) -> (record: TaskRecord, isDecided: Bool)? {
        guard let task = tasks.find(id), engine.mayTouch(task, plugin) else { return nil }
        return tasks.pinning(task) { slot in
            tasks.existingRecord(of: slot).map { ($0, slot.state.isClaimed) }
        } ?? nil
    }

    func snooze(_ id: UInt64, _ after: UInt64, plugin: Int32) -> Status {
        guard let task = tasks.find(id), engine.mayTouch(task, plugin),
            tasks.slot(task).state.generation == task.generation
        else { return violations.cannotReach(id, "snooze", plugin: plugin) }
        guard let (record, isDecided) = record(id, plugin), let request = record.request, !isDecided
        else { return .wrongState }
        // Stored plus one, because 0 means not requested.
        request.snooze.store(min(after, .max - 1) + 1, ordering: .releasing)
        return .ok
    }

    /// The process of a task has ended, and the task may be the cause.
    func suspect(_ id: UInt64, plugin: Int32) {
        guard let (record, isDecided) = record(id, plugin), !isDecided else { return }
        record.request?.isSuspect.store(true, ordering: .releasing)
    }

    func request(of id: UInt64, plugin: Int32) -> UInt64 {
        record(id, plugin)?.record.request?.ticket.request.rawValue ?? 0
    }

    func trace(of id: UInt64, plugin: Int32) -> TraceContext? {
        record(id, plugin)?.record.request?.trace
    }

    func owner(of id: UInt64, plugin: Int32) -> UInt32? {
        record(id, plugin)?.record.request?.owner
    }
}
