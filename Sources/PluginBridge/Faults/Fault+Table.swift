// SPDX-License-Identifier: Apache-2.0

extension Fault {
    /// All faults there are, by number.
    public static let all: [Fault] =
        statuses + json + manifest + loading + permitted + misbehaviour + conformance

    // MARK: 00, what calls answer

    /// The number, the name and the text of a status are those of curfew/types.h.
    private static func status(_ status: Status, _ explanation: String) -> Fault {
        let name = (status.constant ?? "").split(separator: "_").dropFirst().joined(separator: "-")
        return Fault(
            UInt16(clamping: status.rawValue), name.lowercased(), status.description, explanation,
            answer: status)
    }

    private static let statuses: [Fault] = [
        status(
            .pending,
            """
            A handler's function returns it to say that the task goes on: a thread, a timer or a \
            callback of the plugin will call complete later. The budget goes on too, and the task \
            keeps the reference that complete drops. It is the only status that cannot be given to \
            complete. A plugin that returns it and forgets the task lets it run into its budget.
            """),
        status(
            .already,
            """
            The first answer decides, whether the function returned it or complete brought it; \
            this one came later and changed nothing. Of two threads that answer at the same time \
            one hears this, which is no fault. The same is answered by raise and progress once the \
            outcome of the task is decided, so that no event can follow its done event.
            """),
        status(
            .late,
            """
            The task had been told to stop, and answered before its grace was over. The answer is \
            accepted and kept, and the outcome says why the task had to stop: expired, cancelled \
            or interrupted. To end as succeeded a task has to answer before it is told; its budget \
            may be too short for the work.
            """),
        status(
            .expired,
            """
            The task was told to stop and did not answer within its grace, so the host answered \
            for it; what comes now is not taken. Look at is_expired in every loop that takes long, \
            give blocking calls a time limit, and use the expiration callback to wake what sleeps. \
            The grace stands in the manifest: `"grace": "5s"`.
            """),
        status(
            .closing,
            """
            The host that was called has begun to shut down and takes nothing new in; waits end \
            with it as well. A plugin that hears it has nothing left to do but to let go of what \
            it holds. An embedder makes another host.
            """),
        status(
            .stale,
            """
            The id of a task is good from the launch until the task is over and its last reference \
            is gone; from then on it is stale for ever, and never becomes the id of another task. \
            Whoever uses an id longer takes a reference: keep in a plugin, the launch flag or \
            curfew_host_keep in an embedder. A task of another plugin is stale as well.
            """),
        status(
            .replaced,
            """
            There is one wait for an event, a task and a context at a time. A newer one was begun \
            with the same three, and the older ended with this status instead of hanging. Give the \
            waits different contexts where both are meant.
            """),
        status(
            .timedOut,
            """
            What was waited for did not come in time. Of a shutdown it means that a thread is \
            still inside a plugin's function or callback; that thread, and the memory it may \
            touch, are kept for the life of the process. Everything else was ended.
            """),
        status(
            .busy,
            """
            Each handler has a queue of a certain length, and so have the events. A launch that \
            hears this has launched nothing and can be repeated; an event that hears it is lost, \
            and subscribers are told how many were by `curfew_gap`. Wait for tasks to end, or make \
            the queue longer in the configuration of the host.
            """),
        status(
            .exhausted,
            """
            The host holds as many tasks, threads, references or events as it may, or a handler \
            has lost as many workers as it may. The limits are in the configuration of the host, \
            and each has a default that few programs reach: reaching one mostly means that \
            something is not released.
            """),
        status(
            .quarantined,
            """
            A task of the handler did not return long after its grace, and its worker was given up \
            as lost. So that one plugin cannot take all workers, the handler is not launched any \
            more until somebody lifts the quarantine: curfew_host_lift. The reason stands beside \
            it in the list of handlers.
            """),
        status(
            .notFound,
            """
            Nothing goes by the name or number that was given: no handler of that identifier, no \
            expectation, no subscription. Identifiers are compared byte by byte, with capitals. \
            `curfew plugins` lists the identifiers of the plugins that are found.
            """),
        status(
            .exists,
            """
            A plugin's id, a handler's identifier and the name of an event belong to whoever had \
            them first in a host; the first stays and the second is refused. Of two plugins of the \
            same id the one that is found first shadows the other. Give yours a name of its own, \
            below a domain that is yours.
            """),
        status(
            .invalid,
            """
            The call was given something it cannot use: a NULL where a pointer is due, a \
            struct_size of no version, a number outside its range, a text that is no name. Nothing \
            happened. The comment of the function in the headers says what it takes; the message \
            says which argument it was.
            """),
        status(
            .wrongState,
            """
            The call is right and comes at the wrong moment: a handler is registered outside the \
            entry, a task is held back that runs already, a reference is released that nobody \
            took. Nothing happened. The state that a call wants stands in the CURFEW_TAG behind \
            its declaration.
            """),
        status(
            .wrongThread,
            """
            Some calls wait for others and would wait for themselves on the wrong thread: a host \
            cannot be shut down from its own callbacks, and a worker must not wait for an event. \
            Nothing happened. Make the call from a thread of your own.
            """),
        status(
            .denied,
            """
            A plugin registers and raises what its manifest declares, and nothing else, so that \
            everybody can know from the manifest what it does. Declare the handler under \
            `handlers`, or the event under the handler's `events`. `_done`, `_expired` and \
            `_progress` of a handler, and all names that begin with `curfew_`, are the host's own. \
            A host that was made with a list of permitted handlers takes no others. A store, or a \
            backup, is denied where its directory or file is not this user's to use, or can be \
            written to by others: the message says which, and what to change.
            """),
        status(
            .abiMismatch,
            """
            The number of the plugin ABI stands in the manifest, in a note inside the library and \
            in the table that the entry gets, and all must be the host's. It is looked at before \
            any code of the plugin runs, since a struct of another version would be misread. Build \
            the plugin again with the headers of this Curfew: `curfew version` tells the number.
            """),
        status(
            .refused,
            """
            The host looked at the plugin and will not use it; nothing of it is registered, and no \
            task of it can be launched. The message lists what is wrong, with places where there \
            are any. `curfew lint DIRECTORY` says the same without a host.
            """),
        status(
            .tooLarge,
            """
            Payloads and results have a limit so that one task cannot take the memory of all, 1 \
            MiB each unless the host is configured otherwise. A result over it is not taken and \
            the task is not completed: complete it again with less. Large data goes into a file \
            whose name is passed.
            """),
        status(
            .system,
            """
            A call of the operating system failed: no memory, no thread, no descriptor, or a file \
            that cannot be read. The message carries its words. `ulimit -a` shows the limits of \
            the process.
            """),
        status(
            .failed,
            """
            The plugin's own code reported a failure: its entry said no while it was loaded, or a \
            task failed with its own reason. The text is the plugin's, not the host's. Its author \
            or its documentation can say more.
            """),
        status(
            .tooMany,
            """
            So many requests of one kind are pending, and no more may be: 1 of app-refresh and 10 of \
            every other kind, as Apple's system has it, unless the host's configuration says \
            otherwise. What was pending is as it was, and this one was not taken in. Cancel one, or \
            submit under the same identifier, which replaces the one that waits.
            """),
        status(
            .storeBusy,
            """
            Another process held the store longer than this one waits, two seconds: a command that \
            writes much, a backup, a shell of sqlite3 in a transaction. Nothing was changed. Try \
            again; if it stays so, see who has the file open.
            """),
        status(
            .storeFull,
            """
            There is no space left where the store is, or its user's quota is used up. Nothing was \
            changed, and whatever was acknowledged before is there. Nothing is launched until a \
            write succeeds; a host tries by itself, so that freeing space is enough. Where no host \
            runs, reading needs room, too: 32 KiB for the file requests.db-shm beside the store.
            """),
        status(
            .storeReadOnly,
            """
            The store is on a file system that is mounted read-only, or its files do not allow this \
            user to write. Nothing was changed. File systems become read-only after faults of the \
            disk: look at the kernel's log first. Where no host runs, reading writes, too: the file \
            requests.db-shm beside the store. To read it all the same, copy the directory to \
            another disk, and name the copy by --store.
            """),
        status(
            .storeIO,
            """
            The system could not read or write the store's file: the disk, a network, a driver. \
            Nothing was changed, and what was acknowledged before is not doubted. The file is opened \
            anew before the next write. Look at the kernel's log, and make a backup.
            """),
        status(
            .storeCorrupt,
            """
            What is in the store's file makes no sense: a disk that lies, memory that fails, or \
            another program that wrote into it. It is left as it is. `curfew db check` says more; \
            put a backup in its place that `curfew db backup` has made.
            """),
        status(
            .storeNewer,
            """
            A newer version of Curfew has used the store and changed how it is laid out. This one \
            does not touch it. Use the newer one again, or another directory.
            """),
        status(
            .storeLocked,
            """
            A store has one host at a time: two would launch everything twice. The message names the \
            process that has it. Stop that one, or give this one a store of its own. A lock ends \
            with its process, however that ends; there is nothing to remove by hand.
            """),
        status(
            .storeGone,
            """
            The store's file was deleted, moved away or replaced while it was in use. What would be \
            written now would be lost, so nothing is. Stop the host and put the very file back. Where \
            another one is in its place on purpose, restart the host to begin with that. Where the \
            file is lost, take a backup back, or remove what is left in the store's directory to \
            begin with nothing: until then this comes again.
            """),
        status(
            .storeUnknown,
            """
            The system failed while a change was brought to the disk. It is not known whether the \
            change was stored: it may be there when the store is opened again, or not. What was \
            acknowledged before is not doubted. Submit again with the same key: that returns the \
            request where it is there, and makes no second one. Without a key, look at the list of \
            requests first. Every other call may be repeated as it is.
            """),
    ]

