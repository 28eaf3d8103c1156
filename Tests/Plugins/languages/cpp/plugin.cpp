// SPDX-License-Identifier: Apache-2.0
// A plugin in C++17: a class does the work, and no exception leaves the plugin.
#include <curfew/plugin.h>

#include <chrono>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

CURFEW_PLUGIN_NOTE();

namespace {

// What a task failed with, on its way to the border.
class Failure : public std::runtime_error {
  public:
    Failure(curfew_status status, const std::string &text)
        : std::runtime_error(text), status(status) {}

    const curfew_status status;
};

class Task {
  public:
    Task(const curfew_host_api *api, curfew_task id) : api(api), id(id) {
        curfew_task_info info = {};
        info.struct_size = sizeof info;
        const curfew_status answer = api->task_info(api, id, &info);
        if (answer != CURFEW_OK) throw Failure(answer, "the host does not know the task");
        if (info.payload_bytes > 0)
            payload = {static_cast<const char *>(info.payload), info.payload_bytes};
    }

    void run() const {
        if (payload == "fail") throw Failure(CURFEW_FAILED, "the payload says so");
        if (payload == "slow") wait();
    }

  private:
    [[noreturn]] void wait() const {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (!api->is_expired(api, id) && std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        throw Failure(CURFEW_FAILED, "stopped");
    }

    const curfew_host_api *const api;
    const curfew_task id;
    // The host's; it stays while the function of the task runs.
    std::string_view payload;
};

void tell(curfew_error *host_error, const char *text) {
    host_error->message[std::string_view(text).copy(host_error->message,
                                                    sizeof host_error->message - 1)] = 0;
}

curfew_status run(void *, const curfew_host_api *api, curfew_task id,
                  curfew_error *host_error) noexcept {
    try {
        Task(api, id).run();
        return CURFEW_OK;
    } catch (const Failure &failure) {
        tell(host_error, failure.what());
        return failure.status;
    } catch (const std::exception &exception) {
        tell(host_error, exception.what());
        return CURFEW_FAILED;
    } catch (...) {
        tell(host_error, "an exception that is no std::exception");
        return CURFEW_FAILED;
    }
}

}  // namespace

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    host_info->id = "org.example.cpp-plugin";
    host_info->version = "1.0.0";
    curfew_handler handler = {};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.cpp";
    handler.run = run;
    const curfew_status answer = api->register_handler(api, &handler, host_error);
    if (answer != CURFEW_OK) tell(host_error, "the host does not take the handler");
    return answer;
}
