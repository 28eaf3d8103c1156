/* SPDX-License-Identifier: Apache-2.0 */
#include "cweb.h"

/* #embed is C23; clang warns where an older standard is asked for. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t actions_js[] = {
#embed "page/actions.js"
};
static const uint8_t announce_js[] = {
#embed "page/announce.js"
};
static const uint8_t api_js[] = {
#embed "page/api.js"
};
static const uint8_t app_js[] = {
#embed "page/app.js"
};
static const uint8_t charts_js[] = {
#embed "page/charts.js"
};
static const uint8_t command_js[] = {
#embed "page/command.js"
};
static const uint8_t connection_js[] = {
#embed "page/connection.js"
};
static const uint8_t dialog_js[] = {
#embed "page/dialog.js"
};
static const uint8_t dom_js[] = {
#embed "page/dom.js"
};
static const uint8_t events_js[] = {
#embed "page/events.js"
};
static const uint8_t factors_js[] = {
#embed "page/factors.js"
};
static const uint8_t filter_js[] = {
#embed "page/filter.js"
};
static const uint8_t format_js[] = {
#embed "page/format.js"
};
static const uint8_t gauge_js[] = {
#embed "page/gauge.js"
};
static const uint8_t handler_js[] = {
#embed "page/handler.js"
};
static const uint8_t handlers_js[] = {
#embed "page/handlers.js"
};
static const uint8_t health_js[] = {
#embed "page/health.js"
};
static const uint8_t hosts_js[] = {
#embed "page/hosts.js"
};
static const uint8_t index_html[] = {
#embed "page/index.html"
};
static const uint8_t keys_js[] = {
#embed "page/keys.js"
};
static const uint8_t marks_js[] = {
#embed "page/marks.js"
};
static const uint8_t overview_js[] = {
#embed "page/overview.js"
};
static const uint8_t page_css[] = {
#embed "page/page.css"
};
static const uint8_t parts_js[] = {
#embed "page/parts.js"
};
static const uint8_t plugins_js[] = {
#embed "page/plugins.js"
};
static const uint8_t request_js[] = {
#embed "page/request.js"
};
static const uint8_t requests_js[] = {
#embed "page/requests.js"
};
static const uint8_t router_js[] = {
#embed "page/router.js"
};
static const uint8_t rule_js[] = {
#embed "page/rule.js"
};
static const uint8_t schedules_js[] = {
#embed "page/schedules.js"
};
static const uint8_t series_js[] = {
#embed "page/series.js"
};
static const uint8_t settings_js[] = {
#embed "page/settings.js"
};
static const uint8_t stage_js[] = {
#embed "page/stage.js"
};
static const uint8_t text_js[] = {
#embed "page/text.js"
};
static const uint8_t time_js[] = {
#embed "page/time.js"
};

#define FILE(name, type, bytes) {name, type, bytes, sizeof bytes}
#define HTML "text/html; charset=utf-8"
#define CSS "text/css; charset=utf-8"
#define JS "text/javascript; charset=utf-8"

static const cweb_file files[] = {
    FILE("actions.js", JS, actions_js),
    FILE("announce.js", JS, announce_js),
    FILE("api.js", JS, api_js),
    FILE("app.js", JS, app_js),
    FILE("charts.js", JS, charts_js),
    FILE("command.js", JS, command_js),
    FILE("connection.js", JS, connection_js),
    FILE("dialog.js", JS, dialog_js),
    FILE("dom.js", JS, dom_js),
    FILE("events.js", JS, events_js),
    FILE("factors.js", JS, factors_js),
    FILE("filter.js", JS, filter_js),
    FILE("format.js", JS, format_js),
    FILE("gauge.js", JS, gauge_js),
    FILE("handler.js", JS, handler_js),
    FILE("handlers.js", JS, handlers_js),
    FILE("health.js", JS, health_js),
    FILE("hosts.js", JS, hosts_js),
    FILE("index.html", HTML, index_html),
    FILE("keys.js", JS, keys_js),
    FILE("marks.js", JS, marks_js),
    FILE("overview.js", JS, overview_js),
    FILE("page.css", CSS, page_css),
    FILE("parts.js", JS, parts_js),
    FILE("plugins.js", JS, plugins_js),
    FILE("request.js", JS, request_js),
    FILE("requests.js", JS, requests_js),
    FILE("router.js", JS, router_js),
    FILE("rule.js", JS, rule_js),
    FILE("schedules.js", JS, schedules_js),
    FILE("series.js", JS, series_js),
    FILE("settings.js", JS, settings_js),
    FILE("stage.js", JS, stage_js),
    FILE("text.js", JS, text_js),
    FILE("time.js", JS, time_js),
};

const cweb_file *cweb_files(uint64_t *count) {
    *count = sizeof files / sizeof files[0];
    return files;
}
