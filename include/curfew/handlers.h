/* SPDX-License-Identifier: Apache-2.0 */
/* curfew/handlers.h: register the embedder's own handlers; list, pause and release all handlers. */
#ifndef CURFEW_HANDLERS_H
#define CURFEW_HANDLERS_H

#include "plugin.h"
#include "types.h"

CURFEW_BEGIN_DECLS

/* The options of a handler of the embedder's own. 0 means the default; a manifest has the same
 * keys, but must name the kind. */
typedef struct curfew_handler_options {
    uint32_t struct_size;
    curfew_kind kind;                   /* default: CURFEW_KIND_APP_REFRESH */
    uint64_t budget_ns;                 /* 1 ms…24 h; default: by kind, 30 s or 10 min */
    uint64_t grace_ns;                  /* at most 10 min; default: 5 s */
    uint32_t max_concurrency;           /* 1…64; default: 1 */
    uint32_t max_in_store;              /* 1…10,000 tasks of its requests at a time in all hosts of a
                                           store; default: 1 where max_concurrency is 1, else any */
    const char *CURFEW_NULLABLE event;  /* default: the identifier's last component */
    /* More events that its tasks may raise, each as "name(bool,text)", with the types of
     * curfew_type; an array that ends with NULL. Default: none. */
    const char *CURFEW_NULLABLE const *CURFEW_NULLABLE events;
    curfew_lease_loss on_lease_lost; /* default: CURFEW_LEASE_LOSS_STOP */
    uint32_t reserved;               /* 0 */
} curfew_handler_options;

/*
 * Registers a handler of the embedder's own, which is treated like a plugin's. Its functions must
 * stay valid until the host is destroyed. Raises `registering<event>_done(bool, text)`. Returns
 * CURFEW_OK, CURFEW_EXISTS, CURFEW_DENIED (it is not permitted), CURFEW_INVALID or CURFEW_CLOSING.
 */
curfew_status curfew_host_register_handler(curfew_host *host, const curfew_handler *handler,
                                           const curfew_handler_options *CURFEW_NULLABLE options,
                                           curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* The state of a handler. The texts are the host's, valid until it is destroyed. */
typedef struct curfew_handler_state {
    uint32_t struct_size; /* set by the caller */
    curfew_kind kind;
    const char *identifier;
    const char *plugin; /* the plugin's id, "" for the embedder's own */
    const char *event;  /* the base of its events' names */
    uint64_t budget_ns;
    uint64_t grace_ns;
    uint32_t max_concurrency;
    uint32_t queued;
    uint32_t active;      /* of max_concurrency: functions that have not returned */
    uint32_t lost;        /* workers that are lost and have not returned */
    bool paused;
    bool quarantined;
    uint8_t reserved[6];
    const char *quarantine_reason; /* or "" */
    uint64_t launched;
    uint64_t ended[8]; /* by CURFEW_OUTCOME_ constant */
} curfew_handler_state;

/* Returns the number of registered handlers. Indices never change. */
uint32_t curfew_host_get_handler_count(curfew_host *host) CURFEW_TAG(any, any);

/* Fills *out_state for the handler at `index`. Returns CURFEW_OK, CURFEW_NOT_FOUND or
 * CURFEW_INVALID. */
curfew_status curfew_host_get_handler(curfew_host *host, uint32_t index,
                                      curfew_handler_state *out_state,
                                      curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/* Finds the index of a handler, with which a launch needs no look-up. Returns CURFEW_OK,
 * CURFEW_NOT_FOUND or CURFEW_INVALID. */
curfew_status curfew_host_find_handler(curfew_host *host, const char *identifier,
                                       uint32_t *out_index, curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, any);

/* Stops starting tasks of a handler, or of all when identifier is NULL. Its tasks wait in their
 * queue; running ones go on. Returns CURFEW_OK or CURFEW_NOT_FOUND. */
curfew_status curfew_host_pause_handler(curfew_host *host, const char *CURFEW_NULLABLE identifier,
                                        curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/* Starts tasks again after curfew_host_pause_handler. Returns CURFEW_OK or CURFEW_NOT_FOUND. */
curfew_status curfew_host_resume_handler(curfew_host *host, const char *CURFEW_NULLABLE identifier,
                                         curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, any);

/* Releases a handler from quarantine, in which it is since a worker that ran it was lost, or since the
 * process of its plugin ended again and again: then all handlers of the plugin are released. Returns
 * CURFEW_OK, also where it is not quarantined, CURFEW_NOT_FOUND or CURFEW_INVALID. */
curfew_status curfew_host_release_handler(curfew_host *host, const char *identifier,
                                          curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, any);

CURFEW_END_DECLS

#endif /* CURFEW_HANDLERS_H */
