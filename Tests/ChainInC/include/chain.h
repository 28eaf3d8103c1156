/* SPDX-License-Identifier: Apache-2.0 */
/* The chain of a tutorial for B4i in its resumable form, in C: what follows a pause there is a
 * continuation here. */
#ifndef CHAIN_H
#define CHAIN_H

#include <curfew/curfew.h>
#include <stdbool.h>

#define CHAIN_IDENTIFIER "com.yourcompany.apprefresh"

/* How the handler behaves. */
typedef enum chain_form {
    CHAIN_WHOLE,                 /* as it is written */
    CHAIN_NO_EXPIRATION_HANDLER, /* it has not come to setting it */
    CHAIN_NO_CONTROLLER          /* an exception came before a controller waited */
} chain_form;

typedef struct chain chain;

/* Makes the module, with its subs in a target of the host. NULL when that fails. */
chain *chain_make(curfew_host *host, chain_form form);

/* Frees the module, once its host is destroyed. */
void chain_free(chain *module);

/* Wait For (RegisterBackgroundAppRefreshTask) Complete (RegisteringStatus As String) */
curfew_status chain_register(chain *module);

/* What the subs have noted, with commas between. */
const char *chain_notes(const chain *module);

/* The target of the module. */
curfew_target chain_target(const chain *module);

#endif /* CHAIN_H */
