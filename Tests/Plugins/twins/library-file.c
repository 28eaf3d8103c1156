/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: is pinned by the digest of another library in its manifest
 */
#include "twin.h"
