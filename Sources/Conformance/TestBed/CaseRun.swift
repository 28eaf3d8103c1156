// SPDX-License-Identifier: Apache-2.0
import CSystem
import CurfewValues
import Glibc
import PluginBridge
import Scheduling

/// The context of a case, in the child.
final class CaseRun: Sendable {
    let subject: Subject
    /// The seed of all random choices.
    let seed: UInt64
    /// Whether only the trial with this seed is repeated.
    let isReproducing: Bool
    /// Where the plugin's code runs.
    let isolation: Isolation
    private let log: LogPipe
    private let warnings = Locked<[String]>([])

    init(
        _ subject: Subject, seed: UInt64, pace: UInt64 = 0, share: UInt64 = 0, turn: Int = 0,
        isReproducing: Bool, _ isolation: Isolation, _ log: LogPipe
    ) {
        self.subject = subject
        self.seed = seed
        self.pace = pace
        self.share = share
        self.turn = turn
        self.isReproducing = isReproducing
        self.isolation = isolation
        self.log = log
    }

    /// Nanoseconds that the longest success example takes; 0 where it is not known.
    let pace: UInt64

    /// Nanoseconds that the case is to take, or about as many; 0: as many as it needs.
    private let share: UInt64
    /// The place of the case among all, so that not all of them try the same ones of many examples.
    private let turn: Int
    /// How often a case runs what it is given, for most of them.
    private static var repeats: UInt64 { 6 }
    private let leftOut = Locked(0)

    /// Returns the nanoseconds of what takes as long as it is given.
    func time(_ usual: UInt64) -> UInt64 { share > 0 ? min(usual, share) : usual }

    /// Returns as many of some examples or handlers as the case has time for, and tells the parent how
    /// many are left out.
    ///
    /// - Parameter cost: nanoseconds of one.
    private func withinTime<Element>(_ all: [Element], cost: UInt64) -> [Element] {
        guard share > 0 else { return all }
        let fit = max(1, Int(clamping: share / (Self.repeats * max(cost, 5_000_000))))
        guard fit < all.count else { return all }
        let left = all.count - fit
        let isMore = leftOut.withLock { known in
            defer { known = max(known, left) }
            return left > known
        }
        if isMore { log.send("left", String(left)) }
        return (0..<fit).map { all[(turn + $0) % all.count] }
    }

    /// Returns the handlers, or those that the case has time for.
    ///
    /// - Parameter isEntry: only those behind `curfew_plugin_entry`.
    func handlers(isEntry: Bool = false) throws -> [ManifestHandler] {
        withinTime(
            try manifest.handlers.filter { !isEntry || $0.form == .entry }, cost: 20_000_000)
    }

    /// Tells the parent that, for the cases to come.
    func tell(longest: UInt64) { log.send("pace", String(longest)) }

    /// Lets other threads run for this time, in nanoseconds.
    func rest(_ time: UInt64) {
        let until = csys_monotonic_ns() &+ time
        var word: UInt32 = 0
        while csys_monotonic_ns() < until { csys_futex_wait(&word, 0, until) }
    }

    /// Returns how often to repeat something with all success examples: as often as wanted, or as
    /// the time allows.
    func rounds(_ wanted: Int, within time: UInt64 = 5_000_000_000, atLeast least: Int = 2) -> Int {
        pace == 0 ? wanted : max(least, min(wanted, Int(clamping: time / pace)))
    }

    private let trying = Locked<UInt64?>(nil)

    /// Tells what it is at from now on, to be put after how it ended: "while …".
    func phase(_ text: String) {
        let seed = trying.withLock { $0 }.map { "\($0)" } ?? "-"
        log.send("at", "\(seed) \(text)")
    }

    /// From now on chance begins here: the seed with which this can be had again.
    func trying(seed: UInt64) { trying.withLock { $0 = seed } }

    /// The seed of the last trial.
    var tried: UInt64? { trying.withLock { $0 } }

    /// Something its author should know, although no rule is broken.
    func warn(_ text: String) { warnings.withLock { $0.append(text) } }

    /// Fails the case if the process wrote to standard output, or more than the given bytes to
    /// standard error.
    func mustBeSilent(_ text: String, errors: Int = 0) {
        // Flush the buffers of the C library.
        fflush(nil)
        silence.withLock { $0 = true }
        log.send("silent", "\(errors) \(text)")
    }

    /// A part of the verdict is what the process writes, which only a parent can see.
    var isAboutOutput: Bool { silence.withLock { $0 } }
    private let silence = Locked(false)

    private let kept = Locked<[TestBed]>([])

    /// A host that is not to end before the process does, but by itself.
    func keep(_ bed: TestBed) { kept.withLock { $0.append(bed) } }

    func letGo(_ bed: TestBed) { kept.withLock { $0.removeAll { $0 === bed } } }

    /// The end of the process is the case: it passes when that comes as it should, with this status.
    static var leavingStatus: Int32 { 23 }

    /// Tells what went wrong by chance, for the notes of a failure.
    func tell(chaos: String) { log.send("chaos", chaos) }

    /// Fails the case, although its body has come to its end.
    func fail(_ text: String) { log.send("found", text) }

