// SPDX-License-Identifier: Apache-2.0
// Manner: a service that logs with os.Logger, whose values are private unless it says otherwise.
// Flags: -module-alias os=OSLogging
// Swift 6: yes
// Prints: info [com.example.logs:refresh] launched
// Prints: info [com.example.logs:refresh] loaded 3 of 04 pages, 0x1f, 0.50, true
// Prints: info [com.example.logs:refresh] from <private> to news
// Prints: warning [com.example.logs:refresh] type Page, page <private>, <private>
// Prints: error [com.example.logs:refresh] |news  |  news|
// Prints: error [com.example.logs:refresh] masked, and the same: true
// Prints: error without a subsystem
// Prints: debug [com.example.logs:refresh] looked
import AppHost
import Foundation
import os

struct Page: CustomStringConvertible {
    let description = "first"
}

final class Service: Sendable {
    private let logger = Logger(subsystem: "com.example.logs", category: "refresh")

    func refresh() {
        let source = "feed"
        let target = "news"
        logger.info("launched")
        logger.notice(
            "loaded \(3) of \(4, format: .decimal(minDigits: 2)) pages, 0x\(31, format: .hex), \(0.5, format: .fixed(precision: 2)), \(true)"
        )
        logger.log("from \(source) to \(target, privacy: .public)")
        logger.warning("type \(Page.self), page \(Page()), \(42, privacy: .private)")
        logger.error(
            "|\(target, align: .left(columns: 6), privacy: .public)|\(target, align: .right(columns: 6), privacy: .public)|"
        )
        let masked: OSLogMessage = "\(source, privacy: .private(mask: .hash))"
        let again: OSLogMessage = "\(source, privacy: .private(mask: .hash))"
        let isSame =
            masked.interpolation.text == again.interpolation.text
            && !masked.interpolation.text.contains(source)
        logger.critical("masked, and the same: \(isSame)")
        os_log(.fault, "without a subsystem")
        logger.trace("looked")
    }
}

var configuration = AppHost.Configuration()
configuration.log = { level, line in print("\(level) \(line)") }
AppHost.configure(configuration)
Service().refresh()
