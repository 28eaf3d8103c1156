// SPDX-License-Identifier: Apache-2.0
import Glibc
package import PluginBridge
public import Scheduling

/// The configuration of a host.
public struct HostConfiguration: Sendable {
    /// The workers of one kind of handler.
    public struct Workers: Sendable {
        /// Maximum number of threads; they are started on demand.
        public var count: Int
        /// Added to the process' nice value, 0…19.
        public var nice: Int32 = 0
        /// 0: the process' own; 1…8: best effort, 1 is highest; 9: idle.
        public var ioPriority: Int32 = 0
        /// Bytes of a worker's stack; 0: the system's default.
        public var stackBytes: UInt64 = 0

        /// Creates a configuration; `count` nil means the number of cores, but at least four.
        package init(count: Int? = nil) { self.count = count ?? Workers.defaultCount }

        /// The number of cores, but at least 4: some handlers wait more than they compute.
        package static var defaultCount: Int {
            max(4, min(256, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
        }
    }

    /// Whether the embedder runs the event loop; otherwise a thread of Curfew does.
    public var manualDispatch = false
    /// The clock of budgets and requests; nil means the system's clocks.
    public var clock: ManualClock?
    /// Receives log lines, from any thread: level, the plugin's id, the task's id or 0, the line.
    ///
    /// With nil, warnings and worse go to standard error.
    public var log: (@Sendable (LogLevel, String?, UInt64, String) -> Void)?
    /// The workers of short handlers.
    public var appRefresh = Workers()
    /// The workers of long handlers.
    public var processing = Workers()
    /// Maximum number of tasks that run, are pending, kept or undelivered, besides queued tasks.
    public var taskLimit: UInt32 = 65_536
    /// Maximum number of tasks waiting for one handler; a power of two.
    public var queueLimit: UInt32 = 4_096
    /// Maximum number of waiting events besides done events, in 1…4,194,304.
    public var eventLimit: UInt32 = 16_384
    /// Maximum number of workers that one handler may lose.
    public var lostLimit: UInt32 = 4
    /// Whether quarantining a handler ends its waiting tasks as interrupted. Otherwise they wait
    /// until it is released, and have no done event before.
    public var interruptsQuarantined = false
    /// Nanoseconds from the end of the grace until a worker counts as lost.
    package var lostAfter: UInt64 = 5_000_000_000
    /// Nanoseconds from the end of the grace until the process of a function that has not returned is
    /// killed.
    package var killAfter: UInt64 = 1_000_000_000
    /// Maximum payload size in bytes.
    public var payloadLimit: UInt64 = 1 << 20
    /// Maximum result size in bytes.
    public var resultLimit: UInt64 = 1 << 20
    /// The path of a property list that names the permitted handlers; nil permits all.
    ///
    /// It lists identifiers under `BGTaskSchedulerPermittedIdentifiers` and kinds under
    /// `UIBackgroundModes`, and is read once, when the host is made.
    public var permitted: String?
    /// The ids of the plugins that may be loaded, each with the permitted SHA-256 digests of its
    /// library, as 64 hexadecimal digits.
    ///
    /// Nil permits every plugin, with the digest that its manifest has, if it has one.
    public var pins: [String: Set<String>]?
    /// Whether plugins have to be signed by a trusted key, or pinned.
    ///
    /// A pin that matches and a valid signature count the same; a pin that does not match always
    /// refuses the plugin. Unless this is `off`, a plugin with a valid signature is loaded although
    /// `pins` does not name it.
    public var trust = TrustPolicy.off
    /// The directories of the public keys that may sign plugins, read each time one is loaded.
    ///
    /// Nil means the usual ones: `/etc/curfew/trusted.d` and `curfew/trusted.d` in the user's
    /// directory of configuration.
    public var keyDirectories: [String]?
    /// The sonames of system libraries whose functions manifests may call.
    ///
    /// Nil means the usual libraries, or none if there are pins.
    public var systemLibraries: [String]?

    /// Whether a new host loads the plugins of the standard directories, as `loadAll` does. The log
    /// and `plugins` have the reasons of those that could not be loaded.
    package var loadsPlugins = false

    /// Whether requests may run programs that no manifest names, as those of `curfew submit -- …` do.
    public var permitsCommands = false

    /// The path of curfew-child, which starts programs and plugins as processes; nil looks for it
    /// beside this program and where Curfew is installed.
    public var helper: String?

    /// Where requests are stored, and the conditions for running them.
    public var requests = RequestConfiguration()

    /// Where the code of plugins runs that ask for no more: in a thread, or in a process of each.
    ///
    /// A plugin gets more where its manifest has an `isolation` that is more, and where a handler has the
    /// form `call`, since nothing can check the signature of a function that it names.
    public var isolation = Isolation.thread
    /// Where the code of single plugins runs, by id, whatever their manifests ask for.
    public var pluginIsolation: [String: Isolation] = [:]
    /// Whether every plugin is confined: its code and programs run in processes that can use what the
    /// `needs` of its manifest name, and a plugin without `needs` nothing but what every process can.
    ///
    /// In place of a thread it gets a process. A plugin that `pluginIsolation` gives a thread, or that
    /// this machine cannot confine, is refused before any of its code runs.
    public var confinesPlugins = false
    /// The features of the sandbox without which the code of no plugin runs, by the names
    /// of `csys_feature_name`.
    package var requiredFeatures: [String] = []
    /// The limits of each process of a plugin, whatever its manifest needs. They do not apply to code that
    /// runs in a thread.
    public var processLimits = ProcessLimits()
    /// The limits of each process of single plugins, by id, in place of those members of `processLimits`.
    package var pluginLimits: [String: ProcessLimits] = [:]
    /// Whether the process of a plugin is of a program that is executed anew, in place of a fork of one that waits.
    ///
    /// Its addresses then differ from those of other plugins' processes, so that what one plugin learns of its own
    /// says nothing of another's. A start takes some milliseconds more, and a process about a mebibyte.
    public var executesProcesses = false
    /// Nanoseconds after which the process of a plugin is ended that has nothing to do; its next task starts
    /// another one. Nil: it goes on.
    ///
    /// A process with subs, or whose code waits for an event or a time, goes on. So do the processes of isolation
    /// `fresh`, of which one is always kept ready. What the plugin keeps in memory ends with its process.
    public var processIdleLimit: UInt64?
    /// The ids of plugins that are not loaded.
    package var disabledPlugins: Set<String> = []
    /// Where the code of all plugins runs that `pluginIsolation` does not name, whatever their manifests ask for.
    package var forcedIsolation: Isolation?
    /// The pauses between processes of a plugin, and how many ends in a row are too many.
    package var childLimits = ChildStateMachine.Limits()
    /// A directory that every plugin can use, whatever its manifest needs.
    package var commonDirectory: String?
    /// Whether the process of a plugin is followed by another one when it has ended.
    package var restartsProcesses = true
    /// Whether a plugin that was refused because of its quarantine is loaded when it is released.
    package var loadsReleased = false
    /// Whether this process may move into a leaf of its control group, if that is delegated to it, so that
    /// the groups of children can have limits: for programs that are nothing but a host.
    package var entersLeafGroup = false
    /// Nanoseconds in which a process loads a library and returns from its entry.
    package var loadLimit: UInt64 = 10_000_000_000

    /// Intercepts calls of plugin entries, for tools that inspect them.
    package var interposer: (any EntryInterposer)?

    /// Creates a configuration with the default values.
    public init() {}

    /// The system libraries whose functions manifests may call. Pins cover libraries only: an
    /// unpinned manifest could otherwise choose any function of the C library.
    var callableLibraries: [String]? { systemLibraries ?? (pins == nil ? nil : []) }

    /// Where the code of a plugin runs.
    func isolation(of manifest: Manifest) -> Isolation {
        let least = confinesPlugins ? Isolation.more(isolation, .process) : isolation
        return pluginIsolation[manifest.id] ?? forcedIsolation ?? .more(least, manifest.isolation)
    }

    /// The limits of each process of a plugin.
    func limits(of manifest: Manifest) -> ProcessLimits {
        pluginLimits[manifest.id].map(processLimits.with) ?? processLimits
    }

    /// The `needs` that confine the processes of a plugin; nil if they are not confined.
    func needs(of manifest: Manifest) -> ManifestNeeds? {
        var needs = manifest.needs ?? (confinesPlugins ? ManifestNeeds() : nil)
        if let commonDirectory { needs?.write.append(commonDirectory) }
        return needs
    }

    /// A message saying why the configuration is invalid, or nil.
    var fault: String? {
        for workers in [appRefresh, processing] {
            if !(1...256).contains(workers.count) {
                return "workers is \(workers.count); it must be in 1…256"
            }
            if !(0...19).contains(workers.nice) {
                return "nice is \(workers.nice); it must be in 0…19"
            }
            if !(0...9).contains(workers.ioPriority) {
                return "io_priority is \(workers.ioPriority); it must be in 0…9"
            }
            if workers.stackBytes != 0, !(65_536...1 << 32).contains(workers.stackBytes) {
                return "stack_bytes is \(workers.stackBytes); it must be 0 or in 65,536…4 GiB"
            }
        }
        for (plugin, digests) in pins ?? [:] where !digests.allSatisfy(LibraryDigest.isDigest) {
            return "a pin of \"\(plugin)\" is not 64 hexadecimal digits, as sha256sum prints them"
        }
        if queueLimit < 2 || queueLimit > 1 << 16 || queueLimit & (queueLimit - 1) != 0 {
            return "queue_limit is \(queueLimit); it must be a power of two in 2…65,536"
        }
        if taskLimit < 2 || taskLimit > 1 << 20 {
            return "task_limit is \(taskLimit); it must be in 2…1,048,576"
        }
        if !(1...EventRing.mostEvents).contains(eventLimit) {
            return "event_limit is \(eventLimit); it must be in 1…4,194,304"
        }
        for (name, limit) in [
            ("max_payload_bytes", payloadLimit), ("max_result_bytes", resultLimit),
        ] where limit > 1 << 31 {
            return "\(name) is \(limit); it must be at most 2,147,483,648 (2 GiB)"
        }
        if let helper, helper.utf8.first != UInt8(ascii: "/") {
            return "helper is \"\(helper)\"; it must be an absolute path, or left out"
        }
        return processLimits.fault ?? requests.fault
    }
}
