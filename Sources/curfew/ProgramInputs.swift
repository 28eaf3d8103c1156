// SPDX-License-Identifier: Apache-2.0

/// The program's inputs besides its arguments, for the manual.
enum ProgramInputs {
    static let variables: [(term: String, text: String)] = [
        (
            "CURFEW_PLUGIN_PATH",
            "the directories of plugins, separated by colons, in place of the usual ones"
        ),
        (
            "XDG_DATA_HOME",
            "where the user's data is, ~/.local/share without it; plugins are below it in "
                + "curfew/plugins. It counts only as an absolute path"
        ),
        ("CURFEW_STORE", "the store of requests, in place of the usual one"),
        (
            "XDG_STATE_HOME",
            "where what the user's programs remember is, ~/.local/state without it; the store is "
                + "below it in curfew/store. It counts only as an absolute path"
        ),
        ("HOME", "the user's home directory"),
        (
            "CURFEW_PLUGIN_COPIES",
            "a directory in which the copies stay from which libraries are loaded, for debuggers"
        ),
        ("TMPDIR", "where conform makes the directories it works in, /tmp without it"),
        ("NO_COLOR", "with any text: no colours, and nothing drawn over"),
        ("TERM", "dumb, or nothing: the same"),
        (
            "LC_ALL, LC_CTYPE, LANG",
            "the first that is set says whether the terminal shows UTF-8"
        ),
    ]

    static let files: [(term: String, text: String)] = [
        ("~/.local/share/curfew/plugins", "the user's plugins"),
        ("~/.local/state/curfew/store", "the user's store of requests"),
        ("/usr/local/lib/curfew/plugins", "those of the machine"),
        ("PREFIX/lib/curfew/plugins", "those that were installed with this program"),
        ("/usr/lib/curfew/plugins", "those of the distribution"),
        ("PREFIX/share/curfew/manifest.schema.json", "the JSON Schema of manifests"),
        ("PREFIX/share/curfew/templates", "what `curfew new` makes plugins of"),
        ("PREFIX/lib/libcurfew.so", "the library for hosts of one's own"),
    ]
}
