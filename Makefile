# SPDX-License-Identifier: Apache-2.0
# Builds, tests and installs Curfew. `make help` lists what there is.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DELETE_ON_ERROR:
# SwiftPM uses all cores by itself, and two of them at once would wait for each other.
.NOTPARALLEL:
.DEFAULT_GOAL := all

SWIFT ?= swift
STRIP ?= strip --strip-unneeded
ifeq ($(origin CC),default)
CC := gcc
endif
PYTHON ?= python3
# Debian's Python has the modules of Debian's packages.
SYSTEM_PYTHON := $(firstword $(wildcard /usr/bin/python3) $(PYTHON))

PREFIX ?= /usr/local
DESTDIR ?=

# What Package.swift reads. Debug and release builds see the same values, so that they share one
# .build and going from one to the other rebuilds nothing; all they change is the release build.
export CURFEW_BUILD := 1
export CURFEW_STATIC := 1
# Swift's crash reports come from a second process, which can outlive a test by minutes.
export SWIFT_BACKTRACE := enable=no

# The oldest Swift that has everything that is used here.
SWIFT_MAJOR := 6
SWIFT_MINOR := 3

# What the command and its demonstration need on a Debian 12 that has Swift, git and make.
DEMO_PACKAGES := binutils g++ gcc libc6-dev libcurl4-openssl-dev libffi-dev libmicrohttpd-dev libncurses-dev libpq-dev libsqlite3-dev pkg-config \
                 sqlite3
# What a build of everything needs.
PACKAGES := $(DEMO_PACKAGES) libxml2-dev python3
# What the tests need.
TEST_PACKAGES := $(PACKAGES) bindgen cargo cmake curl dbus faketime file fish groff-base jq libarchive13 \
                 faketime libc6-dbg libclang-dev libglib2.0-dev luajit man-db mandoc minisign postgresql-15 prometheus python3-cffi \
                 python3-clang python3-dbusmock python3-jsonschema python3-markdown python3-pycparser \
                 python3-pytest rustc systemd tmux tzdata valgrind zsh
# What the benchmarks compare with.
BENCH_PACKAGES := libevent-dev libffi-dev libglib2.0-dev libpeas-dev libpq-dev libtbb-dev \
                  libuv1-dev python3-matplotlib redis-server strace
# What the plugins use that the kit does not know, besides.
STRANGER_PACKAGES := libluajit-5.1-dev libssl-dev zlib1g-dev
# What the documentation is made with.
DOCS_PACKAGES := furo graphviz python3-clang python3-myst-parser python3-sphinx

VERSION := $(shell sed -n 's/^.define CURFEW_VERSION_STRING "\(.*\)"$$/\1/p' include/curfew/version.h)
SOVERSION := $(firstword $(subst ., ,$(VERSION)))

RELEASE := .build/release
HEADERS := $(patsubst include/%,%,$(wildcard include/curfew/*.h include/curfew/*.hpp include/curfew/*/*.h))

# A directory with C and no Swift in it is a C plugin; one with Swift in it is a product of the
# Swift package that has the directory's name; one with a manifest alone calls what others wrote.
directories = $(patsubst %/,%,$(wildcard $(1)/*/))
PLUGIN_DIRECTORIES := $(call directories,Plugins)
SWIFT_PLUGINS := $(foreach d,$(PLUGIN_DIRECTORIES),$(if $(wildcard $(d)/*.swift),$(notdir $(d))))
C_PLUGINS := $(foreach d,$(PLUGIN_DIRECTORIES),\
               $(if $(wildcard $(d)/*.c),$(if $(wildcard $(d)/*.swift),,$(notdir $(d)))))
MANIFEST_PLUGINS := $(foreach d,$(PLUGIN_DIRECTORIES),\
               $(if $(wildcard $(d)/*.c $(d)/*.swift),,$(if $(wildcard $(d)/manifest.json),$(notdir $(d)))))
# Of twins each file is a plugin; they have a script of their own.
DEMO_PLUGINS := .build/plugins/sqlite-care/manifest.json .build/demo/crashing/manifest.json
C_TEST_PLUGINS := $(foreach d,$(filter-out %/twins,$(call directories,Tests/Plugins)),\
                    $(if $(wildcard $(d)/*.c),$(notdir $(d))))
C_VIOLATIONS := $(foreach d,$(call directories,Tests/Plugins/violations),\
                  $(if $(wildcard $(d)/*.c $(d)/*.cpp),$(notdir $(d))))
# Programs that lie beside the manifest which names them.
PLUGIN_PROGRAMS := $(patsubst Plugins/%,%,$(wildcard Plugins/*/*.sh))
PYTHON_MODULE := .build/python/curfew/__init__.py
CMAKE_FILES := CurfewConfig.cmake CurfewConfigVersion.cmake
UNITS := system/curfew.service system/curfew.socket user/curfew.service user/curfew.socket
INSTALLED_PLUGINS := $(sort $(SWIFT_PLUGINS) $(C_PLUGINS) $(MANIFEST_PLUGINS))

