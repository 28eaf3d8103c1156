/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Prints numbers through a std::locale with a facet of its own that only its stream has.
 */
#include "stranger.h"

#include <curfew/curfew.hpp>
#include <iomanip>
#include <locale>
#include <sstream>
#include <string>

namespace {

class swiss : public std::numpunct<char> {
  protected:
    char do_thousands_sep() const override { return '\''; }
    std::string do_grouping() const override { return "\3"; }
    char do_decimal_point() const override { return '.'; }
};

std::string work(curfew::task &task) {
    if (task.text() == "fail") throw std::runtime_error("the payload asks for a failure");
    const bool slow = task.text() == "slow";
    const std::locale here(std::locale::classic(), new swiss);
    std::string text;
    do {
        std::ostringstream stream;
        stream.imbue(here);
        stream.exceptions(std::ios::badbit | std::ios::failbit);
        stream << std::fixed << std::setprecision(2) << 1234567.891;
        text = stream.str();
        if (slow) pause_ms(2);
    } while (slow && !task.is_expired());
    if (slow) throw std::runtime_error("told to stop");
    if (text != "1'234'567.89") throw std::logic_error("another number: " + text);
    return text;
}

}  // namespace

CURFEW_PLUGIN(plugin) { plugin.handle<work>("org.example.stranger.work"); }
