/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curfew/curfew.hpp: plugins and embedders in C++20, on top of the C headers. In short, a plugin:
 *
 *     #include <curfew/curfew.hpp>
 *
 *     static std::string tidy(curfew::task &task) {
 *         task.submit_next({.after = std::chrono::hours(24)});
 *         while (work_is_left() && !task.is_expired()) do_some_work();
 *         return "all is tidy";
 *     }
 *
 *     CURFEW_PLUGIN(plugin) { plugin.handle<tidy>("org.example.tidy"); }
 *
 * and a host:
 *
 *     curfew::host host;
 *     host.load("/usr/local/lib/curfew/plugins/crc32");
 *     curfew::launched_task task = host.launch("org.curfew.crc32", curfew::bytes("123456789"));
 *     if (task.wait(std::chrono::seconds(10)) == CURFEW_OUTCOME_SUCCEEDED) …
 *
 * Calls that fail throw curfew::error. No exception leaves the code of a plugin: an exception of a
 * handler is the failure of its task, with the text of what(). Only the functions that are used
 * are compiled, so that a plugin does not need libcurfew. Tools that read all headers as C see an
 * empty file.
 */
#ifndef CURFEW_CURFEW_HPP
#define CURFEW_CURFEW_HPP
#ifdef __cplusplus
#if __cplusplus < 202002L
#error "curfew/curfew.hpp needs C++20: -std=c++20"
#endif

