/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * An interpreter of postfix with templates, variants and visitors, which ignores what it does
 * not know.
 */
#include "stranger.h"

#include <charconv>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

CURFEW_PLUGIN_NOTE();

namespace {

using value = std::variant<std::monostate, double, std::string>;

template <class... Functions> struct overloaded : Functions... {
    using Functions::operator()...;
};
template <class... Functions> overloaded(Functions...) -> overloaded<Functions...>;

template <class Operation>
std::optional<value> apply(std::vector<value> &stack, Operation operation) {
    if (stack.size() < 2) return std::nullopt;
    const value right = stack.back(), left = stack[stack.size() - 2];
    stack.resize(stack.size() - 2);
    return std::visit(
        overloaded{[&](double a, double b) -> value { return operation(a, b); },
                   [](const std::string &a, const std::string &b) -> value { return a + b; },
                   [](const auto &, const auto &) -> value { return std::monostate{}; }},
        left, right);
}

bool compute(std::string_view payload) {
    std::vector<value> stack;
    for (char c : payload.substr(0, 1000)) {
        std::optional<value> made;
        if (c >= '0' && c <= '9') made = value(static_cast<double>(c - '0'));
        else if (c == '+') made = apply(stack, std::plus<double>());
        else if (c == '*') made = apply(stack, std::multiplies<double>());
        else if (c > ' ') made = value(std::string(1, c));
        if (made && stack.size() < 200) stack.push_back(std::move(*made));
    }
    return stack.size() <= 200;
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
