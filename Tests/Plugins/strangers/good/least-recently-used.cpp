/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Has a cache of the 32 payloads that were used last, with a list and a map, shared by readers
 * and writers under a shared_mutex, and frees it in retire.
 */
#include "stranger.h"

#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

CURFEW_PLUGIN_NOTE();

class Cache {
public:
    bool contains(std::string_view key) const
    {
        std::shared_lock guard(m_lock);
        return m_index.count(std::string(key)) != 0;
    }

    void use(std::string_view key)
    {
        std::unique_lock guard(m_lock);
        auto found = m_index.find(std::string(key));
        if (found != m_index.end()) {
            m_order.splice(m_order.begin(), m_order, found->second);
            return;
        }
        m_order.emplace_front(key);
        m_index.emplace(m_order.front(), m_order.begin());
        if (m_order.size() > 32) {
            m_index.erase(m_order.back());
            m_order.pop_back();
        }
    }

private:
    mutable std::shared_mutex m_lock;
    std::list<std::string> m_order;
    std::unordered_map<std::string, std::list<std::string>::iterator> m_index;
};

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error)
{
    auto *cache = static_cast<Cache *>(data);
    curfew_task_info info = {};
    info.struct_size = sizeof(info);
    if (api->task_info(api, task, &info) != CURFEW_OK)
        return failed(error, "unknown task");
    std::string_view payload(static_cast<const char *>(info.payload), info.payload_bytes);
    if (payload == "fail")
        return failed(error, "asked to fail");
    try {
        auto key = payload.substr(0, 256);
        cache->use(key);
        if (!cache->contains(key))
            return failed(error, "what was used last is gone");
    } catch (const std::bad_alloc &) {
        return failed(error, "no memory");
    }
    if (payload != "slow")
        return CURFEW_OK;
    while (!api->is_expired(api, task))
        pause_ms(1);
    return failed(error, "told to stop");
}

static void retire(void *data)
{
    delete static_cast<Cache *>(data);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *info,
                                                       curfew_error *error)
{
    std::unique_ptr<Cache> cache(new (std::nothrow) Cache);
    if (!cache)
        return failed(error, "no memory");
    curfew_handler handler = {};
    handler.struct_size = sizeof(handler);
    handler.identifier = "org.example.stranger.work";
    handler.handler_data = cache.get();
    handler.run = run;
    if (curfew_status status = api->register_handler(api, &handler, error))
        return status;
    info->plugin_data = cache.release();
    info->retire = retire;
    return CURFEW_OK;
}
