/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Shares a bounded cache between four tasks at a time under a shared_mutex, for each host, until
 * it is retired.
 */
#include "stranger.h"

#include <curfew/curfew.hpp>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <string>
#include <unordered_map>

namespace {

class cache {
  public:
    std::shared_ptr<const std::string> get(const std::string &key) {
        std::call_once(filled_, [this] { entries_.reserve(32); });
        {
            const std::shared_lock lock(guard_);
            if (const auto found = entries_.find(key); found != entries_.end()) return found->second;
        }
        auto made = std::make_shared<const std::string>(key + key);
        const std::unique_lock lock(guard_);
        if (entries_.size() >= 32) entries_.clear();
        return entries_.try_emplace(key, std::move(made)).first->second;
    }

  private:
    std::once_flag filled_;
    std::shared_mutex guard_;
    std::unordered_map<std::string, std::shared_ptr<const std::string>> entries_;
};

void handle(cache &shared, curfew::task &task) {
    const auto text = task.text();
    if (text == "fail") throw std::runtime_error("the payload asks for a failure");
    do {
        for (int i = 0; i < 50; ++i) {
            const auto value = shared.get(std::string(text.substr(0, 100)) + std::to_string(i % 40));
            if (value->size() % 2 != 0) throw std::logic_error("a broken entry");
        }
        if (text == "slow") pause_ms(2);
    } while (text == "slow" && !task.is_expired());
    if (text == "slow") throw std::runtime_error("told to stop");
}

curfew_status run(void *data, const curfew_host_api *api, curfew_task id,
                  curfew_error *error) noexcept {
    return curfew::detail::guard(error, [&] {
        curfew::task task(api, id);
        handle(*static_cast<cache *>(data), task);
    });
}

void retire(void *data) { delete static_cast<cache *>(data); }

}  // namespace

CURFEW_PLUGIN_NOTE();

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    std::unique_ptr<cache> made(new (std::nothrow) cache);
    if (made == nullptr) return failed(host_error, "no memory for the cache");
    curfew_handler handler{};
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.handler_data = made.get();
    handler.run = run;
    const curfew_status status = api->register_handler(api, &handler, host_error);
    if (status != CURFEW_OK) return status;
    host_info->plugin_data = made.release();
    host_info->retire = retire;
    return CURFEW_OK;
}
