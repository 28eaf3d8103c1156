/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curfew/factors.h: see why a request is not launched, and influence what decides it: the factors
 * of the machine, the user's settings, the day's budget. The functions return the same common
 * statuses as those of requests.h.
 */
#ifndef CURFEW_FACTORS_H
#define CURFEW_FACTORS_H

#include "requests.h"
#include "types.h"

CURFEW_BEGIN_DECLS

/* --- Reports ------------------------------------------------------------------------------- */

/* Whether a factor allows a launch. */
typedef int32_t curfew_factor_value;
enum {
    CURFEW_FACTOR_VALUE_NO = 0,
    CURFEW_FACTOR_VALUE_YES = 1,
    CURFEW_FACTOR_VALUE_UNKNOWN = 2 /* no source knows; it allows unless the policy says otherwise */
};

/* A factor that decides whether a request is launched. New ones may come. */
typedef int32_t curfew_factor;
enum {
    /* Of the machine; these can be overridden. */
    CURFEW_FACTOR_EXTERNAL_POWER = 1,
    CURFEW_FACTOR_BATTERY = 2,
    CURFEW_FACTOR_LOW_POWER_MODE = 3,
    CURFEW_FACTOR_THERMAL = 4,
    CURFEW_FACTOR_NETWORK = 5,
    CURFEW_FACTOR_PRESSURE = 6,
    CURFEW_FACTOR_IDLE = 7,
    CURFEW_FACTOR_FIRST_UNLOCK = 8,
    /* Of the handler. */
    CURFEW_FACTOR_REFRESH_SETTING = 20,
    CURFEW_FACTOR_ENABLEMENT = 21,
    CURFEW_FACTOR_USAGE = 22,
    CURFEW_FACTOR_LAUNCH_RATE = 23,
    CURFEW_FACTOR_HANDLER = 24,
    CURFEW_FACTOR_CONCURRENCY = 25,
    /* Of the host. */
    CURFEW_FACTOR_DAY_BUDGET = 40,
    CURFEW_FACTOR_PLACE = 41,
    CURFEW_FACTOR_STORE = 42,
    CURFEW_FACTOR_HOST = 43,
    /* Of the request. */
    CURFEW_FACTOR_DATE = 60,
    CURFEW_FACTOR_PARKED = 61
};

/* The value of one factor, and its source. In an array as curfew_request_state. */
typedef struct curfew_factor_report {
    uint32_t struct_size; /* set by the caller */
    curfew_factor factor;
    curfew_factor_value value;
    bool holds;           /* the request waits for it */
    uint8_t reserved[3];
    int64_t since_ns;     /* 0: not known */
    int64_t until_ns;     /* the date on which it will allow the launch; 0: not known, or it does */
    char name[32];        /* "external-power" */
    char source[128];     /* where the value comes from */
    char detail[256];     /* in words */
    char change[128];     /* what would change it; "" where it allows the launch */
} curfew_factor_report;

/*
 * Explains why a request is not launched: lists every factor, those that it waits for first.
 * *out_count is the number of elements written, at most `capacity`; 32 are enough for a while.
 * *out_earliest_ns is the earliest date of the launch, or 0 where a factor has none. Returns
 * CURFEW_OK, CURFEW_TOO_LARGE (more factors than `capacity`), CURFEW_NOT_FOUND or CURFEW_INVALID.
 */
