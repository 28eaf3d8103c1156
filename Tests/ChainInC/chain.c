/* SPDX-License-Identifier: Apache-2.0 */
#include "chain.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct chain {
    curfew_host *host;
    curfew_target me;
    chain_form form;
    /* A variable of the whole process there: one for all tasks of a type. */
    atomic_bool is_app_refresh_task_expired;
    atomic_bool has_expiration_handler;
    curfew_resumable registering;
    curfew_task task;
    char notes[4096];
};

static void note(chain *module, const char *text, const char *more) {
    size_t used = strlen(module->notes);
    snprintf(module->notes + used, sizeof module->notes - used, "%s%s%s", used ? ", " : "", text,
             more);
}

static curfew_value text_value(const char *text) {
    curfew_value value = {.struct_size = sizeof value, .type = CURFEW_TYPE_TEXT};
    value.text = text;
    value.text_bytes = strlen(text);
    return value;
}

static curfew_value bool_value(bool flag) {
    curfew_value value = {.struct_size = sizeof value, .type = CURFEW_TYPE_BOOL, .integer = flag};
    return value;
}

/* CallSubDelayed(Me, "BackgroundAppRefreshTask_Done") */
static void call_done(chain *module) {
    curfew_target_call_delayed(module->host, module->me, "BackgroundAppRefreshTask_Done", NULL, 0,
                               NULL);
}

/* --- Private Sub DoBackgroundAppRefreshTask ------------------------------------------------- */

/* After Sleep(10). */
static void do_slept(void *data, curfew_status status, const curfew_target_event *event) {
    chain *module = data;
    (void)event;
    if (status != CURFEW_OK) {
        note(module, "do ended: ", curfew_status_text(status));
        return;
    }
    if (!module->is_app_refresh_task_expired) call_done(module);
    note(module, "did", "");
}

static void do_background_app_refresh_task(chain *module) {
    note(module, "do", "");
    curfew_target_sleep(module->host, module->me, 10000000, do_slept, module, NULL, NULL);
}

/* --- Private Sub BackgroundAppRefreshTask_Controller (AppRefreshTask As Object) ------------- */

/* After Wait For BackgroundAppRefreshTask_Done. */
static void controller_resumed(void *data, curfew_status status, const curfew_target_event *event) {
    chain *module = data;
    (void)event;
    if (status != CURFEW_OK) {
        note(module, "controller ended: ", curfew_status_text(status));
        return;
    }
    const curfew_host_api *api = curfew_host_get_api(module->host);
    bool expired = module->is_app_refresh_task_expired;
    curfew_status verdict = api->complete(
        api, module->task, expired ? CURFEW_FAILED : CURFEW_OK, NULL, 0, NULL, 0);
    note(module, expired ? "completed False: " : "completed True: ", curfew_status_text(verdict));
}

static curfew_status controller(void *data, const curfew_target_event *event, curfew_value *out,
                                curfew_error *error) {
    chain *module = data;
    (void)out;
    module->task = (curfew_task)event->values[0].integer;
    module->is_app_refresh_task_expired = false;
    do_background_app_refresh_task(module);
    return curfew_target_wait_for(module->host, module->me, "BackgroundAppRefreshTask_Done", NULL,
                                  controller_resumed, module, NULL, error);
}

/* --- Private Sub BackgroundAppRefreshTask_Expired ------------------------------------------- */

static void expired(chain *module) {
    module->is_app_refresh_task_expired = true;
    note(module, "expired", "");
    call_done(module);
}

/* --- Private Sub BackgroundAppRefreshTask_Done (Success As Boolean, Error As String) --------- */

static curfew_status done(void *data, const curfew_target_event *event, curfew_value *out,
                          curfew_error *error) {
    chain *module = data;
    (void)out;
    (void)error;
    note(module, event->values[0].integer ? "done True" : "done False ", event->values[1].text);
    curfew_host_resume_handler(module->host, CHAIN_IDENTIFIER, NULL);
    return CURFEW_OK;
}

/* --- The inline code ------------------------------------------------------------------------ */

static void schedule_natively(chain *module) {
    curfew_value values[2] = {bool_value(true), text_value("")};
    curfew_target_post(module->host, module->me, "schedulingbackgroundapprefreshtask_done::",
                       values, 2, NULL, NULL);
}

