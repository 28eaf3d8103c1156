// SPDX-License-Identifier: Apache-2.0

/// Shows the life of a task in several ways at once.
final class LifeViews: LifeView {
    private let views: [any LifeView]

    init(_ views: [any LifeView]) { self.views = views }

    func begin(_ facts: LifeFacts) { for view in views { view.begin(facts) } }
    func show(_ entry: LifeEntry) { for view in views { view.show(entry) } }
    func tick(_ now: UInt64) { for view in views { view.tick(now) } }
    func end(_ ending: LifeEnding) { for view in views { view.end(ending) } }
    func fail(_ error: CommandError, at time: UInt64) {
        for view in views { view.fail(error, at: time) }
    }
}
