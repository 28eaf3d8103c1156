// SPDX-License-Identifier: Apache-2.0

/// The role of a piece of text, shown by its colour; the raw value is the parameter of the escape
/// sequence.
enum Colour: String {
    case good = "1;32"
    case warning = "1;33"
    case alarm = "1;31"
    case strong = "1"
    case accent = "36"
    /// Set back: neither of the two grey tones of a terminal can be relied on, faint can.
    case faint = "2"
}
