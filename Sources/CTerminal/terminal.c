/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#define NCURSES_WIDECHAR 1
#include "cterminal.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <ncurses.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/* The functions that are used, with the types that the header declares. Most names are macros there. */
#define FUNCTIONS(use)                                                                                    \
    use(newterm) use(endwin) use(delscreen) use(cbreak) use(noecho) use(keypad) use(nodelay) use(wget_wch)       \
    use(getmaxx) use(getmaxy) use(werase) use(wmove) use(waddnstr) use(wattrset) use(wnoutrefresh)         \
    use(doupdate) use(start_color) use(use_default_colors) use(init_pair) use(has_colors) use(curs_set)   \
    use(set_escdelay)

#undef getmaxx
#undef getmaxy
#define FIELD(name) __typeof__(&name) name;
static struct {
    FUNCTIONS(FIELD)
    char *(*tigetstr)(const char *);
    WINDOW **stdscr;
} library;

const char *cterm_open(void) {
    static void *handle;
    if (handle != NULL) return NULL;
    void *opened = dlopen("libncursesw.so.6", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (opened == NULL) return dlerror();
#define LOOK_UP(name)                                                                                     \
    *(void **)&library.name = dlsym(opened, #name);                                                       \
    if (library.name == NULL) return dlerror();
    FUNCTIONS(LOOK_UP)
    LOOK_UP(tigetstr)
    *(void **)&library.stdscr = dlsym(opened, "stdscr");
    if (library.stdscr == NULL) return dlerror();
    handle = opened;
    return NULL;
}

static SCREEN *screen;
static pid_t guardian = -1;
static int leash = -1;

static void add(char *text, size_t size, const char *name) {
    const char *part = library.tigetstr(name);
    if (part != NULL && part != (char *)-1 && strlen(text) + strlen(part) < size) strcat(text, part);
}

/* Starts a process that restores the terminal once this one has ended without saying so. It calls only what may be
 * called after fork(2) in a process with threads. */
static void start_guardian(const struct termios *saved) {
    char restore[256] = "";
    add(restore, sizeof restore, "sgr0");
    add(restore, sizeof restore, "rmkx");
    add(restore, sizeof restore, "cnorm");
    add(restore, sizeof restore, "rmcup");
    size_t length = strlen(restore);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    guardian = fork();
    if (guardian != 0) {
        close(ends[0]);
        leash = ends[1];
        return;
    }
    /* Signals to the program, or to its group, are not for it. */
    setpgid(0, 0);
    prctl(PR_SET_NAME, "terminal-guard");
    /* Who kills by the name of the program does not mean it. */
    size_t room = strlen(program_invocation_name);
    strncpy(program_invocation_name, "terminal-guard", room);
    for (int number = 1; number < NSIG; number++) signal(number, SIG_IGN);
    dup2(ends[0], 3);
    close_range(4, ~0U, 0);
    char told;
    ssize_t count;
    do count = read(3, &told, 1);
    while (count < 0 && errno == EINTR);
    if (count == 0) {
        ssize_t written = write(1, restore, length);
        (void)written;
        tcsetattr(0, TCSANOW, saved);
    }
    _exit(0);
}

const char *cterm_start(bool has_colours) {
    setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0) setlocale(LC_CTYPE, "C.UTF-8");
    struct termios saved;
    if (tcgetattr(0, &saved) != 0) return "standard input is no terminal";
    screen = library.newterm(NULL, stdout, stdin);
    if (screen == NULL) return "the terminal is of a kind that is not known: see TERM";
    start_guardian(&saved);
    WINDOW *window = *library.stdscr;
    library.cbreak();
    library.noecho();
    library.keypad(window, TRUE);
    library.nodelay(window, TRUE);
    library.set_escdelay(25);
    library.curs_set(0);
    if (has_colours && library.has_colors()) {
        library.start_color();
        library.use_default_colors();
        library.init_pair(cterm_good, COLOR_GREEN, -1);
        library.init_pair(cterm_warning, COLOR_YELLOW, -1);
        library.init_pair(cterm_bad, COLOR_RED, -1);
    }
    return NULL;
}

void cterm_end(void) {
    if (screen == NULL) return;
    library.endwin();
    library.delscreen(screen);
    screen = NULL;
    if (leash >= 0) {
        ssize_t written = write(leash, "x", 1);
        (void)written;
        close(leash);
        leash = -1;
    }
    if (guardian > 0) {
        while (waitpid(guardian, NULL, 0) < 0 && errno == EINTR) {}
        guardian = -1;
    }
}

void cterm_size(int32_t *rows, int32_t *columns) {
    *rows = library.getmaxy(*library.stdscr);
    *columns = library.getmaxx(*library.stdscr);
}

void cterm_clear(void) { library.werase(*library.stdscr); }

void cterm_put(int32_t row, int32_t column, const char *text, uint32_t style) {
    attr_t attributes = COLOR_PAIR(style & 0xff);
    if (style & cterm_bold) attributes |= A_BOLD;
    if (style & cterm_faint) attributes |= A_DIM;
    if (style & cterm_reverse) attributes |= A_REVERSE;
    library.wattrset(*library.stdscr, (int)attributes);
    if (library.wmove(*library.stdscr, row, column) == OK) library.waddnstr(*library.stdscr, text, -1);
}

void cterm_show(void) {
    library.wnoutrefresh(*library.stdscr);
    library.doupdate();
}

static int32_t named(wint_t key) {
    switch (key) {
    case KEY_UP: return cterm_up;
    case KEY_DOWN: return cterm_down;
    case KEY_PPAGE: return cterm_page_up;
    case KEY_NPAGE: return cterm_page_down;
    case KEY_HOME: return cterm_home;
    case KEY_END: return cterm_end_key;
    case KEY_ENTER: return cterm_enter;
    case KEY_RESIZE: return cterm_resize;
    default: return cterm_none;
    }
}

static int32_t pressed(void) {
    wint_t key;
    switch (library.wget_wch(*library.stdscr, &key)) {
    case KEY_CODE_YES: return named(key);
    case OK:
        if (key == '\n' || key == '\r') return cterm_enter;
        if (key == 27) return cterm_escape;
        return (int32_t)key;
    default: return cterm_none;
    }
}

int32_t cterm_key(int32_t stop, int32_t milliseconds) {
    /* One that was read ahead. */
    int32_t key = pressed();
    if (key != cterm_none) return key;
    struct pollfd files[2] = {{.fd = 0, .events = POLLIN}, {.fd = stop, .events = POLLIN}};
    /* A new size of the terminal interrupts it. */
    if (poll(files, 2, milliseconds) < 0) return pressed();
    if (files[1].revents != 0) return cterm_stop;
    if ((files[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) return cterm_gone;
    return files[0].revents != 0 ? pressed() : cterm_none;
}
