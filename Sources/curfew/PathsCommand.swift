// SPDX-License-Identifier: Apache-2.0
import Curfew
import Glibc
import PluginBridge
import Service

/// `curfew paths`
enum PathsCommand {
    static let command = Command(
        name: "paths", summary: "print where plugins, a host's files and the installation are",
        options: [.json],
        details: [
            """
            Prints every directory of plugins in the order of the search, with its origin
            and content, or the reason why it is ignored; the plugins that another one of
            the same id hides; what a host of this user reads and writes, if its
            configuration does not say otherwise; and the files of this installation.
            """
        ],
        sections: [
            HelpSection(
                title: "with --json",
                rows: [
                    (
                        "plugins",
                        "the directories in order, each with directory, origin (environment, user, "
                            + "machine, installed, distribution), used, exists, plugins and faulty "
                            + "(numbers), and reason (why it does not count, or null)"
                    ),
                    ("shadowed", "plugins that do not count, each with id, directory and by"),
                    (
                        "keys",
                        "the directories of keys that may sign plugins, each with directory, exists, "
                            + "keys (a number) and faults (why files do not count)"
                    ),
                    ("remarks", "the ignored parts of the environment, as texts"),
                    (
                        "configuration, store, socket, apps",
                        "what `curfew serve` of this user uses unless its configuration says otherwise, each with path and exists; a store on a "
                            + "server has no file, and what has no place is missing"
                    ),
                    (
                        "program, library, schema, templates",
                        "files and directories of this installation, each with path and exists"
                    ),
                ])
        ],
        examples: ["curfew paths", "curfew paths --json | jq -r .schema.path"]
    ) { arguments, console throws(CommandError) in
        let places = SearchedPlace.all()
        let search = try PluginSearch(single: [], named: [], failingWith: .faults)
        let shadowed = search.plugins.filter { $0.shadowedBy != nil }
        if arguments.has(.json) {
            console.out.line(document(places, shadowed).written)
        } else {
            print(places, shadowed, console.out)
        }
        return .ok
    }

    /// The paths of `make install`, by the names of their JSON members.
    private static var files: [(name: String, path: String)] {
        [
            ("program", Installation.program), ("library", Installation.library),
            ("schema", Installation.schema), ("templates", Installation.templates),
        ].compactMap { name, path in path.map { (name, $0) } }
    }

    /// What a host of this user uses, by the names of their JSON members.
    private static var hostFiles: [(name: String, path: String)] {
        let usual = ConfigurationFiles.usual { Environment.value($0) }
        // An invalid store is not printed: it may be a URL with a password.
        let place = (usual?.store() ?? StorePlace.usual).flatMap { name in
            (try? StoreClient.shown(name)).map { _ in StorePlace(name, option: "") }
        }
        let isLocal = place?.isOnServer == false
        return [
            ("configuration", usual?.path), ("store", isLocal ? place?.directory : nil),
            ("socket", place.flatMap { ControlPlace($0)?.path }),
            ("apps", AppFile.directory { Environment.value($0) }),
        ].compactMap { name, path in path.map { (name, $0) } }
    }

    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    // MARK: Text

    private static func print(
        _ places: [SearchedPlace], _ shadowed: [FoundPlugin], _ out: Output
    ) {
        let columns = max(24, min(100, out.columns ?? 100))
        func list(_ title: String, _ rows: [(term: String, text: String)], isFirst: Bool = false) {
            guard !rows.isEmpty else { return }
            if !isFirst { out.line() }
            out.line(out.paint(title + ":", .strong))
            for line in TermList.lines(
                rows.map { (Shown.line($0), Shown.line($1)) }, columns: columns)
            {
                out.line(line)
            }
        }
        list(
            "plugins are looked for in",
            places.filter(\.isUsed).enumerated().map { ("\($0 + 1)  \($1.directory)", text($1)) },
            isFirst: true)
        list(
            "not looked into",
            places.filter { !$0.isUsed }.map { ($0.directory, $0.reason ?? "") })
        list(
            "shadowed plugins",
            shadowed.map { plugin in
                (
                    plugin.directory,
                    "\(plugin.sound?.id ?? "") is taken from \(plugin.shadowedBy ?? "")"
                )
            })
        list("keys that may sign plugins", keys.map { ($0.directories[0], text($0)) })
        list(
            "a host of this user has",
            hostFiles.map { ($0.name, $0.path + (exists($0.path) ? "" : ", which does not exist")) }
        )
        list(
            "of this installation",
            files.map { ($0.name, $0.path + (exists($0.path) ? "" : ", which does not exist")) })
        for remark in SearchedPlace.remarks() {
            out.line(
                out.paint("note", .warning) + ": "
                    + out.wrapped(Shown.line(remark), after: 6, indent: 6))
        }
    }

    /// Each directory on its own.
    private static var keys: [TrustedKeys] { TrustPlaces.directories.map { TrustedKeys(in: [$0]) } }

    private static func text(_ keys: TrustedKeys) -> String {
        guard exists(keys.directories[0]) else { return "it does not exist" }
        let count = keys.keys.count
        return (count == 0 ? "no key" : "\(count) key\(count == 1 ? "" : "s")")
            + (keys.faults.first.map { "; " + $0.message } ?? "")
    }

    private static func text(_ place: SearchedPlace) -> String {
        if let reason = place.reason { return "\(place.origin.text); \(reason)" }
        let count =
            place.plugins == 0
            ? "no plugin" : "\(place.plugins) plugin\(place.plugins == 1 ? "" : "s")"
        return "\(place.origin.text); \(count)"
            + (place.faulty > 0 ? ", \(place.faulty) of them faulty" : "")
    }

    // MARK: JSON

    private static func document(
        _ places: [SearchedPlace], _ shadowed: [FoundPlugin]
    ) -> JSONItem {
        .object(
            [
                ("plugins", .list(places.map(item))),
                (
                    "shadowed",
                    .list(
                        shadowed.map { plugin in
                            .object([
                                ("id", .text(orNull: plugin.sound?.id)),
                                ("directory", .text(plugin.directory)),
                                ("by", .text(orNull: plugin.shadowedBy)),
                            ])
                        })
                ),
                (
                    "keys",
                    .list(
                        keys.map { keys in
                            .object([
                                ("directory", .text(keys.directories[0])),
                                ("exists", .bool(exists(keys.directories[0]))),
                                ("keys", .integer(Int64(keys.keys.count))),
                                ("faults", .list(keys.faults.map { .text($0.message) })),
                            ])
                        })
                ), ("remarks", .list(SearchedPlace.remarks().map { .text($0) })),
            ]
                + (hostFiles + files).map { name, path in
                    (name, .object([("path", .text(path)), ("exists", .bool(exists(path)))]))
                })
    }

    private static func item(_ place: SearchedPlace) -> JSONItem {
        .object([
            ("directory", .text(place.directory)), ("origin", .text(place.origin.rawValue)),
            ("used", .bool(place.isUsed)), ("exists", .bool(place.exists)),
            ("plugins", .integer(Int64(place.plugins))), ("faulty", .integer(Int64(place.faulty))),
            ("reason", .text(orNull: place.reason)),
        ])
    }
}
