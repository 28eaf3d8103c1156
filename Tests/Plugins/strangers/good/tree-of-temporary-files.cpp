/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Makes a tree of files in a temporary directory with std::filesystem, walks it, and removes it
 * on every way out.
 */
#include "stranger.h"

#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

CURFEW_PLUGIN_NOTE();

namespace {

namespace fs = std::filesystem;

class temporary_directory {
  public:
    temporary_directory() {
        std::string path = (fs::temp_directory_path() / "tree-XXXXXX").string();
        if (mkdtemp(path.data()) == nullptr)
            throw std::system_error(errno, std::generic_category(), "no directory");
        path_ = path;
    }
    ~temporary_directory() {
        /* By name: remove_all would need a descriptor. */
        std::error_code ignored;
        for (const char *name : {"a/b/three", "a/two", "one", "a/b", "a"})
            fs::remove(path_ / name, ignored);
        fs::remove(path_, ignored);
    }
    temporary_directory(const temporary_directory &) = delete;
    temporary_directory &operator=(const temporary_directory &) = delete;
    const fs::path &path() const { return path_; }

  private:
    fs::path path_;
};

bool compute(std::string_view payload) {
    temporary_directory root;
    fs::create_directories(root.path() / "a" / "b");
    for (const char *name : {"one", "a/two", "a/b/three"}) {
        std::ofstream file(root.path() / name, std::ios::binary);
        file.write(payload.data(), static_cast<std::streamsize>(payload.size()));
        if (!file.flush()) throw std::runtime_error("no room for the files");
    }
    std::uintmax_t bytes = 0;
    for (const auto &each : fs::recursive_directory_iterator(root.path()))
        if (each.is_regular_file()) bytes += each.file_size();
    return bytes == 3 * payload.size();
}

curfew_status run(void *, const curfew_host_api *api, curfew_task task,
                  curfew_error *error) noexcept {
    try {
        curfew_task_info info{};
        info.struct_size = sizeof info;
        if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "unknown task");
        const std::string_view payload(static_cast<const char *>(info.payload),
                                       info.payload_bytes);
        if (payload == "fail") return failed(error, "asked to fail");
        while (payload == "slow") {
            if (api->is_expired(api, task)) return failed(error, "told to stop");
            pause_ms(1);
        }
        return compute(payload) ? CURFEW_OK : failed(error, "it came out differently");
    } catch (const std::exception &problem) {
        return failed(error, problem.what());
    } catch (...) {
        return failed(error, "something was thrown");
    }
}

}  // namespace

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error) {
    info->id = "org.example.stranger";
    info->version = "1.0.0";
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = run;
    return api->register_handler(api, &handler, error);
}
