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

    private static func loading(
        _ number: UInt16, _ rule: LoadRule, _ text: String, _ explanation: String
    ) -> Fault {
        Fault(number, rule.rawValue, text, explanation)
    }

    private static let loading: [Fault] = [
        loading(
            301, .open, "a plugin's directory or one of its files cannot be opened",
            """
            The directory is opened step by step from the root of the file system, and its files \
            below it. The message names the step that failed and what the system said. Give the \
            directory that holds manifest.json, and see that this user may search every \
            directory on the way and read the files.
            """),
        loading(
            302, .note, "the library is no plugin that this machine can load",
            """
            Every plugin carries an ELF note by which a host knows it before any of its code \
            runs. Put CURFEW_PLUGIN_NOTE(); once at file scope, in Swift use the library \
            CurfewPlugin, and build a shared object for the machine the host runs on. A damaged \
            file is built or copied again.
            """),
        loading(
            303, .abi, "the library was compiled for another plugin ABI",
            """
            Manifest, note and entry must all name the ABI the host speaks; a library of another \
            one would misread the host's structs. Rebuild the plugin with the headers of this \
            host, or install a host of the plugin's version.
            """),
        loading(
            304, .symbol, "the library does not export curfew_plugin_entry",
            """
            The one function a host calls by name has to be exported by the library itself, not \
            by another one it is linked to. Define it, mark it CURFEW_PLUGIN_EXPORT, and see \
            that no version script hides it: `nm -D` lists what is exported.
            """),
        loading(
            305, .entry, "the plugin's entry said no",
            """
            The plugin was loaded and asked, and returned something else than CURFEW_OK; its own \
            words follow. Nothing of it is registered and it is not called again. Mend what it \
            complains about and load it again.
            """),
        loading(
            306, .identity, "the library and its manifest name different plugins",
            """
            What the entry writes into curfew_plugin_info must be the id and the version of \
            manifest.json. Most often a manifest and a library of two versions were installed \
            together. Build both from the same source, or leave the members NULL.
            """),
        loading(
            307, .unregistered, "a handler of the manifest was not registered",
            """
            The manifest is the authority: what it declares must be there once the entry has \
            returned, so that nobody launches what does not exist. Nothing of the plugin is \
            registered. Register the handler in the entry, or take it out of the manifest.
            """),
        loading(
            308, .taken, "an id, an identifier or an event of the plugin is taken",
            """
            The first plugin with a name keeps it, and one that comes later is not loaded at \
            all; the message names both. Take one of the two away, or give the second another \
            identifier or another "event".
            """),
        loading(
            309, .undeclared, "the entry registered a handler that the manifest does not declare",
            """
            Manifests are read by people and tools that decide what may run; a library that \
            brings more than its manifest says is not loaded, even where the rest is in order. \
            Declare the handler under "handlers", or do not register it.
            """),
        loading(
            310, .owner, "something on the way to the plugin belongs to somebody else",
            """
            Who owns a directory or a file can change it, and with it the code that the host \
            runs. All of them, from the root of the file system to the library, must belong to \
            root or to the user the host runs as. The message has the command that mends it; \
            think first about who put the plugin there.
            """),
        loading(
            311, .writable, "something on the way to the plugin can be changed by others",
            """
            Who may write to a directory can put another library in the place of the one that \
            was checked. No component may be writable by others, nor by a group with anybody \
            else in it; only a directory on the way may be when it is sticky, like /tmp. The \
            message has the command that mends it.
            """),
        loading(
            312, .file, "a file of the plugin is not a plain file of its directory",
            """
            Manifest and library must be regular files in the plugin's directory itself: a \
            symbolic link could lead anywhere, and be turned between two looks at it. Copy the \
            file there, or link the whole directory, which is allowed. A library has a gigabyte \
            at most.
            """),
        loading(
            313, .unstable, "the library changes while it is read",
            """
            What is checked is what is loaded, so the library is copied first, and this one was \
            written to at the same time, four times in a row. Install libraries by writing a new \
            file and renaming it over the old one, and load the plugin when that is done.
            """),
        loading(
            314, .copy, "the host cannot make its own copy of the library",
            """
            A plugin is loaded from a sealed copy in memory, which no change of the file can \
            reach. That needs memfd_create, /proc and as much memory as the library is long. \
            Where files in memory are forbidden, the environment variable CURFEW_PLUGIN_COPIES \
            can name a directory of the host's user for the copies.
            """),
        loading(
            315, .beside, "the library wants another one from its own directory",
            """
            It was linked with a search path of $ORIGIN, and what it needs lies beside it. The \
            host loads a checked copy of the plugin's library and nothing else from there, so \
            that nothing unchecked comes along. Link the other library in, as an archive, or \
            install it where the system's loader looks.
            """),
        loading(
            316, .link, "the system's loader refuses the library",
            """
            It names a symbol that nobody has, or another library that is not installed; the \
            message has the loader's own words. Plugins import nothing of Curfew's. Link with \
            `-Wl,-z,defs` to hear of it when the plugin is built, and install what it needs.
            """),
        loading(
            317, .pin, "the library is not the one that was pinned",
            """
            The manifest or the host's configuration says which SHA-256 the library must have, \
            and it has another. It was replaced, damaged, or rebuilt without changing the pin. \
            Install the library that was meant; if this is the one, write down what `sha256sum` \
            prints for it.
            """),
        loading(
            318, .unpinned, "the plugin is not in the host's list of pins",
            """
            A host that is given pins loads what is pinned and nothing else. Add the plugin's id \
            and the SHA-256 of its library to the list the embedder passes with \
            curfew_host_config, or give it none at all.
            """),
        loading(
            319, .digest, "the digest of the library cannot be computed",
            """
            Pins are SHA-256 digests, computed by OpenSSL's libcrypto.so.3, which is opened when \
            the first one is needed. It is not installed or does not offer the digest, and a \
            library whose pin cannot be checked is not loaded. Install libssl3, or remove the \
            pins.
            """),
        loading(
            320, .processState, "the plugin changed the process around it while it was loaded",
            """
            Signal handlers, the signal mask, the alternate stack, floating-point control, the \
            umask and the working directory belong to the program that embeds the host. What the \
            plugin's constructors or its entry changed has been put back. Find who does it: \
            often a library the plugin brings, or -ffast-math when it is linked.
            """),
    ]

    // MARK: 04, lists of permitted identifiers

    private static let permitted: [Fault] = []

    // MARK: 07, what a plugin does against the contract

    private static let misbehaviour: [Fault] = []
}
