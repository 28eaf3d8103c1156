/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 * flags: -I/usr/include/libxml2 -lxml2
 *
 * Parses a document in memory with libxml2 and asks it with XPath; also tries to parse its
 * payload, quietly. It does not call xmlCleanupParser, which would take the library from others
 * in the process.
 */
#include "stranger.h"

#include <libxml/parser.h>
#include <libxml/xpath.h>

CURFEW_PLUGIN_NOTE();

static const char list[] = "<list><item>1</item><item>2</item><other/></list>";

static curfew_status work(const curfew_task_info *about, curfew_error *err) {
    const int quiet = XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NONET;
    xmlDocPtr document = xmlReadMemory(list, sizeof list - 1, "list.xml", NULL, quiet);
    if (document == NULL)
        return failed(err, "the document is not well-formed");
    int items = 0;
    xmlXPathContextPtr context = xmlXPathNewContext(document);
    xmlXPathObjectPtr found =
        context ? xmlXPathEvalExpression((const xmlChar *)"//item", context) : NULL;
    if (found != NULL && found->nodesetval != NULL)
        items = found->nodesetval->nodeNr;
    xmlXPathFreeObject(found);
    xmlXPathFreeContext(context);
    xmlFreeDoc(document);

    int count = about->payload_bytes < 100000 ? (int)about->payload_bytes : 100000;
    if (count > 0)
        xmlFreeDoc(xmlReadMemory(about->payload, count, "payload.xml", NULL, quiet));
    xmlResetLastError();
    return items == 2 ? CURFEW_OK : failed(err, "not two items");
}

static curfew_status run(void *data, const curfew_host_api *host, curfew_task id,
                         curfew_error *err) {
    curfew_task_info about;
    (void)data;
    memset(&about, 0, sizeof about);
    about.struct_size = sizeof about;
    if (host->task_info(host, id, &about) != CURFEW_OK)
        return failed(err, "the host does not know this task");
    if (payload_is(&about, "fail"))
        return failed(err, "the payload wants a failure");
    if (payload_is(&about, "slow")) {
        while (host->remaining_ns(host, id) > 0)
            pause_ms(2);
        return failed(err, "stopped before the end");
    }
    return work(&about, err);
}

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *host,
                                                       curfew_plugin_info *plugin,
                                                       curfew_error *err) {
    (void)plugin;
    curfew_handler handler;
    memset(&handler, 0, sizeof handler);
    handler.struct_size = sizeof handler;
    handler.identifier = "org.example.stranger.work";
    handler.run = run;
    return host->register_handler(host, &handler, err);
}
