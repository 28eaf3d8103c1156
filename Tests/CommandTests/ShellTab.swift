// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// What a real shell offers when the Tab key is typed at the end of a line, with the script of
/// `curfew completions` in it.
enum ShellTab {
    static let shells = ["bash", "zsh", "fish"]

    /// The offered words in the order of the alphabet, without what only says what they mean.
    static func words(
        _ shell: String, _ line: String, directory: String? = nil,
        environment: [String: String] = [:]
    ) throws -> [String] {
        let arguments =
            switch shell {
            case "bash": ["--norc", "-c", bash, "bash", line, current(line)] + split(line)
            case "zsh": ["-f", "-c", zsh, "zsh", line]
            default: ["--no-config", "-c", fish, line]
            }
        let files = try TemporaryDirectory()
        let run = try ChildProcess.run(
            shell, arguments,
            environment: CommandRun.environment.merging(
                [
                    "PATH": BuiltProducts.directory + ":" + (CommandRun.environment["PATH"] ?? ""),
                    "HOME": files.path, "OFFERED": try files.write("", to: "offered"),
                ]
            ) { $1 }.merging(environment) { $1 }, directory: directory ?? files.path,
            limit: .seconds(60))
        guard run.succeeded, run.errorOutput.isEmpty else {
            throw CocoaError(
                .executableLoad, userInfo: [NSLocalizedFailureReasonErrorKey: "\(run)"])
        }
        let text =
            shell == "zsh" ? String(decoding: try files.read("offered"), as: UTF8.self) : run.output
        // What stands in two groups of a list is offered once all the same.
        return Set(
            text.split(separator: "\n").map { line in String(line.prefix { $0 != "\t" }) }
        ).sorted()
    }

    // MARK: As readline splits a line

    private static func split(_ line: String) -> [String] {
        line.matches(of: /[=@:]+|[^\s=@:]+/).map { String($0.output) }
            + (line.hasSuffix(" ") ? [""] : [])
    }

    private static func current(_ line: String) -> String {
        let last = split(line).last ?? ""
        return last.allSatisfy { "=@:".contains($0) } ? "" : last
    }

    private static let bash = #"""
        source <(curfew completions bash)
        complete -p curfew >/dev/null || exit
        COMP_LINE=$1 COMP_POINT=${#1} current=$2
        shift 2
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _curfew curfew "$current" "${COMP_WORDS[COMP_CWORD - 1]}"
        [ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
        """#

    // A terminal of its own, for only a line that is edited is completed. What would be shown is
    // written down.
    private static let zsh = #"""
        zmodload zsh/zpty
        compadd () {
            if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
                builtin compadd "$@"
                return
            fi
            local -a found
            builtin compadd -A found "$@"
            (( $#found )) || return 1
            print -rl -- "${(@)found/#/$IPREFIX}" >>$OFFERED
            builtin compadd "$@"
        }
        finish () { print "<""END>"; exit; }
        start () {
            autoload -Uz compinit
            compinit -D -u
            source <(curfew completions zsh)
            comppostfuncs=(finish)
            zle -C offer complete-word _main_complete
            bindkey '^I' offer
            print "<""READY>"
        }
        typeset -f compadd finish start >$OFFERED.start
        zpty shell zsh -f
        zpty -w shell "PS1=; source $OFFERED.start; start"
        zpty -r -m shell line '*<READY>*'
        zpty -n -w shell "$1"$'\t'
        zpty -r -m shell line '*<END>*'
        """#

    private static let fish = #"""
        curfew completions fish | source
        complete -C $argv[1]
        """#
}
