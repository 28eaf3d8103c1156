// SPDX-License-Identifier: Apache-2.0

/// The program's inputs besides its arguments, for the manual.
enum ProgramInputs {
    static let variables: [(term: String, text: String)] = [
        (
            "CURFEW_PLUGIN_PATH",
            "the directories of plugins, separated by colons, in place of the default ones"
        ),
        (
            "XDG_DATA_HOME",
            "the user's data directory, by default ~/.local/share; plugins are below it in "
                + "curfew/plugins. Relative paths are ignored"
        ),
        (
            "CURFEW_STORE",
            "the store of requests, a directory or a URL, in place of the default one"
        ),
        (
            "CURFEW_SOCKET",
            "the socket of another user's host, as --socket names it, where nothing names a store"
        ),
        (
            "XDG_STATE_HOME",
            "the user's state directory, by default ~/.local/state; the store is "
                + "below it in curfew/store. Relative paths are ignored"
        ),
        (
            "XDG_CACHE_HOME",
            "the user's cache directory, by default ~/.cache; that of a plugin is below it in "
                + "curfew/plugins"
        ),
        (
            "XDG_CONFIG_HOME",
            "the user's configuration, by default ~/.config; the keys that may sign plugins are "
                + "below it in curfew/trusted.d. Relative paths are ignored"
        ),
        (
            "XDG_RUNTIME_DIR",
            "where the sockets of a user's programs are; a host whose store is on a server has its own "
                + "there. Relative paths are ignored"
        ),
        (
            TrustVariable.name,
            "off, warn or require: the policy of commands without --trust"
        ),
        (
            "TRACEPARENT",
            "the place in a W3C trace that submitted requests go on with, without --trace; what is no "
                + "such place is ignored"
        ),
        ("HOME", "the user's home directory"),
        (
            "CURFEW_PLUGIN_COPIES",
            "a directory for the copies from which libraries are loaded, which are kept for debuggers"
        ),
        ("TMPDIR", "the directory for the temporary directories of conform, by default /tmp"),
        ("NO_COLOR", "if it is not empty: no colours, and no redrawn lines"),
        ("TERM", "dumb, or empty: no colours, and no redrawn lines"),
        (
            "LC_ALL, LC_CTYPE, LANG",
            "the first one that is set decides whether the output is UTF-8"
        ),
    ]

    static let files: [(term: String, text: String)] = [
        ("~/.local/share/curfew/plugins", "the user's plugins"),
        ("~/.local/state/curfew/store", "the user's store of requests"),
        ("/usr/local/lib/curfew/plugins", "the machine's plugins"),
        ("PREFIX/lib/curfew/plugins", "the plugins that were installed with this program"),
        ("/usr/lib/curfew/plugins", "the distribution's plugins"),
        ("/etc/curfew/trusted.d", "the keys that may sign plugins of every user"),
        ("~/.config/curfew/trusted.d", "the keys that may sign the user's plugins"),
        ("PREFIX/share/curfew/manifest.schema.json", "the JSON Schema of manifests"),
        ("PREFIX/share/curfew/templates", "the templates of `curfew new`"),
        ("PREFIX/lib/libcurfew.so", "the library for embedding a host"),
    ]
}