# The templates of `curfew new`, and the Swift package that their plugins depend on. Named one by one,
# so that nothing comes along that was built in between.
TEMPLATES := $(patsubst Plugins/%,%,$(wildcard $(addprefix Plugins/templates/*/,.gitignore \
               .github/workflows/*.yml Makefile README.md manifest.json *.c *.cpp *.map *.sh *.swift \
               Cargo.toml Cargo.lock */Cargo.toml */*.rs */src/*.rs Sources/*/*.swift)))
AUTHOR_SOURCES := $(wildcard Sources/CurfewPlugin/*.swift Sources/CurfewValues/*.swift)
AUTHOR_FILES := Package.swift $(HEADERS:%=include/%) $(AUTHOR_SOURCES)
# The guides, and what the texts of `curfew explain` say, for machines without this directory.
DOCUMENTS := $(patsubst Documentation/%,%,$(wildcard $(addprefix Documentation/,*.md *.svg *.png codes/*.md)))
# What monitoring reads.
MONITORING_FILES := curfew-alerts.yml curfew-dashboard.json prometheus.yml
# The directories they are in below share/curfew, those inside of others first.
AUTHOR_DIRECTORIES := $(shell printf '%s\n' $(TEMPLATES) $(AUTHOR_FILES:%=CurfewPlugin/%) | \
    sed -E ':up h; s|/[^/]*$$||; t down; d; :down p; b up' | sort -ru)

PLUGIN_FLAGS := -O2 -fPIC -shared -fvisibility=hidden -Wall -Wextra -pedantic -Iinclude \
                -Wl,-z,nodelete -Wl,-z,defs

.PHONY: all help packages demo-packages test-packages toolchain command release plugins test-plugins \
        test test-all test-without strangers stranger-packages torture fuzz prefix fresh-prefix demo pictures page-packages browser-packages \
        docs docs-packages layers recording bench bench-packages growth instructions sanitize install uninstall check-format format clean

all: release plugins $(PYTHON_MODULE) ## build everything that is installed

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-14s %s\n", $$1, $$2 }' Makefile

# --- What is needed ------------------------------------------------------------------------------

packages: NEEDED := $(PACKAGES)
demo-packages: NEEDED := $(DEMO_PACKAGES)
test-packages: NEEDED := $(TEST_PACKAGES)
bench-packages: NEEDED := $(BENCH_PACKAGES)
docs-packages: NEEDED := $(DOCS_PACKAGES)
stranger-packages: NEEDED := $(STRANGER_PACKAGES)
packages: ## install the Debian packages that a build needs, if any is missing
demo-packages: ## the same for the demonstration
test-packages: ## the same for the tests
bench-packages: ## the same for the peers of the benchmarks
docs-packages: ## the same for the documentation
stranger-packages: ## the same for the plugins that the kit does not know
packages demo-packages test-packages bench-packages docs-packages stranger-packages browser-packages:
	@if ! command -v dpkg-query >/dev/null; then
	    echo "$@: not a Debian system; what is needed is called there: $(NEEDED)" >&2
	    exit 0
	fi
	missing=()
	for package in $(NEEDED); do
	    case "$$(dpkg-query -W -f='$${db:Status-Status}' "$$package" 2>/dev/null)" in
	    installed*) ;;
	    *) missing+=("$$package") ;;
	    esac
	done
	[ $${#missing[@]} -gt 0 ] || exit 0
	root=()
	if [ "$$(id -u)" -ne 0 ]; then
	    if ! command -v sudo >/dev/null; then
	        echo "$@: neither root nor sudo; run as root: apt-get install $${missing[*]}" >&2
	        exit 1
	    fi
	    root=(sudo)
	fi
	log=$$(mktemp)
	trap 'rm -f "$$log"' EXIT
	get() {
	    "$${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
	        -o DPkg::Lock::Timeout=300 "$$@" </dev/null >>"$$log" 2>&1
	}
	echo "$@: installing $${missing[*]}"
	# The lists of a fresh system are empty, and those of an old one name files that are gone; they
	# are fetched only then.
	if ! get install --no-install-recommends "$${missing[@]}"; then
	    if ! { get update && get install --no-install-recommends "$${missing[@]}"; }; then
	        cat "$$log" >&2
	        echo "$@: apt-get could not install $${missing[*]}; its words are above" >&2
	        exit 1
	    fi
	fi

toolchain:
	@needed=$(SWIFT_MAJOR).$(SWIFT_MINOR)
	where="see https://www.swift.org/install/linux/, or say where it is: make SWIFT=/path/to/swift"
	if ! command -v "$(SWIFT)" >/dev/null; then
	    echo "Curfew needs Swift $$needed or newer, and there is no '$(SWIFT)' in PATH: $$where" >&2
	    exit 1
	fi
	said=$$("$(SWIFT)" --version 2>&1) || {
	    printf '%s\n' "$$said" >&2
	    echo "'$(SWIFT) --version' failed: $$where" >&2
	    exit 1
	}
	if ! [[ $$said =~ Swift\ version\ ([0-9]+)\.([0-9]+) ]]; then
	    printf '%s\n' "$$said" >&2
	    echo "'$(SWIFT) --version' names no Swift version: $$where" >&2
	    exit 1
	fi
	major=$${BASH_REMATCH[1]} minor=$${BASH_REMATCH[2]}
	if ((major < $(SWIFT_MAJOR) || (major == $(SWIFT_MAJOR) && minor < $(SWIFT_MINOR)))); then
	    echo "Curfew needs Swift $$needed or newer; '$(SWIFT)' is $$major.$$minor: $$where" >&2
	    exit 1
	fi
	for tool in $(CC) pkg-config; do
	    if ! command -v "$$tool" >/dev/null; then
	        echo "Curfew needs $$tool to be built: make packages" >&2
	        exit 1
	    fi
	done
	if ! pkg-config --exists libffi sqlite3; then
	    echo "Curfew needs the headers of libffi and SQLite to be built: make packages" >&2
	    exit 1
	fi

# --- What is built -------------------------------------------------------------------------------

command: toolchain .build/static/libstdc++.a ## build curfew alone, for release
	@echo "command: building curfew"
	"$(SWIFT)" build -c release --product curfew
	"$(SWIFT)" build -c release --product curfew-child

release: toolchain .build/static/libstdc++.a ## build libcurfew.so, curfew and the Swift plugins, for release
	@if ! pkg-config --exists libcurl libxml-2.0; then
	    echo "Curfew's plugin feed needs the headers of libcurl and libxml2 to be built: make packages" >&2
	    exit 1
	fi
	echo "release: building libcurfew.so, curfew and the Swift plugins"
	"$(SWIFT)" build -c release

# The Swift runtime needs the library of C++. Shared it is 1 MB more of an idle host, and a millisecond
# of each start of the command. Where only the shared one is installed, that one is taken.
.build/static/libstdc++.a: Makefile
	@mkdir -p $(@D)
	rm -f $@
	# Only where there is one: the linker takes a link that leads nowhere for the library.
	archive=$$("$(CC)" -print-file-name=libstdc++.a)
	case "$$archive" in /*) ln -s "$$archive" $@ ;; esac

plugins: $(C_PLUGINS:%=.build/plugins/%/manifest.json) $(SWIFT_PLUGINS:%=swift-plugin-%) \
        $(MANIFEST_PLUGINS:%=.build/plugins/%/manifest.json) \
        $(PLUGIN_PROGRAMS:%=.build/plugins/%) ## build the plugins of Plugins/

test-plugins: $(C_TEST_PLUGINS:%=.build/test-plugins/%/manifest.json) $(DEMO_PLUGINS) violations twins ## build the plugins of Tests/Plugins/

.PHONY: violations
violations: $(C_VIOLATIONS:%=.build/test-plugins/violations/%/manifest.json)

.PHONY: twins
twins:
	@Tests/Plugins/twins/build.sh .build/test-plugins/twins "$(CC)"
	Tests/Plugins/languages/build.sh .build/test-plugins/languages

# $(call c-plugin,source directory,name,directory of what is built): the library, then the manifest
# beside it. A file named `libraries` has what else is to be linked, for instance -lsqlite3; one named
# `exports.map` what is exported besides or instead of curfew_plugin_entry.
exports = $(firstword $(wildcard $(1)/exports.map) Plugins/plugin.map)
define c-plugin
$(3)/$(2)/lib$(2).so: $(wildcard $(1)/$(2)/*.c $(1)/$(2)/*.cpp $(1)/$(2)/*.h $(1)/$(2)/libraries $(1)/*.h) \
        $(call exports,$(1)/$(2)) $(HEADERS:%=include/%) Makefile
	@echo "plugins: building $(1)/$(2)"
	mkdir -p $$(@D)
	$(if $(wildcard $(1)/$(2)/*.cpp),$(CXX) -std=c++20,$(CC) -std=c11) $(PLUGIN_FLAGS) \
	    -Wl,--version-script=$(call exports,$(1)/$(2)) -Wl,-soname=$$(@F) -o $$@ \
	    $(wildcard $(1)/$(2)/*.c $(1)/$(2)/*.cpp) \
	    $(if $(wildcard $(1)/$(2)/libraries),$$$$(cat $(1)/$(2)/libraries))
$(3)/$(2)/manifest.json: $(wildcard $(1)/$(2)/manifest.json) $(3)/$(2)/lib$(2).so
	@$(if $(wildcard $(1)/$(2)/manifest.json),cp $(1)/$(2)/manifest.json $$@,\
	    echo "$(1)/$(2) has no manifest.json" >&2; exit 1)
endef
$(foreach p,$(C_PLUGINS),$(eval $(call c-plugin,Plugins,$(p),.build/plugins)))
$(eval $(call c-plugin,Tests/Demo/plugins,crashing,.build/demo))
$(foreach p,$(C_TEST_PLUGINS),$(eval $(call c-plugin,Tests/Plugins,$(p),.build/test-plugins)))
$(foreach p,$(C_VIOLATIONS),\
    $(eval $(call c-plugin,Tests/Plugins/violations,$(p),.build/test-plugins/violations)))

$(MANIFEST_PLUGINS:%=.build/plugins/%/manifest.json) $(PLUGIN_PROGRAMS:%=.build/plugins/%): \
        .build/plugins/%: Plugins/%
	@mkdir -p $(@D)
	cp $< $@

.PHONY: $(SWIFT_PLUGINS:%=swift-plugin-%)
$(SWIFT_PLUGINS:%=swift-plugin-%): swift-plugin-%: release
	@mkdir -p .build/plugins/$*
	for file in $(RELEASE)/lib$*.so Plugins/$*/manifest.json; do
	    cmp -s "$$file" ".build/plugins/$*/$$(basename "$$file")" || cp "$$file" .build/plugins/$*/
	done

# What a Python user needs, made from the headers. Where there is no Python it is left out, here and
# by install, and an older one does not stay.
$(PYTHON_MODULE): $(wildcard Sources/CInterface/python/*) $(HEADERS:%=include/%) Makefile
	@mkdir -p $(@D)
	rm -f $@
	if ! command -v "$(PYTHON)" >/dev/null; then
	    echo "python: there is no '$(PYTHON)' in PATH, and so no module for Python" >&2
	    exit 0
	fi
	echo "python: making the module for Python from the headers"
	CC="$(CC)" "$(PYTHON)" -B Sources/CInterface/python/generate.py include >$@.new
	mv $@.new $@

# --- What is proven ------------------------------------------------------------------------------

BUILD_TESTS = "$(SWIFT)" build --build-tests

test: test-packages test-plugins prefix ## build everything and run all tests
	@echo "test: building the tests"
	$(BUILD_TESTS)
	echo "test: looking for tests that nothing would run"
	Tests/check-tests.sh
	echo "test: running all tests, two targets at a time"
	Tests/run-tests.py

# A browser, and what drives it: they are large, and the test of the page is left out without them.
browser-packages: NEEDED := chromium python3-pip
page-packages: browser-packages ## install a browser and what drives it, for the tests and pictures of the web page
	@if ! PYTHONPATH=.build/page-packages python3 -c 'import axe_playwright_python' 2>/dev/null; then
	    python3 -m pip install --quiet --target .build/page-packages --upgrade playwright axe-playwright-python
	fi

# What the tests take for an installation: nothing but what is installed now.
prefix: release plugins fresh-prefix
	@$(MAKE) --no-print-directory install PREFIX=.build/prefix DESTDIR=

fresh-prefix:
	@rm -rf .build/prefix

# Header, embedding, command and program tests look at files and at programs that are compiled without
# a sanitizer: nothing of theirs would be instrumented. The kit looks at memory, signals and forks,
# where a sanitizer has its own; what is about endurance kills hosts by the hundred, and loads
# libraries before theirs.
# A sanitizer maps more memory than the process of a plugin may have.
PLAIN_CHILD = cp -f .build/debug/curfew-child

sanitize: test-packages plugins test-plugins ## run the tests under AddressSanitizer, then ThreadSanitizer
	@skip=(--skip HeaderTests --skip EmbeddingTests --skip CommandTests --skip PluginTests \
	    --skip ConformanceTests --skip EnduranceTests --skip ProgramTests)
	# XCTest itself leaks, hence no leak check.
	echo "sanitize: building and running the tests under AddressSanitizer"
	"$(SWIFT)" build --product curfew-child
	$(BUILD_TESTS) --sanitize=address --scratch-path .build-asan
	$(PLAIN_CHILD) .build-asan/debug/
	ASAN_OPTIONS=detect_leaks=0 Tests/run-tests.py --at-once 1 --stall 3600 --scratch-path .build-asan \
	    "$${skip[@]}"
	echo "sanitize: building and running the tests under ThreadSanitizer"
	# Plugins in Swift look for the sanitizer's symbols in the program.
	$(BUILD_TESTS) --sanitize=thread -Xlinker --export-dynamic --scratch-path .build-tsan
	$(PLAIN_CHILD) .build-tsan/debug/
	CURFEW_STRESS_TASKS=$(STRESS_TASKS) Tests/run-tests.py --at-once 1 --stall 3600 \
	    --scratch-path .build-tsan "$${skip[@]}"

# Tasks that many threads launch, cancel, complete and let expire under ThreadSanitizer, at least.
STRESS_TASKS := 0

# How long each fuzzer runs.
SECONDS := 60

fuzz: test-packages toolchain ## run the fuzzer of each reader for SECONDS (60)
	@SWIFTC="$(SWIFT)c" Tests/Fuzz/fuzz.sh $(SECONDS)

# Hosts that are killed, one after the other.
KILLS := 1000

torture: test-packages ## kill hosts KILLS (1000) times and at every point, let stores fail everywhere, a million requests
	@echo "torture: building the tests"
	$(BUILD_TESTS)
	echo "torture: killing $(KILLS) hosts, and all that takes minutes about requests"
	CURFEW_TORTURE=1 CURFEW_KILLS=$(KILLS) Tests/run-tests.py --stall 3600 --filter 'EnduranceTests|ChildTests|PluginRestartTests|ControlTests'

# What plugins in processes do does not depend on the machine's parts; what they cannot do, does. In a
# namespace of their own the tests reach nothing else. Without namespaces and one of the other parts the
# hostile plugins would reach the tests.
test-without: test-packages ## the tests of plugins in processes, as on machines that lack parts of the sandbox
	$(BUILD_TESTS)
	$(CC) -std=gnu11 -Wall -Wextra -O1 -o .build/without Tests/TestSupport/without.c
	for parts in namespaces landlock seccomp namespaces,seccomp namespaces,landlock,seccomp; do \
	    echo "test-without: $$parts"; \
	    case $$parts in namespaces,*) hostile= ;; *) hostile='|ViolationTests.ViolationTests' ;; esac; \
	    unshare --map-root-user --pid --fork --mount-proc .build/without $$parts Tests/run-tests.py \
	        --filter "PluginProcessTests|FreshProcessTests|CompletionRaceTests$$hostile" || exit 1; \
	done

# The verdicts are to be the same in each run, also beside others: RUNS=10 LOAD=3 takes three hours.
strangers: RUNS := 1
strangers: LOAD := 0
strangers: AT_ONCE := 2
strangers: test-packages stranger-packages command ## put plugins that the kit does not know through it, RUNS (1) times, AT_ONCE (2) at a time, beside LOAD (0) busy loops
	@echo "strangers: putting plugins that the kit does not know through it"
	python3 -B Tests/Plugins/strangers/strangers.py --curfew "$$PWD/$(RELEASE)/curfew" --runs $(RUNS) --load $(LOAD) --at-once $(AT_ONCE)

test-all: page-packages test ## the tests, then all that takes longer: twins, torture, fuzzers, instructions, sanitizers
	@echo "test-all: each twin against every case, each harm in every phase, a package in release"
	CURFEW_CONFORM_MATRIX=1 Tests/run-tests.py --stall 3600 \
	    --filter 'WholeMatrixTests|SurvivalTests|TwinTests|IsolationTests|OwnPluginsTests|LanguageTests|ExportsTests|OneTableTests|LoadingFilesTests|NewTests|TaskExplorationTests|BackgroundTasksPackageTests'
	echo "test-all: the web page in a browser"
	CURFEW_PAGE=1 Tests/run-tests.py --stall 1200 --filter PageTests
	echo "test-all: the twins by the installed kit, which has its libraries inside"
	CURFEW_CONFORM_PROGRAM="$$PWD/.build/prefix/bin/curfew" Tests/run-tests.py --filter TwinTests
	echo "test-all: each program for Apple's modules"
	CURFEW_ALL_PROGRAMS=1 Tests/run-tests.py --filter AllProgramsTests
	$(MAKE) --no-print-directory test-without
	$(MAKE) --no-print-directory strangers
	$(MAKE) --no-print-directory torture
	$(MAKE) --no-print-directory docs
	$(MAKE) --no-print-directory instructions
	$(MAKE) --no-print-directory fuzz SECONDS=60
	$(MAKE) --no-print-directory sanitize STRESS_TASKS=1000000

# Where a page of the documentation is edited; {filename} is its path in the repository.
EDIT_LINK ?= file://$(CURDIR)/{filename}

# Every warning is an error: a link that leads nowhere, a page in no list, a public name without a
# comment.
docs: test-packages docs-packages release ## write the documentation as pages, into .build/docs
	@echo "docs: writing the reference, the guides and the Swift modules"
	rm -rf .build/docs .build/docs-swift .build/docs-source
	mkdir -p .build/docs .build/docs-source
	SWIFT="$(SWIFT)" "$(SYSTEM_PYTHON)" -B Documentation/site/modules.py --build $(RELEASE) \
	    --output .build/docs/swift --pages .build/docs-swift
	CURFEW_EDIT_LINK='$(EDIT_LINK)' "$(SYSTEM_PYTHON)" -B -m sphinx -W --keep-going -q -b html \
	    -c Documentation/site -D declarations="$$PWD/.build/docs-swift" -d .build/docs-source/.doctrees \
	    .build/docs-source .build/docs
	echo "docs: to read them, open .build/docs/index.html; the DocC archives need a server:"
	echo "docs: $(SYSTEM_PYTHON) -m http.server -d .build/docs, and http://localhost:8000"

# The machine should have nothing else to do: the picture says what holds the request back.
pictures: page-packages command $(DEMO_PLUGINS) ## draw the web page, into Documentation/page-*.png
	@PYTHONPATH=.build/page-packages python3 -B Tests/Web/pictures.py "$$PWD/$(RELEASE)/curfew" .build/demo Documentation

recording: demo-packages command $(DEMO_PLUGINS) ## draw what the demonstration prints, into Documentation/recording.svg
	@PATH="$$PWD/$(RELEASE):$$PATH" Tests/Demo/demo.sh 2>/dev/null \
	    | "$(PYTHON)" -B Documentation/site/recording.py Documentation/recording.svg

layers: docs-packages toolchain ## draw the targets of Package.swift, into Documentation/layers.svg
	@"$(SWIFT)" package dump-package | "$(SYSTEM_PYTHON)" -B Documentation/site/layers.py Documentation/layers.svg

demo: demo-packages command $(DEMO_PLUGINS) ## show what Curfew does
	@PATH="$$PWD/$(RELEASE):$$PATH" Tests/Demo/demo.sh

# Which paths, all without a word: make bench BENCH="dispatch events".
BENCH :=
ROUNDS := 9

bench: test-packages release ## measure the paths BENCH (all) beside their peers and the limits
	@$(MAKE) --no-print-directory bench-packages || echo "bench: without some peers" >&2
	echo "bench: building the benchmarks and measuring"
	"$(PYTHON)" -B Benchmarks/bench.py $(BENCH) --rounds $(ROUNDS) \
	    --library $(RELEASE)/libCurfewHost.so --command $(RELEASE)/curfew
	"$(SYSTEM_PYTHON)" -B Benchmarks/chart.py .build/bench.json .build/bench.svg \
	    || echo "bench: without the picture, which python3-matplotlib draws" >&2

growth: test-packages release ## measure what an operation costs against how many there are of something
	@echo "growth: building the programs and measuring"
	"$(PYTHON)" -B Benchmarks/growth.py --library $(RELEASE)/libCurfewHost.so
	"$(SYSTEM_PYTHON)" -B Benchmarks/chart.py .build/growth/growth.json \
	    || echo "growth: without the pictures, which python3-matplotlib draws" >&2

instructions: test-packages release ## count instructions of single operations, and compare with the thresholds
	@echo "instructions: building the driver and counting"
	"$(PYTHON)" -B Benchmarks/instructions.py --library $(RELEASE)/libCurfewHost.so

check-format: toolchain ## say where the layout of the sources differs from the house style
	@echo "check-format: reading the sources"
	"$(SWIFT)" format lint --strict --parallel --recursive Package.swift $(wildcard Sources Tests Plugins Benchmarks)

format: toolchain ## bring the Swift sources into the house style
	@echo "format: rewriting the sources where their layout differs"
	"$(SWIFT)" format --in-place --parallel --recursive Package.swift $(wildcard Sources Tests Plugins Benchmarks)

# --- What is installed ---------------------------------------------------------------------------

BASH_COMPLETION := share/bash-completion/completions/curfew
ZSH_COMPLETION := share/zsh/site-functions/_curfew
FISH_COMPLETION := share/fish/vendor_completions.d/curfew.fish

# `sudo make install` mostly finds no Swift: then what was built before is installed.
ifneq ($(shell command -v $(SWIFT)),)
install: release plugins $(PYTHON_MODULE)
endif
install: ## install into PREFIX (/usr/local), below DESTDIR
	@prefix=$$(realpath -m -s -- "$(PREFIX)")
	root="$(DESTDIR)$$prefix"
	for file in $(RELEASE)/libCurfewHost.so $(RELEASE)/curfew $(RELEASE)/curfew-child \
	        $(INSTALLED_PLUGINS:%=.build/plugins/%/manifest.json); do
	    if ! [ -e "$$file" ]; then
	        echo "install: $$file is missing: first run make, where Swift is in PATH" >&2
	        exit 1
	    fi
	done
	put() {  # mode, source, destination; never written in place, which could crash who runs it
	    install -D -m "$$1" -- "$$2" "$$3.new"
	    case "$$1" in 755) $(if $(STRIP),$(STRIP) "$$3.new") ;; esac
	    mv -f -- "$$3.new" "$$3"
	}
	for header in $(HEADERS); do
	    put 644 "include/$$header" "$$root/include/$$header"
	done
	put 755 $(RELEASE)/libCurfewHost.so "$$root/lib/libcurfew.so.$(VERSION)"
	ln -sfn libcurfew.so.$(VERSION) "$$root/lib/libcurfew.so.$(SOVERSION)"
	ln -sfn libcurfew.so.$(SOVERSION) "$$root/lib/libcurfew.so"
	put 755 $(RELEASE)/curfew "$$root/bin/curfew"
	put 755 $(RELEASE)/curfew-child "$$root/libexec/curfew/curfew-child"
	made=$$(mktemp -d)
	trap 'rm -rf "$$made"' EXIT
	$(RELEASE)/curfew man --into "$$made"
	for page in "$$made"/*.1; do
	    put 644 "$$page" "$$root/share/man/man1/$$(basename "$$page")"
	done
	for shell in bash zsh fish; do
	    $(RELEASE)/curfew completions "$$shell" >"$$made/$$shell"
	done
	put 644 "$$made/bash" "$$root/$(BASH_COMPLETION)"
	put 644 "$$made/zsh" "$$root/$(ZSH_COMPLETION)"
	put 644 "$$made/fish" "$$root/$(FISH_COMPLETION)"
	put 644 Plugins/manifest.schema.json "$$root/share/curfew/manifest.schema.json"
	put 644 Documentation/openapi.json "$$root/share/curfew/openapi.json"
	for file in $(MONITORING_FILES); do
	    put 644 "Documentation/monitoring/$$file" "$$root/share/curfew/monitoring/$$file"
	done
	put 644 Documentation/configuration.schema.json "$$root/share/curfew/configuration.schema.json"
	for file in $(DOCUMENTS); do
	    put 644 "Documentation/$$file" "$$root/share/doc/curfew/$$file"
	done
	if [ -e $(PYTHON_MODULE) ]; then
	    put 644 $(PYTHON_MODULE) "$$root/share/curfew/python/curfew/__init__.py"
	    put 644 Sources/CInterface/python/py.typed "$$root/share/curfew/python/curfew/py.typed"
	else
	    echo "install: without the module for Python, which make builds where python3 is" >&2
	fi
	for plugin in $(INSTALLED_PLUGINS); do
	    to="$$root/lib/curfew/plugins/$$plugin"
	    if [ -e ".build/plugins/$$plugin/lib$$plugin.so" ]; then
	        put 755 ".build/plugins/$$plugin/lib$$plugin.so" "$$to/lib$$plugin.so"
	    fi
	    put 644 ".build/plugins/$$plugin/manifest.json" "$$to/manifest.json"
	done
	for program in $(PLUGIN_PROGRAMS); do
	    install -D -m 755 -- ".build/plugins/$$program" "$$root/lib/curfew/plugins/$$program.new"
	    mv -f -- "$$root/lib/curfew/plugins/$$program.new" "$$root/lib/curfew/plugins/$$program"
	done
	fill() {  # source, what stands there for @PREFIX@, destination
	    while IFS= read -r line; do
	        line=$${line//@PREFIX@/"$$2"}
	        line=$${line//@SOVERSION@/$(SOVERSION)}
	        printf '%s\n' "$${line//@VERSION@/$(VERSION)}"
	    done <"$$1" >"$$made/filled"
	    put 644 "$$made/filled" "$$3"
	}
	fill Sources/CInterface/curfew.pc.in "$${prefix// /\\ }" "$$root/lib/pkgconfig/curfew.pc"
	for file in $(CMAKE_FILES); do
	    fill "Sources/CInterface/cmake/$$file.in" "$$prefix" "$$root/lib/cmake/Curfew/$$file"
	done
	for unit in $(UNITS); do
	    fill "Sources/Service/units/$$unit.in" "$$prefix" "$$root/lib/systemd/$$unit"
	done
	put 644 Sources/Service/units/sysusers.conf "$$root/lib/sysusers.d/curfew.conf"
	put 644 Sources/Service/units/tmpfiles.conf "$$root/lib/tmpfiles.d/curfew.conf"
	put 644 Sources/Service/units/strict.conf "$$root/share/curfew/strict.conf"
	# A file that a template had in an older version would be in each new plugin. The names in them
	# are filled in by `curfew new`.
	rm -rf -- "$$root/share/curfew/templates"
	for file in $(TEMPLATES); do
	    put 644 "Plugins/$$file" "$$root/share/curfew/$$file"
	done
	package="$$root/share/curfew/CurfewPlugin"
	put 644 Sources/CurfewPlugin/Package.swift.in "$$package/Package.swift"
	for file in $(HEADERS:%=include/%) $(AUTHOR_SOURCES); do
	    put 644 "$$file" "$$package/$$file"
	done
	# Directories the loader searches have a cache, which has to learn of the library.
	case "$(DESTDIR)$$prefix" in
	/usr | /usr/local) if [ "$$(id -u)" -eq 0 ]; then PATH="$$PATH:/sbin" ldconfig; fi ;;
	esac

uninstall: ## remove what `make install` with the same PREFIX and DESTDIR installed
	@root="$(DESTDIR)$$(realpath -m -s -- "$(PREFIX)")"
	rm -f -- $(HEADERS:%="$$root/include/%") \
	    "$$root/lib/libcurfew.so" "$$root/lib/libcurfew.so.$(SOVERSION)" \
	    "$$root/lib/libcurfew.so.$(VERSION)" "$$root/lib/pkgconfig/curfew.pc" \
	    $(CMAKE_FILES:%="$$root/lib/cmake/Curfew/%") \
	    $(UNITS:%="$$root/lib/systemd/%") "$$root/lib/sysusers.d/curfew.conf" "$$root/lib/tmpfiles.d/curfew.conf" \
	    "$$root/bin/curfew" "$$root/libexec/curfew/curfew-child" \
	    "$$root/share/curfew/manifest.schema.json" \
	    "$$root/share/curfew/openapi.json" "$$root/share/curfew/strict.conf" \
	    $(MONITORING_FILES:%="$$root/share/curfew/monitoring/%") \
	    "$$root/share/curfew/configuration.schema.json" \
	    $(DOCUMENTS:%="$$root/share/doc/curfew/%") \
	    "$$root/share/curfew/python/curfew/__init__.py" \
	    "$$root/share/curfew/python/curfew/py.typed" \
	    "$$root/share/curfew/python/curfew/__pycache__/__init__".*.pyc \
	    $(TEMPLATES:%="$$root/share/curfew/%") \
	    $(AUTHOR_FILES:%="$$root/share/curfew/CurfewPlugin/%") \
	    "$$root/$(BASH_COMPLETION)" "$$root/$(ZSH_COMPLETION)" "$$root/$(FISH_COMPLETION)" \
	    $(foreach p,$(INSTALLED_PLUGINS),"$$root/lib/curfew/plugins/$(p)/lib$(p).so" \
	        "$$root/lib/curfew/plugins/$(p)/manifest.json") \
	    $(PLUGIN_PROGRAMS:%="$$root/lib/curfew/plugins/%")
	# A manual page of another program does not begin like ours.
	for page in "$$root"/share/man/man1/curfew.1 "$$root"/share/man/man1/curfew-*.1; do
	    if [ -f "$$page" ] && [ "$$(head -n 1 -- "$$page")" = '.\" Written by curfew man.' ]; then
	        rm -f -- "$$page"
	    fi
	done
	# Only Curfew's own directories, and only if they are empty.
	for directory in $(INSTALLED_PLUGINS:%=lib/curfew/plugins/%) lib/curfew/plugins lib/curfew \
	        libexec/curfew lib/cmake/Curfew lib/systemd/system lib/systemd/user lib/systemd lib/sysusers.d lib/tmpfiles.d share/curfew/python/curfew/__pycache__ share/curfew/python/curfew share/curfew/python share/curfew/monitoring share/doc/curfew/codes share/doc/curfew \
	        $(addprefix share/curfew/,$(AUTHOR_DIRECTORIES)) share/curfew \
	        include/curfew/b4x include/curfew/ext include/curfew; do
	    if [ -d "$$root/$$directory" ]; then
	        rmdir --ignore-fail-on-non-empty -- "$$root/$$directory"
	    fi
	done

clean: ## remove everything that was built
	@echo "clean: removing .build, .build-asan and .build-tsan"
	rm -rf .build .build-asan .build-tsan
