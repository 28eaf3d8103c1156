/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 * flags: -lsqlite3
 *
 * Keeps a table in a database file of a temporary directory, in transactions that are rolled
 * back where the task should stop, and removes file, journal and directory.
 */
#include "stranger.h"

#include <memory>
#include <sqlite3.h>
#include <stdexcept>
#include <string>

CURFEW_PLUGIN_NOTE();

namespace {

using database = std::unique_ptr<sqlite3, decltype(&sqlite3_close)>;

struct directory {
    std::string path;
    directory() {
        const char *parent = getenv("TMPDIR");
        path = std::string(parent ? parent : "/tmp") + "/records-XXXXXX";
        if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("no temporary directory");
    }
    ~directory() {
        unlink((path + "/records.db-journal").c_str());
        unlink((path + "/records.db").c_str());
        rmdir(path.c_str());
    }
    directory(const directory &) = delete;
    directory &operator=(const directory &) = delete;
};

void execute(sqlite3 *db, const char *query) {
    char *text = nullptr;
    if (sqlite3_exec(db, query, nullptr, nullptr, &text) == SQLITE_OK) return;
    const std::string problem = text != nullptr ? text : "the query failed";
    sqlite3_free(text);
    throw std::runtime_error(problem);
}

void work(const curfew_host_api *api, curfew_task task, bool endless) {
    const directory place;
    sqlite3 *opened = nullptr;
    const int code = sqlite3_open((place.path + "/records.db").c_str(), &opened);
    const database db(opened, sqlite3_close);
    if (code != SQLITE_OK) throw std::runtime_error(sqlite3_errstr(code));
    execute(db.get(), "PRAGMA synchronous = OFF; CREATE TABLE records(name TEXT, size INTEGER)");
    do {
        execute(db.get(), "BEGIN");
        for (int i = 0; i < 10; i++)
            execute(db.get(), "INSERT INTO records VALUES (hex(randomblob(4)), 1)");
        if (api->is_expired(api, task)) {
            execute(db.get(), "ROLLBACK");
            throw std::runtime_error("told to stop; the records are as before");
        }
        execute(db.get(), "COMMIT; DELETE FROM records");
        if (endless) pause_ms(5);
    } while (endless);
}

curfew_status run(void *, const curfew_host_api *api, curfew_task task, curfew_error *error) {
    curfew_task_info info{};
    info.struct_size = sizeof info;
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
    if (payload_is(&info, "fail")) return failed(error, "asked to fail");
    try {
        work(api, task, payload_is(&info, "slow"));
        return CURFEW_OK;
    } catch (const std::exception &problem) {
        return failed(error, problem.what());
    }
}

}  // namespace

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->abi = CURFEW_ABI_VERSION;
    curfew_handler handler{sizeof handler, 0, "org.example.stranger.work", nullptr, run, nullptr};
    return api->register_handler(api, &handler, error);
}
