// SPDX-License-Identifier: Apache-2.0

/// The port for sources of the machine's factors.
///
/// A source is read repeatedly, never under a lock or on a thread that runs handlers: a driver may
/// take tens of milliseconds for an answer.
package protocol FactorSource: Sendable {
    /// The factors of this source; constant for its lifetime.
    var factors: Set<Factor> { get }

    /// Returns the readings of `factors`. A state that cannot be read is `unknown`, and the
    /// reading's detail says why; there is no other way to fail. Of a factor that is left out, and of one
    /// that several sources read, the reading of the other source counts, the later one in the host's list.
    /// May be called from any thread.
    func read() -> [Factor: FactorReading]
}
