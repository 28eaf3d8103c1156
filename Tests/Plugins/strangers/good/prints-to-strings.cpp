/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Formats and parses with string streams in the classic locale; cout and cerr are not touched,
 * the global locale is only asked.
 */
#include "stranger.h"

#include <exception>
#include <iomanip>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>

CURFEW_PLUGIN_NOTE();

namespace {

bool compute(std::string_view payload) {
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out << std::hex << std::setw(8) << std::setfill('0') << payload.size() << ' ' << std::fixed
        << std::setprecision(3) << 2.5 << ' ' << std::boolalpha << true;
    std::istringstream in(out.str());
    in.imbue(std::locale::classic());
    std::size_t size = 0;
    double number = 0;
    std::string word;
    in >> std::hex >> size >> number >> word;
    return size == payload.size() && number == 2.5 && word == "true" &&
           !std::locale().name().empty();
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