#include "curfew.h"
#include "ext/requests.h"

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace curfew {

using nanoseconds = std::chrono::nanoseconds;
/* A date of a host's clock. */
using date = std::chrono::sys_time<nanoseconds>;

/* A failed call: its status, and the text of the host. */
class error : public std::runtime_error {
  public:
    error(curfew_status status, const std::string &text)
        : std::runtime_error(text), status_(status) {}

    curfew_status status() const noexcept { return status_; }

  private:
    curfew_status status_;
};

/* Returns the bytes of a text, which has to live as long as they are used. */
inline std::span<const std::byte> bytes(std::string_view text) noexcept {
    return std::as_bytes(std::span(text.data(), text.size()));
}

/* A value of an event. A text is not copied: it has to live until the event was raised. */
class value {
  public:
    value(bool number) noexcept : c_(typed(CURFEW_TYPE_BOOL)) { c_.integer = number; }
    value(std::int32_t number) noexcept : c_(typed(CURFEW_TYPE_INT32)) { c_.integer = number; }
    value(std::int64_t number) noexcept : c_(typed(CURFEW_TYPE_INT64)) { c_.integer = number; }
    value(double number) noexcept : c_(typed(CURFEW_TYPE_DOUBLE)) { c_.number = number; }
    value(const char *text) noexcept : value(std::string_view(text)) {}
    value(const std::string &text) noexcept : value(std::string_view(text)) {}
    value(std::string_view text) noexcept : c_(typed(CURFEW_TYPE_TEXT)) {
        c_.text = text.data();
        c_.text_bytes = text.size();
    }

  private:
    friend class task;
    friend class host;
    static curfew_value typed(curfew_type type) noexcept {
        curfew_value made{};
        made.struct_size = sizeof made;
        made.type = type;
        return made;
    }

    curfew_value c_;
};
static_assert(sizeof(value) == sizeof(curfew_value));

/* A request for a launch; see curfew_submit_options. */
struct request {
    nanoseconds after{};            /* from now */
    std::optional<date> earliest{}; /* instead of `after` */
    std::optional<date> latest{};
    curfew_needs needs = 0;
    std::int32_t priority = 0;
    curfew_on_pending on_pending = 0;
    std::uint32_t attempts = 1;
    nanoseconds backoff{};
    nanoseconds interval{};
    std::string cron{};
    bool cron_is_local = false;
    std::string key{};
    std::span<const std::byte> payload{};
    curfew_opportunistic opportunistic = 0;
    nanoseconds at_most{};
    std::string trace{}; /* empty: none, or that of the task that submits it */
};

namespace detail {

inline std::uint64_t count(nanoseconds duration) noexcept {
    return duration.count() < 0 ? 0 : static_cast<std::uint64_t>(duration.count());
}

inline date date_of(std::int64_t nanoseconds_since_1970) noexcept {
    return date(nanoseconds(nanoseconds_since_1970));
}

template <class Struct> Struct sized() noexcept {
    Struct made{};
    made.struct_size = sizeof made;
    return made;
}

/* Calls a function whose last parameter is a curfew_error; throws what it reports. */
template <class... Parameters, class... Arguments>
void call(curfew_status (*function)(Parameters...), Arguments... arguments) {
    auto failure = sized<curfew_error>();
    const curfew_status status = function(arguments..., &failure);
    if (status != CURFEW_OK) throw error(status, failure.message);
}

inline curfew_submit_options options(const request &request) noexcept {
    auto made = sized<curfew_submit_options>();
    made.after_ns = count(request.after);
    if (request.earliest) made.earliest_ns = request.earliest->time_since_epoch().count();
    if (request.latest) made.latest_ns = request.latest->time_since_epoch().count();
    made.needs = request.needs;
    made.priority = request.priority;
    made.on_pending = request.on_pending;
    made.attempts = request.attempts;
    made.backoff_ns = count(request.backoff);
    made.interval_ns = count(request.interval);
    made.cron = request.cron.empty() ? nullptr : request.cron.c_str();
    made.cron_is_local = request.cron_is_local;
    made.key = request.key.empty() ? nullptr : request.key.c_str();
    made.payload = request.payload.empty() ? nullptr : request.payload.data();
    made.payload_bytes = request.payload.size();
    made.opportunistic = request.opportunistic;
    made.at_most_ns = count(request.at_most);
    made.trace = request.trace.empty() ? nullptr : request.trace.c_str();
    return made;
}

/* Writes the text of a failure for the host. */
inline void write(curfew_error *host_error, std::string_view text) noexcept {
    if (host_error == nullptr) return;
    const std::size_t count = text.copy(host_error->message, sizeof host_error->message - 1);
    host_error->message[count] = 0;
}

/* Turns what a function throws into a status and a text. */
template <class Function>
curfew_status guard(curfew_error *host_error, Function &&function) noexcept {
    try {
        function();
        return CURFEW_OK;
    } catch (const error &failure) {
        write(host_error, failure.what());
        return failure.status() == CURFEW_OK ? CURFEW_FAILED : failure.status();
    } catch (const std::exception &failure) {
        write(host_error, failure.what());
    } catch (...) {
        write(host_error, "an exception that is no std::exception");
    }
    return CURFEW_FAILED;
}

}  // namespace detail

/* The task that a handler works on: valid until the handler has returned. */
class task {
  public:
    task(const curfew_host_api *api, curfew_task id)
        : api_(api), id_(id), info_(detail::sized<curfew_task_info>()) {
        check(api->task_info(api, id, &info_), "the host does not know the task");
    }
    task(const task &) = delete;
    task &operator=(const task &) = delete;

    curfew_task id() const noexcept { return id_; }
    const curfew_host_api *api() const noexcept { return api_; }
    std::string_view identifier() const noexcept { return info_.identifier; }
    std::uint32_t attempt() const noexcept { return info_.attempt; }
    nanoseconds budget() const noexcept {
        return nanoseconds(static_cast<std::int64_t>(info_.budget_ns));
    }

    /* The host's, valid until the handler has returned. */
    std::span<const std::byte> payload() const noexcept {
        return {static_cast<const std::byte *>(info_.payload),
                static_cast<std::size_t>(info_.payload_bytes)};
    }
    std::string_view text() const noexcept {
        return {static_cast<const char *>(info_.payload),
                static_cast<std::size_t>(info_.payload_bytes)};
    }

    /* Whether the task should stop. Costs one load: call it in loops. */
    bool is_expired() const noexcept { return api_->is_expired(api_, id_); }
    nanoseconds remaining() const noexcept {
        return nanoseconds(static_cast<std::int64_t>(api_->remaining_ns(api_, id_)));
    }

    /* Reports progress, a fraction in 0…1. */
    void progress(double fraction, std::string_view text = "") const {
        check(api_->progress(api_, id_, fraction, text.data(), text.size()), "progress");
    }

    /* Raises an event that the manifest declares. Returns false where the queue is full. */
    bool raise(const char *event, std::initializer_list<value> values) const {
        const curfew_value *first = values.size() == 0 ? nullptr : &values.begin()->c_;
        const curfew_status status =
            api_->raise(api_, id_, event, first, static_cast<std::uint32_t>(values.size()));
        if (status == CURFEW_BUSY) return false;
        check(status, event);
        return true;
    }

    void log(std::string_view text, curfew_log_level level = CURFEW_LOG_INFO) const noexcept {
        api_->log(api_, id_, level, text.data(), text.size());
    }

    /* Submits a request for a handler of this plugin; returns its number once it is durable. */
    curfew_request submit(const char *identifier, const request &request = {}) const {
        const auto options = detail::options(request);
        curfew_request number = 0;
        detail::call(requests().submit, api_, identifier, &options, &number);
        return number;
    }

    /*
     * Submits the next run of this task's handler, with this task's payload unless `next` has one.
     * A run that is pending already is kept and returned, so that each attempt may call it: call it
     * first, and the next run comes also where this attempt fails.
     */
    curfew_request submit_next(request next) const {
        if (next.payload.empty()) next.payload = payload();
        if (next.on_pending == 0) next.on_pending = CURFEW_ON_PENDING_KEEP;
        return submit(info_.identifier, next);
    }

    /* Launches the request of this task again, whatever its outcome, without using an attempt. */
    void snooze(nanoseconds delay) const {
        detail::call(requests().snooze, api_, id_, detail::count(delay));
    }

    /* The date of the host's clock, which a simulation may have set. */
    date now() const { return detail::date_of(requests().get_wall_ns(api_)); }

    /* The number of the user who has submitted the request of this task to another user's host; none
     * where that is the host's own user, there is no request, or the host is older than this. */
    std::optional<std::uint32_t> owner() const {
        const curfew_requests &table = requests();
        if (table.struct_size <= offsetof(curfew_requests, get_owner)) return std::nullopt;
        const std::int64_t user = table.get_owner(api_, id_);
        return user < 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(user));
    }

    /* The place of the task in a trace, the value of the header `traceparent` of
     * https://www.w3.org/TR/trace-context/; "" where there is no request, or the host is older than this. */
    std::string trace() const {
        const curfew_requests &table = requests();
        if (table.struct_size <= offsetof(curfew_requests, get_trace)) return {};
        char text[CURFEW_TRACE_BYTES] = "";
        if (table.get_trace(api_, id_, text) != CURFEW_OK) return {};
        return text;
    }

    /* Completes the task with a result. A handler that returns a result need not call it. */
    void succeed(std::span<const std::byte> result) const {
        const curfew_status status = api_->complete(api_, id_, CURFEW_OK, nullptr, 0,
                                                    result.data(), result.size());
        /* It had to stop, and its outcome says so. */
        if (status == CURFEW_LATE || status == CURFEW_EXPIRED) return;
        check(status, "the result was not accepted");
    }

  private:
    static void check(curfew_status status, const char *what) {
        if (status != CURFEW_OK) throw error(status, what);
    }

    const curfew_requests &requests() const {
        const void *found = api_->extension(api_, CURFEW_EXT_REQUESTS);
        if (found == nullptr) throw error(CURFEW_NOT_FOUND, "the host has no requests");
        return *static_cast<const curfew_requests *>(found);
    }

    const curfew_host_api *api_;
    curfew_task id_;
    curfew_task_info info_;
};

