/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong: tells another id than its manifest
 */
#define TWIN_ID "org.example.other"
#include "twin.h"
