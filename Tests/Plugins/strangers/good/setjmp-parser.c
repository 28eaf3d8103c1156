/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Evaluates expressions with a recursive parser that gives up with longjmp, in memory from
 * alloca.
 */
#include "stranger.h"

#include <alloca.h>
#include <ctype.h>
#include <setjmp.h>

CURFEW_PLUGIN_NOTE();

struct parser {
    const char *at;
    jmp_buf out;
    int depth;
};

static long sum(struct parser *parser);

static long factor(struct parser *parser) {
    if (++parser->depth > 40) longjmp(parser->out, 2);
    long value;
    if (*parser->at == '(') {
        parser->at++;
        value = sum(parser);
        if (*parser->at++ != ')') longjmp(parser->out, 1);
    } else {
        if (!isdigit((unsigned char)*parser->at)) longjmp(parser->out, 1);
        value = strtol(parser->at, (char **)&parser->at, 10);
    }
    parser->depth--;
    return value;
}

static long sum(struct parser *parser) {
    long value = factor(parser);
    while (*parser->at == '+' || *parser->at == '*') {
        const char operation = *parser->at++;
        const long right = factor(parser);
        value = operation == '+' ? value + right : value * right;
    }
    return value;
}

__attribute__((noinline)) static int evaluate(const char *text, long *result) {
    char *copy = alloca(strlen(text) + 1);
    strcpy(copy, text);
    struct parser parser = {.at = copy};
    const int fault = setjmp(parser.out);
    if (fault != 0) return fault;
    *result = sum(&parser);
    return *parser.at == 0 ? 0 : 1;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    do {
        long value = 0;
        char deep[61];
        memset(deep, '(', 60);
        deep[60] = 0;
        if (evaluate("(1+2)*(3+4)", &value) != 0 || value != 21) return failed(error, "a wrong value");
        if (evaluate("1+", &value) != 1 || evaluate(deep, &value) != 2)
            return failed(error, "a fault was not found");
        if (slow) pause_ms(1);
    } while (slow && !api->is_expired(api, task));
    return slow ? failed(error, "told to stop") : CURFEW_OK;
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    (void)host_info;
    const curfew_handler handler = {.struct_size = sizeof handler,
                                    .identifier = "org.example.stranger.work",
                                    .run = run};
    return api->register_handler(api, &handler, host_error);
}
