/* SPDX-License-Identifier: Apache-2.0 */
/*
 * says: nothing
 * flags: -I/usr/include/luajit-2.1 -lluajit-5.1
 *
 * Runs a script in a LuaJIT state of its own for each task, with a hook that stops it when the
 * task should stop, and closes the state.
 */
#include "stranger.h"

#include <lauxlib.h>
#include <luajit.h>
#include <lualib.h>

CURFEW_PLUGIN_NOTE();

struct place {
    const curfew_host_api *api;
    curfew_task task;
};

static void look(lua_State *lua, lua_Debug *where) {
    (void)where;
    lua_getfield(lua, LUA_REGISTRYINDEX, "place");
    const struct place *place = lua_touserdata(lua, -1);
    lua_pop(lua, 1);
    if (place->api->is_expired(place->api, place->task)) luaL_error(lua, "told to stop");
}

static curfew_status work(const curfew_host_api *api, curfew_task task, curfew_error *host_error) {
    lua_State *lua = luaL_newstate();
    if (lua == NULL) return failed(host_error, "no memory for Lua");
    luaJIT_setmode(lua, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_OFF);
    luaL_openlibs(lua);
    struct place place = {api, task};
    lua_pushlightuserdata(lua, &place);
    lua_setfield(lua, LUA_REGISTRYINDEX, "place");
    lua_sethook(lua, look, LUA_MASKCOUNT, 1000);
    curfew_status status = CURFEW_OK;
    if (luaL_dostring(lua, "local s = 0 for i = 1, 5000 do s = s + i end return s") != 0)
        status = failed(host_error, lua_tostring(lua, -1));
    else if (lua_tonumber(lua, -1) != 12502500)
        status = failed(host_error, "Lua cannot add");
    lua_close(lua);
    return status;
}

static curfew_status wait_for_the_end(const curfew_host_api *api, curfew_task task,
                                      curfew_error *host_error) {
    while (!api->is_expired(api, task)) pause_ms(1);
    return failed(host_error, "interrupted");
}

static curfew_status run(void *unused, const curfew_host_api *api, curfew_task task,
                         curfew_error *host_error) {
    (void)unused;
    curfew_task_info input = {.struct_size = sizeof(curfew_task_info)};
    if (api->task_info(api, task, &input) != CURFEW_OK) return failed(host_error, "no such task");
    if (payload_is(&input, "slow")) return wait_for_the_end(api, task, host_error);
    return payload_is(&input, "fail") ? failed(host_error, "told to fail")
                                      : work(api, task, host_error);
}

static const curfew_handler the_handler = {
    .struct_size = sizeof(curfew_handler),
    .identifier = "org.example.stranger.work",
    .run = run,
};

CURFEW_PLUGIN_EXPORT curfew_status curfew_plugin_entry(const curfew_host_api *api,
                                                       curfew_plugin_info *host_info,
                                                       curfew_error *host_error) {
    host_info->abi = CURFEW_ABI_VERSION;
    return api->register_handler(api, &the_handler, host_error);
}
