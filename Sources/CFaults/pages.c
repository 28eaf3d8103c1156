/* SPDX-License-Identifier: Apache-2.0 */
#include "cfaults.h"

/* #embed is C23; clang warns where an older standard is asked for. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t status_codes[] = {
#embed "../../Documentation/codes/status-codes.md"
};
static const uint8_t manifest_syntax[] = {
#embed "../../Documentation/codes/manifest-syntax.md"
};
static const uint8_t manifest_values[] = {
#embed "../../Documentation/codes/manifest-values.md"
};
static const uint8_t loading[] = {
#embed "../../Documentation/codes/loading.md"
};
static const uint8_t permitted_handlers[] = {
#embed "../../Documentation/codes/permitted-handlers.md"
};
static const uint8_t configuration[] = {
#embed "../../Documentation/codes/configuration.md"
};
static const uint8_t plugin_contract[] = {
#embed "../../Documentation/codes/plugin-contract.md"
};
static const uint8_t conformance[] = {
#embed "../../Documentation/codes/conformance.md"
};

static const cfaults_page pages[] = {
    {status_codes, sizeof status_codes},
    {manifest_syntax, sizeof manifest_syntax},
    {manifest_values, sizeof manifest_values},
    {loading, sizeof loading},
    {permitted_handlers, sizeof permitted_handlers},
    {configuration, sizeof configuration},
    {plugin_contract, sizeof plugin_contract},
    {conformance, sizeof conformance},
};

const cfaults_page *cfaults_pages(uint64_t *count) {
    *count = sizeof pages / sizeof pages[0];
    return pages;
}
