/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0837
 *
 * Its guard takes a reference once and can be copied: both copies release it.
 */
#include <curfew/curfew.hpp>

#include <thread>

using namespace std::chrono_literals;

namespace {

class Reference {
  public:
    explicit Reference(const curfew::task &task) : api_(task.api()), id_(task.id()) {
        held_ = api_->keep(api_, id_) == CURFEW_OK;
    }
    ~Reference() {
        if (held_) api_->release(api_, id_);
    }
    bool held() const { return held_; }

  private:
    const curfew_host_api *api_;
    curfew_task id_;
    bool held_;
};

bool check(Reference reference) { return reference.held(); }

void work(curfew::task &task) {
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    const Reference reference(task);
    if (!check(reference)) throw curfew::error(CURFEW_EXHAUSTED, "no reference is left");
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
