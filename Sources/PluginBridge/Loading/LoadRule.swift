// SPDX-License-Identifier: Apache-2.0

/// The rules that loading a plugin can break; the raw value is the name of its `Fault`.
public enum LoadRule: String, Sendable, CaseIterable {
    case open = "load-open"
    case note = "load-note"
    case abi = "load-abi"
    case symbol = "load-symbol"
    case entry = "load-entry"
    case identity = "load-identity"
    case unregistered = "load-unregistered"
    case taken = "load-taken"
    case undeclared = "load-undeclared"
    case owner = "load-owner"
    case writable = "load-writable"
    case file = "load-file"
    case unstable = "load-unstable"
    case copy = "load-copy"
    case beside = "load-beside"
    case link = "load-link"
    case pin = "load-pin"
    case unpinned = "load-unpinned"
    case digest = "load-digest"
    case search = "load-search-path"
    case systemLibrary = "load-system-library"
    case function = "load-function"
    case sub = "load-sub"
}
