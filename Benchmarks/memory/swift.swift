// SPDX-License-Identifier: Apache-2.0
// What a small Swift program takes of memory: it reads what the kernel says of it, and prints that.
import Glibc

guard let file = fopen("/proc/self/smaps_rollup", "re") else { exit(1) }
let names = ["Rss:": "idle_kib", "Pss:": "pss_kib", "Anonymous:": "anonymous_kib"]
var line = [CChar](repeating: 0, count: 256)
while fgets(&line, Int32(line.count), file) != nil {
    let words = String(cString: line).split(separator: " ")
    if let first = words.first, let name = names[String(first)] { print(name, words[1]) }
}
