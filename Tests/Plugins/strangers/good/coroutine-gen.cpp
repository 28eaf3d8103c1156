/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Walks a tree with a recursive generator of coroutines, with an allocator of the promise's own.
 */
#include "stranger.h"

#include <coroutine>
#include <curfew/curfew.hpp>
#include <exception>
#include <string>
#include <utility>

namespace {

struct generator {
    struct promise_type {
        int value = 0;
        std::exception_ptr fault;
        generator get_return_object() {
            return generator(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int number) noexcept {
            value = number;
            return {};
        }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { fault = std::current_exception(); }
        static void *operator new(std::size_t bytes) {
            if (void *room = std::malloc(bytes)) return room;
            throw std::bad_alloc();
        }
        static void operator delete(void *room) noexcept { std::free(room); }
    };
    explicit generator(std::coroutine_handle<promise_type> made) : handle(made) {}
    generator(generator &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
    ~generator() {
        if (handle) handle.destroy();
    }
    bool next() {
        handle.resume();
        if (handle.promise().fault) std::rethrow_exception(handle.promise().fault);
        return !handle.done();
    }
    std::coroutine_handle<promise_type> handle;
};

generator range(int low, int high) {
    if (low >= high) co_return;
    const int middle = (low + high) / 2;
    for (auto left = range(low, middle); left.next();) co_yield left.handle.promise().value;
    co_yield middle;
    for (auto right = range(middle + 1, high); right.next();) co_yield right.handle.promise().value;
}

void work(curfew::task &task) {
    if (task.text() == "fail") throw std::runtime_error("the payload asks for a failure");
    const bool slow = task.text() == "slow";
    do {
        int expected = 0;
        for (auto numbers = range(0, 100); numbers.next(); ++expected) {
            if (numbers.handle.promise().value != expected) throw std::logic_error("out of order");
            if (task.is_expired()) throw std::runtime_error("told to stop");
        }
        if (expected != 100) throw std::logic_error("numbers are missing");
        if (slow) pause_ms(2);
    } while (slow);
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
