// SPDX-License-Identifier: Apache-2.0

/// A request for work that takes minutes, while the machine is idle.
open class BGProcessingTaskRequest: BGTaskRequest, @unchecked Sendable {
    /// It is launched while there is a network, and expires when that is lost. False by default.
    open var requiresNetworkConnectivity = false

    /// It is launched on external power, and expires when that is lost. False by default.
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
