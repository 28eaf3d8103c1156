/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Has a thread_local object with a destructor, which frees the memory of a worker when that
 * ends, and needs nothing else of the plugin.
 */
#include "stranger.h"

#include <exception>
#include <memory>
#include <string>
#include <string_view>

CURFEW_PLUGIN_NOTE();

namespace {

class scratch {
  public:
    scratch() : bytes_(std::make_unique<char[]>(size)) {}
    ~scratch() { bytes_[0] = 0; }
    static constexpr std::size_t size = 8192;
    std::size_t fill(std::string_view text) {
        const std::size_t count = text.copy(bytes_.get(), size);
        return std::string_view(bytes_.get(), count) == text.substr(0, count) ? count : size + 1;
    }

  private:
    std::unique_ptr<char[]> bytes_;
};

thread_local scratch mine;

bool compute(std::string_view payload) {
    return mine.fill(payload) == std::min(payload.size(), scratch::size);
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
