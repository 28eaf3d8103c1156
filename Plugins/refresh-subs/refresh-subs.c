/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two background tasks made of B4X subs, one in each form.
 *
 * `backgroundapprefreshtask` is the plain one: it writes how the machine is doing, free space, load
 * and time since it was started, to `status.txt`. `backgroundprocessingtask` is the resumable one:
 * it goes through a directory, the payload, with a short sleep after each file, and writes its
 * names and sizes to `inventory.txt`. How the last run of either ended is appended to `runs.txt`.
 *
 * All of them are in $XDG_CACHE_HOME or else in $HOME/.cache, under refresh-subs. Files are replaced
 * atomically: a reader sees the old one or the new one.
 */
#define _GNU_SOURCE
#include <curfew/curfew.h>
#include <dirent.h>
#include <fcntl.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

CURFEW_PLUGIN_NOTE();

#define EXPORT __attribute__((visibility("default")))

EXPORT const char *dobackgroundapprefreshtask(void);
EXPORT void backgroundapprefreshtask_done(bool success, const char *error);
EXPORT void backgroundprocessingtask_controller(curfew_task task, const curfew_host_api *api);
EXPORT void backgroundprocessingtask_expired(void);
EXPORT void backgroundprocessingtask_done(bool success, const char *error);

/* --- Where the files are ------------------------------------------------------------------- */

/* Makes a directory, and the one it is in: a new user has no ~/.cache yet. False with errno. */
static bool make(char *directory) {
    if (mkdir(directory, 0700) == 0 || errno == EEXIST) return true;
    char *end = strrchr(directory, '/');
    if (errno != ENOENT || end == directory) return false;
    *end = 0;
    bool is_there = mkdir(directory, 0700) == 0 || errno == EEXIST;
    *end = '/';
    return is_there && (mkdir(directory, 0700) == 0 || errno == EEXIST);
}

/* Writes the path of one of the files; false, with errno, where there is no directory for it. */
static bool place(char path[PATH_MAX], const char *name) {
    char directory[PATH_MAX - 64];
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int length;
    if (cache != NULL && cache[0] == '/') {
        length = snprintf(directory, sizeof directory, "%s/refresh-subs", cache);
    } else if (home != NULL && home[0] == '/') {
        length = snprintf(directory, sizeof directory, "%s/.cache/refresh-subs", home);
    } else {
        errno = ENOENT;
        return false;
    }
    if (length < 0 || (size_t)length >= sizeof directory) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (!make(directory)) return false;
    snprintf(path, PATH_MAX, "%s/%s", directory, name);
    return true;
}

/* Opens the temporary file that replaces another once it is complete. */
static FILE *begin(char path[PATH_MAX], char new_path[PATH_MAX], const char *name) {
    if (!place(path, name)) return NULL;
    snprintf(new_path, PATH_MAX, "%.*s.new", PATH_MAX - 5, path);
    return fopen(new_path, "we");
}

static bool finish(FILE *file, const char *path, const char *new_path) {
    bool is_written = fflush(file) == 0 && fsync(fileno(file)) == 0;
    if (fclose(file) != 0) is_written = false;
    if (is_written && rename(new_path, path) == 0) return true;
    int reason = errno;
    unlink(new_path);
    errno = reason;
    return false;
}

/* How a run ended, one line each. Subs that receive events run one at a time. */
static void remember(const char *task, bool success, const char *error) {
    char path[PATH_MAX];
    if (!place(path, "runs.txt")) return;
    FILE *file = fopen(path, "ae");
    if (file == NULL) return;
    fprintf(file, "%s: %s\n", task, success ? "done" : error);
    fclose(file);
}

/* --- The plain form ------------------------------------------------------------------------ */

/* The text is copied by the host before the worker does anything else. */
static const char *because(const char *what) {
    static _Thread_local char text[256];
    snprintf(text, sizeof text, "%s: %s", what, strerror(errno));
    return text;
}

const char *dobackgroundapprefreshtask(void) {
    char path[PATH_MAX], new_path[PATH_MAX];
    struct statvfs space;
    struct timespec up;
    double load[3] = {0, 0, 0};
    if (statvfs("/", &space) != 0) return because("cannot ask for the free space");
    if (clock_gettime(CLOCK_BOOTTIME, &up) != 0) return because("cannot read the clock");
    if (getloadavg(load, 3) != 3) return "cannot read the load";
    FILE *file = begin(path, new_path, "status.txt");
    if (file == NULL) return because("cannot write status.txt");
    fprintf(file, "free space  %llu MB\n",
            (unsigned long long)space.f_bavail * space.f_frsize / 1000000);
    fprintf(file, "load        %.2f %.2f %.2f\n", load[0], load[1], load[2]);
    fprintf(file, "up for      %lld h %lld min\n", (long long)up.tv_sec / 3600,
            (long long)up.tv_sec / 60 % 60);
    if (!finish(file, path, new_path)) return because("cannot write status.txt");
    return "Done.";
}

void backgroundapprefreshtask_done(bool success, const char *error) {
    remember("refresh", success, error);
}

/* --- The resumable form -------------------------------------------------------------------- */