    func leave() {
        log.send("leaving")
        csys_exit(log.isRead ? Self.leavingStatus : 0)
    }

    /// The verdict of a body that has returned or thrown.
    func verdict(_ body: (CaseRun) throws -> Void) -> CaseVerdict {
        do {
            try body(self)
        } catch let verdict as CaseVerdict {
            return verdict
        } catch {
            return CaseVerdict(.fail, "\(error)")
        }
        let warnings = warnings.withLock { $0 }
        guard let first = warnings.first else { return CaseVerdict(.pass) }
        return CaseVerdict(.warn, first, notes: Array(warnings.dropFirst()))
    }

    var manifest: Manifest {
        get throws {
            switch subject.manifest {
            case .success(let manifest): return manifest
            case .failure(let faults):
                throw CaseVerdict.skip("the manifest has faults: \(faults.line)")
            }
        }
    }

    /// The examples of one expectation, with their handlers. Throws a skip where there is none.
    ///
    /// - Parameter isEntry: only those of handlers behind `curfew_plugin_entry`.
    func examples(_ expect: ManifestExpectation, isEntry: Bool = false) throws -> [Trial] {
        var trials: [Trial] = []
        for handler in try manifest.handlers where !isEntry || handler.form == .entry {
            for example in handler.examples where example.expect == expect {
                trials.append(Trial(handler: handler, example: example))
            }
        }
        guard !trials.isEmpty else {
            throw CaseVerdict.skip("no example in the manifest expects \(expect.rawValue)")
        }
        return withinTime(trials, cost: expect == .slow ? 150_000_000 : max(pace, 5_000_000))
    }

    /// Returns the examples that end by themselves. Throws a skip if there are none.
    func examplesThatEnd(isEntry: Bool = false) throws -> [Trial] {
        let failures = (try? examples(.failure, isEntry: isEntry)) ?? []
        guard let successes = try? examples(.success, isEntry: isEntry) else {
            guard !failures.isEmpty else { return try examples(.success, isEntry: isEntry) }
            return failures
        }
        return successes + failures
    }

    /// One example of a handler.
    struct Trial: Sendable {
        let handler: ManifestHandler
        let example: ManifestExample

        var name: String { "\(handler.identifier), example \"\(example.name)\"" }
    }

    private let places = Locked<[String: String]>([:])
    /// The working directory at the beginning, which was empty.
    let beginning = String(cString: getcwd(nil, 0))

    /// The name of the directory that TMPDIR leads to, in the first working directory.
    static var temporaryName: String { "tmp" }

    /// Makes the working directory of an example, with its files, and goes there. Returns its
    /// payload. The second time it is as the first run has left it.
    ///
    /// - Parameter copy: of several that are in use at a time.
    func prepare(_ trial: Trial, copy: Int = 0) throws -> [UInt8] {
        let key = Self.key(trial, copy)
        let known = places.withLock { $0[key] }
        let place = known ?? "\(beginning)/\(places.withLock { $0.count })"
        if known == nil {
            mkdir(place, 0o700)
            for file in trial.example.files {
                let path = "\(place)/\(file.path)"
                for (index, byte) in path.utf8.enumerated()
                where byte == UInt8(ascii: "/") && index > place.utf8.count {
                    mkdir(String(decoding: path.utf8.prefix(index), as: UTF8.self), 0o700)
                }
                switch file.content {
                case .text(let text): try Self.write(Array(text.utf8), to: path)
                case .zeros(let bytes): try Self.write([], to: path, size: off_t(bytes))
                }
            }
            places.withLock { $0[key] = place }
        }
        chdir(place)
        return Array(trial.example.payload(in: place).utf8)
    }

    /// Returns the directory that was prepared for the trial.
    func place(of trial: Trial) -> String { places.withLock { $0[Self.key(trial, 0)] ?? "" } }

    private static func key(_ trial: Trial, _ copy: Int) -> String { "\(copy) \(trial.name)" }

    /// A byte-for-byte copy of the plugin's directory, elsewhere.
    func copyOfPlugin() throws -> String {
        let place = "\(beginning)/copy"
        mkdir(place, 0o700)
        for name in [Manifest.fileName, try manifest.library].compactMap(\.self) {
            let source = "\(subject.directory)/\(name)"
            let file = open(source, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else {
                throw CaseVerdict.skip(
                    "\(source) cannot be read: \(String(cString: strerror(errno)))")
            }
            defer { close(file) }
            var bytes: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = read(file, &piece, piece.count)
                guard count > 0 else { break }
                bytes += piece[..<count]
            }
            try Self.write(bytes, to: "\(place)/\(name)")
        }
        return place
    }

    /// - Parameter size: that of the file, with zeros behind the bytes; nil: that of the bytes.
    private static func write(_ bytes: [UInt8], to path: String, size: off_t? = nil) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { if file >= 0 { close(file) } }
        guard file >= 0, Glibc.write(file, bytes, bytes.count) == bytes.count,
            size.map({ ftruncate(file, $0) == 0 }) ?? true
        else {
            throw CaseVerdict.skip(
                "a file of the example cannot be written: \(String(cString: strerror(errno)))")
        }
    }
}
