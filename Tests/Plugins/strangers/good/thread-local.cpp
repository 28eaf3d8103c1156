/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Reuses a buffer and a stream of each worker that are thread_local, with destructors.
 */
#include "stranger.h"

#include <curfew/curfew.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct scratch {
    std::vector<unsigned> sieve;
    std::ostringstream text;
    int uses = 0;
};

scratch &mine() {
    thread_local scratch one;
    return one;
}

std::string work(curfew::task &task) {
    if (task.text() == "fail") throw std::runtime_error("the payload asks for a failure");
    const bool slow = task.text() == "slow";
    scratch &own = mine();
    ++own.uses;
    do {
        own.sieve.assign(1000, 1);
        own.text.str({});
        own.text.clear();
        for (unsigned i = 2; i < own.sieve.size(); ++i) {
            if (own.sieve[i] == 0) continue;
            if (i > 970) own.text << i << ' ';
            for (unsigned k = i * 2; k < own.sieve.size(); k += i) own.sieve[k] = 0;
        }
        if (slow) pause_ms(2);
    } while (slow && !task.is_expired());
    if (slow) throw std::runtime_error("told to stop");
    if (own.text.str() != "971 977 983 991 997 ") throw std::logic_error("other primes");
    return own.text.str();
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