/* The one task at a time: a controller's next task waits until this one is completed. */
static struct {
    const curfew_host_api *api;
    const curfew_subs *subs;
    curfew_task task;
    DIR *directory;
    FILE *file;
    char path[PATH_MAX], new_path[PATH_MAX];
    uint64_t count;
    char error[256];
} work;
static atomic_bool is_processing_task_expired;
/* The expired sub runs concurrently with the others, and may be the previous task's: beginning and
 * stopping a task hold this lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Counts the tasks, so that an earlier task's sleep is not taken for this one's. */
static _Atomic uintptr_t processing_task_number;
/* The last task that was reported as done. */
static _Atomic uintptr_t done_task_number;

/* Reports Done once for each task. Otherwise a task stopped just as it finishes would leave a second
 * Done, which would end the next task's wait. */
static void call_done(void) {
    uintptr_t number = atomic_load(&processing_task_number);
    if (atomic_exchange(&done_task_number, number) == number) return;
    work.subs->call_delayed(work.api, "BackgroundProcessingTask_Done", NULL, 0);
}

static void fail(const char *what) {
    snprintf(work.error, sizeof work.error, "%s: %s", what, strerror(errno));
    call_done();
}

/* The state of the do-sub, which continues after each Sleep. */
static void next_file(void *data, const curfew_host_api *api, curfew_status status,
                      const curfew_value *values, uint32_t count) {
    (void)status, (void)values, (void)count;
    if ((uintptr_t)data != processing_task_number || work.directory == NULL ||
        atomic_load(&is_processing_task_expired))
        return;
    errno = 0;
    const struct dirent *entry = readdir(work.directory);
    if (entry == NULL) {
        if (errno != 0) {
            fail("cannot read the directory");
            return;
        }
        FILE *file = work.file;
        work.file = NULL;
        if (!finish(file, work.path, work.new_path)) {
            fail("cannot write inventory.txt");
            return;
        }
        call_done();
        return;
    }
    struct stat file;
    if (fstatat(dirfd(work.directory), entry->d_name, &file, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(file.st_mode)) {
        fprintf(work.file, "%12lld  %s\n", (long long)file.st_size, entry->d_name);
        work.count++;
    }
    char text[64];
    snprintf(text, sizeof text, "%llu files", (unsigned long long)work.count);
    api->progress(api, work.task, 0.5, CURFEW_TEXT(text));
    work.subs->sleep(api, 1000000, next_file, data);
}

static void do_background_processing_task(const curfew_host_api *api) {
    char directory[PATH_MAX];
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, work.task, &info) != CURFEW_OK || info.payload_bytes == 0 ||
        info.payload_bytes >= sizeof directory) {
        snprintf(work.error, sizeof work.error, "the payload is no path of a directory");
        call_done();
        return;
    }
    memcpy(directory, info.payload, info.payload_bytes);
    directory[info.payload_bytes] = 0;
    work.directory = opendir(directory);
    if (work.directory == NULL) {
        fail("cannot open the directory");
        return;
    }
    work.file = begin(work.path, work.new_path, "inventory.txt");
    if (work.file == NULL) {
        fail("cannot write inventory.txt");
        return;
    }
    work.subs->sleep(api, 0, next_file, (void *)processing_task_number);
}

static void controller_goes_on(void *data, const curfew_host_api *api, curfew_status status,
                               const curfew_value *values, uint32_t count) {
    (void)values, (void)count;
    /* A wait of an earlier task, which this task's wait has replaced. */
    if (status != CURFEW_OK || (uintptr_t)data != processing_task_number) return;
    if (work.directory != NULL) closedir(work.directory);
    work.directory = NULL;
    if (work.file != NULL) {
        fclose(work.file);
        unlink(work.new_path);
        work.file = NULL;
    }
    if (atomic_load(&is_processing_task_expired)) {
        snprintf(work.error, sizeof work.error, "stopped after %llu files",
                 (unsigned long long)work.count);
    }
    bool is_done = work.error[0] == 0;
    api->complete(api, work.task, is_done ? CURFEW_OK : CURFEW_FAILED, CURFEW_TEXT(work.error),
                  NULL, 0);
}

void backgroundprocessingtask_controller(curfew_task task, const curfew_host_api *api) {
    pthread_mutex_lock(&lock);
    memset(&work, 0, sizeof work);
    processing_task_number++;
    work.api = api;
    work.task = task;
    work.subs = api->extension(api, CURFEW_EXT_SUBS);
    /* Wait before the work begins: otherwise an immediate Done would find no waiter. */
    work.subs->wait_for(api, "backgroundprocessingtask_done", 0, 0, controller_goes_on,
                        (void *)processing_task_number);
    bool is_expired = api->is_expired(api, task); /* its expired sub may have come before all that */
    atomic_store(&is_processing_task_expired, is_expired);
    if (is_expired) call_done();
    pthread_mutex_unlock(&lock);
    if (!is_expired) do_background_processing_task(api);
}

void backgroundprocessingtask_expired(void) {
    pthread_mutex_lock(&lock);
    if (work.api != NULL && work.api->is_expired(work.api, work.task)) {
        atomic_store(&is_processing_task_expired, true);
        call_done();
    }
    pthread_mutex_unlock(&lock);
}

void backgroundprocessingtask_done(bool success, const char *error) {
    remember("processing", success, error);
}
