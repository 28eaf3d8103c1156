// SPDX-License-Identifier: Apache-2.0

/// A request for work that takes minutes, while the machine is idle.
open class BGProcessingTaskRequest: BGTaskRequest, @unchecked Sendable {
    /// Whether the task needs a network: it is launched only with one, and expires when the network
    /// is lost. False by default.
    open var requiresNetworkConnectivity = false

    /// Whether the task needs external power: it is launched only with it, and expires when it is
    /// lost. False by default.
    open var requiresExternalPower = false

    /// Makes a request for the handler that is registered under an identifier.
    public init(identifier: String) { super.init(identifier) }

    override func duplicate() -> BGTaskRequest {
        filled(BGProcessingTaskRequest(identifier: identifier))
    }

    final func filled<Copy: BGProcessingTaskRequest>(_ copy: Copy) -> Copy {
        copy.earliestBeginDate = earliestBeginDate
        copy.requiresNetworkConnectivity = requiresNetworkConnectivity
        copy.requiresExternalPower = requiresExternalPower
        return copy
    }

    override var details: String {
        ", requiresExternalPower=\(requiresExternalPower ? 1 : 0), requiresNetworkConnectivity=\(requiresNetworkConnectivity ? 1 : 0)"
    }
}
