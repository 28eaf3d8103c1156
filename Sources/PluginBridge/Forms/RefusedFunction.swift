// SPDX-License-Identifier: Apache-2.0

/// Functions of Debian's common libraries that no manifest may call, whatever its signature says.
enum RefusedFunction {
    /// Why a function is refused by its name; nil where it is not.
    static func reason(for name: String) -> String? {
        if name.hasPrefix("_") {
            return "`\(name)` is for the library itself, as all names that begin with `_`"
        }
        return lists.first { $0.names.contains(name) }.map { "`\(name)` \($0.reason)" }
    }

    private static let lists: [(names: Set<String>, reason: String)] = [
        (variadic, "takes a variable number of arguments"),
        (list, "takes a va_list, which only C can make"),
        (ending, "does not return to its caller, or ends a thread or the whole process"),
        (splitting, "makes a copy of the host's process, without its threads"),
        (loading, "loads unchecked code into the process"),
        (starting, "runs another program, as the host"),
        (descriptors, "acts on descriptors, and those are the whole process's"),
        (memory, "acts on memory, and that is the whole process's"),
        (state, "changes what belongs to the whole process, or to a thread of the host"),
    ]

    /// Declared with `...`: for them the compiler of a caller passes arguments in another way.
    private static let variadic: Set<String> = [
        // <stdio.h>, <wchar.h>
        "printf", "fprintf", "dprintf", "sprintf", "snprintf", "asprintf", "obstack_printf",
        "scanf", "fscanf", "sscanf", "wprintf", "fwprintf", "swprintf", "wscanf", "fwscanf",
        "swscanf",  // <err.h>, <error.h>, <syslog.h>, <argp.h>
        "err", "errx", "warn", "warnx", "error", "error_at_line", "syslog", "argp_error",
        "argp_failure",
        // <fcntl.h>, <unistd.h>, <sys/…>
        "open", "open64", "openat", "openat64", "fcntl", "fcntl64", "ioctl", "prctl", "ptrace",
        "syscall", "mremap", "clone", "semctl", "ulimit", "mq_open", "sem_open", "shm_ctl",
        "execl", "execle", "execlp", "makecontext", "strfmon", "strfmon_l", "arch_prctl",
        // zlib, SQLite, libcurl, OpenSSL, libxml2, GLib
        "gzprintf", "sqlite3_mprintf", "sqlite3_snprintf", "sqlite3_config", "sqlite3_db_config",
        "sqlite3_log", "sqlite3_str_appendf", "sqlite3_test_control", "sqlite3_vtab_config",
        "curl_easy_setopt", "curl_easy_getinfo", "curl_multi_setopt", "curl_share_setopt",
        "curl_formadd", "curl_mprintf", "curl_mfprintf", "curl_msprintf", "curl_msnprintf",
        "curl_maprintf", "BIO_printf", "BIO_snprintf", "ERR_add_error_data", "ERR_set_error",
        "OSSL_PARAM_BLD_push", "xmlTextWriterWriteFormatString", "xmlStrPrintf",
        "g_print", "g_printerr", "g_printf", "g_fprintf", "g_sprintf", "g_snprintf",
        "g_strdup_printf", "g_strconcat", "g_string_printf", "g_string_append_printf", "g_log",
        "g_error_new", "g_set_error", "g_build_filename", "g_build_path", "g_object_new",
        "g_object_get", "g_object_set", "g_markup_printf_escaped", "g_strjoin",
        "g_variant_new", "g_variant_get", "g_signal_emit", "g_signal_emit_by_name",
    ]

    private static let list: Set<String> = [
        "vprintf", "vfprintf", "vdprintf", "vsprintf", "vsnprintf", "vasprintf", "vscanf",
        "vfscanf", "vsscanf", "vwprintf", "vfwprintf", "vswprintf", "vsyslog", "verr", "verrx",
        "vwarn", "vwarnx", "obstack_vprintf", "g_logv", "vfwscanf", "vswscanf", "vwscanf",
        "sqlite3_vmprintf", "sqlite3_vsnprintf", "gzvprintf", "BIO_vprintf",
    ]

    private static let ending: Set<String> = [
        "exit", "quick_exit", "abort", "longjmp",
        "pthread_cancel", "pthread_kill", "pthread_sigqueue", "kill", "killpg", "raise", "tgkill",
        "svc_exit", "siglongjmp", "pthread_exit", "thrd_exit", "setcontext", "swapcontext",
        "execv", "execve", "execveat", "execvp", "execvpe", "fexecve", "reboot", "vhangup",
        "pthread_join", "pthread_detach", "g_thread_exit", "OPENSSL_die", "g_assert_warning",
        "g_assertion_message", "g_assertion_message_expr", "g_assertion_message_error",
        "g_assertion_message_cmpint", "g_assertion_message_cmpnum", "g_assertion_message_cmpstr",
        "g_assertion_message_cmpstrv", "g_test_run", "argp_parse", "argp_usage", "argp_error",
        "argp_failure", "argp_state_help", "xmlShell",
    ]