namespace detail {

/* The function of a handler as the host calls it. */
template <auto Function>
curfew_status run(void *, const curfew_host_api *api, curfew_task id,
                  curfew_error *host_error) noexcept {
    return guard(host_error, [&] {
        task running(api, id);
        using Result = std::invoke_result_t<decltype(Function), task &>;
        if constexpr (std::is_void_v<Result>) {
            Function(running);
        } else if constexpr (std::convertible_to<Result, std::string_view>) {
            const Result result = Function(running);
            running.succeed(bytes(result));
        } else {
            const Result result = Function(running);
            running.succeed(std::as_bytes(std::span(result)));
        }
    });
}

template <auto Function>
void expired(void *, const curfew_host_api *api, curfew_task id, curfew_reason reason) noexcept {
    guard(nullptr, [&] {
        task running(api, id);
        Function(running, reason);
    });
}

}  // namespace detail

/* A plugin while its entry runs; see CURFEW_PLUGIN. */
class plugin {
  public:
    plugin(const curfew_host_api *api, curfew_error *host_error) noexcept
        : api_(api), host_error_(host_error) {}

    /*
     * Registers a function as a handler. It gets a task&, and returns nothing, a text or bytes, the
     * task's result. `Expired`, with a task& and a curfew_reason, is called once, beside it, when the
     * task has to stop; nullptr: none.
     */
    template <auto Function, auto Expired = nullptr> void handle(const char *identifier) {
        auto handler = detail::sized<curfew_handler>();
        handler.identifier = identifier;
        handler.run = detail::run<Function>;
        if constexpr (!std::same_as<decltype(Expired), std::nullptr_t>)
            handler.expired = detail::expired<Expired>;
        const curfew_status status = api_->register_handler(api_, &handler, host_error_);
        if (status != CURFEW_OK) throw error(status, host_error_->message);
    }