static curfew_status handle(void *data, const curfew_host_api *api, curfew_task task,
                            curfew_error *error) {
    chain *module = data;
    (void)api;
    (void)error;
    /* One flag serves all tasks of a type, so the next one waits until this one is over; a task that
     * is pending has given its place back. */
    curfew_host_pause_handler(module->host, CHAIN_IDENTIFIER, NULL);
    schedule_natively(module);
    if (module->form == CHAIN_NO_CONTROLLER) {
        expired(module); /* @catch */
        return CURFEW_PENDING;
    }
    curfew_value value = {.struct_size = sizeof value, .type = CURFEW_TYPE_INT64};
    value.integer = (int64_t)task;
    curfew_target_post(module->host, module->me, "backgroundapprefreshtask_controller:", &value, 1,
                       NULL, NULL);
    if (module->form == CHAIN_WHOLE) module->has_expiration_handler = true;
    return CURFEW_PENDING;
}

static void expiration(void *data, const curfew_host_api *api, curfew_task task,
                       curfew_reason reason) {
    chain *module = data;
    (void)api;
    (void)task;
    (void)reason;
    if (module->has_expiration_handler) expired(module);
}

static void register_natively(chain *module) {
    curfew_handler handler = {.struct_size = sizeof handler, .identifier = CHAIN_IDENTIFIER};
    handler.handler_data = module;
    handler.run = handle;
    handler.expired = expiration;
    curfew_handler_options options = {.struct_size = sizeof options};
    options.event = "backgroundapprefreshtask";
    curfew_error error = {.struct_size = sizeof error};
    if (curfew_host_register_handler(module->host, &handler, &options, &error) == CURFEW_OK) return;
    curfew_value values[2] = {bool_value(false), text_value(error.message)};
    curfew_target_post(module->host, module->me, "registeringbackgroundapprefreshtask_done::",
                       values, 2, NULL, NULL);
}

/* --- Private Sub RegisterBackgroundAppRefreshTask As ResumableSub --------------------------- */

/* After Wait For RegisteringBackgroundAppRefreshTask_Done (Success As Boolean, Error As String) */
static void registered(void *data, curfew_status status, const curfew_target_event *event) {
    chain *module = data;
    curfew_value result =
        status == CURFEW_OK ? event->values[1] : text_value(curfew_status_text(status));
    curfew_target_finish_resumable(module->host, module->me, module->registering, &result, NULL);
}

static void register_completed(void *data, curfew_status status, const curfew_target_event *event) {
    chain *module = data;
    if (status == CURFEW_OK) {
        const char *text = event->values[0].text;
        note(module, *text ? "registered: " : "registered", text);
    } else {
        note(module, "not registered: ", curfew_status_text(status));
    }
}

curfew_status chain_register(chain *module) {
    curfew_status status =
        curfew_target_begin_resumable(module->host, module->me, &module->registering, NULL);
    if (status != CURFEW_OK) return status;
    register_natively(module);
    status = curfew_target_wait_for(module->host, module->me,
                                    "RegisteringBackgroundAppRefreshTask_Done::", NULL, registered,
                                    module, NULL, NULL);
    if (status != CURFEW_OK) return status;
    return curfew_target_wait_for_resumable(module->host, module->me, module->registering, NULL,
                                  register_completed, module, NULL, NULL);
}

/* --- The module ----------------------------------------------------------------------------- */

chain *chain_make(curfew_host *host, chain_form form) {
    chain *module = calloc(1, sizeof *module);
    if (!module) return NULL;
    module->host = host;
    module->form = form;
    curfew_target_options options = {.struct_size = sizeof options, .takes_host_events = true};
    if (curfew_target_create(host, "main", &options, &module->me, NULL) != CURFEW_OK ||
        curfew_target_add_sub(host, module->me, "BackgroundAppRefreshTask_Controller:", controller,
                              module, NULL) != CURFEW_OK ||
        curfew_target_add_sub(host, module->me, "BackgroundAppRefreshTask_Done::", done, module,
                              NULL) != CURFEW_OK) {
        free(module);
        return NULL;
    }
    return module;
}

void chain_free(chain *module) { free(module); }

const char *chain_notes(const chain *module) { return module->notes; }

curfew_target chain_target(const chain *module) { return module->me; }
