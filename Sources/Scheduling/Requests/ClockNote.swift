// SPDX-License-Identifier: Apache-2.0

/// The relation of the clock of dates to the clock of spans when a host last read both, as the
/// store keeps it. The next host uses it to find whether the clock was set in between.
struct ClockNote: Equatable {
    /// The kernel's id of the boot that spans count from.
    var boot: String
    var moment: Moment

    init(boot: String, moment: Moment) {
        self.boot = boot
        self.moment = moment
    }

    /// Returns nil if the bytes are malformed.
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

    /// Returns whether the clock was set back by more than a second since the note. After a reboot
    /// that is known only if the time is earlier than the note's.
    func wasSetBack(_ boot: String, at now: Moment) -> Bool {
        guard boot == self.boot, now.span >= moment.span else { return now.wall < moment.wall }
        let passed = Int64(clamping: now.span - moment.span)
        return now.wall &- moment.wall &- passed < -1_000_000_000
    }
}
