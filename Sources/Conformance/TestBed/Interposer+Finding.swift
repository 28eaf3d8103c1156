// SPDX-License-Identifier: Apache-2.0

extension Interposer {
    /// A fault that was noticed.
    enum Finding: Sendable, Hashable {
        /// A call on a thread that its tag does not allow.
        case thread(String)
        /// A call at a time that its tag does not allow.
        case state(String)
        case unknownStatus(String)
        case noMessage(String)
        /// The duration of a callback, in nanoseconds.
        case expiration(UInt64)
        /// Parts of the thread's state that have changed.
        case signalMask, signalStack, floatControl
        /// Another part of it, worded to follow "changed".
        case threadTrait(String)
        case tailWritten(String)
        /// The size of a struct, which the host has set, is another one.
        case sizeWritten(String)
        /// A struct of the plugin's, worded as a sentence's rest.
        case badStruct(String)
        /// One that could be of a later version.
        case laterStruct(String)
        /// A task was completed that the plugin had answered for, or was never given.
        case completion(String)
        /// A call for a task after its completion: the function, and what it did.
        case afterCompletion(String)
        /// A call for a task that is over, and to which the plugin has no reference.
        case stale(String)
        /// A call after the plugin was retired, or in another process.
        case afterRetire(String)
        /// Less progress than before, worded to follow "it".
        case progressBack(String)
        /// A text without an end.
        case unterminated(String)
    }
}
