// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// The machine, as far as work in the background is concerned.
open class UIDevice: NSObject, @unchecked Sendable {
    // Sendable: it has no state.
    private static let instance = UIDevice()

    /// The one there is.
    open class var current: UIDevice { instance }

    private override init() {}

    /// Whether an app can go on in the background: it can.
    open var isMultitaskingSupported: Bool { true }
}
