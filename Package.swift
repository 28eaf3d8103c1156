// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// The Makefile sets CURFEW_BUILD=1 for what only this repository needs: the version script and the
// soname of libcurfew.so, and the Swift runtime inside it (CURFEW_STATIC=1). Without it the manifest
// carries no unsafe flag, so that other packages can depend on this one by version.
let ours = Context.environment["CURFEW_BUILD"] == "1"
let staticRuntime = Context.environment["CURFEW_STATIC"] == "1"
let root = Context.packageDirectory

let swift: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
]

func link(_ flags: [String]) -> [LinkerSetting] {
    ours
        ? [.unsafeFlags(flags.flatMap { ["-Xlinker", $0] }, .when(configuration: .release))] : []
}
// The Makefile puts what is to be linked statically besides into that directory.
let runtimeInside: [LinkerSetting] =
    ours && staticRuntime
    ? [.unsafeFlags(["-static-stdlib", "-L\(root)/.build/static"], .when(configuration: .release))]
    : []
let libraryLink =
    link([
        "--version-script=\(root)/Sources/CInterface/libcurfew.map", "-soname=libcurfew.so.0",
        "-z", "nodelete", "--gc-sections",
    ]) + runtimeInside
let pluginLink =
    link([
        "--version-script=\(root)/Plugins/plugin.map", "-z", "nodelete", "-z", "defs",
        "--gc-sections",
    ]) + runtimeInside
// What FoundationEssentials needs and its module does not name when it is linked into a plugin.
let foundationInside: [LinkerSetting] =
    ours && staticRuntime
    ? ["_FoundationCollections", "_FoundationCShims"].map {
        .linkedLibrary($0, .when(configuration: .release))
    } : []

