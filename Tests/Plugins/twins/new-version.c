/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: does nothing while another version of it is loaded, retired or not
 */
#include <link.h>
#include <string.h>

static int twin_count(struct dl_phdr_info *info, size_t bytes, void *count) {
    (void)bytes;
    *(int *)count += strstr(info->dlpi_name, "/libtwin.so") != NULL;
    return 0;
}

static int twin_versions(void) {
    int count = 0;
    dl_iterate_phdr(twin_count, &count);
    return count;
}

#define TWIN_IF_PLAIN \
    if (twin_versions() > 1) return twin_no(host_error, CURFEW_BUSY, "there is another version");
#include "twin.h"
