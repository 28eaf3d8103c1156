// SPDX-License-Identifier: Apache-2.0

/// The commands, in the order of help.
enum CommandTable {
    static let all: [Command] = [
        RunCommand.command, SubmitCommand.command, ServeCommand.command,
        HealthCommand.command, ReloadCommand.command, DrainCommand.command, WebCommand.command,
        TopCommand.command,
        HostsCommand.command,
        SchedulesCommand.command, AppsCommand.command, ListCommand.command,
        ShowCommand.command, WhyCommand.command, LogCommand.command, WaitCommand.command,
        CancelCommand.command, EditCommand.command, LaunchCommand.command, RetryCommand.command,
        ReleaseCommand.command, QuarantineCommand.command,
        SettingsCommand.command, FactorsCommand.command, UsageCommand.command,
        SimulateCommand.command,
        DatabaseCommand.command,
        DoctorCommand.command,
        PluginsCommand.command, InspectCommand.command, InstallCommand.command,
        RemoveCommand.command, RollbackCommand.command, VerifyCommand.command,
        TrustCommand.command, LintCommand.command,
        ConformCommand.command, NewCommand.command, ExplainCommand.command, PathsCommand.command,
        CompletionsCommand.command, ManualCommand.command, VersionCommand.command,
        HelpCommand.command,
    ]

    /// Fails with the name that was probably meant.
    static func command(_ name: String) throws(CommandError) -> Command {
        if let command = all.first(where: { $0.name == name }) { return command }
        var help = ["curfew help"]
        guard !name.isEmpty else {
            throw CommandError(.usage, "the name of the command is empty", help: help)
        }
        if let nearest = Suggestion.nearest(to: name, among: all.map(\.name)) {
            help.insert("did you mean `\(nearest)`?", at: 0)
        }
        throw CommandError(.usage, "there is no command `\(name)`", help: help)
    }
}
