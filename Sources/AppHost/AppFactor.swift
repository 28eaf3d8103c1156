// SPDX-License-Identifier: Apache-2.0

/// How one of the machine's factors is.
package enum AppFactorState: Int32, Sendable {
    case no = 0
    case yes = 1
    case unknown = 2
}
