// SPDX-License-Identifier: Apache-2.0
import CSystem
import Curfew
import Scheduling
import Service

/// One of the hosts of a store on a server, as `curfew drain HOST` reaches it: through the store.
struct DrainedHost {
    private let number: Int64
    private let place: StorePlace
    private let store: StoreClient

    /// - Parameter text: the operand.
    init(_ text: String, _ arguments: Arguments) throws(CommandError) {
        var configured: String?
        if let files = ServeConfiguration.files(arguments) {
            configured = try ServeConfiguration.read(files)?.store
        }
        place = try StorePlace(arguments, configured: configured)
        let hosts = "curfew hosts" + place.option
        guard let number = Int64(text), number > 0 else {
            throw CommandError(
                .usage, "`\(text)` is no number of a host", notes: ["nothing was done"],
                help: [hosts])
        }
        guard place.isOnServer else {
            throw CommandError(
                .usage, "the store at \(place.directory) is a directory, which one host uses",
                notes: ["nothing was done"], help: ["curfew drain" + place.option])
        }
        self.number = number
        store = try place.open()
    }

    func run(
        isEnd: Bool, timeout: UInt64?, _ console: Console, isJSON: Bool
    ) throws(CommandError) -> ExitCode {
        let changes = try StoreChanges(store, console)
        let isThere = try StorePlace.translated { () throws(StoreFault) in
            try store.setDrained(!isEnd, of: number)
        }
        guard isThere else { throw missing("there is no host \(number) in this store") }
        let begun = csys_monotonic_ns()
        let deadline = begun + min(timeout ?? ControlClient.patience, .max - begun)
        // It has to be seen in any case, but what runs may take longer than anybody waits.
        let limit = max(deadline, begun + ControlClient.patience)
        while true {
            let host = try view()
            let isSeen = (host.drainedSince == nil) == isEnd
            let isOver = isSeen && (timeout == nil || host.running.isEmpty)
            let now = csys_monotonic_ns()
            if isOver || (isSeen && now >= deadline) {
                tell(host, isEnd, console, isJSON)
                guard !isOver else { return .ok }
                console.errors.note("they still run; nothing is launched meanwhile")
                return .timedOut
            }
            guard now < limit else {
                throw CommandError(
                    .timedOut,
                    "\(HostItem.name(host)) has not seen it; it will when it reads the store again",
                    help: ["curfew hosts" + place.option])
            }
            if case .stopped = try changes.next(until: min(limit, now + 200_000_000)) { return .ok }
        }
    }

    private func missing(_ what: String) -> CommandError {
        CommandError(.missing, what, help: ["curfew hosts" + place.option])
    }

    private func view() throws(CommandError) -> HostView {
        let host = try StorePlace.translated { () throws(StoreFault) in
            try store.hosts().first { $0.record?.id == number }
        }
        guard let host else { throw missing("host \(number) has left the store meanwhile") }
        return host
    }

    private func tell(_ host: HostView, _ isEnd: Bool, _ console: Console, _ isJSON: Bool) {
        guard !isJSON else { return console.out.line(HostItem.item(host).written) }
        let name = HostItem.name(host)
        guard !isEnd else { return console.out.line("\(name) launches requests again") }
        let count = host.running.count
        console.out.line(
            "\(name) launches nothing; \(count == 0 ? "no task runs" : count == 1 ? "1 task runs" : "\(count) tasks run") in it"
        )
        for id in host.running.prefix(20) { console.out.line("  request \(id)") }
        if count > 20 { console.out.line("  and \(count - 20) more") }
    }
}
