/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Splits its payload with a coroutine, a generator of its own, whose frame is destroyed with
 * it, also half-way.
 */
#include <curfew/curfew.hpp>

#include <chrono>
#include <coroutine>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace {

class words {
  public:
    struct promise_type {
        std::string_view current;
        words get_return_object() {
            return words(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(std::string_view word) noexcept {
            current = word;
            return {};
        }
        void return_void() {}
        void unhandled_exception() { throw; }
    };
    words(words &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    words &operator=(words &&) = delete;
    ~words() {
        if (handle_) handle_.destroy();
    }
    bool next() {
        handle_.resume();
        return !handle_.done();
    }
    std::string_view word() const { return handle_.promise().current; }

  private:
    explicit words(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
    std::coroutine_handle<promise_type> handle_;
};

words split(std::string_view text) {
    while (!text.empty()) {
        const auto end = std::min(text.find(' '), text.size());
        if (end > 0) co_yield text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

std::string compute(curfew::task &task) {
    std::size_t count = 0, longest = 0;
    words all = split(task.text());
    while (count < 5000 && all.next()) {
        longest = std::max(longest, all.word().size());
        count++;
    }
    return std::to_string(count) + " words, the longest has " + std::to_string(longest);
}

std::string work(curfew::task &task) {
    if (task.text() == "fail") throw std::runtime_error("asked to fail");
    while (task.text() == "slow") {
        if (task.is_expired()) throw std::runtime_error("told to stop");
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return compute(task);
}

}  // namespace

CURFEW_PLUGIN(plugin) {
    plugin.handle<work>("org.example.stranger.work");
}
