/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 *
 * Computes digests in small steps with libcrypto, in a library context of its own that it frees.
 *
 * flags: -lcrypto
 */
#include "stranger.h"

#include <openssl/err.h>
#include <openssl/evp.h>

CURFEW_PLUGIN_NOTE();

static const char *digest(unsigned char *out, unsigned *bytes, const curfew_task_info *info) {
    OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
    if (library == NULL) return "no context of the library";
    const char *fault = NULL;
    EVP_MD *method = EVP_MD_fetch(library, "SHA2-256", NULL);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (method == NULL || context == NULL || EVP_DigestInit_ex2(context, method, NULL) != 1 ||
        (info->payload_bytes > 0 &&
         EVP_DigestUpdate(context, info->payload, info->payload_bytes) != 1) ||
        EVP_DigestFinal_ex(context, out, bytes) != 1)
        fault = "no digest";
    EVP_MD_CTX_free(context);
    EVP_MD_free(method);
    OSSL_LIB_CTX_free(library);
    ERR_clear_error();
    return fault;
}

static curfew_status run(void *data, const curfew_host_api *api, curfew_task task,
                         curfew_error *error) {
    (void)data;
    curfew_task_info info = {.struct_size = sizeof info};
    if (api->task_info(api, task, &info) != CURFEW_OK) return failed(error, "the task is unknown");
    if (payload_is(&info, "fail")) return failed(error, "the payload asks for a failure");
    const bool slow = payload_is(&info, "slow");
    (void)slow;
    unsigned char sum[EVP_MAX_MD_SIZE];
    unsigned bytes = 0;
    do {
        const char *fault = digest(sum, &bytes, &info);
        if (fault != NULL) return failed(error, fault);
        if (slow) pause_ms(10);
    } while (slow && !api->is_expired(api, task));
    if (slow) return failed(error, "told to stop");
    const curfew_status answer = api->complete(api, task, CURFEW_OK, NULL, 0, sum, bytes);
    return answer == CURFEW_EXHAUSTED ? failed(error, "the host did not take the result") : CURFEW_OK;
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
