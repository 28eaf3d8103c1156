// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling
import Synchronization

/// A known event with its declaration, its prepared call and its receivers.
final class EventEntry: @unchecked Sendable {
    // Sendable: the cached receivers belong to the thread that runs the loop; the other variables
    // are guarded by the directory's lock. The declaration is set before the first event is raised,
    // and then constant.

    let index: UInt32
    let selector: EventSelector
    /// The selector as a NUL-terminated string, valid for the life of the entry.
    let text: UnsafeMutablePointer<CChar>
    /// Number of subscriptions and waits; workers queue a done event only if there are any.
    let takers: UnsafeMutablePointer<Atomic<UInt32>>

    /// Nil until the event is declared; it may be subscribed to or expected before.
    private(set) var declaration: EventSignature?
    private(set) var call: Unmanaged<PreparedCall>?
    /// The declaring plugin's number, -1 for a handler of the embedder, or nil for neither.
    private(set) var owner: Int32?
    /// The embedder raises the event: its declaration is constant and read without the lock.
    let isEmbedders = Atomic<Bool>(false)
    /// Events of this entry are not delivered.
    var isSilent = false
    var subscribers = SubscriberList()
    /// Subscriptions that also see events that a wait takes.
    var listeners = SubscriberList()
    var waiting = 0

    // Cache of the loop's thread, so that most events are delivered without the lock.

    private(set) var receivers = Unmanaged.passRetained(ReceiverList.none)
    /// The directory version at the last update; 0: none yet.
    var seen: UInt64 = 0
    /// A wait existed at that update.
    var isAwaited = false
    /// The directory versions at which observers and subscribers were listed.
    private var listedObservers: UInt64 = 0
    private var listedSubscribers: UInt64 = 0

    init(index: UInt32, selector: EventSelector) {
        self.index = index
        self.selector = selector
        let utf8 = Array(selector.description.utf8CString)
        text = .allocate(capacity: utf8.count)
        text.initialize(from: utf8, count: utf8.count)
        takers = .allocate(capacity: 1)
        takers.initialize(to: Atomic(0))
    }

    deinit {
        call?.release()
        receivers.release()
        text.deallocate()
        takers.deinitialize(count: 1)
        takers.deallocate()
    }

    /// Brings the receiver list up to `version` and returns the replaced list, if it changed.
    ///
    /// Called by the thread that runs the loop, with the directory's lock held; the caller keeps
    /// the old list while deliveries may iterate it. Rebuilding costs a fraction of calling each
    /// receiver and adds nothing to subscribing. With `isTaken` a wait takes the event, so
    /// subscribers are not listed.
    func updateReceivers(
        observers: SubscriberList, to version: UInt64, isTaken: Bool
    ) -> ReceiverList? {
        guard
            max(observers.changed, listeners.changed) > listedObservers
                || (!isTaken && subscribers.changed > listedSubscribers)
        else { return nil }
        let list = ReceiverList(
            observers: [observers, listeners], subscribers: isTaken ? nil : subscribers)
        listedObservers = version
        listedSubscribers = isTaken ? 0 : version
        defer { receivers = Unmanaged.passRetained(list) }
        return receivers.takeRetainedValue()
    }

    /// Declared only to report a failure; a real declaration may replace it.
    var isProvisional = false

    /// Sets the declaration. Entries with the same parameters share `prepared`; one loop calls it.
    func declare(_ signature: EventSignature, _ prepared: PreparedCall, owner: Int32?) {
        isProvisional = false
        declaration = signature
        // A real declaration after a provisional one has the same parameters, and the loop may be
        // executing the call.
        if call == nil { call = Unmanaged.passRetained(prepared) }
        self.owner = owner
        if owner == nil { isEmbedders.store(true, ordering: .releasing) }
    }
}

/// An event that cannot be declared because its selector is taken.
struct DeclarationConflict: Error {
    let selector: EventSelector
    /// The plugin that declared it, or nil when the event table is full.
    let owner: Int32?
}
