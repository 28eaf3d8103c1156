/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FEED_XML_H
#define FEED_XML_H

#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/tree.h>
#include <libxml/uri.h>
#include <libxml/xmlerror.h>

/* xmlFree is a variable, which Swift takes for shared state. */
static inline void feed_xml_free(void *memory) { xmlFree(memory); }

#endif /* FEED_XML_H */
