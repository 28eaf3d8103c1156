/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Makes a tree of files with std::filesystem and removes exactly what it made, also where it
 * fails.
 */
#include "stranger.h"

#include <curfew/curfew.hpp>
#include <filesystem>
#include <fstream>
#include <string>

namespace fs = std::filesystem;

namespace {

/* Its paths are made before the directory, so that nothing has to be allocated to remove them. */
class tree {
  public:
    tree() {
        std::string pattern = (fs::temp_directory_path() / "f-filesystem-XXXXXX").string();
        /* Of the same length as what they become. */
        file_ = pattern + "/under/file";
        link_ = pattern + "/link";
        under_ = pattern + "/under";
        if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no directory");
        for (std::string *path : {&file_, &link_, &under_})
            pattern.copy(path->data(), pattern.size());
        root_ = std::move(pattern);
    }
    ~tree() {
        ::unlink(link_.c_str());
        ::unlink(file_.c_str());
        ::rmdir(under_.c_str());
        ::rmdir(root_.c_str());
    }
    tree(const tree &) = delete;
    void fill() const {
        fs::create_directory(under_);
        {
            std::ofstream file(file_, std::ios::binary);
            file << "content";
            if (!file.flush()) throw std::runtime_error("could not write the file");
        }
        fs::create_symlink("under/file", link_);
        fs::permissions(file_, fs::perms::owner_read);
    }
    std::uintmax_t size() const { return fs::file_size(link_); }
    int entries() const {
        int count = 0;
        for (const auto &entry : fs::recursive_directory_iterator(root_)) count += entry.exists();
        return count;
    }

  private:
    std::string root_, under_, file_, link_;
};

void work(curfew::task &task) {
    if (task.text() == "fail") throw std::runtime_error("the payload asks for a failure");
    const tree tree;
    tree.fill();
    if (tree.size() != 7 || tree.entries() != 3) throw std::logic_error("the tree is another");
    while (task.text() == "slow") {
        if (task.is_expired()) throw std::runtime_error("told to stop");
        pause_ms(5);
    }
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
