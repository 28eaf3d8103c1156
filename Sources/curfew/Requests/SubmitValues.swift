// SPDX-License-Identifier: Apache-2.0

/// What the options say that describe a request, and how they are typed where they are given:
/// `--after 15s`, or in a step of `simulate` `submit:after=15s`.
struct SubmitValues {
    /// Of an option of the command; "" for one that has no value.
    private let ofCommand: (CommandOption) -> String?
    /// A step's own, by the names of the options.
    private let ofStep: [String: String]

    init(_ ofCommand: @escaping (CommandOption) -> String?) {
        self.ofCommand = ofCommand
        ofStep = [:]
    }

    /// Those of a step come before those of the command.
    init(_ values: SubmitValues, step: [String: String]) {
        ofCommand = values.ofCommand
        ofStep = step
    }

    /// As it was given; "" for one that has no value.
    func callAsFunction(_ option: CommandOption) -> String? {
        ofStep[option.name] ?? ofCommand(option)
    }

    /// An option that is not there is to be added where the others are.
    private func isOfStep(_ option: CommandOption) -> Bool {
        ofStep[option.name] != nil || (!ofStep.isEmpty && ofCommand(option) == nil)
    }

    /// As it is typed, without its value: `--after`.
    func name(_ option: CommandOption) -> String {
        (isOfStep(option) ? "submit:" : "--") + option.name
    }

    /// What its value is typed after: `--after`, `submit:after=`.
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
