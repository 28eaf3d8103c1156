-- SPDX-License-Identifier: Apache-2.0
-- Embeds Curfew in LuaJIT: two hosts at once, whose loops this program turns with poll.
--
--     luajit embedder.lua DECLARATIONS LIBRARY PLUGINS TEST_PLUGINS SCRATCH
--
-- The declarations are the headers as the C compiler sees them:
--
--     echo '#include <curfew/curfew.h>' | gcc -E -P $(pkg-config --cflags curfew) -xc -
--
-- What it does, and what it prints, is told in ../README.md.
--
-- Lua has one thread. A callback may come while a C function is called from here, and never from a
-- thread of Curfew's: so the loop is this program's own, and a log function is not set.
local ffi = require("ffi")

local declarations, library, plugins, test_plugins, scratch = unpack(arg)
local file = assert(io.open(declarations))
ffi.cdef(file:read("*a"))
file:close()
ffi.cdef([[
struct pollfd { int fd; short events; short revents; };
int poll(struct pollfd *fds, unsigned long count, int timeout);
]])
local curfew = ffi.load(library)
local POLLIN, LIMIT_MS = 1, 60000

-- A new struct that says how large it is.
local function sized(name, members)
    local made = ffi.new(name, members or {})
    made.struct_size = ffi.sizeof(name)
    return made
end

-- Calls what takes a curfew_error last; what it refuses is an error that is a table.
local function call(name, ...)
    local failure = sized("curfew_error")
    -- There may be a nil among the arguments, and their number counts.
    local count, arguments = select("#", ...), { ... }
    arguments[count + 1] = failure
    local status = curfew[name](unpack(arguments, 1, count + 1))
    if status ~= curfew.CURFEW_OK then
        error({ status = status, message = ffi.string(failure.message) })
    end
end

-- An id is a 64-bit number, which no Lua number can hold: a cdata, and two of the same value are two
-- keys of a table. Their texts are equal.
local function key(task)
    return tostring(task)
end

local Host = {}
Host.__index = Host

function Host.create(name)
    local self = setmetatable({ name = name, stories = {}, done = 0 }, Host)
    local made = ffi.new("curfew_host *[1]")
    call("curfew_host_create", sized("curfew_host_config", { manual_dispatch = true }), made)
    self.handle = made[0]
    -- Lua frees a callback that is not kept; an error must not leave it through C.
    self.callback = ffi.cast("curfew_event_function", function(_, event)
        local heard, failure = pcall(self.note, self, event)
        if not heard then self.failure = failure end
    end)
    call("curfew_host_observe", self.handle, nil, self.callback, nil, nil)
    return self
end

function Host:story(task)
    local story = self.stories[key(task)] or { progress = 0 }
    self.stories[key(task)] = story
    return story
end

function Host:note(event)
    if event.task == 0 then return end
    local selector, story = ffi.string(event.selector), self:story(event.task)
    if selector:find("_progress::$") then
        story.progress = math.max(story.progress, event.values[0].number)
    elseif selector:find("_expired$") then
        story.expired = true
    elseif selector:find("_done::$") then
        story.success = event.values[0].integer ~= 0
        story.text = ffi.string(event.values[1].text, tonumber(event.values[1].text_bytes))
        story.done = true
        self.done = self.done + 1
    end
end

function Host:dispatch()
    assert(curfew.curfew_host_dispatch(self.handle, 0, nil, nil) == curfew.CURFEW_OK)
    if self.failure then error(self.failure) end
end
-- A call that calls back must not be compiled, nor one that such a call is compiled into.
jit.off(Host.dispatch)

function Host:load(directory)
    call("curfew_host_load_plugin", self.handle, directory)
end

