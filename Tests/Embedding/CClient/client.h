/* SPDX-License-Identifier: Apache-2.0 */
#include <curfew/curfew.h>
#include <sqlite3.h>
#include <sys/epoll.h>