    private static let splitting: Set<String> = [
        "fork", "vfork", "forkpty", "daemon", "setjmp", "g_test_trap_fork",
        "g_test_trap_subprocess",
    ]

    private static let loading: Set<String> = [
        "dlopen", "dlmopen", "dlclose", "dlsym", "dlvsym", "dlinfo",
        // Functions that load what a configuration or an argument names: SQLite, OpenSSL, libxml2,
        // GLib
        "sqlite3_load_extension", "sqlite3_enable_load_extension", "sqlite3_auto_extension",
        "DSO_load", "OSSL_PROVIDER_load", "OSSL_PROVIDER_try_load", "ENGINE_by_id",
        "CONF_modules_load", "CONF_modules_load_file", "OPENSSL_config", "xmlModuleOpen",
        "g_module_open", "g_module_open_full", "g_io_modules_load_all_in_directory",
    ]

    private static let starting: Set<String> = [
        "system", "popen", "pclose", "posix_spawn", "posix_spawnp", "pidfd_spawn", "pidfd_spawnp",
        "wordexp", "rcmd", "rcmd_af", "rexec", "rexec_af",
        "g_spawn_async", "g_spawn_sync", "g_spawn_command_line_async",
        "g_spawn_command_line_sync", "g_on_error_query", "g_on_error_stack_trace",
    ]

    private static let descriptors: Set<String> = [
        "close", "close_range", "closefrom", "dup", "dup2", "dup3", "fcloseall", "lockf", "lockf64",
        "flock", "shutdown", "ftruncate", "ftruncate64", "read", "write", "pread", "pwrite",
        "pread64", "pwrite64", "readv", "writev", "preadv", "pwritev", "preadv2", "pwritev2",
        "lseek", "lseek64", "send", "sendto", "sendmsg", "sendmmsg", "recv", "recvfrom", "recvmsg",
        "recvmmsg", "sendfile", "sendfile64", "splice", "tee", "vmsplice", "copy_file_range",
        "fchmod", "fchown", "fallocate", "posix_fallocate", "fsetxattr", "fremovexattr",
        "futimes", "futimens", "bind", "connect", "listen", "accept", "accept4", "setsockopt",
        "epoll_ctl", "inotify_rm_watch", "eventfd_write", "timerfd_settime", "signalfd",
        "tcsetattr", "tcsetpgrp", "tcflush", "tcflow", "tcdrain", "tcsendbreak", "login_tty",
        "pidfd_getfd", "pidfd_send_signal",
    ]

    private static let memory: Set<String> = [
        "mmap", "mmap64", "munmap", "mprotect", "pkey_mprotect", "pkey_set", "madvise",
        "posix_madvise", "process_madvise", "mlock", "mlock2", "munlock", "mlockall", "munlockall",
        "remap_file_pages", "mseal", "brk", "sbrk", "shmat", "shmdt", "process_vm_readv",
        "process_vm_writev", "mallopt", "malloc_trim", "memfd_create",
    ]

    private static let state: Set<String> = [
        // Directories, names and the environment
        "chdir", "fchdir", "chroot", "pivot_root", "umask", "setenv", "unsetenv", "putenv",
        "clearenv", "setlocale", "uselocale", "sethostname", "setdomainname", "mount", "umount",
        "umount2", "swapon", "swapoff", "acct", "quotactl", "unshare", "setns",
        "personality", "iopl", "ioperm", "init_module", "delete_module",
        // Functions that change the user of the process
        "setuid", "setgid", "seteuid", "setegid", "setreuid", "setregid", "setresuid", "setresgid",
        "setfsuid", "setfsgid", "setgroups", "initgroups", "setsid", "setpgid", "setpgrp",
        "capset",
        // Signals and timers
        "signal", "sigaction", "sigset", "sigignore", "sighold", "sigrelse", "sigpause",
        "siginterrupt", "sigprocmask", "sigaltstack", "sigstack", "sigsuspend", "sigqueue",
        "bsd_signal", "sysv_signal", "ssignal", "gsignal", "pthread_sigmask", "alarm", "ualarm",
        "setitimer", "timer_create", "timer_settime", "timer_delete",
        // Limits, clocks and who runs when
        "setrlimit", "setrlimit64", "prlimit", "prlimit64", "nice", "setpriority",
        "sched_setscheduler", "sched_setparam", "sched_setaffinity", "pthread_setaffinity_np",
        "pthread_setschedparam", "pthread_setschedprio", "pthread_setname_np", "settimeofday",
        "clock_settime", "adjtime", "adjtimex", "ntp_adjtime", "clock_adjtime", "stime",
        "pthread_setcancelstate", "pthread_setcanceltype", "fesetenv", "fesetround",
        "feenableexcept", "fedisableexcept", "feupdateenv",
        // Functions that are called at the end of a process or a thread, and children
        "atexit", "on_exit", "at_quick_exit", "pthread_atfork", "pthread_create", "thrd_create",
        "wait", "wait3", "wait4", "waitid", "waitpid",
        // SQLite and OpenSSL, whose state the host may have a use for
        "sqlite3_shutdown", "OPENSSL_cleanup",
        "xmlCleanupParser",
    ]
}
