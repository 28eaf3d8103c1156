// SPDX-License-Identifier: Apache-2.0

import Scheduling
import TestSupport

/// Days of a host's life with requests, played in no time: a seed gives one history, always the same.
struct RequestWorld {
    /// What must not happen, in words.
    private(set) var faults: [String] = []
    /// Every request that was acknowledged.
    private(set) var acknowledged: Set<RequestID> = []
    private(set) var launches: [RequestID: UInt64] = [:]
    private(set) var accepted: Set<[UInt64]> = []
    private(set) var counts: [String: Int] = [:]

    let store = FaultyStore()
    private var random: SeededGenerator
    private(set) var now = Moment(wall: 1_795_305_600_000_000_000, span: 1_000_000_000)
    private(set) var book: RequestBook
    private var boot = 1
    private var process: Int32 = 100
    private var tasks: [RequestID: (launch: UInt64, request: Request)] = [:]
    /// What was submitted under a key.
    private var keyed: [RequestDescription] = []
    /// Ends that could not be written down yet.
    private var owed: [(id: RequestID, launch: UInt64, end: AttemptEnd, answered: Bool)] = []

    static let identifiers = (0..<6).map { "org.example.h\($0)" }
    static let second: UInt64 = 1_000_000_000

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        book = RequestBook(
            host: HostIdentity(boot: "boot-1", process: 100, start: 1), ledger: Self.ledger)
        open()
    }

    private static var ledger: RequestLedger {
        var limits = RequestLimits()
        limits.pending[.appRefresh] = 6
        limits.pending[.processing] = 8
        limits.historyCount = 1_000_000
        limits.historyAge = .max
        return RequestLedger(limits: limits)
    }

    private mutating func note(_ what: String) { counts[what, default: 0] += 1 }

    private mutating func open() {
        book = RequestBook(
            host: HostIdentity(boot: "boot-\(boot)", process: process, start: UInt64(process)),
            ledger: Self.ledger)
        // Days that are spent now and then.
        book.scheduler.budget.limits = DayLimits(launches: 60)
        for (index, identifier) in Self.identifiers.enumerated() {
            book.scheduler.setState(
                HandlerState(places: index % 3 + 1, plugin: "org.example"), of: identifier)
        }
        do {
            let counts = try store.write { (transaction) throws(StoreFault) in
                try book.open(at: now, transaction)
            }
            for _ in 0..<counts.interrupted { note("interrupted") }
            for _ in 0..<counts.parked { note("parked") }
        } catch {
            faults.append("a store that works could not be opened: \(error.message)")
        }
    }

    /// Plays so many steps.
    mutating func play(_ steps: Int) {
        for _ in 0..<steps { step() }
    }

    private mutating func step() {
        switch random.next() % 100 {
        case 0..<25: submit()
        case 25..<30: cancel()
        case 30..<55: endTask()
        case 55..<80: pass(Self.second * (random.next() % 600))
        case 80..<88: changeFactor()
        case 88..<90: passToNextDate()
        case 90..<92: crash()
        case 92..<94: setClock()
        case 94..<96: store.failures = Int(random.next() % 3)
        case 96..<97: releaseParked()
        case 97..<98: sleep()
        case 98..<99: pauseHandler()
        default: simulate()
        }
        turn()
    }

    private mutating func submit() {
        let kinds: [TaskKind] = [.appRefresh, .processing]
        var description = RequestDescription(
            Self.identifiers[Int(random.next() % 6)], kind: kinds[Int(random.next() % 2)])
        if random.next() % 2 == 0 {
            description.earliest = now.wall + Int64(Self.second * (random.next() % 3_600))
        }
        if random.next() % 8 == 0 {
            description.latest =
                (description.earliest ?? now.wall) + Int64(Self.second * (random.next() % 1_800))
        }
        description.needs = RequestNeeds(rawValue: UInt8(random.next() % 4))
        description.priority = RequestPriority(rawValue: Int8(random.next() % 3) - 1)!
        description.opportunistic = RequestWish(rawValue: UInt8(random.next() % 3))!
        if description.opportunistic != .no, random.next() % 2 == 0 {
            description.atMost = Self.second * (60 + random.next() % 7_200)
        }
        description.onPending = RequestDescription.OnPending(
            rawValue: UInt8(random.next() % 3) + 1)!
        if random.next() % 4 == 0 { description.retry = RetryPolicy(attempts: 4) }
        if random.next() % 6 == 0, description.latest == nil {
            description.repetition = Repetition(
                .every(Self.second * (60 + random.next() % 7_200)),
                catchUp: Repetition.CatchUp(rawValue: UInt8(random.next() % 3) + 1)!,
                jitter: random.next() % 2 * 30 * Self.second)
        }
        if random.next() % 10 == 0 { description.key = "key-\(random.next() % 50)" }
        if random.next() % 10 == 0, let again = keyed.randomElement(using: &random) {
            description = again
        }
        if description.key != nil { keyed.append(description) }
        let before = book.mark()
        do {
            let answer = try store.write { (transaction) throws(StoreFault) in
                try book.submit(description, payload: [1, 2, 3], at: now, transaction)
            }
            switch answer {
            case .success(.queued(let id, _)):
                if !acknowledged.insert(id).inserted { faults.append("\(id) was given twice") }
                note("submitted")
            case .success(.duplicatePending): note("duplicate pending")
            case .success(.duplicateKey): note("duplicate key")
            case .failure(.invalid(let why)): faults.append("refused as invalid: \(why)")
            case .failure(.tooMany): note("too many")
            case .failure(.keyTaken): note("key taken")
            case .failure(.tooLarge): faults.append("three bytes are too large")
            }
        } catch {
            fail(error, before)
        }
    }

    private mutating func fail(_ fault: StoreFault, _ before: RequestBook) {
        note("failed commits")
        book.revert(to: before)
        book.failed(fault)
    }

    private mutating func cancel() {
        guard let id = acknowledged.sorted().randomElement(using: &random) else { return }
        let before = book.mark()
        do {
            let answer = try store.write { (transaction) throws(StoreFault) in
                try book.cancel(id, at: now, transaction)
            }
            switch answer {
            case .cancelled: note("cancelled")
            case .running(let launch):
                note("cancelled while running")
                guard tasks[id]?.launch == launch else {
                    // One whose end could not be written yet runs no more.
                    if !owed.contains(where: { $0.id == id }) {
                        faults.append("\(id) is told to run, and does not")
                    }
                    return
                }
                finish(id, AttemptEnd(.cancelled, reason: .cancelled), answered: true)
            case .over: note("over")
            case .unknown: faults.append("\(id) was acknowledged and is not known")
            }
        } catch {
            fail(error, before)
        }
    }

    private mutating func endTask() {
        guard let id = tasks.keys.sorted().randomElement(using: &random) else { return }
        switch random.next() % 10 {
        case 0..<5: finish(id, AttemptEnd(.succeeded), answered: true)
        case 5..<7: finish(id, AttemptEnd(.failed, error: "no"), answered: true)
        case 7: finish(id, AttemptEnd(.expired, reason: .budget), answered: random.next() % 2 == 0)
        case 8: finish(id, AttemptEnd(.abandoned), answered: false)
        default:
            finish(
                id, AttemptEnd(.succeeded, snooze: Self.second * (random.next() % 3_600)),
                answered: true)
        }
    }

    private mutating func finish(_ id: RequestID, _ end: AttemptEnd, answered: Bool) {
        guard let task = tasks.removeValue(forKey: id) else { return }
        owed.append((id, task.launch, end, answered))
    }

    private mutating func pass(_ span: UInt64) {
        now.wall += Int64(span)
        now.span += span
    }

    private mutating func passToNextDate() {
        let wake = book.wake(after: now)
        if let wall = wake.wall, wall > now.wall {
            pass(min(UInt64(wall - now.wall), 86_400 * Self.second))
        }
    }

    private mutating func changeFactor() {
        let factors = Factor.allCases.filter(\.isSettable)
        let factor = factors[Int(random.next() % UInt64(factors.count))]
        let state: FactorState = random.next() % 3 == 0 ? .no : .yes
        book.scheduler.board.observe(
            factor, FactorReading(state, source: "world", detail: state.name), at: now)
        if book.scheduler.board.next == nil { book.scheduler.reconsider() }
    }

    private mutating func crash() {
        note("crashes")
        tasks = [:]
        owed = []
        store.failures = 0
        process += 1
        if random.next() % 3 == 0 {
            boot += 1
            note("boots")
        }
        pass(Self.second * (random.next() % 7_200))
        open()
    }

    private mutating func setClock() {
        let before = now
        now.wall += Int64(random.next() % 172_800) * 1_000_000_000 - 86_400_000_000_000
        book.clockJumped(from: before, to: now)
        note("clock set")
    }

    private mutating func sleep() {
        let before = now
        pass(Self.second * (random.next() % 36_000))
        book.clockJumped(from: before, to: now)
    }

    private mutating func releaseParked() {
        let before = book.mark()
        do {
            for request in try store.read({ (transaction) throws(StoreFault) in
                try transaction.requests(RequestFilter(states: [.parked]))
            }) {
                let lifted = try store.write { (transaction) throws(StoreFault) in
                    try book.release(request.id, at: now, transaction)
                }
                if lifted { note("released") }
            }
        } catch {
            fail(error, before)
        }
    }

    private mutating func pauseHandler() {
        let index = Int(random.next() % 6)
        book.scheduler.setState(
            HandlerState(
                closed: random.next() % 2 == 0 ? .paused : nil, places: index % 3 + 1,
                plugin: "org.example"), of: Self.identifiers[index])
    }

    private mutating func simulate() {
        let identifier = Self.identifiers[Int(random.next() % 6)]
        let before = book.mark()
        do {
            // Launched with the next turn.
            _ = try store.write { (transaction) throws(StoreFault) in
                try book.simulateLaunch(identifier, at: now, transaction)
            }
        } catch {
            fail(error, before)
        }
    }

    /// What the host does between two waits: writes down what ended, decides, and does it.
    private mutating func turn() {
        var effects: [RequestBook.Effect] = []
        let ends = owed
        var taken: [(RequestID, UInt64, Bool)] = []
        let before = book.mark()
        do {
            try store.write { (transaction) throws(StoreFault) in
                for end in ends {
                    let request = try book.ended(
                        end.id, launch: end.launch, end.end, answered: end.answered, at: now,
                        transaction)
                    taken.append((end.id, end.launch, request != nil))
                }
                effects = try book.decide(at: now, transaction)
            }
        } catch {
            fail(error, before)
            return
        }
        owed = []
        book.worked()
        for (id, launch, isTaken) in taken {
            if !isTaken {
                faults.append("the end of launch \(launch) of \(id) was not taken")
            } else if !accepted.insert([id.rawValue, launch]).inserted {
                faults.append("launch \(launch) of \(id) ended twice")
            }
        }
        for effect in effects { take(effect) }
    }

    private mutating func take(_ effect: RequestBook.Effect) {
        switch effect {
        case .cancel(let id, _): faults.append("\(id) was cancelled by nobody")
        case .quarantine: faults.append("a plugin was quarantined by nobody")
        case .stop(let id, let launch, _):
            note("stopped")
            if tasks[id]?.launch == launch {
                finish(id, AttemptEnd(.expired, reason: .condition), answered: true)
            }
        case .launch(let request, let attempt, let payload, let isSimulated):
            note("launched")
            check(request, attempt, payload, isSimulated)
            launches[request.id] = attempt.launch
            tasks[request.id] = (attempt.launch, request)
        }
    }

    private mutating func check(
        _ request: Request, _ attempt: Attempt, _ payload: [UInt8], _ isSimulated: Bool
    ) {
        let id = request.id
        if !acknowledged.contains(id) { faults.append("\(id) was launched, and nobody asked") }
        if tasks[id] != nil { faults.append("\(id) was launched while it ran") }
        if attempt.launch <= launches[id] ?? 0 { faults.append("\(id): a launch came again") }
        if payload != [1, 2, 3] { faults.append("\(id): another payload") }
        guard !isSimulated else { return }
        if request.notBefore > now.wall { faults.append("\(id) was launched too early") }
        if let earliest = request.description.earliest, request.launches == 1,
            request.description.repetition == nil, earliest > now.wall
        {
            faults.append("\(id) was launched before its earliest beginning")
        }
        let queue = request.queue
        let end = RequestScheduler.endOfWait(queue, from: request.notBefore) ?? .max
        for factor in book.scheduler.policy.factors(
            of: queue.kind, needs: queue.needs,
            opportunistic: end <= now.wall ? .no : queue.opportunistic)
        where book.scheduler.board.state(factor) == .no {
            faults.append("\(id) was launched although \(factor.name) says no")
        }
        let place = Self.identifiers.firstIndex(of: queue.identifier)! % 3 + 1
        let others = tasks.values.count { $0.request.description.identifier == queue.identifier }
        if others >= place + (book.simulated(queue.identifier).task == nil ? 0 : 6) {
            faults.append("\(id): more than \(place) tasks of \(queue.identifier) at a time")
        }
    }

    /// What goes in must come out: lets everything come to its end, and looks for what is lost.
    mutating func drain() {
        store.failures = 0
        for factor in Factor.allCases where factor.isSettable {
            book.scheduler.board.set(
                factor, FactorReading(.yes, source: "world", detail: "yes"), at: now)
        }
        for (index, identifier) in Self.identifiers.enumerated() {
            book.scheduler.setState(
                HandlerState(places: index % 3 + 1, plugin: "org.example"), of: identifier)
        }
        book.scheduler.reconsider()
        releaseParked()
        for request in list([]) where request.description.repetition != nil {
            _ = try? store.write { (transaction) throws(StoreFault) in
                try book.cancel(request.id, at: now, transaction)
            }
        }
        for _ in 0..<5_000 {
            turn()
            for id in tasks.keys.sorted() { finish(id, AttemptEnd(.succeeded), answered: true) }
            turn()
            if tasks.isEmpty, owed.isEmpty {
                guard list([.pending, .running]).isEmpty == false else { break }
                passToNextDate()
                pass(Self.second)
            }
        }
        let known = Set(list([]).map(\.id))
        for id in acknowledged.subtracting(known).sorted() { faults.append("\(id) is lost") }
        for id in known.subtracting(acknowledged).sorted() {
            // The commit failed for whoever asked; then it must not be there.
            faults.append("\(id) is there, and was never acknowledged")
        }
        for request in list([.pending, .running, .parked]) {
            faults.append("\(request.id) never came to its end: \(request.state.name)")
        }
    }

    private func list(_ states: Set<RequestState>) -> [Request] {
        (try? store.read { (transaction) throws(StoreFault) in
            try transaction.requests(RequestFilter(states: states, limit: .max))
        }) ?? []
    }

    /// Everything the journal says, for comparing two histories.
    var history: [JournalEntry] {
        (try? store.read { (transaction) throws(StoreFault) in
            try transaction.journal(after: 0, of: nil, limit: .max)
        }) ?? []
    }
}