  private:
    const curfew_host_api *api_;
    curfew_error *host_error_;
};

/* Stands once in a plugin: `CURFEW_PLUGIN(plugin) { plugin.handle<…>("…"); }`. */
#define CURFEW_PLUGIN(name)                                                                     \
    CURFEW_PLUGIN_NOTE();                                                                       \
    static void curfew_plugin_register(::curfew::plugin &name);                                 \
    CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(                                     \
        const curfew_host_api *api, curfew_plugin_info *, curfew_error *host_error) {           \
        return ::curfew::detail::guard(host_error, [&] {                                        \
            ::curfew::plugin plugin(api, host_error);                                           \
            curfew_plugin_register(plugin);                                                     \
        });                                                                                     \
    }                                                                                           \
    static void curfew_plugin_register(::curfew::plugin &name)

/* An event while it is delivered. */
class event {
  public:
    explicit event(const curfew_event *c) noexcept : c_(c) {}

    std::string_view selector() const noexcept { return c_->selector; }
    curfew_task task() const noexcept { return c_->task; }
    std::uint64_t sequence() const noexcept { return c_->sequence; }
    std::size_t size() const noexcept { return c_->count; }
    const curfew_value &operator[](std::size_t index) const noexcept {
        /* In an array of structs, struct_size is the distance between two elements. */
        const auto *first = reinterpret_cast<const char *>(c_->values);
        return *reinterpret_cast<const curfew_value *>(first + index * c_->values->struct_size);
    }
    std::string_view text(std::size_t index) const noexcept {
        const curfew_value &value = (*this)[index];
        return {value.text, static_cast<std::size_t>(value.text_bytes)};
    }

  private:
    const curfew_event *c_;
};

/* Ends a subscription: on return of its destructor the function is not running any more. It must
 * not outlive the host. */
class subscription {
  public:
    subscription(subscription &&other) noexcept
        : host_(other.host_), number_(std::exchange(other.number_, 0)),
          function_(std::move(other.function_)) {}
    subscription &operator=(subscription &&) = delete;
    ~subscription() {
        if (number_ != 0) curfew_host_unsubscribe(host_, number_, nullptr);
    }

  private:
    friend class host;
    using function = std::function<void(const event &)>;
    subscription(curfew_host *host, function function)
        : host_(host), function_(std::make_unique<subscription::function>(std::move(function))) {}

    /* An exception of the function ends the program, as that of a thread does. */
    static void deliver(void *data, const curfew_event *c) noexcept {
        (*static_cast<function *>(data))(event(c));
    }

    curfew_host *host_;
    curfew_subscription number_ = 0;
    std::unique_ptr<function> function_;
};

/* A launched task, whose outcome and result are kept until this is destroyed. It must not outlive
 * the host. */