    // MARK: 01, the text of a manifest

    private static func json(
        _ number: UInt16, _ rule: JSONRule, _ text: String, _ explanation: String
    ) -> Fault { Fault(number, rule.rawValue, text, explanation, answer: .refused) }

    private static let json: [Fault] = [
        json(
            101, .size, "the file is larger than a manifest may be",
            """
            A manifest has at most 256 KiB, and a larger file is not read at all, so that nobody \
            can make the host read for ever. A real one has a few KiB. Look whether the right file \
            lies under the name, and move long examples into the documentation.
            """),
        json(
            102, .empty, "the file has nothing in it",
            """
            A manifest is one JSON object, and here there is not even a brace. Often a build step \
            was cut off or a disk was full. Write at least `{ "id": …, "version": …, "abi": …, \
            "library": …, "handlers": […] }`.
            """),
        json(
            103, .byteOrderMark, "the file begins with a byte order mark",
            """
            JSON is UTF-8 without a mark in front of it; RFC 8259 forbids to write one. Some \
            editors add it without being asked. Save the file as "UTF-8", not as "UTF-8 with BOM".
            """),
        json(
            104, .encoding, "some bytes are not UTF-8",
            """
            A manifest is UTF-8 throughout, also in texts that only people read. The file was \
            probably saved in an older encoding such as Latin-1, or was damaged. Convert it: \
            `iconv -f latin1 -t utf-8`.
            """),
        json(
            105, .depth, "values are nested too deep",
            """
            No manifest needs more than five levels, and the limit of 32 keeps a hostile file from \
            using up the stack. Close the brackets where they belong; mostly one is missing far \
            above the place that is shown.
            """),
        json(
            106, .syntax, "it is not written as JSON",
            """
            Something else stands where JSON wants a value, a comma, a colon or a bracket. Names \
            and texts stand in double quotes, single quotes are not known, and words such as \
            `True` or `None` are written `true` and `null`. The place that is shown is the first \
            that cannot be; the cause may stand just before it.
            """),
        json(
            107, .unfinished, "the text ends in the middle",
            """
            A bracket, a brace or a quotation mark was opened and never closed. Either the file \
            was cut off while it was written, or a closing sign is missing. Write files whole: \
            into another name first, then rename.
            """),
        json(
            108, .trailingText, "something follows after the end",
            """
            A manifest is one object; after its last brace only blanks may follow. Often two files \
            were put together, or one brace too many closes the object early. Remove what follows, \
            or the brace.
            """),
        json(
            109, .trailingComma, "a comma stands before a closing bracket",
            """
            JSON has commas between values, not after the last one, unlike JSON5 and many \
            languages. Remove the comma, or write the value that was to follow. `[1, 2,]` becomes \
            `[1, 2]`.
            """),
        json(
            110, .comment, "JSON has no comments",
            """
            Neither `//`, `/* */` nor `#` begins a comment in JSON, since every reader would need \
            the same idea of it. Put remarks into the documentation of the plugin, or into the \
            text of an example.
            """),
        json(
            111, .number, "a number is not written as JSON has it",
            """
            A number is decimal, without a plus sign, without zeros in front and with digits on \
            both sides of its point: `0.5`, not `.5`, `007` or `0x7`. Infinity and NaN do not \
            exist. Durations are texts with a unit: `"30s"`.
            """),
        json(
            112, .controlCharacter, "a control character stands in a text",
            """
            Line ends, tabs and other control characters may not stand in a text as they are. \
            Write `\\n` for the end of a line and `\\t` for a tab. A text cannot go on in the next \
            line: where a quotation mark is missing at the end, this is what is found.
            """),
        json(
            113, .escape, "an escape is none of JSON's",
            """
            After a backslash stands one of `" \\ / b f n r t`, or `u` and four hexadecimal \
            digits. A backslash itself is written `\\\\`, which is often forgotten in patterns and \
            paths.
            """),
        json(
            114, .surrogate, "half of a character stands alone",
            """
            Characters beyond U+FFFF are written as two escapes, a high and a low surrogate, one \
            right after the other; one of them means nothing by itself. Write the character \
            itself, the file is UTF-8, or both halves: `\\ud83d\\ude00`.
            """),
        json(
            115, .duplicateKey, "a key stands twice in one object",
            """
            Readers of JSON differ in which of two equal keys they take, so that two programs \
            could see two different manifests. Keep one of them. Keys are compared after their \
            escapes are read: `"id"` and `"\\u0069d"` are the same.
            """),
    ]

