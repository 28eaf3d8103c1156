// SPDX-License-Identifier: Apache-2.0

/// The options that describe a request, and how to type them: `--after 15s`, or in a step of
/// `simulate` `submit:after=15s`.
struct SubmitValues {
    /// The value of an option of the command; "" if the option takes none.
    private let ofCommand: (CommandOption) -> String?
    /// A step's own, by the names of the options.
    private let ofStep: [String: String]
    /// The values are members of an object in JSON.
    private let isObject: Bool

    init(_ ofCommand: @escaping (CommandOption) -> String?) {
        self.ofCommand = ofCommand
        ofStep = [:]
        isObject = false
    }

    /// - Parameter given: the names of options that are members of an object, and their values.
    init(given: [(option: String, value: String)]) {
        // They are few: comparing is faster than hashing.
        ofCommand = { option in given.first { $0.option == option.name }?.value }
        ofStep = [:]
        isObject = true
    }

    /// The name of an option's member: `onPending`.
    static func member(_ option: CommandOption) -> String { members[option.name]! }

    private static let members = Dictionary(
        uniqueKeysWithValues: SubmitForm.options.map { option in
            let words = option.name.split(separator: "-")
            return (
                option.name,
                words.dropFirst().reduce(String(words[0])) {
                    $0 + $1.prefix(1).uppercased() + $1.dropFirst()
                }
            )
        })

    /// Prefers the values of a step to those of the command.
    init(_ values: SubmitValues, step: [String: String]) {
        ofCommand = values.ofCommand
        ofStep = step
        isObject = false
    }

    /// Returns the value on the command line; "" for an option without one.
    func callAsFunction(_ option: CommandOption) -> String? {
        ofStep[option.name] ?? ofCommand(option)
    }

    /// An option that is not there is to be added where the others are.
    private func isOfStep(_ option: CommandOption) -> Bool {
        ofStep[option.name] != nil || (!ofStep.isEmpty && ofCommand(option) == nil)
    }

    /// Returns the option without its value: `--after`.
    func name(_ option: CommandOption) -> String {
        isObject ? Self.member(option) : (isOfStep(option) ? "submit:" : "--") + option.name
    }

    /// Returns the text before an option's value: `--after`, `submit:after=`.
    func lead(_ option: CommandOption) -> String {
        name(option) + (isOfStep(option) ? "=" : "")
    }

    /// Words in one value. In a step the comma stands between options.
    func list(_ words: [String]) -> String {
        words.joined(separator: ofStep.isEmpty ? "," : "+")
    }

    func typed(_ option: CommandOption, _ value: String) -> String {
        TypedValue.text(value, after: lead(option))
    }
}