class launched_task {
  public:
    launched_task(launched_task &&other) noexcept
        : host_(other.host_), id_(std::exchange(other.id_, 0)) {}
    launched_task &operator=(launched_task &&) = delete;
    ~launched_task() {
        if (id_ != 0) curfew_host_release_task(host_, id_, nullptr);
    }

    curfew_task id() const noexcept { return id_; }

    /* Waits until the task is over, and returns its outcome; throws CURFEW_TIMED_OUT. */
    curfew_outcome wait(nanoseconds timeout) const {
        auto state = detail::sized<curfew_task_state>();
        detail::call(curfew_host_wait_task, host_, id_, detail::count(timeout), &state);
        return state.outcome;
    }
    curfew_task_state state() const {
        auto state = detail::sized<curfew_task_state>();
        detail::call(curfew_host_get_task, host_, id_, &state);
        return state;
    }
    /* The text of its done event, "" after success. */
    std::string error() const {
        std::string text(static_cast<std::size_t>(state().error_bytes), '\0');
        std::uint64_t length = 0;
        detail::call(curfew_host_read_task_error, host_, id_, text.data(), text.size(), &length);
        return text;
    }
    std::vector<std::byte> result() const {
        std::vector<std::byte> bytes(static_cast<std::size_t>(state().result_bytes));
        std::uint64_t length = 0;
        detail::call(curfew_host_read_task_result, host_, id_, bytes.data(), bytes.size(),
                     &length);
        return bytes;
    }
    void cancel() const { detail::call(curfew_host_cancel_task, host_, id_); }

  private:
    friend class host;
    launched_task(curfew_host *host, curfew_task id) noexcept : host_(host), id_(id) {}

    curfew_host *host_;
    curfew_task id_;
};

/* A host. Its destructor shuts it down. */
class host {
  public:
    explicit host(curfew_host_config config = detail::sized<curfew_host_config>()) {
        detail::call(curfew_host_create, &config, &c_);
    }
    host(host &&other) noexcept : c_(std::exchange(other.c_, nullptr)) {}
    host &operator=(host &&) = delete;
    ~host() { curfew_host_destroy(c_, nullptr, nullptr); }

    /* For the functions of the C headers. */
    curfew_host *get() const noexcept { return c_; }

    void load(const char *directory) { detail::call(curfew_host_load_plugin, c_, directory); }
    /* Loads the plugins in a directory, nullptr: in the standard ones; returns how many failed. */
    std::uint32_t load_all(const char *directory = nullptr) {
        std::uint32_t loaded = 0, failed = 0;
        detail::call(curfew_host_load_all, c_, directory, &loaded, &failed);
        return failed;
    }

    launched_task launch(const char *identifier, std::span<const std::byte> payload = {},
                         nanoseconds budget = {}) {
        auto options = detail::sized<curfew_launch_options>();
        options.payload = payload.empty() ? nullptr : payload.data();
        options.payload_bytes = payload.size();
        options.budget_ns = detail::count(budget);
        options.keep = true;
        curfew_task task = 0;
        detail::call(curfew_host_launch, c_, identifier, &options, &task);
        return {c_, task};
    }

    curfew_request submit(const char *identifier, const request &request = {}) {
        const auto options = detail::options(request);
        curfew_request number = 0;
        detail::call(curfew_host_submit, c_, identifier, &options, &number,
                     static_cast<curfew_submission *>(nullptr));
        return number;
    }
    void cancel_request(curfew_request request) {
        detail::call(curfew_host_cancel_request, c_, request);
    }

    /* Calls a function for each event of a selector, or for all with nullptr. */
    [[nodiscard]] subscription observe(const char *selector,
                                       std::function<void(const event &)> function) {
        subscription made(c_, std::move(function));
        detail::call(curfew_host_observe, c_, selector, subscription::deliver,
                     static_cast<void *>(made.function_.get()), &made.number_);
        return made;
    }

    date now() const { return detail::date_of(curfew_host_get_wall_ns(c_)); }

  private:
    curfew_host *c_ = nullptr;
};

}  // namespace curfew

#endif /* __cplusplus */
#endif /* CURFEW_CURFEW_HPP */
