// SPDX-License-Identifier: Apache-2.0

/// How the clock of dates stood to the clock of spans when a host looked last, as the store keeps it:
/// the next host finds out whether the clock was set between the two.
struct ClockNote: Equatable {
    /// The kernel's id of the boot that spans count from.
    var boot: String
    var moment: Moment

    init(boot: String, moment: Moment) {
        self.boot = boot
        self.moment = moment
    }

    /// Nil: the bytes are no note.
    init?(_ bytes: [UInt8]) {
        let words = String(decoding: bytes, as: UTF8.self)
            .split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, let wall = Int64(words[1]), let span = UInt64(words[2]) else {
            return nil
        }
        boot = String(words[0])
        moment = Moment(wall: wall, span: span)
    }

    var bytes: [UInt8] { Array("\(boot) \(moment.wall) \(moment.span)".utf8) }

    /// The clock was set back by more than a second since. After the machine was started anew nobody
    /// can tell but where it is earlier now than it was then.
    func wasSetBack(_ boot: String, at now: Moment) -> Bool {
        guard boot == self.boot, now.span >= moment.span else { return now.wall < moment.wall }
        let passed = Int64(clamping: now.span - moment.span)
        return now.wall &- moment.wall &- passed < -1_000_000_000
    }
}
