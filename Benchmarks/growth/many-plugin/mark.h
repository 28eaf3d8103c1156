/* SPDX-License-Identifier: Apache-2.0 */
/* mark.h: the identifier in many.c; its digits are what plugins.c replaces. */
#ifndef CURFEW_BENCH_MARK_H
#define CURFEW_BENCH_MARK_H

#define MANY_MARK "org.example.many.n000000"

#endif /* CURFEW_BENCH_MARK_H */
