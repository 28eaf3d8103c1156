// SPDX-License-Identifier: Apache-2.0

/// Functions of Debian's common libraries that no manifest may call, whatever its signature says.
enum RefusedFunction {
    /// Why a function is refused by its name; nil where it is not.
    static func reason(for name: String) -> String? {
        if name.hasPrefix("_") {
            return "`\(name)` is for the library itself, as all names that begin with `_`"
        }
        if variadic.contains(name) {
            return "`\(name)` takes a variable number of arguments"
        }
        if list.contains(name) {
            return "`\(name)` takes a va_list, which only C can make"
        }
        if ending.contains(name) {
            return "`\(name)` does not return to its caller, or ends a thread or the whole process"
        }
        if splitting.contains(name) {
            return "`\(name)` makes a copy of the host's process, without its threads"
        }
        return nil
    }

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
        "vwarn", "vwarnx", "vfwscanf", "vswscanf", "vwscanf", "sqlite3_vmprintf",
        "sqlite3_vsnprintf", "gzvprintf", "BIO_vprintf",
    ]

    private static let ending: Set<String> = [
        "exit", "quick_exit", "abort", "longjmp",
        "pthread_cancel", "pthread_kill", "pthread_sigqueue", "kill", "killpg", "raise", "tgkill",
        "svc_exit", "siglongjmp", "pthread_exit", "thrd_exit", "setcontext",
        "execv", "execve", "execvp", "execvpe", "fexecve",
    ]

    private static let splitting: Set<String> = [
        "fork", "vfork", "forkpty", "daemon", "setjmp",
    ]
}