let package = Package(
    name: "curfew",
    products: [
        .library(name: "Curfew", targets: ["Curfew"]),
        // Subs and waits as B4X has them.
        .library(name: "CurfewB4X", targets: ["CurfewB4X"]),
        .library(name: "CurfewPlugin", targets: ["CurfewPlugin"]),
        // The host comes along: CInterface has the functions that AppHost looks for.
        .library(name: "BackgroundTasks", targets: ["BackgroundTasks", "CInterface"]),
        .library(name: "UIKitBackground", targets: ["UIKitBackground", "CInterface"]),
        .library(name: "SwiftUIBackground", targets: ["SwiftUIBackground", "CInterface"]),
        .library(name: "OSLogging", targets: ["OSLogging"]),
        // For a plugin that brings along what was written for BackgroundTasks: without a host.
        .library(name: "BackgroundTasksInPlugin", targets: ["BackgroundTasks", "CurfewPlugin"]),
        .library(name: "CurfewHost", type: .dynamic, targets: ["LibCurfew"]),  // libcurfew.so.0
        .executable(name: "curfew", targets: ["curfew"]),
        // Starts programs and plugins as children of a host; found in libexec/curfew.
        .executable(name: "curfew-child", targets: ["curfew-child"]),
        .library(name: "mirror", type: .dynamic, targets: ["MirrorPlugin"]),
    ],
    targets: [
        // The public C headers, nothing else.
        .target(name: "CCurfew", path: "include", publicHeadersPath: "."),
        // What Glibc's module does not reach: futex, eventfd, thread names, getopt_long.
        .target(name: "CSystem", dependencies: ["CCurfew"]),
        .systemLibrary(name: "CFFI", pkgConfig: "libffi", providers: [.apt(["libffi-dev"])]),

        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),

        // libpq, opened when a store is named by a URL.
        .target(name: "CPostgres"),

        // libmicrohttpd, opened when it is needed.
        .target(name: "CMicroHTTP"),

        // The values that hosts and plugins share, in Swift and in C.
        .target(name: "CurfewValues", dependencies: ["CCurfew"], swiftSettings: swift),

        // Values, state machines, policy: nothing imported but those.
        .target(name: "Scheduling", dependencies: ["CurfewValues"], swiftSettings: swift),
        .testTarget(
            name: "SchedulingTests", dependencies: ["Scheduling", "TestSupport"],
            swiftSettings: swift),

        // How the machine is: the sources of its factors, read from files of the kernel's.
        .target(name: "Surroundings", dependencies: ["Scheduling"], swiftSettings: swift),
        .testTarget(
            name: "SurroundingsTests", dependencies: ["Surroundings", "Scheduling", "TestSupport"],
            swiftSettings: swift),

        // The stores, on disk and on a server; the only SQL.
        .target(
            name: "Persistence",
            dependencies: ["Scheduling", "CPostgres", "CSQLite", "CSystem", "CurfewValues"],
            swiftSettings: swift),
        .testTarget(
            name: "PersistenceTests",
            dependencies: ["Persistence", "Scheduling", "CSystem", "TestSupport"],
            swiftSettings: swift),

        // Documentation/codes, embedded.
        .target(name: "CFaults"),
        // Manifest, dlopen, ABI tables, libffi; the only place that touches plugin memory.
        .target(
            name: "PluginBridge",
            dependencies: ["Scheduling", "CCurfew", "CFaults", "CFFI", "CSystem"],
            swiftSettings: swift),
        .testTarget(
            name: "PluginBridgeTests", dependencies: ["PluginBridge", "Scheduling", "TestSupport"],
            swiftSettings: swift),

        // Plugins that are installed: a content store, versions, what was changed and by whom.
        .target(
            name: "PluginStore", dependencies: ["PluginBridge", "CSystem"], swiftSettings: swift),

        // A plugin in a process of its own: its table over the channel, its threads.
        .target(
            name: "ChildRuntime",
            dependencies: ["PluginBridge", "Scheduling", "CurfewValues", "CCurfew", "CSystem"],
            swiftSettings: swift),

        // Worker threads, timers, budgets, events, lifecycle.
        .target(
            name: "Runner",
            dependencies: ["Scheduling", "PluginBridge", "CurfewValues", "CCurfew", "CSystem"],
            swiftSettings: swift),

        .testTarget(
            name: "ChildTests",
            dependencies: ["Runner", "PluginBridge", "CSystem", "TestSupport"],
            exclude: ["probe.c", "host.c"], swiftSettings: swift),

        // The spawner, the supervisors and the sandbox, in C; then ChildRuntime.
        .executableTarget(
            name: "curfew-child", dependencies: ["ChildRuntime", "CCurfew", "CSystem"],
            linkerSettings: runtimeInside),
        .testTarget(
            name: "RunnerTests",
            dependencies: [
                "Runner", "Scheduling", "PluginBridge", "CurfewValues", "CCurfew", "TestSupport",
            ],
            swiftSettings: swift),

        // The Swift embedding API and the one place where parts are put together.
        .target(
            name: "Curfew",
            dependencies: [
                "Runner", "Persistence", "Surroundings", "PluginBridge", "Scheduling",
                "CurfewValues", "CCurfew",
            ],
            swiftSettings: swift),
        // Subs and waits, as B4X has them, on the event loop of a host.
        .target(
            name: "CurfewB4X",
            dependencies: ["Curfew", "Runner", "PluginBridge", "Scheduling", "CurfewValues"],
            swiftSettings: swift),
        .testTarget(
            name: "CurfewTests",
            dependencies: [
                "Curfew", "CurfewB4X", "CInterface", "CurfewValues", "CCurfew", "Persistence",
                "Runner", "PluginBridge", "Scheduling", "RequestFaults", "TestSupport",
            ],
            swiftSettings: swift),

        // An app's one host, behind Apple's modules; in a plugin, the table of the host around it.
        .target(name: "CAppHost", dependencies: ["CCurfew"]),
        .target(
            name: "AppHost", dependencies: ["CAppHost", "CurfewValues", "CCurfew"],
            swiftSettings: swift),
        // What Apple's Foundation has about the background, and Linux' has not.
        .target(
            name: "FoundationBackground", dependencies: ["AppHost", "CurfewValues", "CCurfew"],
            swiftSettings: swift),
        // Apple's modules, by the names and types that Apple gives.
        .target(
            name: "BackgroundTasks",
            dependencies: ["FoundationBackground", "AppHost", "CurfewValues", "CCurfew"],
            swiftSettings: swift),
        // UIApplication's part in it. Not called UIKit, which would be seen by "#if canImport" in all
        // targets: that module is a package of its own in Sources/UIKit.
        .target(
            name: "UIKitBackground",
            dependencies: ["FoundationBackground", "AppHost", "CurfewValues", "CCurfew"],
            swiftSettings: swift),
        .executableTarget(
            name: "life-harness",
            dependencies: [
                "UIKitBackground", "FoundationBackground", "AppHost", "CInterface", "CCurfew",
                "TestSupport",
            ],
            path: "Tests/LifeHarness", swiftSettings: swift),
        .testTarget(
            name: "UIKitBackgroundTests",
            dependencies: [
                "UIKitBackground", "FoundationBackground", "AppHost", "CInterface", "TestSupport",
            ],
            exclude: ["Sources"], swiftSettings: swift),

        // SwiftUI's part in it: an app's scenes, and their background tasks. Not called SwiftUI, for the
        // same reason: that is a package in Sources/SwiftUI.
        .target(
            name: "SwiftUIBackground", dependencies: ["UIKitBackground", "BackgroundTasks"],
            swiftSettings: swift),
        // Apple's Logger. Not called os, for the same reason: that is a package in Sources/os.
        .target(name: "OSLogging", dependencies: ["AppHost"], swiftSettings: swift),

        // Apps whose whole behaviour is one scenario, each in a process of its own.
        .executableTarget(
            name: "app-harness",
            dependencies: ["BackgroundTasks", "AppHost", "CInterface", "CCurfew", "TestSupport"],
            path: "Tests/AppHarness", swiftSettings: swift),
        .testTarget(
            name: "BackgroundTasksTests", dependencies: ["TestSupport"], swiftSettings: swift),
        // Programs of Tests/Programs are compiled one by one, with Apple's modules as they were built.
        .testTarget(name: "ProgramTests", dependencies: ["TestSupport"], swiftSettings: swift),

        // The C API in Swift; libcurfew.so.
        .target(
            name: "CInterface",
            dependencies: ["Curfew", "Runner", "PluginBridge", "Scheduling", "CCurfew"],
            exclude: ["libcurfew.map", "curfew.pc.in", "cmake", "python"],
            swiftSettings: swift),
        .target(
            name: "LibCurfew", dependencies: ["CInterface"], swiftSettings: swift,
            linkerSettings: libraryLink),
        // A tutorial's chain of subs in C, for the tests.
        .target(name: "ChainInC", dependencies: ["CCurfew"], path: "Tests/ChainInC"),
        .testTarget(
            name: "CInterfaceTests",
            dependencies: ["CInterface", "CCurfew", "ChainInC", "TestSupport"],
            swiftSettings: swift),
        .testTarget(
            name: "HeaderTests", dependencies: ["TestSupport"],
            exclude: ["layout.txt", "Readers"],
            swiftSettings: swift),

        // The headers' own text, from which the tags of threads and states are read.
        .target(name: "CTags"),
        // The conformance kit: cases, and the child processes they are run in.
        .target(
            name: "Conformance",
            dependencies: [
                "Curfew", "Runner", "PluginBridge", "Scheduling", "CurfewValues", "CCurfew",
                "CSystem", "CTags",
            ],
            swiftSettings: swift),
        .testTarget(
            name: "ConformanceTests",
            dependencies: ["Conformance", "PluginBridge", "Scheduling", "TestSupport"],
            swiftSettings: swift),

        // The configuration of a service: its files, its schedules, and the service manager.
        .target(
            name: "Service",
            dependencies: ["PluginBridge", "Scheduling", "CMicroHTTP", "CSystem", "CurfewValues"],
            exclude: ["units"], swiftSettings: swift),
        .testTarget(
            name: "ServiceTests",
            dependencies: ["Service", "PluginBridge", "Scheduling", "CurfewValues", "TestSupport"],
            swiftSettings: swift),

        // libcurl, opened when it is needed.
        .target(name: "CHTTPClient"),
        // ncurses, opened when it is needed.
        .target(name: "CTerminal"),
        // The files of the web page, embedded.
        .target(name: "CWeb", exclude: ["page"]),
        // The command line: parsing and printing only.
        .executableTarget(
            name: "curfew",
            dependencies: [
                "Conformance", "Curfew", "PluginStore", "Service", "Runner", "PluginBridge",
                "Scheduling", "CurfewValues", "CCurfew", "CHTTPClient",
                "CSystem", "CTerminal", "CWeb",
            ],
            swiftSettings: swift,
            linkerSettings: runtimeInside),
        .testTarget(
            name: "CommandTests", dependencies: ["TestSupport"], exclude: ["bus.py"],
            swiftSettings: swift),
        .testTarget(
            name: "EmbeddingTests", dependencies: ["TestSupport"],
            exclude: ["libcurfew.symbols", "evening.py"], swiftSettings: swift),

        // The Swift API for plugin authors; contains no host.
        .target(
            name: "CurfewPlugin", dependencies: ["CurfewValues", "CCurfew"],
            exclude: ["Package.swift.in"],
            swiftSettings: swift),

        // Plugins in Swift; those in C are built by the Makefile, free of any Swift.
        .target(
            name: "MirrorPlugin", dependencies: ["CurfewPlugin", "CCurfew"], path: "Plugins/mirror",
            exclude: ["manifest.json"], swiftSettings: swift,
            linkerSettings: pluginLink + foundationInside),

        .testTarget(
            name: "PluginTests", dependencies: ["TestSupport"], exclude: ["feed-server.py"],
            swiftSettings: swift),

        // Apple's modules, name by name and type by type.
        .testTarget(
            name: "SurfaceTests", dependencies: ["TestSupport"],
            exclude: ["apple-surface.txt", "curfew-surface.txt", "ours.txt"], swiftSettings: swift),
        // What the documents that all this is after say, line by line, and the tests of it.
        .testTarget(
            name: "SourceLineTests", dependencies: ["TestSupport"], exclude: ["lines.txt"],
            swiftSettings: swift),

        // What several test targets need: built things and where they are, child processes.
        .target(
            name: "TestSupport", path: "Tests/TestSupport",
            exclude: ["call-killer.c", "without.c", "library-loader.c", "stubborn.c"],
            swiftSettings: swift),

        // What plugins do wrong, each in a process of its own.
        .executableTarget(
            name: "violation-harness", dependencies: ["CInterface", "CCurfew", "CSystem"],
            path: "Tests/ViolationHarness", swiftSettings: swift),
        .testTarget(
            name: "ViolationTests", dependencies: ["PluginBridge", "CCurfew", "TestSupport"],
            swiftSettings: swift),

        // A store that fails or ends the process wherever a test wants.
        .target(
            name: "RequestFaults", dependencies: ["Scheduling"], path: "Tests/RequestFaults",
            swiftSettings: swift),
        // A host with a store, to be killed, stopped and starved.
        .executableTarget(
            name: "request-harness",
            dependencies: [
                "Curfew", "Runner", "PluginBridge", "Scheduling", "RequestFaults", "CSystem",
            ],
            path: "Tests/RequestHarness", swiftSettings: swift),
        .testTarget(
            name: "EnduranceTests",
            dependencies: [
                "Curfew", "CurfewValues", "Runner", "Scheduling", "Persistence", "PluginBridge",
                "RequestFaults", "TestSupport", "CSystem",
            ],
            exclude: ["disk-recorder.c", "failing-sync.c", "read-only-disk.c"], swiftSettings: swift
        ),
    ],
    swiftLanguageModes: [.v6]
)

