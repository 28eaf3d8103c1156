// SPDX-License-Identifier: Apache-2.0

extension Fault {
    /// All faults there are, by number.
    public static let all: [Fault] = statuses + json + manifest + loading + permitted + misbehaviour

    // MARK: 00, what calls answer

    private static let statuses: [Fault] = []

    // MARK: 01, the text of a manifest

    private static let json: [Fault] = []

    // MARK: 02, what a manifest says

    private static let manifest: [Fault] = []

    // MARK: 03, loading a plugin

    private static let loading: [Fault] = []

    // MARK: 04, lists of permitted identifiers

    private static let permitted: [Fault] = []

    // MARK: 07, what a plugin does against the contract

    private static let misbehaviour: [Fault] = []
}
