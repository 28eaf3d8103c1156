// SPDX-License-Identifier: Apache-2.0

/// A script that makes a shell ask this program for completions.
///
/// The script runs the program in PATH, not the one that was typed: the Tab key must not start a
/// program of an untrusted directory.
enum CompletionScript {
    static func text(_ shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    // COMP_WORDS are split at = : and @ too, and $2 is only what readline takes for the word: what
    // stands together in the line is put together again, and what readline has is cut off again.
    private static let bash = #"""
        # bash completion for curfew
        _curfew() {
            local line=${COMP_LINE:0:COMP_POINT} place word rest i words=()
            for ((i = 0; i <= COMP_CWORD; i++)); do
                word=${COMP_WORDS[i]}
                rest=${line#"${line%%[![:blank:]]*}"}
                ((i < COMP_CWORD)) || word=${word:0:${#rest}}
                if ((i > 0)) && [[ $rest == "$line" ]]; then
                    words[${#words[@]} - 1]+=$word
                else
                    words+=("$word")
                fi
                line=${rest#"$word"}
            done
            word=${words[${#words[@]} - 1]}
            local lead=${word%"$2"} files before answer
            COMPREPLY=()
            {
                IFS=$'\t' read -r files before
                while IFS=$'\t' read -r answer rest; do
                    [[ $answer == "$word"* ]] && COMPREPLY+=("${answer#"$lead"}")
                done
            } < <(command curfew __complete "${words[@]:1}" 2>/dev/null)
            case $files in
            directories) place=(-d) ;;
            files) place=(-f) ;;
            program)
                for ((i = 1; i < COMP_CWORD; i++)); do [[ ${COMP_WORDS[i]} != -- ]] || break; done
                for place in _comp_command_offset _command_offset; do
                    ! declare -F "$place" >/dev/null || { "$place" $((i + 1)); return; }
                done
                ((i + 1 == COMP_CWORD)) && place=(-c) || place=(-f)
                before= ;;
            *) return 0 ;;
            esac
            compopt -o filenames 2>/dev/null
            while IFS= read -r answer; do
                COMPREPLY+=("${before#"$lead"}$answer")
            done < <(compgen "${place[@]}" -- "${word#"$before"}")
        }
        complete -F _curfew curfew
        """#

    private static let zsh = #"""
        #compdef curfew
        # zsh completion for curfew
        _curfew() {
            local -a answer offered
            local line word
            answer=("${(@f)$(command curfew __complete "${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
            (( $#answer )) || return 1
            for line in "${(@)answer[2,-1]}"; do
                word=${line%%$'\t'*}
                offered+=("${word//:/\\:}:${line#*$'\t'}")
            done
            local found=1
            (( $#offered )) && _describe -V 'curfew' offered && found=0
            local files=${answer[1]%%$'\t'*} lead=${answer[1]#*$'\t'}
            [[ $files == none ]] && return $found
            if [[ $files == program ]]; then
                shift $lead words
                (( CURRENT -= lead ))
                _normal
                return
            fi
            compset -p $#lead
            if [[ $files == directories ]]; then
                _files -/ && found=0
            else
                _files && found=0
            fi
            return $found
        }
        if [[ $funcstack[1] == _curfew ]]; then
            _curfew "$@"
        else
            compdef _curfew curfew
        fi
        """#

    private static let fish = #"""
        # fish completion for curfew
        function __curfew_complete
            set -l last (commandline -ct)
            set -l words (commandline -opc) "$last"
            set -l answer (command curfew __complete $words[2..] 2>/dev/null)
            or return
            set -l head (string split \t -- $answer[1])
            printf '%s\n' $answer[2..]
            set -l name (string sub -s (math (string length -- "$head[2]") + 1) -- "$last")
            switch $head[1]
                case files
                    for path in (__fish_complete_path $name)
                        printf '%s%s\n' "$head[2]" $path
                    end
                case program
                    set -l before (string escape -- $words[(math $head[2] + 1)..-2])
                    complete -C (string join ' ' -- $before "$last")
                case directories
                    for path in (__fish_complete_directories $name '')
                        printf '%s%s\n' "$head[2]" $path
                    end
            end
        end
        complete -c curfew -f -a '(__curfew_complete)'
        """#
}

/// The shells whose Tab key can be taught.
enum Shell: String, CaseIterable {
    case bash
    case zsh
    case fish
}
