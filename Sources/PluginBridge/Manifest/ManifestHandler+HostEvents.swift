// SPDX-License-Identifier: Apache-2.0

package import Scheduling

extension ManifestHandler {
    /// The events the host raises about a handler and its tasks; no plugin may declare them.
    package var hostEvents: [EventSignature] { HandlerDescription.hostEvents(of: event) }

    /// These and what else is kept for the host: `scheduling<event>_done::`.
    package var reservedEvents: [EventSignature] { HandlerDescription.reservedEvents(of: event) }
}
