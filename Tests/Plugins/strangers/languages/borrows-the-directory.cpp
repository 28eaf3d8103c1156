/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0854
 * race: the directory is the old one again when the task is over
 *
 * Works in the temporary directory of the process and puts the old directory back when the task is
 * over.
 */
#include <curfew/curfew.hpp>

#include <filesystem>
#include <thread>

using namespace std::chrono_literals;

namespace {

class Inside {
  public:
    explicit Inside(const std::filesystem::path &path) : before_(std::filesystem::current_path()) {
        std::filesystem::current_path(path);
    }
    ~Inside() {
        std::error_code ignored;
        std::filesystem::current_path(before_, ignored);
    }

  private:
    std::filesystem::path before_;
};

void work(curfew::task &task) {
    const Inside inside(std::filesystem::temp_directory_path());
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(20ms);
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
