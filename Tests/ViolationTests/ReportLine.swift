// SPDX-License-Identifier: Apache-2.0

/// A line that the harness printed; which members there are depends on its kind.
struct ReportLine: Decodable, Sendable {
    var kind: String
    var what: String?
    var value: Int?
    var level: Int?
    var plugin: String?
    var task: Int?
    var text: String?
    var bytes: Int?
    var selector: String?
    var values: String?
    var status: Int?
    var message: String?
    var identifier: String?
    var launched: Int?
    var refused: [String: Int]?
    var outcomes: [String: Int]?
    var answers: Int?
    var outcome: Int?
    var answered: Bool?
    var returned: Bool?
    var error: String?
    var quarantined: Bool?
    var why: String?
    var lost: Int?
    var contractViolations: Int?
    var lostWorkers: Int?
    var eventsLost: Int?
    var events: [String: Int]?
    var state: String?
    var waiting: String?
}