curfew_status curfew_host_explain_request(curfew_host *host, curfew_request request,
                                          curfew_factor_report *out_reports, uint32_t capacity,
                                          uint32_t *out_count,
                                          int64_t *CURFEW_NULLABLE out_earliest_ns,
                                          curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* Explains whether a request would be launched that is submitted with these options, of which kind,
 * needs and priority count. Returns as curfew_host_explain_request. */
curfew_status curfew_host_explain_submit(curfew_host *host, const char *identifier,
                                         const curfew_submit_options *CURFEW_NULLABLE options,
                                         curfew_factor_report *out_reports, uint32_t capacity,
                                         uint32_t *out_count,
                                         int64_t *CURFEW_NULLABLE out_earliest_ns,
                                         curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* --- Factors of the machine ---------------------------------------------------------------- */

/* Fills *out_report for a factor of the machine; asks its sources unless they were asked lately.
 * `holds` is false and `change` empty. A change raises the event `curfew_factor::` (text name,
 * int32 value) where it has a subscription by that name, for which the sources are asked also while
 * no request waits. Returns CURFEW_OK or CURFEW_INVALID (not a factor of the machine). */
curfew_status curfew_host_get_factor(curfew_host *host, curfew_factor factor,
                                     curfew_factor_report *out_report,
                                     curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

/* Overrides a factor of the machine at once, whatever its sources report. Keeps at most 255 bytes
 * of `detail`; NULL: "set by hand". Returns CURFEW_OK or CURFEW_INVALID (not a factor of the
 * machine, or not a value). */
curfew_status curfew_host_override_factor(curfew_host *host, curfew_factor factor,
                                          curfew_factor_value value,
                                          const char *CURFEW_NULLABLE detail,
                                          curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* Ends an override: the sources count again. Returns CURFEW_OK or CURFEW_INVALID. */
curfew_status curfew_host_clear_factor_override(curfew_host *host, curfew_factor factor,
                                                curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* Reports the value of a factor, for a source of the embedder's. A change counts after it has
 * lasted for debounce_ns of curfew_request_config. Keeps at most 127 bytes of `source` (NULL:
 * "embedder") and 255 of `detail` (NULL: ""). Returns as curfew_host_override_factor. */
curfew_status curfew_host_report_factor(curfew_host *host, curfew_factor factor,
                                        curfew_factor_value value, const char *CURFEW_NULLABLE source,
                                        const char *CURFEW_NULLABLE detail,
                                        curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* --- Settings and budgets ------------------------------------------------------------------ */

/* The user's setting for background refresh. */
typedef int32_t curfew_refresh;
enum {
    CURFEW_REFRESH_AVAILABLE = 1,
    CURFEW_REFRESH_DENIED = 2,    /* turned off by the user */
    CURFEW_REFRESH_RESTRICTED = 3 /* turned off by the administrator */
};

/* The user's setting for a handler. */
typedef int32_t curfew_enablement;
enum {
    CURFEW_ENABLEMENT_ENABLED = 1,
    CURFEW_ENABLEMENT_SUSPENDED = 2,
    CURFEW_ENABLEMENT_REMOVED = 3
};

/* Sets the settings of an identifier; with NULL of a plugin, by its id; with both NULL of all. The
 * strictest of those that apply counts. Kept in the store. Returns CURFEW_OK or CURFEW_INVALID: the
 * name is no reverse-DNS name of at most 128 bytes, or 4,096 others have settings. */
curfew_status curfew_host_set_setting(curfew_host *host, const char *CURFEW_NULLABLE plugin,
                                      const char *CURFEW_NULLABLE identifier,
                                      curfew_refresh refresh, curfew_enablement enablement,
                                      curfew_error *CURFEW_NULLABLE error) CURFEW_TAG(any, open);

/* Reports that the app is being used now; the host learns its hours from this. Returns CURFEW_OK.
 * */
curfew_status curfew_host_report_usage(curfew_host *host, curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* The rest of a day's budget. */
typedef struct curfew_day_balance {
    uint32_t struct_size; /* set by the caller */
    bool limits_launches; /* there is a limit */
    bool limits_wall;
    bool limits_cpu;
    uint8_t reserved;
    uint64_t launches;
    uint64_t wall_ns;
    uint64_t cpu_ns;
} curfew_day_balance;

/* Fills *out_balance. Returns CURFEW_OK or CURFEW_INVALID. */
curfew_status curfew_host_get_day_balance(curfew_host *host, curfew_day_balance *out_balance,
                                          curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* --- Simulation ---------------------------------------------------------------------------- */

/* Launches the pending request of an identifier at once, whatever it waits for, and logs the lines
 * that Apple's debugger command prints. Returns CURFEW_OK, CURFEW_INVALID, CURFEW_NOT_FOUND (none is
 * pending) or CURFEW_ALREADY (its task runs). */
curfew_status curfew_host_simulate_launch(curfew_host *host, const char *identifier,
                                          curfew_request *CURFEW_NULLABLE out_request,
                                          curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

/* Ends the budget of a task that curfew_host_simulate_launch has launched. Returns CURFEW_OK,
 * CURFEW_INVALID, CURFEW_NOT_FOUND (none runs) or CURFEW_ALREADY (it was told to stop before). */
curfew_status curfew_host_simulate_expiration(curfew_host *host, const char *identifier,
                                              curfew_error *CURFEW_NULLABLE error)
    CURFEW_TAG(any, open);

CURFEW_END_DECLS

#endif /* CURFEW_FACTORS_H */