    // MARK: 02, what a manifest says

    private static func manifest(
        _ number: UInt16, _ rule: ManifestRule, _ text: String, _ explanation: String,
        answer: Status = .refused
    ) -> Fault { Fault(number, rule.rawValue, text, explanation, answer: answer) }

    private static let manifest: [Fault] = [
        manifest(
            201, .file, "the manifest cannot be read as a file",
            """
            A plugin is a directory with a file `manifest.json` in it, which must be a regular \
            file of that directory: a symbolic link could lead out of it, and a pipe would never \
            end. Check the path, and that this user may read the file.
            """),
        manifest(
            202, .type, "a value has the wrong type",
            """
            Each key has one type: a text in quotes, a number without, a list in brackets or an \
            object in braces. Numbers are not written as texts nor texts as numbers, since \
            guessing would hide mistakes. The help below the fault shows how the key is written.
            """),
        manifest(
            203, .missingKey, "a key that must be there is missing",
            """
            A manifest needs id, version, abi, library and handlers, and a handler identifier and \
            kind; everything else has a default. Nothing of these can be guessed without running \
            the plugin's code, which a manifest is there to avoid.
            """),
        manifest(
            204, .unknownKey, "there is no such key",
            """
            A key that nobody reads is mostly one that was misspelt, and then a default would be \
            used without a word: `"buget": "1h"` would leave the budget at 30 s. Therefore unknown \
            keys are refused. Write the key that is proposed, or remove it.
            """),
        manifest(
            205, .identifier, "a name is not a reverse-DNS name",
            """
            Plugins and handlers of many authors meet in one host, so each name begins with a \
            domain of its author's, turned round: `org.example.tidy`. It has two or more parts of \
            letters, digits and hyphens with a point between two, and at most 128 bytes.
            """),
        manifest(
            206, .duplicateIdentifier, "two handlers have the same identifier",
            """
            A task is launched by its handler's identifier, so there can be one handler of a name \
            only. Give each its own. One function may be registered for several handlers, with \
            different handler_data.
            """),
        manifest(
            207, .version, "the version is not written as one",
            """
            A version is three numbers with points, and a suffix behind a hyphen if there is one: \
            `1.0.0`, `2.1.0-beta.2`. It has at most 64 bytes. It is the plugin's own and has \
            nothing to do with the version of Curfew.
            """),
        manifest(
            208, .abi, "the plugin is for another version of the plugin ABI",
            """
            The number says by which headers the library was compiled; structs of another version \
            would be misread, so no code of it is run. `curfew version` tells the number of this \
            host. Rebuild the plugin with this host's headers before changing the number in the \
            manifest: the library carries it as well.
            """, answer: .abiMismatch),
        manifest(
            209, .library, "the library is not a plain file beside the manifest that can be used",
            """
            `library` names a shared object in the directory of the manifest itself, without any \
            path, and the name ends in `.so`. It must be a regular file that was built for this \
            machine and this ABI and exports curfew_plugin_entry. Neither `../` nor a symbolic \
            link is followed: they would lead to files that nobody checked.
            """),
        manifest(
            210, .handlers, "there are no handlers, or too many",
            """
            A plugin without a handler cannot do anything, and more than 64 in one are hard to \
            keep apart. Declare what the library registers in its entry, one object each with at \
            least `identifier` and `kind`.
            """),
        manifest(
            211, .kind, "there is no such kind of handler",
            """
            `app-refresh` is short work, 30 s unless said otherwise; `processing` is long work, 10 \
            min unless said otherwise. So is `health-research`, for studies that their user takes \
            part in, and `continued-processing`, which a user began and waits for. The kind sets \
            the default budget and picks the workers that run it, so that long work does not stand \
            in the way of short.
            """),
        manifest(
            212, .duration, "a duration is not written with a unit, or out of bounds",
            """
            A duration is a text of a number and one of ms, s, min or h: `"250ms"`, `"30s"`, \
            `"1.5min"`. A bare number is refused since nobody can tell seconds from milliseconds. \
            Budgets go from 1 ms to 24 h, graces up to 10 min.
            """),
        manifest(
            213, .concurrency, "the number of tasks at a time is out of bounds",
            """
            `maxConcurrency` says how many tasks of this handler may run at the same time, 1 to \
            64; the default is 1. Above 1 the function is entered by several threads at once and \
            has to be written for that.
            """),
        manifest(
            214, .event, "a name cannot be that of an event",
            """
            The name of an event begins with a small letter and has small letters, digits and \
            underscores only, at most 128 of them, and 100 where the host makes several names of \
            it. Without `event` the last part of the identifier is taken: `org.example.tidy` \
            raises `tidy_done`. Colons are not written; they follow from the parameters.
            """),
        manifest(
            215, .reservedEvent, "an event is the host's own",
            """
            The host raises `<event>_done(bool, text)`, `<event>_expired()`, \
            `<event>_progress(double, text)` and `registering<event>_done(bool, text)` of every \
            handler, and whatever begins with `curfew_`. If a plugin could raise these as well, \
            nobody could rely on them. Choose another name, or other parameters: `tidy_done` \
            without any is free.
            """),
        manifest(
            216, .duplicateEvent, "two events have the same name and number of parameters",
            """
            An event is known by its name and the number of its parameters, in the whole host. Two \
            handlers whose identifiers end alike would raise the same events: give one of them a \
            name with `"event": "…"`.
            """),
        manifest(
            217, .parameter, "a parameter has no type that there is, or there are too many",
            """
            The parameters of an event are of the types `bool`, `int32`, `int64`, `double` and \
            `text`, at most 16 of them. The subscribers' C functions get exactly these, so nothing \
            else can be passed. Put larger things into a text, as JSON for instance.
            """),
        manifest(
            218, .requirement, "there is no such requirement, or it stands twice",
            """
            What a task needs in order to run is chosen from a fixed list: `network` and \
            `external-power`. The host watches them and tells a task to stop that loses one. What \
            is not on the list the handler has to check itself.
            """),
        manifest(
            219, .form, "there is no such form of handler",
            """
            The form says how a handler's code is called. `entry`, the default: through \
            curfew_plugin_entry and the host's table. `subs`: through exported functions with the \
            lower-case names of the subs, `dotidy`, `tidy_expired`, `tidy_done`. `call`: any C \
            function, with the signature and the arguments that stand under `call`.
            """),
        manifest(
            220, .isolation, "the isolation cannot be given in this version",
            """
            `thread` runs the handler inside the host's process. A manifest may ask for more than \
            a host gives by itself, never for less; this version knows nothing more than `thread` \
            and would rather refuse a plugin than run it with less than it asks for.
            """),
        manifest(
            221, .example, "an example is not one, or there are too many",
            """
            Examples are payloads that the handler understands, each with a name of 1 to 128 \
            bytes; they are shown to people and used to try the handler. `expect` says how a run \
            with one goes: "success", the default, "failure", or "slow" when it goes on until it \
            is told to stop. `files` has up to 64 texts by their relative paths, to be made before \
            the run. A manifest has at most 64 examples for each handler. Keep the most telling \
            ones.
            """),
        manifest(
            222, .faultLimit, "more faults are there than are listed",
            """
            At most 100 faults of one manifest are listed, as more would be read by nobody and a \
            hostile file could make millions. Mend the ones above and check again; often one \
            mistake causes many.
            """),
        manifest(
            223, .pin, "the pin of the library is not a SHA-256",
            """
            `sha256` has the 64 hexadecimal digits that `sha256sum` prints for the library, and \
            nothing else: no file name, no blanks. The key may be left out; then any content of \
            the library will do.
            """),
        manifest(
            224, .call, "what is called is not described, or for a form that calls nothing",
            """
            A handler of form `call` has the key `call`, with the function, its signature, its \
            arguments and what its result means. A handler of another form is called in its own way \
            and has no such key.
            """),
        manifest(
            225, .function, "a function cannot be called from a manifest",
            """
            Its name is none of C's, or it is one that takes a variable number of arguments, never \
            returns, or copies the process. The call is made as the signature says, without a \
            compiler that would know better. Write a function of your own with a fixed number of \
            arguments that calls it, in a library beside the manifest, and name that.
            """),
        manifest(
            226, .signature, "a signature is not written in its language",
            """
            It has the type of the result and, in brackets, those of the parameters: `int32 (text, \
            uint64)`. The types are void (a result only), bool, int8 to int64, uint8 to uint64, \
            float, double, text (a C string) and bytes (other memory); parameters may also be `out \
            int64` and so on, a place the function writes to, and `buffer`. An `int` of C is int32, \
            a `long` int64, a `size_t` uint64. A signature that differs from the function's own is \
            undefined behaviour: nothing can check it.
            """),
        manifest(
            227, .argument, "an argument does not fit the signature",
            """
            There is one argument for each parameter: a number, true or false, text, null for a \
            null pointer; `{"from": "payload"}` for the task's payload, `{"lengthOf": 1}` for the \
            number of bytes of the first argument, `{"hex": "00ff"}` for bytes, `{"out": 0}` for a \
            place with what stands there before, `{"buffer": 4096}` for as many bytes to write \
            to. Arguments are counted from 1.
            """),
        manifest(
            228, .result, "what is said about the result does not fit the signature",
            """
            `result` says when the task has succeeded: `zero`, `non-zero`, `done` (the text \
            "Done."; any other is the error), `errno` (what is negative, or a null pointer, is a \
            failure with the text of errno), or `value` (always, and the value is kept); a function \
            of type void has none. `keep` says what becomes the task's result: "returned", the \
            number of an argument the function writes to, or {"argument": 1, "length": 2} for a \
            buffer whose length it says. `free` names what frees the `out text` that is kept, or \
            else the text that is returned.
            """),
    ]

