// SPDX-License-Identifier: Apache-2.0

extension Fault {
    // MARK: 08, the cases of conform

    /// What is wrong when a case of the conformance kit fails; the name is that of the case, with
    /// `conform-` before it where a rule has the same name.
    static let conformance: [Fault] = [
        Fault(
            801, "manifest-parses", "the manifest cannot be read, or has a value that cannot be",
            """
            A host reads manifest.json before it looks at the library, and refuses the plugin when \
            the file is missing, over 256 KiB, no JSON, or has a value of a wrong type or range. \
            Every other case needs it and is skipped. `curfew lint DIRECTORY` shows each fault \
            with its line and what to write instead. A build that makes the manifest should leave \
            the writing to a JSON library: texts put together by hand end in a trailing comma \
            sooner or later.
            """),
        Fault(
            802, "manifest-id",
            "the id, the version or the ABI number of the manifest is missing or malformed",
            """
            By its id a plugin is known to pins, logs and other plugins, so it is a name below a \
            domain of the author's: `org.example.tidy-plugin`. The version is three numbers and a \
            suffix if there is one, `1.0.0-beta.2`. `abi` is the number of the headers that the \
            library was compiled with, CURFEW_ABI_VERSION. None of them can be guessed without \
            running the plugin's code. Write all three; `curfew version` tells the number of this \
            host.
            """),
        Fault(
            803, "library-file",
            "the library is missing, no plain file, elsewhere, or not what is pinned",
            """
            `library` is the name of a regular file beside the manifest: no path, no symbolic \
            link, since a link can be turned to another file after the check. Where the manifest \
            has `sha256` the file must have this digest. Mostly the library was built again after \
            the pin was written: make the pin the last step of a build, from what `sha256sum` \
            prints, or leave the key out. A file that lies elsewhere is copied to the manifest's \
            directory.
            """),
        Fault(
            804, "handlers-declared",
            "there is no handler, or one with a key or a value that cannot be",
            """
            A plugin declares 1 to 64 handlers, each with `identifier` and `kind` at least, and \
            the host goes by what stands there: budget, grace, events, how many at a time. Keys \
            that nobody knows are refused, since a misspelt one would leave a default in force \
            without a word. Declare every handler that the entry registers, and no others. `curfew \
            lint` names the line and the key that was meant.
            """),
        Fault(
            805, "manifest-no-duplicates",
            "an identifier, an event or a key of the manifest is there twice",
            """
            A task is launched by its handler's identifier and an event is known by its name and \
            the number of its parameters, so each has one owner. Of two equal keys in an object \
            some readers take the first and some the last, and two programs would see two plugins. \
            Remove one of them, or give it a name of its own. Handlers whose identifiers end alike \
            raise the same done event: set `event` for one of them.
            """),
        Fault(
            806, "elf-ident", "the library is no ELF shared object for this machine",
            """
            The host looks at the head of the file before it gives it to the loader: ELF of 64 \
            bits, type DYN, and the machine that it runs on itself. An archive, a script of the \
            linker, a program, a file that was cut off or one built for another processor is none. \
            Build it with `gcc -shared -fPIC`, or `type: .dynamic` in a Swift package. `file` and \
            `readelf -h` tell what the file is; compare with `uname -m`.
            """),
        Fault(
            807, "abi-note", "the library has no ABI note, or the note of another ABI",
            """
            By an ELF note of the name Curfew the host knows the library before any of its code \
            runs; structs of another ABI would be misread. Put CURFEW_PLUGIN_NOTE(); once at file \
            scope of one C or C++ file; in Swift the library CurfewPlugin brings it. `readelf -n` \
            lists the notes. If it is there in the object and not in the library, a linker script \
            or `objcopy -R` removed it. The note of another ABI goes when the plugin is built with \
            the headers of this host.
            """),
        Fault(
            808, "exports-minimal", "the library exports more than curfew_plugin_entry",
            """
            The host asks for one name. Whatever else is exported can be confused with the same \
            name of another library in the process, and becomes an interface that somebody uses. \
            A version script keeps all of it in, in every language: write `{ global: \
            curfew_plugin_entry; local: *; };` into a file and link with \
            `-Wl,--version-script=FILE`. In C, `-fvisibility=hidden` and an entry that is marked \
            CURFEW_PLUGIN_EXPORT do as well, with `-Wl,--exclude-libs,ALL` where archives are \
            linked in. In C++, headers of the standard library export instances of its templates \
            whatever the compiler is told; weak names of `std` are let pass. `nm -D \
            --defined-only` lists what is left.
            """),
        Fault(
            809, "needed-allowed",
            "the library links libcurfew, or takes libraries from an unsafe directory",
            """
            All that a plugin calls is in the table it is given; with libcurfew it would bring a \
            second host into the process. And what it is linked with is loaded from its RUNPATH, \
            so a relative directory, or one that others can write to, lets them choose the code \
            that runs. Link with `pkg-config --cflags curfew` alone, without `--libs`, and drop \
            `-Wl,-rpath`. `readelf -d` shows NEEDED and RUNPATH; `patchelf --remove-rpath` mends a \
            finished file.
            """),
        Fault(
            810, "elf-hardening",
            "the library has text relocations, an executable stack or static TLS",
            """
            With text relocations the loader makes code writable, and an executable stack is made \
            so for all threads of the host; many systems forbid both. Compile every object with \
            `-fPIC` and link with `-Wl,-z,text`. Link with `-z noexecstack`; the cause is an \
            assembler file without a `.note.GNU-stack` section, or a nested function of gcc. \
            Static TLS is a warning: its room is small and shared, and loading fails when it is \
            used up. Leave `-ftls-model=initial-exec` out.
            """),
        Fault(
            811, "dlopen-ok",
            "the loader cannot load the library, or its constructors crash or hang",
            """
            The host opens a copy of the library, so what lies beside it is not found. Where a \
            library is missing, `ldd` names it: install it where the system's loader looks, or \
            link it in as an archive. Constructors, and initial values of C++ globals, run inside \
            of the loader with its lock held, before the entry: a thread that is waited for there \
            waits for that lock. Move such work into the entry, or better into the first task.
            """),
        Fault(
            812, "symbols-resolve", "a symbol that the library uses is nowhere",
            """
            A shared object links without complaint when a function is missing, and the host finds \
            out while it loads the plugin, or the handler dies at the first call. Link with \
            `-Wl,-z,defs`, and the build fails instead. `ldd -r` lists what is missing. Mostly a \
            source file or a `-l` was forgotten, a C function was declared in C++ without extern \
            "C", or the library that was there at build time is newer than the one here.
            """),
        Fault(
            813, "constructors-quiet",
            "loading alone writes, starts threads, opens files or changes the process",
            """
            Loading makes a plugin known and does nothing else: it may never be asked to run a \
            task, and inspection tools load it too. So constructors and initial values of globals \
            open no descriptor, start no thread, write nothing, and leave signals, umask and \
            directory alone. Do it in the first task, with pthread_once. Often a library that is \
            linked in does it: `strace -f` on `curfew inspect --load DIRECTORY` shows the call, \
            and gdb with `catch syscall` who made it.
            """),
        Fault(
            814, "entry-present", "the functions that the handlers' form needs are not exported",
            """
            Handlers of the form `entry` need curfew_plugin_entry; those of `subs` need `dotidy` \
            or `tidy_controller` for the event `tidy`; those of `call` the function that the \
            manifest names. Each must be exported by the library itself and be a function: a \
            variable of that name would be jumped into. Mark it CURFEW_PLUGIN_EXPORT, include \
            curfew/plugin.h in C++ so that it has the linkage of C, and see that a version script \
            does not hide it. `nm -D` shows a function as T.
            """),
        Fault(
            815, "struct-ends",
            "bytes past the struct_size of a struct of the host are read or written",
            """
            Each struct says in its first member how long it is, and a host that is older than the \
            headers has a shorter one: behind it lies other memory. Before a member that came in a \
            later version is used, compare `api->struct_size` with the end of that member, \
            offsetof plus its size. Do not copy the table by your own sizeof, nor clear host_info \
            or host_error as a whole. A message is written with snprintf and `sizeof \
            host_error->message`.
            """),
        Fault(
            816, "larger-structs",
            "a struct of the host that has grown at its end is refused or written behind",
            """
            Structs grow at the end, and a newer host passes longer ones to a plugin that was \
            built before; it must run there without being built again. Ask whether `struct_size` \
            is at least what you need, never whether it equals your sizeof. What is behind the \
            members you know is the host's: neither read nor clear it. An array of curfew_value is \
            walked by the struct_size of its elements.
            """),
        Fault(
            817, "scan-time", "loading and registering takes too long",
            """
            Hosts load all of their plugins when they start, one after the other, and the program \
            waits: over 100 ms is a warning, over 1 s a failure. The entry registers handlers and \
            returns. Open databases, read configurations and connect in the first task, once, with \
            pthread_once; a task has a budget and can tell its progress. `strace -f -r` on `curfew \
            inspect --load DIRECTORY` shows where the time goes; with many C++ globals it is their \
            initial values.
            """),
        Fault(
            818, "missing-extensions",
            "without an extension of the host it crashes, or does not say which it needs",
            """
            Extensions may be missing in another host, or another version of this one: \
            `api->extension` then answers NULL. Look at each answer before it is used, and do \
            without where that is possible. A plugin that cannot refuses in its entry: it writes \
            the id that it needs, `curfew.subs/1` for example, into `host_error->message` and \
            returns CURFEW_NOT_FOUND. Then a person knows which host to look for.
            """),
        Fault(
            819, "two-copies",
            "a copy of the library under another name cannot be loaded beside it",
            """
            While a plugin is replaced two versions of it are in one process, and two hosts there \
            have a copy each. What is outside of the library they share: globals of libc, \
            environment variables, lock files, sockets and shared memory of a fixed name, handlers \
            that another library registers once. Keep state in static variables and in what \
            handler_data points to, and make names with the process's id and a counter. C++ needs \
            `-fno-gnu-unique`, or both copies share their static objects.
            """),
        Fault(
            820, "registers-its-handlers",
            "the entry says no, or registers others than the manifest declares",
            """
            The manifest is the authority: what it declares must be there when the entry has \
            returned, and nothing else, or the host refuses the plugin. Compare the identifiers \
            letter by letter; a table of handlers beside the manifest, or one made from it when it \
            is built, keeps both alike. Return what register_handler answers. An entry that has to \
            say no writes the reason to `host_error->message`, and it is shown with this case.
            """),
        Fault(
            821, "register-only-in-entry", "handlers are registered outside of the entry",
            """
            The list of handlers is fixed once curfew_plugin_entry has returned; the host, its \
            embedder and its tools go by it. A later call of register_handler, from a task, from \
            the expiration callback or from a thread of the plugin, answers CURFEW_WRONG_STATE and \
            is reported as late-registration. Register all that the manifest declares in the \
            entry. A handler that is not usable yet returns CURFEW_FAILED from its function, with \
            a message that says why.
            """),
        Fault(
            822, "describe-equals-manifest",
            "the id or the version that the entry tells is not that of the manifest",
            """
            `host_info->id` and `host_info->version` are there so that a library and a manifest of \
            two builds are noticed. They must be equal to those of manifest.json, byte by byte, \
            and stay readable until the entry has returned. Pass them to the compiler from one \
            place, `-DVERSION=…`, or make the manifest from it. Or leave both NULL: then the \
            manifest alone says who this is.
            """),
        Fault(
            823, "register-once", "an identifier is registered twice",
            """
            The first registration stands with its functions and its data, and the second answers \
            CURFEW_EXISTS, so the code that made it believes in something that is not there. \
            Mostly a loop goes one too far, two rows of a table have the same identifier, or a \
            part of the plugin that registers itself is linked in twice. Register each identifier \
            once. To use one function for several handlers give each an identifier and a \
            handler_data of its own.
            """),
        Fault(
            824, "strings-utf8", "a text is not UTF-8, NULL with a length, or longer than is kept",
            """
            Texts go to logs, screens and event subscribers in other languages. They are UTF-8 \
            with a length in bytes; the host repairs what is malformed with U+FFFD and cuts what \
            is too long, so something else arrives than was meant. Keep to 1 KiB for progress, 4 \
            KiB for a log line and 64 KiB for an error. Names of files can have any bytes: convert \
            or escape them. Cut between characters, not inside of one, and pass a literal with \
            CURFEW_TEXT.
            """),
        Fault(
            825, "retires", "the plugin crashes, hangs or exits when it is retired",
            """
            `retire` is the last call into a plugin: its tasks are over, its functions have \
            returned, and its plugin_data is what the entry put there. Check for NULL what is made \
            by the first task only; it may never have come. Wake threads before pthread_join, and \
            do not join them while a lock is held that they need. Free once: after an entry that \
            failed half-way the pointers that were freed are set to NULL. Do not call exit.
            """),
        Fault(
            826, "refused-registration",
            "a refusal of register_handler is not passed on as it should be",
            """
            A host can say no to a handler: CURFEW_EXHAUSTED when it has as many as it may. Half a \
            plugin is of no use, so the entry then frees what it made and returns the same status, \
            with a text. The simplest is `return api->register_handler(api, &handler, \
            host_error);`, which passes on both; with several handlers look at each answer and \
            stop at the first that is not CURFEW_OK. Do not use the handler's data after it was \
            freed.
            """),
        Fault(
            827, "init-twice", "a second host in the process cannot load the plugin",
            """
            A process can have several hosts, at the same time or one after the other, and the \
            entry is called for each; the library stays loaded in between. A static flag that says \
            "done already" refuses the second. Keep what belongs to a host in memory that \
            `host_info->plugin_data` points to, free it in `retire`, and let the handlers reach it \
            by handler_data. The address of the table tells one host from another. What is static \
            must be usable again after retire.
            """),
        Fault(
            828, "idle-retire", "retire takes over 100 ms though nothing is running",
            """
            A shutdown waits for every plugin, and somebody waits for the shutdown. With no task \
            running there is nothing to finish: free memory, close files, end threads. A thread of \
            the plugin that sleeps in intervals is woken by a condition variable or an eventfd, \
            and then joined with pthread_join; one that polls costs its interval. What must be \
            written or sent is done at the end of the task that made it, not in `retire`.
            """),
        Fault(
            829, "no-exit", "the plugin ends the process while it runs",
            """
            The process belongs to the program that embeds the host; other tasks run in it and \
            have things to finish. No plugin calls exit, _exit, quick_exit, abort or exec, and none \
            closes descriptors that it has not opened, without which the process cannot go on. Return \
            a status and write the reason to `host_error->message`. Look for libraries that exit \
            by themselves when they meet an error: many take a function to call instead, and some \
            need setjmp around the call. gdb with `break exit` and `break _exit` shows who it was.
            """),
        Fault(
            830, "one-task-done",
            "an example that is to succeed does not end with success and one done event",
            """
            An example of the manifest is a promise: with this payload, in an empty directory of \
            its own, the handler succeeds within its budget. The text of the failure is shown; \
            mostly the example counts on files that are only on its author's machine. List what it \
            needs in `files` and write `@DIRECTORY@` for the directory they are in. Servers are \
            not there. Mark an example that is meant to fail with `"expect": "failure"`, and one \
            that goes on until it is stopped with `"slow"`.
            """),
        Fault(
            831, "failing-task-done", "a task that fails does not say why in a text of its own",
            """
            The message is all that people see of a failure: without one they read "the plugin \
            said no", in a log, of a task that ran at night. Write to `host_error->message` what \
            was attempted, on what, and why it failed: snprintf with strerror(errno) and the path. \
            Where a thread completes the task the text is the fourth argument of `complete`. In \
            Swift it is the description of the error that was thrown.
            """),
        Fault(
            832, "exactly-once", "a task is completed twice",
            """
            The first answer stands, the second is ignored and reported; whoever gave it believes \
            that the task was still open. Choose one place that answers: either the function calls \
            `complete` and returns CURFEW_OK, or it returns CURFEW_PENDING and a thread completes. \
            Where a timer and a worker may both finish it, decide with atomic_exchange on a flag \
            of the task, and only who sees false answers. `complete` also drops the reference of \
            CURFEW_PENDING, so a second one may meet a stale id.
            """),
        Fault(
            833, "payload-sizes", "a payload of an unexpected size is not answered",
            """
            A payload is any number of bytes up to the host's limit, 1 MiB by default, and need \
            not be what the handler expects. With no bytes at all `payload` is NULL. It has no NUL \
            at its end, so strlen and sscanf read on behind it: copy it with payload_bytes and add \
            one, or parse by length. Refuse what is too long for a buffer before memcpy, not \
            after. Success or failure are both good answers; a crash or silence is none.
            """),
        Fault(
            834, "status-known", "a task ends with a number that is no status",
            """
            What a function returns, and what is passed to `complete`, is one of the CURFEW_ \
            statuses; another number reaches the launcher as an unknown status, on which nobody \
            can act. Mostly it is errno, -1 or what another library returned. Return CURFEW_FAILED \
            for a reason of your own, CURFEW_SYSTEM for one of the operating system, and put the \
            number into the message. Look for a `return` without an initialised variable, too.
            """),
        Fault(
            835, "progress-in-range", "progress is outside of 0…1, or reported after the end",
            """
            Progress is a fraction: 0 at the beginning, 1 at the end. Divide by the total as a \
            double, and mind a total of 0, which gives NaN; where a file grows while it is read, \
            take the smaller of the fraction and 1. After the task is completed, by return or \
            `complete`, nothing more is reported: end the threads that report, or let them look at \
            what `progress` answers and stop at CURFEW_ALREADY.
            """),
        Fault(
            836, "declared-events",
            "an event is raised that is not declared, or with other parameters",
            """
            Subscribers know from the manifest which events there are and may be C functions with \
            exactly these parameters. What is not declared, or has other types or another number \
            of values, is not raised: the event is lost and the task goes on. Declare it under \
            `events` of the handler, `{"name": "tidy_found", "parameters": ["text", "int64"]}`. \
            Set `.struct_size` and `.type` of each curfew_value, and look at what `raise` answers \
            while you develop.
            """),
        Fault(
            837, "references",
            "references to a task are not balanced, or a task that is over is used",
            """
            An id is good while somebody holds a reference: the running function, CURFEW_PENDING \
            until `complete`, and each `keep` until its `release`. Release as often as you kept, \
            on the ways that end early as well; the function's own reference cannot be released. A \
            thread that goes on using the id takes one first, before `run` returns. A task that \
            was left pending is completed by somebody, or it ends as abandoned or by its budget.
            """),
        Fault(
            838, "finishes-in-budget",
            "an example that is to succeed takes longer than the handler's budget",
            """
            The budget of the manifest is what a host gives each task; whoever needs more ends as \
            expired, even if the work is done. Measure the example with `curfew run`, which tells \
            how long it took, and set `"budget"` to several times that: other machines are slower, \
            and the disk's cache is cold. Or shorten the work: go on where the last task stopped, \
            and do the rest next time. Look at is_expired between the steps, not behind them.
            """),
        Fault(
            839, "short-expiration", "the expiration callback takes over 50 ms",
            """
            The callback runs on the host's watcher, which has other tasks' deadlines to look \
            after. It sets a flag, writes to an eventfd, signals a condition variable, or \
            interrupts a library with its own call, such as sqlite3_interrupt, and returns; that \
            takes microseconds. Saving, closing, pthread_join and logging over a network are the \
            work of the function, which has the grace for it. Take no lock that `run` holds for \
            long: an atomic flag needs none.
            """),
        Fault(
            840, "cooperative-stop",
            "a slow example does not answer within its grace when its budget is up",
            """
            When the time is up is_expired says so, and the task has its grace to return or to \
            call `complete`; after that the host answers for it, gives up its worker, and \
            quarantines the handler. Look at is_expired in every loop that can be long. Give poll, \
            connect and locks a time limit, or let `expired` wake them with an eventfd. A \
            library's long call needs its own way to be interrupted. In Swift, call \
            Task.checkCancellation and pass on cancellation.
            """),
        Fault(
            841, "cancel-while-running",
            "a slow example does not answer within its grace when it is cancelled",
            """
            A task is told to stop for several reasons: its budget, a lost condition, the \
            embedder, a cancellation, a shutdown. What it has to do is the same each time: stop, \
            clean up, answer within the grace. A callback that looks at `reason` and acts for \
            CURFEW_REASON_BUDGET alone leaves the others hanging, and so does a clock of the \
            plugin's own in place of is_expired. Use the reason for the text of the message and \
            for nothing else.
            """),
        Fault(
            842, "expiry-race",
            "being told to stop at any moment crashes it, hangs it, or ends it not just once",
            """
            The callback may come before the function has done anything, while it returns, and \
            together with `complete`. So what both use is made before the handler is registered, \
            or belongs to the task from the first line of `run` under a lock, and stays until both \
            are through: free it when the last of the two has let go. Have the callback look for a \
            task that it does not know yet, and `run` look at is_expired right after it began. Run \
            it once with `-fsanitize=thread`.
            """),
        Fault(
            843, "thread-tags",
            "a function of the host is called from a thread that its tag does not allow",
            """
            CURFEW_TAG behind each declaration in curfew/plugin.h says which thread may call: \
            register_handler only the one that is inside of the entry, the rest of the table any. \
            Neither joining the thread afterwards nor a lock makes another one right, since the \
            host keeps what it needs for loading on its own thread. Collect the handlers in \
            threads if you must, and register them when they are joined. The extension \
            curfew.thread-check/1 tells for an assertion where you are.
            """),
        Fault(
            844, "no-affinity", "a task that runs on another worker does not end the same way",
            """
            Workers come and go, and the next task may run on any of them. So nothing may be bound \
            to a thread: no thread-local state that one task fills and another reads, no lock that \
            is taken in one and released in the next, no handle of a library that only its maker's \
            thread may use. Keep such things in handler_data with a mutex, or open them per task. \
            Libraries that insist on one thread get one of the plugin's own, to which tasks hand \
            their work.
            """),
        Fault(
            845, "reentrancy", "tasks that run at the same time disturb each other",
            """
            With `maxConcurrency` above 1 the function is entered by several workers at once, each \
            with another task, and so is the code of several handlers. Static buffers, strtok, localtime, a shared database handle or a \
            file of a fixed name then mix. Keep a task's state on its stack or in memory of its \
            own, use the variants that end in `_r`, give temporary files names by mkstemp, and \
            protect what is shared with a mutex. Or leave maxConcurrency at 1: the host then makes \
            them wait for each other.
            """),
        Fault(
            846, "threads-joined", "threads of the plugin are left after it is retired",
            """
            After `retire` nothing of the plugin runs: a thread that is left may call into a host \
            that is gone, and keeps the process from ending in order. Do not detach threads. \
            Remember each, tell it to stop by a flag and a condition variable or an eventfd, and \
            pthread_join it, in `run` for those of a task and in `retire` for those of the plugin. \
            Threads that a library starts end by the library's own call, such as \
            curl_global_cleanup or ares_destroy.
            """),
        Fault(
            847, "thread-exit", "a worker that has run the plugin's code crashes when it ends",
            """
            Workers end long after the task, also after the plugin was retired, and then run the \
            destructors of thread-local objects and of keys made with pthread_key_create. These \
            must not count on anything that `retire` frees, and must accept a value that was set \
            half-way. Call pthread_key_delete in `retire`, or free what belongs to a thread at the \
            end of each task. In C++ a thread_local object with a destructor is the same thing.
            """),
        Fault(
            848, "borrowed-poisoned", "the payload is used after its task is over",
            """
            What task_info hands out, identifier and payload, belongs to the host and is readable \
            until the last reference to the task goes; then the memory is given to something else. \
            The kit makes it unreadable at once. Copy what is needed longer, or take a reference \
            with `keep` before `run` returns and release it after the last look. Do not put the \
            pointer into a static variable or a cache, not even to compare it.
            """),
        Fault(
            849, "leak-per-task", "memory in use grows with each task",
            """
            A host runs for months and a handler thousands of times, so a few KiB that are lost by \
            each task become the memory of the machine. Free on every way out, also where the work \
            fails or is stopped: one `goto` target or one function that frees serves them all. A \
            cache needs an upper limit. Find the place with `valgrind --leak-check=full` around \
            `curfew conform DIRECTORY --only leak-per-task --in-process`, which names the line of \
            each malloc where the library was built with `-g`.
            """),
        Fault(
            850, "const-inputs", "the payload is written to",
            """
            The payload is the host's and may be shared: with the launcher's record of the task, \
            with the next attempt, or with a read-only mapping, as in the kit, where writing ends \
            the process. Parsers that work in place, strtok, strsep and those that end words with \
            a NUL, need a copy: malloc payload_bytes plus one, memcpy, and a NUL at the end. Do \
            not cast const away. Compile with `-Wcast-qual`, which names such places.
            """),
        Fault(
            851, "payload-end", "bytes behind the end of the payload are read",
            """
            A payload has payload_bytes bytes and no NUL behind them; what follows is another \
            allocation, or nothing at all, as in the kit. strlen, strchr, sscanf, atoi and `%s` \
            all look for a NUL and read on. Use memchr with the length, strnlen, `%.*s`, or copy \
            the payload and add the NUL. Loops compare the index before they read: `i < n && p[i] \
            != ','` and not the other way round. `-fsanitize=address` finds the same in a program \
            of your own.
            """),
        Fault(
            852, "signal-actions", "what a signal does was changed",
            """
            What a signal does is set for the whole process and belongs to the program that embeds \
            the host; a plugin that ignores SIGUSR1 or catches SIGINT takes it from everybody. A \
            write to a closed socket needs no ignored SIGPIPE: use send with MSG_NOSIGNAL. Time \
            limits need no SIGALRM: poll, timerfd_create and is_expired do it. Switch off what \
            libraries install, for example CURLOPT_NOSIGNAL. To wait for a child use pidfd_open or \
            waitpid with its id.
            """),
        Fault(
            853, "signal-mask", "the worker's signal mask or alternate stack is changed",
            """
            Workers run tasks of many handlers, and mask and alternate stack stay with the thread: \
            the next handler would run with signals blocked that it expects, or on a stack that is \
            freed already. Leave both alone, or put them back on every way out of `run`: \
            pthread_sigmask with SIG_SETMASK and the old mask, sigaltstack with the old stack. A \
            thread of your own may block what it likes; block before pthread_create and restore \
            after it.
            """),
        Fault(
            854, "process-globals",
            "ids, directories, umask, environment, locale, priority or limits are changed",
            """
            These are of the process, not of the thread, and other tasks and the embedder use them \
            at the same moment. Even set and put back they are wrong for the others in between. \
            Instead of chdir use openat and paths that are whole; instead of umask, fchmod after \
            opening; instead of setlocale, newlocale and uselocale, put back at the end. Set \
            environment variables for a child in the array of posix_spawn, and limits with prlimit \
            on its id. Leave nice to the host. Another user's rights and another root directory \
            are for a process of its own: start one.
            """),
        Fault(
            855, "fpu-state", "the floating-point control of the worker is changed",
            """
            Rounding, exceptions and flushing to zero are settings of the thread, and the worker \
            takes them along to the next handler, whose numbers then come out differently. Put \
            back what you change with fegetenv and fesetenv on every way out of `run`, or compute \
            on a thread of your own. A library that is linked with -ffast-math changes it when it \
            is loaded: leave the option out where it is linked.
            """),
        Fault(
            856, "descriptors-and-children",
            "descriptors or processes are left after the plugin is retired",
            """
            A process has perhaps a thousand descriptors, and what each task leaves open is \
            missing to all. Close on every way out, also where the work fails, and in `retire` \
            what the plugin keeps. Open with O_CLOEXEC, SOCK_CLOEXEC, `fopen(path, "re")`, or \
            children of others inherit it. Each child that is started is waited for with waitpid, \
            after kill if it must be, before the task ends. `ls -l /proc/PID/fd` shows what is \
            open.
            """),
        Fault(
            857, "stdio-untouched", "it writes to standard output, or much to standard error",
            """
            Standard output is the embedder's: it may be a pipe with data in a format, and a line \
            in the middle breaks it. Standard error is for the last words of a crash, up to 4 KiB. \
            Use `api->log`, which says which task it was and at which level, or `progress`. Look \
            for printf that was left behind, perror, and libraries that talk: most have a callback \
            for their messages or a switch to be quiet. A child's output is directed to a pipe or \
            /dev/null.
            """),
        Fault(
            858, "fork-hooks", "the library uses pthread_atfork",
            """
            Functions given to pthread_atfork run at every fork of the process, whoever forks, for \
            ever: they cannot be taken away again, not even when the plugin is retired. A lock \
            that one of them takes makes each fork of the embedder wait for the plugin. This is a \
            warning. Do without: in a child that calls exec nothing needs to be repaired, and \
            state that must not be used after fork can remember getpid. Random number and crypto \
            libraries sometimes bring such a hook along.
            """),
        Fault(
            859, "fork-exec", "the host cannot fork and start a program while the plugin is loaded",
            """
            Programs start other programs, and a plugin that is loaded must not change that. In \
            the child of a fork only the forking thread exists, with all locks as they were. Here \
            the child did not come to exec, or the program did not run: a hook of pthread_atfork \
            that waits for a lock or exits, a descriptor that was inherited and blocks, or changed \
            signals or limits, which exec passes on. Take the hook out, and open everything with \
            O_CLOEXEC.
            """),
        Fault(
            860, "retire-while-busy",
            "a slow example does not answer within its grace when the host shuts down",
            """
            At a shutdown running tasks are told to stop with CURFEW_REASON_SHUTDOWN, and the host \
            waits for their grace and not longer; then the thread is left behind, and the process \
            may end in the middle of a write. Stop for this reason as for any other, and answer. \
            Keep what is half done in a form that the next launch can take up: write a new file, \
            fsync it, rename it over the old one. `retire` comes only after the last function has \
            returned.
            """),
        Fault(
            861, "clean-exit", "the process crashes or hangs at its end, or the plugin ends it",
            """
            The image stays mapped after `retire`, so destructors, atexit functions and those of \
            C++ globals run when the process ends, in an order that nobody promises, when other \
            libraries may have ended already. Let `retire` free everything and set the pointers to \
            NULL, so that nothing is left to do, and take locks, join threads or call _exit in no \
            destructor. Make C++ singletons objects that are never destroyed, made with new in a \
            function. \
            gdb's backtrace at the crash names the destructor.
            """),
        Fault(
            862, "reinit-100",
            "memory, threads or descriptors grow with each host that comes and goes",
            """
            Tests, tools and programs with a host for each session load the same plugin again and \
            again; the library stays, and so does all that `retire` does not free. Whatever the \
            entry makes for a host, memory, threads, descriptors, keys of pthread_key_create, \
            `retire` gives back, by way of plugin_data. What is made once for the process is kept \
            in a static variable and used again. Run `valgrind --leak-check=full` around `curfew \
            conform DIRECTORY --only reinit-100 --in-process`.
            """),
        Fault(
            863, "fuzz-calls", "a sequence of launches and stops crashes or hangs it",
            """
            The kit launches, cancels, expires and completes tasks in an order drawn from a seed, \
            with attempts from 1 to 5; every such order can come from a real host. What breaks is \
            mostly state that outlives a task: a flag that was not reset after a stop, a pointer \
            to the task before, a file left half written that the next attempt trusts. The report \
            has the seed: `--reproduce SEED` does the same again, and with `--in-process` under \
            gdb one sees where. Begin each task from state that is its own.
            """),
        Fault(
            864, "fuzz-payload", "a payload that the kit made up crashes or hangs it",
            """
            Payloads come from outside, and a host passes on what it is given. The kit alters the \
            examples: bytes changed, removed, repeated, cut off, numbers at their limits. Answer \
            what is not understood with CURFEW_INVALID and a message. Check each length against \
            what is left before it is used, multiply sizes with __builtin_mul_overflow, limit \
            depth and counts, and look at is_expired in parsers. The report has the seed for \
            `--reproduce SEED`; build with `-fsanitize=address,undefined` to see the first wrong \
            step.
            """),
        Fault(
            865, "host-says-no",
            "an answer such as STALE, EXHAUSTED or BUSY of the host crashes or hangs it",
            """
            Every call of the host can say no, when a task has just ended, memory is short or a \
            queue is full, and then has not filled in what it would have. Compare the answer of \
            task_info with CURFEW_OK before its struct is read. CURFEW_BUSY from `raise` is a lost \
            event: go on, do not try again in a loop. After CURFEW_EXHAUSTED from `keep` there is \
            no reference to release, and after one from `complete` the task still owes an answer: \
            complete it with less.
            """),
        Fault(
            866, "no-descriptors", "with no descriptor left it crashes or hangs",
            """
            A process can run out of descriptors by the doing of others, and open, socket, pipe, \
            fopen and opendir then fail with EMFILE. Look at each result before it is used: fopen \
            answers NULL, open -1. Fail the task with CURFEW_SYSTEM and strerror(errno) in the \
            message, and close what was opened before. Do not try again in a loop without a limit \
            and is_expired; accept in particular returns at once, for ever. Libraries are to \
            report it too: look at what they return.
            """),
        Fault(
            867, "no-space", "with files that cannot grow it crashes or hangs",
            """
            Disks are full, and quotas and file size limits are reached; write then writes less \
            than it was asked to, or fails with ENOSPC, EDQUOT or EFBIG. Look at the number that \
            write returns, and at what fclose, fflush and fsync answer: that is where buffered \
            data fails. Fail the task with the path and strerror(errno), remove the half-written \
            file, and leave the old one in its place until the new one is whole. Do not try again \
            until it works; a full disk stays full.
            """),
    ]
}
