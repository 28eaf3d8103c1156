/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: CF0849
 * level: 3
 *
 * Parent and child of its tree hold each other with shared_ptr: a few KiB are lost with each task.
 */
#include <curfew/curfew.hpp>

#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {

struct Node {
    std::shared_ptr<Node> parent;
    std::vector<std::shared_ptr<Node>> children;
    std::vector<char> text;
};

std::string work(curfew::task &task) {
    if (task.text() == "fail") throw curfew::error(CURFEW_FAILED, "asked to fail");
    while (task.text() == "slow" && !task.is_expired()) std::this_thread::sleep_for(1ms);
    auto root = std::make_shared<Node>();
    auto leaf = std::make_shared<Node>();
    leaf->text.assign(4096, task.text().empty() ? ' ' : task.text().front());
    leaf->parent = root;
    root->children.push_back(leaf);
    return std::to_string(root->children.front()->text.size());
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
