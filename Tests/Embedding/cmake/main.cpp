// SPDX-License-Identifier: Apache-2.0
// Embeds Curfew in C++: two hosts at once, whose events come on Curfew's threads.
//
//     embedder PLUGINS TEST_PLUGINS SCRATCH
//
// What it does, and what it prints, is told in ../README.md.
#include <curfew/curfew.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

namespace {

// Every struct that crosses begins with its size.
template <typename Struct> Struct sized() {
    Struct made{};
    made.struct_size = sizeof made;
    return made;
}

struct Failure : std::runtime_error {
    curfew_status status;
    Failure(curfew_status status, const std::string &text)
        : std::runtime_error(text), status(status) {}
};

void check(curfew_status status, const curfew_error &error) {
    if (status != CURFEW_OK) throw Failure(status, error.message);
}

// What was heard of one task.
struct Story {
    double progress = 0;
    bool expired = false, done = false, success = false;
    std::string text;
};

class Host {
public:
    explicit Host(std::string name) : name(std::move(name)) {
        auto error = sized<curfew_error>();
        check(curfew_host_create(nullptr, &handle, &error), error);
        check(curfew_host_observe(handle, nullptr, hear, this, nullptr, &error), error);
    }
    Host(const Host &) = delete;
    Host &operator=(const Host &) = delete;
    ~Host() { curfew_host_destroy(handle, nullptr, nullptr); }

    void load(const std::string &directory) {
        auto error = sized<curfew_error>();
        check(curfew_host_load_plugin(handle, directory.c_str(), &error), error);
    }

    curfew_task launch(const char *identifier, const std::string &payload = "") {
        auto options = sized<curfew_launch_options>();
        options.keep = true;
        options.payload = payload.data();
        options.payload_bytes = payload.size();
        auto error = sized<curfew_error>();
        curfew_task task = 0;
        check(curfew_host_launch(handle, identifier, &options, &task, &error), error);
        return task;
    }

    // Waits for a task's done event, and tells all that was heard of the task.
    std::string tell(const char *plugin, curfew_task task) {
        Story story;
        {
            std::unique_lock lock(mutex);
            changed.wait(lock, [&] { return stories[task].done; });
            story = stories[task];
        }
        std::string line = name + ": " + plugin + ": ";
        char number[32];
        std::snprintf(number, sizeof number, "progress to %g, ", story.progress);
        if (story.progress > 0) line += number;
        if (story.expired) line += "expired, ";
        line += story.success ? "done(true, \"" : "done(false, \"";
        line += story.text + "\")";
        const std::string result = read_result(task);
        if (story.success && result.find("copied") != result.npos) line += ", " + result;
        check(curfew_host_release_task(handle, task, nullptr), sized<curfew_error>());
        return line;
    }

    unsigned done_events() {
        std::lock_guard lock(mutex);
        return done;
    }

    void shut_down() {
        auto error = sized<curfew_error>();
        check(curfew_host_shutdown(handle, nullptr, &error), error);
    }

    const std::string name;

private:
    static void hear(void *event_data, const curfew_event *event) {
        static_cast<Host *>(event_data)->note(*event);
    }

    void note(const curfew_event &event) {
        const std::string selector = event.selector;
        const auto ends_with = [&](const std::string &end) {
            return selector.size() > end.size() &&
                   selector.compare(selector.size() - end.size(), end.size(), end) == 0;
        };
        if (event.task == 0) return;
        std::lock_guard lock(mutex);
        Story &story = stories[event.task];
        if (ends_with("_progress::"))
            story.progress = std::max(story.progress, event.values[0].number);
        else if (ends_with("_expired"))
            story.expired = true;
        else if (ends_with("_done::")) {
            story.success = event.values[0].integer != 0;
            story.text.assign(event.values[1].text, event.values[1].text_bytes);
            story.done = true;
            done++;
            changed.notify_all();
        }
    }

    std::string read_result(curfew_task task) {
        uint64_t bytes = 0;
        curfew_host_read_task_result(handle, task, nullptr, 0, &bytes, nullptr);
        std::string result(bytes, '\0');
        check(curfew_host_read_task_result(handle, task, result.data(), bytes, &bytes, nullptr),
              sized<curfew_error>());
        return result;
    }

    curfew_host *handle = nullptr;
    std::mutex mutex; // guards what follows
    std::condition_variable changed;
    std::map<curfew_task, Story> stories;
    unsigned done = 0;
};

std::string mirror_payload(const std::string &place) {
    return "{\"from\": \"" + place + "/from\", \"to\": \"" + place + "/to\"}";
}

void run(const std::string &plugins, const std::string &test_plugins, const std::string &scratch) {
    Host one("one");
    Host two("two");
    for (Host *host : {&one, &two}) {
        host->load(plugins + "/sqlite-care");
        host->load(plugins + "/mirror");
        host->load(test_plugins + "/patient");
        std::printf("%s: loaded sqlite-care, mirror, patient\n", host->name.c_str());
        try {
            host->launch("org.example.nobody");
        } catch (const Failure &failure) {
            std::printf("%s: nobody: %s\n", host->name.c_str(), curfew_status_text(failure.status));
        }
    }

    const char *names[] = {"sqlite-care", "mirror", "mirror", "patient"};
    curfew_task tasks[2][4];
    int row = 0;
    for (Host *host : {&one, &two}) {
        const std::string place = scratch + "/" + host->name;
        curfew_task *of = tasks[row++];
        of[0] = host->launch("org.curfew.sqlite-care", "{\"database\": \"" + place + "/notes.db\"}");
        of[1] = host->launch("org.curfew.mirror", mirror_payload(place));
        of[2] = host->launch("org.curfew.mirror", "{\"from\": \"here\", \"to\": \"/there\"}");
        of[3] = host->launch("org.curfew.test.patient");
    }
    row = 0;
    for (Host *host : {&one, &two}) {
        for (int at = 0; at < 4; at++)
            std::printf("%s\n", host->tell(names[at], tasks[row][at]).c_str());
        row++;
    }

    two.shut_down();
    std::printf("two: shut down after %u done events\n", two.done_events());
    try {
        two.launch("org.curfew.mirror");
    } catch (const Failure &failure) {
        std::printf("two: mirror: %s\n", curfew_status_text(failure.status));
    }
    const curfew_task again = one.launch("org.curfew.mirror", mirror_payload(scratch + "/one"));
    std::printf("%s\n", one.tell("mirror", again).c_str());
    one.shut_down();
    std::printf("one: shut down after %u done events\n", one.done_events());
}

} // namespace

int main(int count, char **arguments) {
    if (count != 4) {
        std::fprintf(stderr, "usage: embedder PLUGINS TEST_PLUGINS SCRATCH\n");
        return 2;
    }
    try {
        run(arguments[1], arguments[2], arguments[3]);
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "embedder: %s\n", failure.what());
        return 1;
    }
    return 0;
}
