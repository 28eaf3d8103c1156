// SPDX-License-Identifier: Apache-2.0

/// Whether a value is shown in the log.
public struct OSLogPrivacy: Sendable {
    /// The text in place of a hidden value.
    public enum Mask: Sendable {
        /// A number by which lines of one process with the same value are found.
        case hash
        /// Nothing that depends on the value.
        case none
    }

    private enum Option { case auto, shown, hidden }

    private let option: Option
    private let mask: Mask

    /// Numbers are shown, strings and objects are not.
    public static var auto: OSLogPrivacy { OSLogPrivacy(option: .auto, mask: .none) }
    /// Shows the value.
    public static var `public`: OSLogPrivacy { OSLogPrivacy(option: .shown, mask: .none) }
    /// Hides the value.
    public static var `private`: OSLogPrivacy { OSLogPrivacy(option: .hidden, mask: .none) }
    /// Never shows the value.
    public static var sensitive: OSLogPrivacy { OSLogPrivacy(option: .hidden, mask: .none) }
    /// Hides strings and objects, and prints a mask in their place.
    public static func auto(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(option: .auto, mask: mask) }
    /// Hides the value, and prints a mask in its place.
    public static func `private`(mask: Mask) -> OSLogPrivacy {
        OSLogPrivacy(option: .hidden, mask: mask)
    }
    /// Never shows the value, and prints a mask in its place.
    public static func sensitive(mask: Mask) -> OSLogPrivacy {
        OSLogPrivacy(option: .hidden, mask: mask)
    }

    /// Returns the text of a value in the log.
    func shown(_ text: String, isNumber: Bool) -> String {
        switch option {
        case .shown: return text
        case .auto where isNumber: return text
        case .auto, .hidden:
            // The hash has another seed in each process, so that it tells nothing to others.
            return mask == .hash
                ? "<mask.hash: '\(String(UInt(bitPattern: text.hashValue), radix: 16))'>"
                : "<private>"
        }
    }
}