// The feed plugin and its libraries, which whoever depends on this package does not need.
if ours {
    package.products.append(.library(name: "feed", type: .dynamic, targets: ["FeedPlugin"]))
    package.targets += [
        .systemLibrary(
            name: "CCurl", path: "Plugins/feed/CCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(
            name: "CXML", path: "Plugins/feed/CXML", pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev"])]),
        .target(
            name: "FeedPlugin", dependencies: ["CurfewPlugin", "CCurfew", "CCurl", "CXML"],
            path: "Plugins/feed", exclude: ["manifest.json", "CCurl", "CXML"],
            swiftSettings: swift, linkerSettings: pluginLink + foundationInside),
    ]
}

// Plugins in Swift that exist only for tests, with their modules.
let testPlugins = [
    ("good-swift", "GoodSwiftPlugin"),
    ("violations/swift-fills-pool", "FillsPoolPlugin"),
    ("violations/swift-keeps-its-task", "KeepsItsTaskPlugin"),
    ("violations/swift-spins", "SpinsPlugin"),
    ("violations/swift-throws-after-completing", "ThrowsAfterCompletingPlugin"),
    ("violations/swift-traps", "TrapsPlugin"),
    ("swift-leaks", "LeaksPlugin"),
    ("swift-runtime", "RuntimePlugin"),
]
// Foundation is not put inside of this one: it comes with the toolchain.
if ours {
    package.products.append(
        .library(name: "apple-tasks", type: .dynamic, targets: ["AppleTasksPlugin"]))
    package.targets.append(
        .target(
            name: "AppleTasksPlugin",
            dependencies: ["BackgroundTasks", "AppHost", "CurfewPlugin", "CCurfew"],
            path: "Tests/Plugins/apple-tasks", exclude: ["manifest.json"], swiftSettings: swift,
            linkerSettings: link(["--version-script=\(root)/Plugins/plugin.map", "-z", "nodelete"]))
    )
}
for (path, module) in testPlugins where ours {
    let name = String(path.split(separator: "/").last!)
    package.products.append(.library(name: name, type: .dynamic, targets: [module]))
    package.targets.append(
        .target(
            name: module, dependencies: ["CurfewPlugin", "CCurfew"], path: "Tests/Plugins/\(path)",
            exclude: ["manifest.json"], swiftSettings: swift, linkerSettings: pluginLink))
}
