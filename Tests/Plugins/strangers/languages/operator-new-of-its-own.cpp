/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0830
 *
 * Replaces operator new and delete for itself. The strings that libstdc++ makes come from the
 * other allocator, and its delete frees them at the wrong address.
 */
#include <curfew/curfew.hpp>

#include <cstdlib>
#include <new>
#include <sstream>
#include <string>
#include <thread>

using namespace std::chrono_literals;

namespace {

constexpr std::size_t header = 16;

void *take(std::size_t bytes) {
    auto *block = static_cast<std::size_t *>(std::malloc(bytes + header));
    if (block == nullptr) throw std::bad_alloc();
    *block = bytes;
    return reinterpret_cast<char *>(block) + header;
}

void give(void *block) noexcept {
    if (block != nullptr) std::free(static_cast<char *>(block) - header);
}

}  // namespace

void *operator new(std::size_t bytes) { return take(bytes); }
void operator delete(void *block) noexcept { give(block); }
void operator delete(void *block, std::size_t) noexcept { give(block); }

namespace {

std::string work(curfew::task &task) {
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    std::ostringstream out;
    out << "the payload of this task has " << task.text().size() << " bytes";
    return out.str();
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
