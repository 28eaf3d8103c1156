// SPDX-License-Identifier: Apache-2.0

/// Where in the life of a transaction something may go wrong.
package enum StorePoint: Hashable, Sendable {
    /// Before the transaction is begun.
    case asked
    /// Inside of it, before anything is done.
    case begun
    /// Inside of it, before one of its calls, by the call's name.
    case call(String)
    /// Inside of it, with everything done and nothing committed.
    case done
    /// After the commit, and before anybody knows of it.
    case committed

    /// For messages.
    package var name: String {
        switch self {
        case .asked: "asked"
        case .begun: "begun"
        case .call(let call): "call-\(call)"
        case .done: "done"
        case .committed: "committed"
        }
    }
}