function Host:launch(identifier, payload)
    payload = payload or ""
    local options = sized("curfew_launch_options", { keep = true })
    -- C takes a Lua text where it is an argument; in a struct it has to be a pointer.
    options.payload = ffi.cast("const char *", payload)
    options.payload_bytes = #payload
    local task = ffi.new("curfew_task[1]")
    call("curfew_host_launch", self.handle, identifier, options, task)
    return task[0]
end

function Host:result(task)
    local bytes = ffi.new("uint64_t[1]")
    curfew.curfew_host_read_task_result(self.handle, task, nil, 0, bytes, nil)
    local buffer = ffi.new("char[?]", bytes[0])
    assert(curfew.curfew_host_read_task_result(self.handle, task, buffer, bytes[0], bytes, nil) == 0)
    return ffi.string(buffer, tonumber(bytes[0]))
end

function Host:refuses(name, identifier)
    local launched, failure = pcall(self.launch, self, identifier)
    assert(not launched and type(failure) == "table", failure)
    print(self.name .. ": " .. name .. ": " .. ffi.string(curfew.curfew_status_text(failure.status)))
end

function Host:tell(name, task)
    local story, words = self:story(task), {}
    if story.progress > 0 then words[1] = ("progress to %g"):format(story.progress) end
    if story.expired then words[#words + 1] = "expired" end
    words[#words + 1] = ('done(%s, "%s")'):format(story.success, story.text)
    local result = self:result(task)
    if result:find("copied") then words[#words + 1] = result end
    assert(curfew.curfew_host_release_task(self.handle, task, nil) == curfew.CURFEW_OK)
    print(self.name .. ": " .. name .. ": " .. table.concat(words, ", "))
end

function Host:mirror()
    local place = scratch .. "/" .. self.name
    return { "mirror", self:launch("org.curfew.mirror",
        ('{"from": "%s/from", "to": "%s/to"}'):format(place, place)) }
end

function Host:shut_down()
    call("curfew_host_shutdown", self.handle, nil)
    self:dispatch() -- the last done events
    print(("%s: shut down after %d done events"):format(self.name, self.done))
end

function Host:destroy()
    call("curfew_host_destroy", self.handle, nil)
    self.callback:free()
end

local one, two = Host.create("one"), Host.create("two")
local hosts = { one, two }

-- Turns both loops until a task of one of them is over.
local function turn_until_done(host, task)
    local ready = ffi.new("struct pollfd[?]", #hosts)
    for at, of in ipairs(hosts) do
        ready[at - 1].fd = curfew.curfew_host_get_event_fd(of.handle)
        ready[at - 1].events = POLLIN
    end
    while not host:story(task).done do
        assert(ffi.C.poll(ready, #hosts, LIMIT_MS) > 0, "no event came in time")
        for at, of in ipairs(hosts) do
            if ready[at - 1].revents ~= 0 then of:dispatch() end
        end
    end
end

local tasks = {}
for _, host in ipairs(hosts) do
    host:load(plugins .. "/sqlite-care")
    host:load(plugins .. "/mirror")
    host:load(test_plugins .. "/patient")
    print(host.name .. ": loaded sqlite-care, mirror, patient")
    host:refuses("nobody", "org.example.nobody")
end
for _, host in ipairs(hosts) do
    local database = scratch .. "/" .. host.name .. "/notes.db"
    tasks[host] = {
        { "sqlite-care", host:launch("org.curfew.sqlite-care", '{"database": "' .. database .. '"}') },
        host:mirror(),
        { "mirror", host:launch("org.curfew.mirror", '{"from": "here", "to": "/there"}') },
        { "patient", host:launch("org.curfew.test.patient") },
    }
end
for _, host in ipairs(hosts) do
    for _, task in ipairs(tasks[host]) do
        turn_until_done(host, task[2])
        host:tell(unpack(task))
    end
end

two:shut_down()
two:refuses("mirror", "org.curfew.mirror")
hosts = { one }
local again = one:mirror()
turn_until_done(one, again[2])
one:tell(unpack(again))
one:shut_down()
two:destroy()
one:destroy()
