// SPDX-License-Identifier: Apache-2.0
//
// Finds the lines of a file that have a word in them, a log's for instance.
//
// Payload: two lines, the word and the absolute path of the file. For each line that is found the
// event sample_found(number, line) is raised; the result is their count.
#include <curfew/curfew.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

constexpr std::size_t lineLimit = 4096;  // a longer line is taken for several

struct CloseFile {
    void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// The text of a failure is all that people see of it: what, where, what to do next.
[[noreturn]] void fail(const std::string &what, int reason) {
    throw curfew::error(CURFEW_FAILED, what + ": " + std::strerror(reason));
}

// A call that waits for others (a pipe's writer, a server) does not see is_expired: use those that
// do not wait, or interrupt them in a function that is the second argument of `handle`.
File open_file(const std::string &path, struct stat &facts) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) fail("could not open " + path, errno);
    File file(::fdopen(descriptor, "r"));
    if (!file) {
        const int reason = errno;
        ::close(descriptor);
        fail("could not open " + path, reason);
    }
    if (::fstat(descriptor, &facts) != 0) fail("could not open " + path, errno);
    return file;
}

// An exception that leaves it is the failure of the task.
std::string find(curfew::task &task) {
    const std::string_view payload = task.text();
    const std::size_t end = payload.find('\n');
    if (end == 0 || end == std::string_view::npos || payload.substr(end + 1, 1) != "/")
        throw curfew::error(CURFEW_INVALID, "the payload must be two lines, a word and the absolute"
                                            " path of a file");
    const std::string_view word = payload.substr(0, end);
    std::string path(payload.substr(end + 1));
    path.erase(std::min(path.find('\n'), path.size()));

    struct stat facts;
    const File file = open_file(path, facts);
    char line[lineLimit];
    std::int64_t number = 0, found = 0, bytes = 0, reported = 0;
    while (std::fgets(line, sizeof line, file.get()) != nullptr) {
        // One load: cheap enough for every line. After it the task has its grace to return.
        if (task.is_expired())
            throw curfew::error(CURFEW_FAILED, "told to stop after line " + std::to_string(number) +
                                                   "; " + std::to_string(found) +
                                                   " were found until then");
        const std::string_view text(line);
        number++;
        if (text.find(word) != std::string_view::npos) {
            found++;
            // False says that the queue is full: no reason to give up the work.
            (void)task.raise("sample_found", {number, text.substr(0, text.find('\n'))});
        }
        bytes += static_cast<std::int64_t>(text.size());
        if (facts.st_size > 0 && bytes - reported > facts.st_size / 100) {
            reported = bytes;
            task.progress(std::min(1.0, static_cast<double>(bytes) /
                                            static_cast<double>(facts.st_size)),
                          "reading");
        }
    }
    if (std::ferror(file.get()) != 0)
        fail("could not read past line " + std::to_string(number), errno);
    task.progress(1, "read");
    // The result of the task. A handler without one returns nothing.
    return std::to_string(found);
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<find>("org.example.sample"); }
