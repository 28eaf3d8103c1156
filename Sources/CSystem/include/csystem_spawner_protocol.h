/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csystem_spawner_protocol.h: the frames between a host and its spawner. Host and curfew-child are two
 * files on disk, which an upgrade may replace one after the other; the greeting tells.
 */
#ifndef CSYSTEM_SPAWNER_PROTOCOL_H
#define CSYSTEM_SPAWNER_PROTOCOL_H

#include "csystem_children.h"

#include <stddef.h>

#define CSYS_SPAWNER_MAGIC UINT64_C(0x646c696863667263) /* "crfchild" */

/* Changes with the meaning of a frame; its layout is counted in by csys_layout_number. */
enum { csys_protocol = 2 };

enum { csys_request_stop = 1, csys_request_program = 2, csys_request_child = 3 };

/* The descriptors of a request that may be left out. */
enum csys_place {
    csys_place_input,
    csys_place_payload,
    csys_place_output,
    csys_place_errors,
    csys_place_library,
    csys_place_manifest,
    csys_place_down,
    csys_place_up,
    csys_place_socket,
    csys_place_cgroup,
    csys_place_count
};

/* With it, in this order: the control socket, the text, one descriptor for each bit of `places`, and
 * one for each rule. */
typedef struct csys_request {
    uint32_t kind;
    uint32_t places;
    csys_limits limits;
    uint32_t confines_files;
    uint32_t network;
    uint32_t masked;
    uint32_t is_alone; /* no other one follows: nothing is made ready for it */
    uint32_t rule_count;
    uint32_t port_count;
    uint8_t rights[csys_rules_max];
    uint16_t ports[csys_ports_max];
} csys_request;

enum { csys_descriptors_max = 2 + csys_place_count + csys_rules_max };

/* The text of a request, in a file: this, then strings. Offsets are those from its start; the
 * supervisor makes pointers of them. */
typedef struct csys_request_text {
    uint64_t arguments;   /* how many */
    uint64_t environment; /* how many */
    uint64_t path;        /* the offset of a string; 0: none */
    uint64_t directory;
    uint64_t words[]; /* the arguments, 0, the environment, 0 */
} csys_request_text;

/* A number (FNV-1a) for the layout of all of these. */
static inline uint32_t csys_layout_number(void) {
    const uint32_t parts[] = {
        csys_protocol,
        csys_place_count,
        csys_feature_count,
        sizeof(csys_request),
        offsetof(csys_request, limits),
        offsetof(csys_request, network),
        offsetof(csys_request, rights),
        offsetof(csys_request, ports),
        sizeof(csys_limits),
        sizeof(csys_request_text),
        sizeof(csys_child_report),
        offsetof(csys_child_report, user_ns),
        offsetof(csys_child_report, features),
        sizeof(csys_features),
    };
    uint32_t number = 2166136261U;
    for (size_t index = 0; index < sizeof parts / sizeof *parts; index++)
        number = (number ^ parts[index]) * 16777619U;
    return number;
}

#endif /* CSYSTEM_SPAWNER_PROTOCOL_H */