    // MARK: 03, loading a plugin

    private static func loading(
        _ number: UInt16, _ rule: LoadRule, _ text: String, _ explanation: String,
        answer: Status = .refused
    ) -> Fault {
        Fault(number, rule.rawValue, text, explanation, answer: answer)
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
            """, answer: .abiMismatch),
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
            """, answer: .failed),
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
            """, answer: .exists),
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
            """, answer: .system),
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
            """, answer: .system),
        loading(
            320, .search, "the library wants others from where somebody could put some",
            """
            What a library is linked with is loaded along with it, from the directories in its \
            RUNPATH before the system's own. One of them is not absolute, so that it depends on \
            where the process happens to be, or has a name after $ that the loader replaces \
            ($LIB, $PLATFORM), or can be changed by somebody else than root and the \
            user of the host; a directory that is missing counts as the one it would be made in. \
            Often it was left behind by a build. Link the plugin without it (-Wl,-rpath), or make \
            it a directory that nobody else can change; `readelf -d` shows the RUNPATH.
            """),
        loading(
            321, .systemLibrary, "a library of the system cannot be used",
            """
            A manifest may call functions of the system's libraries that the host allows: a list \
            of the usual ones, or the embedder's own (`system_libraries` in its configuration). A \
            host that has a list of pins allows none unless it names them. \
            They are looked for in the system's directories only, under their soname. Install the \
            package that has it, or ask the embedder to allow it.
            """),
        loading(
            322, .function, "a library does not define a function that the manifest calls",
            """
            The library itself has to export it, as a function and under exactly this name; one \
            that another library brings along does not count. `nm -D` lists what is exported.
            """),
        loading(
            323, .sub, "the library has no sub for a handler",
            """
            For a handler with the event `tidy` a library exports `dotidy`, which returns "Done." \
            or an error text, or `tidy_controller`, which leaves the task pending; a controller \
            gets the host's table, so its library needs CURFEW_PLUGIN_NOTE(). Names are written \
            in small letters, and exported with default visibility.
            """),
        loading(
            324, .damaged, "the file of a library is damaged",
            """
            The system's loader believes what a library says about itself: a file that was cut, or in \
            which one bit is wrong, would end the host's process. So the host checks every size and \
            place that the loader goes by, before the loader sees the file, in the plugin's library \
            and in those that are loaded along with it. Install the file again, from where it is \
            whole: a copy that was broken off and a full disk are the usual causes.
            """),
        loading(
            325, .trial, "the loader cannot load the library, as a process of its own has shown",
            """
            The library has something in it that the host's rules know nothing of. Such a library is \
            loaded by a short-lived process first, without running its code; that process was ended by \
            a signal, refused the library, or could not be started. Run `ldd -r` with the library to \
            see what the loader says, and build it again with the tools of this machine.
            """),
        loading(
            326, .needed, "a library that this one needs cannot be trusted",
            """
            What a library needs is loaded along with it and runs with the same rights. So each of \
            those that the process does not have yet is found as the loader will find it, and checked \
            as the plugin's own library is: nobody but root and the user of the host may be able to \
            change it, or anything on the way to it. The message names the file and has the command \
            that mends it; think first about who put the file there.
            """),
    ]

    // MARK: 04, lists of permitted identifiers

    private static func plist(
        _ number: UInt16, _ rule: PropertyListRule, _ text: String, _ explanation: String
    ) -> Fault { Fault(number, rule.rawValue, text, explanation, answer: .invalid) }

    private static func permitted(
        _ number: UInt16, _ rule: PermittedRule, _ text: String, _ explanation: String,
        answer: Status = .invalid
    ) -> Fault { Fault(number, rule.rawValue, text, explanation, answer: answer) }

    private static let permitted: [Fault] = [
        plist(
            401, .file, "the list of permitted handlers cannot be read as a file",
            """
            The path that the host was given names no file, or one that this user may not read, or a \
            directory or a pipe. A relative path is looked for where the process runs. Check the path; a \
            link to a file will do.
            """),
        plist(
            402, .size, "the list is larger than a property list may be here",
            """
            A list has at most 256 KiB, and a larger file is not read, so that nobody can make the host \
            read for ever. Look whether the right file lies under the name; an app's Info.plist has a few \
            KiB.
            """),
        plist(
            403, .format, "the file is no property list that is known",
            """
            Property lists are read in XML and in the binary form of version 00. The old form with braces, \
            JSON, and an empty file are none of these. On a Mac `plutil -convert xml1 FILE` makes one of \
            most of them.
            """),
        plist(
            404, .encoding, "some bytes are not text of the encoding they should have",
            """
            A list in XML is UTF-8 without a byte order mark, and says so or nothing about it; a text of \
            the binary form is ASCII or whole UTF-16. Control characters have no place in XML. Save the \
            file as UTF-8, or write it anew with the tool that made it.
            """),
        plist(
            405, .depth, "arrays and dictionaries are nested too deep",
            """
            No app's list has more than a few levels, and the limit of 32 keeps a hostile file from using \
            up the stack. Mostly a closing tag is missing far above the place that is shown.
            """),
        plist(
            406, .syntax, "it is not written as the XML of a property list",
            """
            Something stands where XML or a property list does not allow it: text beside a tag, a tag that \
            another one should have closed first, markup that lists do not need. The place that is shown \
            is the first that cannot be; the cause may stand just before it.
            """),
        plist(
            407, .unfinished, "the list ends in the middle",
            """
            A tag, a comment or the whole list was begun and never ended, or the trailer of a binary list \
            is missing. Either the file was cut off while it was written or copied, or a closing tag is \
            missing. Write files whole: into another name first, then rename.
            """),
        plist(
            408, .trailingText, "something follows after the end",
            """
            After `</plist>` only blanks and comments may follow. Often two files were put together, or a \
            tag closes the list early. Remove what follows.
            """),
        plist(
            409, .documentType, "the document type declares something",
            """
            A property list may name Apple's document type, but has no declarations of its own. With them \
            a small file can be blown up to any size, or pull other files in, so they are refused and \
            nothing of them is looked at. End the document type before its bracket.
            """),
        plist(
            410, .entity, "an entity is none of the five of XML",
            """
            Known are `&lt;` `&gt;` `&amp;` `&quot;` `&apos;` and numbers of characters, as `&#233;`. \
            Names such as `&nbsp;` belong to HTML. Write the character itself, the file is UTF-8; a plain \
            ampersand is written `&amp;`.
            """),
        plist(
            411, .element, "an element stands where it does not belong",
            """
            A list is one value inside of `<plist version="1.0">`. A dictionary has a `<key>` before each \
            value, plain values have nothing but text inside, and no element has attributes. The elements \
            are dict, array, string, integer, real, true, false, date and data.
            """),
        plist(
            412, .value, "a plain value is not written as its element says",
            """
            An integer is a whole number of 64 bits, a date is written `2026-01-31T12:00:00Z`, data is \
            base64, and true and false are empty. The value is checked also where its key has no meaning \
            here, since a file with such a fault is mostly damaged elsewhere too.
            """),
        plist(
            413, .duplicateKey, "a key stands twice in one dictionary",
            """
            Readers differ in which of two equal keys they take, so that an app and this host could see \
            two different lists. Keep one of them. Keys are compared after their entities are read.
            """),
        plist(
            414, .trailer, "the end of a binary list does not fit the rest of it",
            """
            The last 32 bytes of a binary list say how many objects there are, which one is on top, and \
            where the table of their places lies; the table must fill all the room up to there. Such a \
            file was cut off, glued together or made up. Write it anew, or convert the original.
            """),
        plist(
            415, .object, "an object of a binary list cannot be",
            """
            An object lies outside of the file, goes over its end, overlaps with another one, or is of no \
            known kind. No tool writes such a list; it is damaged or made up. Write it anew, or convert \
            the original: `plutil -convert xml1 FILE`.
            """),
        plist(
            416, .cycle, "an object of a binary list contains itself",
            """
            The numbers by which objects refer to each other go round in a circle, so that the list would \
            never end. No tool writes such a list. Write it anew, or convert the original.
            """),
        permitted(
            417, .missingKey, "the list lacks one of the two keys that are read",
            """
            The identifiers stand under BGTaskSchedulerPermittedIdentifiers and the modes under \
            UIBackgroundModes, and both must be there: without one of them nothing would be permitted. Add \
            the key, with an empty array where that is what is meant. Perhaps it is another app's list.
            """),
        permitted(
            418, .type, "a value of the list has the wrong type",
            """
            The list is a dictionary, and both of its keys that are read have arrays of texts. A single \
            text is written as an array with one element. Other keys may have any value.
            """),
        permitted(
            419, .identifier, "an entry can be no handler's identifier",
            """
            An entry has letters, digits, hyphens and underscores with points between them, at most 128 \
            bytes, and may end in `.*`, which stands for everything that goes on after the point. A star \
            elsewhere, or alone, means nothing to Apple's scheduler either. Look for blanks at the end.
            """),
        permitted(
            420, .limit, "the list has too many entries",
            """
            An array of the list has at most 1,024 entries, far more than an app has tasks. Use entries \
            that end in `.*` for handlers whose names begin alike.
            """),
        permitted(
            421, .identifierNotListed, "a handler's identifier is not on the host's list",
            """
            The host was made with a list of the handlers it may have, and this one is not on it; nothing \
            of its plugin was registered. If it is to run here, add its identifier, or the beginning of it \
            and `.*`, to BGTaskSchedulerPermittedIdentifiers, and make the host anew: the list is read \
            once.
            """, answer: .denied),
        permitted(
            422, .modeNotListed, "a handler's kind is not among the host's modes",
            """
            The host was made with a list of the handlers it may have, and the list does not permit \
            handlers of this kind; nothing of the plugin was registered. Handlers of the kind app-refresh \
            need `fetch` in UIBackgroundModes, all others need `processing`. The list is \
            read once, when the host is made.
            """, answer: .denied),
    ]

    // MARK: 07, what a plugin does against the contract

    private static func misbehaviour(
        _ number: UInt16, _ rule: Misbehaviour, _ text: String, _ explanation: String,
        answer: Status? = nil
    ) -> Fault { Fault(number, rule.rawValue, text, explanation, answer: answer) }

    private static let misbehaviour: [Fault] = [
        misbehaviour(
            701, .completedTwice, "a task was completed that its plugin had completed before",
            """
            Of one task there is one answer, the first; it stands, and the second was ignored. \
            Somebody in the plugin believes that the task is still open: a function that calls \
            complete and a thread that does so later, or a result that is returned while a thread \
            still works. Decide who answers, and let the others stop. Two answers to an expiration \
            are no misdeed, since callback and function cannot know of each other.
            """, answer: .already),
        misbehaviour(
            702, .lateRegistration, "register_handler was called outside curfew_plugin_entry",
            """
            Handlers are registered while the plugin is being loaded, on the thread that calls its \
            entry; after that the list is fixed and the host goes by it. Nothing was registered. A \
            handler that is not always wanted can be registered and refuse its tasks.
            """, answer: .wrongState),
        misbehaviour(
            703, .eventName, "raise was given a name that no event can have",
            """
            The name is NULL, not UTF-8, longer than 128 bytes, or has other characters than small \
            letters, digits and underscores; or more parameters came with it than the 16 an event \
            can have. Nothing was raised. Write the name as the manifest does; a selector such as \
            `tidied::` is fine too.
            """, answer: .invalid),
        misbehaviour(
            704, .undeclaredEvent, "an event was raised that the manifest does not declare",
            """
            Subscribers know from the manifest which events there are and what they carry, and a \
            name has one owner in a host. The event was not raised. Declare it with its handler, \
            `"events": [{"name": "tidied", "parameters": ["text"]}]`, and mind that the number of \
            parameters is part of the name.
            """, answer: .denied),
        misbehaviour(
            705, .eventTypes, "an event was raised with other parameters than declared",
            """
            A subscriber may be a C function with exactly the declared parameters, so other types \
            or values would be read as garbage. The event was not raised. Each value needs its \
            struct_size, one of the five types, and a number that fits it or a text that is not \
            NULL; the message says what did not fit.
            """, answer: .invalid),
        misbehaviour(
            706, .hostEvent, "a plugin raised an event that is the host's own",
            """
            The done event of a task is raised once, by the host, after everything else of the \
            task; the expired, progress and registering events are the host's as well, and so is \
            whatever begins with `curfew_`. The event was not raised. End a task by returning or \
            with complete, and report with progress: the host raises the events.
            """, answer: .denied),
        misbehaviour(
            707, .eventFlood, "events were raised faster than they are taken",
            """
            The queue of events is bounded, and it was full: this event and those after it are \
            lost until there is room. Subscribers hear of it by `curfew_gap` with the number. \
            Raise fewer events with more in them, or progress a few times a second; nobody can \
            read thousands. Where the embedder turns the loop it may also be the one that does \
            not.
            """, answer: .busy),
        misbehaviour(
            708, .progressRange, "progress was given a number that is not in 0…1",
            """
            Progress is a fraction: 0 at the beginning, 0.5 half-way, 1 at the end. Percents, \
            counts, infinity and NaN are refused, and the progress that was known before stays. \
            Divide by the total, and mind a total of 0.
            """, answer: .invalid),
        misbehaviour(
            709, .completion, "complete was called with arguments that mean nothing",
            """
            A task cannot be completed with CURFEW_PENDING, which says that it is not complete, \
            nor with a result that is NULL and has a length. The task goes on as if nothing had \
            been called, and runs into its budget unless it is completed properly.
            """, answer: .invalid),
        misbehaviour(
            710, .resultSize, "a result is over the size limit of the host",
            """
            Results are copied and kept until the launcher has read them, so the host limits them, \
            to 1 MiB unless configured otherwise. The task was not completed and still owes an \
            answer. Complete it with less, or write a file and pass its name.
            """, answer: .tooLarge),
        misbehaviour(
            711, .malformedText, "a text is NULL or not UTF-8",
            """
            Texts are UTF-8 with their length in bytes. What was malformed was repaired with \
            U+FFFD, and a NULL with a length was taken as empty, so the text that arrives is not \
            the one that was meant. The usual causes are a length that counts characters, a cut in \
            the middle of one, and file names in another encoding.
            """),
        misbehaviour(
            712, .longText, "a text is longer than what is kept of it",
            """
            The host copies texts and keeps so much of them: 1 KiB of progress, 4 KiB of a log \
            line, 64 KiB of an error or an event's parameter. The rest was cut off. A wrong length \
            looks the same, for instance a size that was never set.
            """),
        misbehaviour(
            713, .structSize, "a struct_size is that of no version of the struct",
            """
            The first member of a struct says how large the caller believes it to be, and so which \
            version of the headers it was compiled with. With a wrong one the host would read or \
            write past the end, so the call is refused. Write `.struct_size = sizeof handler`; a \
            struct on the stack that was not initialised has garbage there.
            """, answer: .invalid),
        misbehaviour(
            714, .handlerArguments,
            "a handler was registered without its identifier or its function",
            """
            Both are needed: the identifier says which handler of the manifest this is, and run is \
            what does the work. An identifier is NUL-terminated UTF-8 of at most 128 bytes. \
            Nothing was registered, and a plugin that does not register all that its manifest \
            declares is refused.
            """, answer: .invalid),
        misbehaviour(
            715, .undeclaredHandler, "a handler was registered that the manifest does not declare",
            """
            The manifest is the authority: from it people know what a plugin does, which budget it \
            has and what it raises, without running it. Nothing was registered. Add the handler to \
            `handlers`, or mend the spelling on one of the two sides.
            """, answer: .denied),
        misbehaviour(
            716, .takenHandler, "a handler was registered that belongs to another plugin",
            """
            Identifiers are unique in a host and the first owner keeps them; otherwise a plugin \
            could take over the tasks of another. Nothing was registered. Use names below a domain \
            of your own.
            """, answer: .denied),
        misbehaviour(
            717, .registeredTwice, "a handler was registered twice by its own plugin",
            """
            The second registration was refused and the first stands, with its functions and data. \
            Mostly a loop registers one more than there are, or two entries of a table have the \
            same identifier.
            """, answer: .exists),
        misbehaviour(
            718, .unkeptRelease, "a reference was released that was never taken",
            """
            While its function runs, a task has a reference that is the host's and cannot be \
            released; others have to be taken with keep before. Nothing was dropped. Count: one \
            release for each keep, and complete for the reference that CURFEW_PENDING leaves.
            """, answer: .wrongState),
        misbehaviour(
            719, .referenceLimit, "more references to a task were taken than there can be",
            """
            A plugin may hold 60 references to one task at a time, more than any design needs; at \
            the limit something takes them and does not give them back. The reference was not \
            taken, so the id may go stale earlier than expected. One reference for each thread \
            that uses the id is enough.
            """, answer: .exhausted),
        misbehaviour(
            720, .keptReference,
            "the host went while the plugin still held references to its tasks",
            """
            A reference that was taken with keep is given back with release when the thread that \
            uses it is done, at the latest when the plugin is retired. As long as one is held the \
            plugin may call, so its table is kept for the life of the process. Release what is \
            kept, also on the ways that end early.
            """),
        misbehaviour(
            721, .staleTask, "a call was made for a task that is over and forgotten",
            """
            The id of a task is good as long as somebody holds a reference: the running function, \
            CURFEW_PENDING until the task is over, and keep until its release. Here the last one \
            was gone, so the call did nothing. Take a reference for every thread that goes on \
            using the id, and stop when is_expired says so.
            """, answer: .stale),
        misbehaviour(
            722, .foreignTask, "a call was made for a task of another plugin",
            """
            A plugin's table reaches the tasks of its own handlers only; every other id is stale \
            to it. The call did nothing. The id was guessed, was passed from one plugin to \
            another, or the wrong plugin's table was used with it.
            """, answer: .stale),
        misbehaviour(
            723, .abandoned, "a pending task was let go without being completed",
            """
            The function returned CURFEW_PENDING, and then the last reference went without a call \
            of complete, so that nobody is left who could answer. The outcome is abandoned, at \
            once and not when the budget ends. Call complete on every way out, also with a \
            failure: it drops the reference itself.
            """),
        misbehaviour(
            724, .lostWorker, "a task did not return long after its grace",
            """
            The task was told to stop or had answered, its grace passed, and then a second limit; \
            its thread is still inside the function. A thread cannot be ended from outside, so it \
            is counted as lost, another takes its place and the handler is quarantined. Look for a \
            loop without is_expired, a lock, or a blocking call without a limit; the expiration \
            callback is there to interrupt it.
            """, answer: .quarantined),
        misbehaviour(
            725, .slowCallback, "an expiration callback did not return within the grace",
            """
            The callback tells a task to stop and should take microseconds: set a flag, interrupt \
            a call, complete the task. It runs on a thread of the host that watches deadlines, and \
            one that blocks costs the host a thread. Do not join threads, take locks that the \
            function holds, or write to slow files in it; leave that to the function.
            """),
        misbehaviour(
            726, .logLevel, "a log line has a level that is not the plugin's to use",
            """
            Plugins log with CURFEW_LOG_DEBUG, INFO, WARNING and ERROR; \
            CURFEW_LOG_PLUGIN_MISBEHAVING is the host's own, and other numbers mean nothing. The \
            line was logged with the nearest level. Mostly two arguments were swapped.
            """),
        misbehaviour(
            727, .processState, "the plugin changed the process around it while it was loaded",
            """
            What signals do, the signal mask, the alternate signal stack, floating-point control, \
            the umask, the working and the root directory, the user and group ids and all \
            descriptors belong to the program that embeds the host. What a constructor or the \
            entry changed has been put back, but where the line says that it could not be: then \
            nothing in this process can be relied on. Find who does it: often a library that the \
            plugin brings along, one that makes a daemon of its process by closing all \
            descriptors, or -ffast-math when it is linked.
            """),
        misbehaviour(
            728, .forkedReturn, "a child that the plugin forked returned to the host",
            """
            After fork a child has one thread, and a copy of locks that other threads may hold for \
            ever (fork(2)). One that returns from the plugin's function would go on as a second \
            host with the same store and the same files, so it was ended with status 70; the task \
            in the parent goes on. A child ends by _exit or exec in every branch, also where exec \
            fails. Better is posix_spawn, which has no such branch.
            """),
    ]
}
