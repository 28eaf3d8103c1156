// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Dispatch
import Glibc
import RequestFaults
import Runner
import Scheduling

/// A host with a store on disk, which tests kill, stop and starve:
/// `request-harness STORE run|drain|serve|client [options]`, see `Orders`. What happens is told as `History`
/// says.
@main
enum RequestHarness {
    /// The host could not be made; the record `error` says why.
    private static let refused: Int32 = 3
    private static let usage: Int32 = 64

    static func main() {
        guard let orders = Orders(CommandLine.arguments) else { exit(usage) }
        if orders.mode == .client { return submitBesideHost(orders) }
        let plan = CrashPlan(orders.crash)
        let work = Work(plan, isPoisonous: orders.isPoisonous)
        do {
            let began = csys_monotonic_ns()
            let host = try Host(configuration(orders, plan))
            History.put("ready", "\(csys_monotonic_ns() - began)", "\(getpid())")
            try obey(orders, plan, work, host)
        } catch let error as CurfewError {
            History.put("error", error.code.constant ?? "", error.message)
            exit(refused)
        } catch {
            History.put("error", "", "\(error)")
            exit(refused)
        }
    }

    private static func submitBesideHost(_ orders: Orders) {
        do throws(StoreFault) {
            let client = try StoreClient(directory: orders.store, creates: true)
            var limits = RequestLimits()
            limits.pendingPerIdentifier = 10_000_000
            limits.pendingInAll = 10_000_000
            for number in 0..<orders.count {
                let key = "\(orders.name).\(number)"
                History.put("ask", key)
                var description = RequestDescription(Work.prefix + "quick", kind: .processing)
                description.onPending = .add
                description.key = key
                let answer = try client.write(limits: limits) {
                    (ledger, store) throws(StoreFault) in
                    try ledger.submit(
                        description, payload: Array(key.utf8), at: csys_realtime_ns(), store
                    ).value
                }
                switch answer {
                case .success(let submission):
                    History.put("ack", key, "\(submission.id.rawValue)", "", "")
                case .failure(let refusal): History.put("refused", key, "\(refusal)")
                }
            }
        } catch {
            History.put("error", error.kind.name, error.message)
            exit(refused)
        }
    }

    private static func configuration(
        _ orders: Orders, _ plan: CrashPlan
    ) throws -> HostConfiguration {
        var configuration = HostConfiguration()
        configuration.log = { level, _, _, line in History.put("log", "\(level)", line) }
        try configuration.requests.store(in: orders.store)
        let open = configuration.requests.openStore
        configuration.requests.openStore = { () throws(StoreFault) in
            guard let store = try open?() else { fatalError("there is no store to be opened") }
            plan.reached("opened")
            return TappedStore(store) { point throws(StoreFault) in plan.reached(point) }
        }
        configuration.requests.floor = 0
        // All is kept, so that all can be looked at in the end.
        configuration.requests.limits.pendingPerIdentifier = 10_000_000
        configuration.requests.limits.pendingInAll = 10_000_000
        configuration.requests.limits.historyCount = 10_000_000
        configuration.requests.limits.crashes = orders.crashes
        return configuration
    }

    private static func obey(
        _ orders: Orders, _ plan: CrashPlan, _ work: Work, _ host: Host
    ) throws {
        work.host = host
        if orders.mode == .serve {
            try work.begin()
            Service(work, host).run()
        } else {
            let submitting = DispatchGroup()
            // Before there are handlers: what was left is launched beside what is new.
            startSubmitting(orders, work, submitting)
            try work.begin()
            if let id = orders.lift {
                try host.release(RequestID(rawValue: id))
                History.put("lifted", "\(id)")
            }
            submitting.wait()
            if orders.mode == .run { while true { pause() } }
            try work.awaitEnd()
        }
        plan.leaves()
        try host.shutDown()
        plan.reached("left")
        History.put("stopped")
    }

    private static func startSubmitting(
        _ orders: Orders, _ work: Work, _ group: DispatchGroup
    ) {
        for thread in 0..<orders.threads where orders.count > 0 || !orders.again.isEmpty {
            DispatchQueue(label: "submitter \(thread)").async(group: group) {
                if thread == 0 { work.submitAgain(orders.again) }
                work.submitMany(thread: thread, orders)
            }
        }
    }
}
