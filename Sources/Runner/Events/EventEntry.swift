// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling
import Synchronization

/// A known event: its declaration, the call that is prepared for it, and who wants it.
final class EventEntry: @unchecked Sendable {
    // Sendable: what the loop remembers belongs to whoever turns it; the other variables are
    // guarded by the directory's lock, and the declaration is there before the first event is
    // raised and then constant.

    let index: UInt32
    let selector: EventSelector
    /// The selector, NUL-terminated, for the life of the entry.
    let text: UnsafeMutablePointer<CChar>
    /// Subscriptions and waits: workers read it to see whether a done event is worth queueing.
    let takers: UnsafeMutablePointer<Atomic<UInt32>>

    /// Nil while the event was only asked for and nobody has declared it.
    private(set) var declaration: EventSignature?
    private(set) var call: Unmanaged<PreparedCall>?
    /// Whose handler declared it: a plugin's number, or -1 for the embedder's. Nil: nobody's.
    private(set) var owner: Int32?
    /// The embedder raises it: the declaration is constant, and read without the lock.
    let isEmbedders = Atomic<Bool>(false)
    /// Told to nobody.
    var isSilent = false
    var subscribers = SubscriberList()
    /// Subscriptions that see what a wait takes, too.
    var listeners = SubscriberList()
    var waiting = 0

    // What whoever turns the loop remembers, so that most events are delivered without the lock.

    private(set) var receivers = Unmanaged.passRetained(ReceiverList.none)
    /// The version of subscriptions and waits at which it last looked; 0: never.
    var seen: UInt64 = 0
    /// Somebody waited then.
    var isAwaited = false
    /// The versions of which its list holds those who see everything, and the subscribers.
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

    /// For whoever turns the loop, with the directory's lock: brings the list of receivers up to
    /// `version`, if anybody has come or gone. Returns the old list, which is the caller's to keep
    /// for a while.
    ///
    /// A new list is made when somebody is about to be called for each of its members, and so adds
    /// a part of that to the cost of the event and nothing to that of subscribing. `isTaken`: a
    /// wait takes the event, and no subscriber will be called, so they are not listed.
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

    /// Declared only to tell of a failure: whoever declares it in earnest may.
    var isProvisional = false

    /// `prepared` is for the same parameters, and may be other entries' too: one loop turns for all.
    func declare(_ signature: EventSignature, _ prepared: PreparedCall, owner: Int32?) {
        isProvisional = false
        declaration = signature
        // In earnest after provisionally: the same parameters, and the loop may be inside the call.
        if call == nil { call = Unmanaged.passRetained(prepared) }
        self.owner = owner
        if owner == nil { isEmbedders.store(true, ordering: .releasing) }
    }
}
