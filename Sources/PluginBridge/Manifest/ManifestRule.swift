// SPDX-License-Identifier: Apache-2.0

/// The rules a manifest can break; the raw value is `Diagnostic.rule`.
public enum ManifestRule: String, Sendable, CaseIterable {
    case file = "manifest-file"
    case type = "manifest-type"
    case missingKey = "manifest-missing-key"
    case unknownKey = "manifest-unknown-key"
    case identifier = "manifest-identifier"
    case duplicateIdentifier = "manifest-duplicate-identifier"
    case version = "manifest-version"
    case abi = "manifest-abi"
    case library = "manifest-library"
    case pin = "manifest-pin"
    case handlers = "manifest-handlers"
    case kind = "manifest-kind"
    case duration = "manifest-duration"
    case concurrency = "manifest-concurrency"
    case event = "manifest-event"
    case reservedEvent = "manifest-reserved-event"
    case duplicateEvent = "manifest-duplicate-event"
    case parameter = "manifest-parameter"
    case requirement = "manifest-requirement"
    case form = "manifest-form"
    case isolation = "manifest-isolation"
    case example = "manifest-example"
    case faultLimit = "manifest-fault-limit"
}
