# SPDX-License-Identifier: Apache-2.0
"""Makes the archives of the Swift modules with DocC, out of what was built, and a page of each
module's declarations in Markdown, which can be read without a server.

    modules.py --build .build/release --output .build/docs/swift --pages .build/docs-swift

A public symbol without a comment is an error, and so is every warning of DocC's."""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

_ROOT = pathlib.Path(__file__).resolve().parents[2]
# What an importer of Curfew gets from the modules below it, as far as the API leads there.
_MODULES = {
    "Curfew": ["CurfewValues", "PluginBridge", "Runner", "Scheduling"],
    "CurfewB4X": ["Runner", "Scheduling"], "CurfewPlugin": ["CurfewValues"], "AppHost": [],
    "BackgroundTasks": [], "FoundationBackground": [], "UIKitBackground": [],
    "SwiftUIBackground": [], "OSLogging": [],
}
# The parts below, which embedders have no need to go to.
_BELOW = (["HostRuntime"], ["HandlerRecord"], ["PluginRecord"])
_TYPES = {f"swift.{kind}" for kind in ("struct", "class", "enum", "protocol", "typealias")}


def extract(swift, build, module, directory):
    """Asks the compiler for the public symbols of a module, with their comments."""
    target = json.loads(subprocess.run(
        [swift, "-print-target-info"], stdout=subprocess.PIPE, check=True).stdout)
    maps = [build / "CCurfew.build/module.modulemap", build / "CSystem.build/module.modulemap",
            build / "CFaults.build/module.modulemap", build / "CAppHost.build/module.modulemap",
            build / "CPostgres.build/module.modulemap",
            _ROOT / "Sources/CFFI/module.modulemap", _ROOT / "Sources/CSQLite/module.modulemap"]
    command = [swift, "symbolgraph-extract", "-module-name", module,
               "-target", target["target"]["unversionedTriple"], "-I", build / "Modules",
               "-minimum-access-level", "public", "-output-dir", directory]
    if _MODULES[module]:
        command.append("-experimental-allowed-reexported-modules=" + ",".join(_MODULES[module]))
    for name in maps:
        command += ["-Xcc", f"-fmodule-map-file={name}"]
    for headers in ("include", "Sources/CAppHost/include"):
        command += ["-Xcc", f"-I{_ROOT / headers}"]
    subprocess.run(command, check=True)
    # What a module adds to others' types is in graphs of their own.
    return directory / f"{module}.symbols.json"


def reached(graph, module):
    """The module's own symbols, and those of the types that they name."""
    symbols = {symbol["identifier"]["precise"]: symbol for symbol in graph["symbols"]}
    mark = f"s:{len(module)}{module}"
    found, open_ends = {}, [s for name, s in symbols.items() if name.startswith(mark)]
    while open_ends:
        symbol = open_ends.pop()
        name = symbol["identifier"]["precise"]
        if name in found:
            continue
        found[name] = symbol
        for fragment in symbol.get("declarationFragments", []):
            named = symbols.get(fragment.get("preciseIdentifier"))
            if named is None or named["kind"]["identifier"] not in _TYPES:
                continue
            path = named["pathComponents"]
            if path in _BELOW:
                continue
            open_ends += [s for s in symbols.values() if s["pathComponents"][:len(path)] == path]
            # A nested type stands on the page of the one around it.
            open_ends += [s for s in symbols.values() if s["pathComponents"] == path[:-1]]
    graph["symbols"] = [s for s in graph["symbols"] if s["identifier"]["precise"] in found]
    graph["relationships"] = [r for r in graph["relationships"] if r["source"] in found]
    return graph


def undocumented(graph):
    for symbol in graph["symbols"]:
        if "docComment" not in symbol and "::SYNTHESIZED::" not in symbol["identifier"]["precise"]:
            location = symbol.get("location", {})
            name = ".".join(symbol["pathComponents"])
            place = location.get("uri", "").removeprefix(f"file://{_ROOT}/")
            line = location.get("position", {}).get("line", -1) + 1
            yield f"{place}:{line}: {name} is public and has no comment"


def page(graph, module):
    """All declarations of a module in Markdown, those of a type below it."""
    out = [f"# {module}: declarations", "",
           f'<p>With links between them in the <a href="../swift/{module}/documentation/'
           f'{module.lower()}/index.html">DocC archive</a>, which needs a web server.</p>', ""]
    for symbol in sorted(graph["symbols"], key=lambda each: each["pathComponents"]):
        path = symbol["pathComponents"]
        declaration = "".join(part["spelling"] for part in symbol["declarationFragments"])
        comment = "\n".join(line["text"] for line in symbol.get("docComment", {}).get("lines", ()))
        if not comment or "::SYNTHESIZED::" in symbol["identifier"]["precise"]:
            continue  # of the compiler
        title = "##" if len(path) == 1 else "###"
        comment = re.sub(r"(?m)^#+ (.*)$", r"**\1**", comment)
        out += [f"{title} `{'.'.join(path)}`", "", "```swift", declaration, "```", "", comment, ""]
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--pages", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    swift = os.environ.get("SWIFT", "swift")
    docc = pathlib.Path(os.path.realpath(shutil.which(swift) or swift)).with_name("docc")
    wrong = []
    arguments.pages.mkdir(parents=True, exist_ok=True)
    for module in _MODULES:
        with tempfile.TemporaryDirectory() as place:
            directory = pathlib.Path(place)
            path = extract(swift, arguments.build.resolve(), module, directory)
            graph = reached(json.loads(path.read_text()), module)
            for other in directory.iterdir():
                other.unlink()
            path.write_text(json.dumps(graph))
            wrong += undocumented(graph)
            (arguments.pages / f"{module}.md").write_text(page(graph, module))
            output = arguments.output / module
            shutil.rmtree(output, ignore_errors=True)
            output.parent.mkdir(parents=True, exist_ok=True)
            made = subprocess.run(
                [docc, "convert", _ROOT / "Sources" / module / f"{module}.docc",
                 "--additional-symbol-graph-dir", directory, "--output-dir", output,
                 "--fallback-default-module-kind", "Module",
                 "--fallback-display-name", module, "--fallback-bundle-identifier", module,
                 "--transform-for-static-hosting", "--hosting-base-path", f"swift/{module}",
                 "--warnings-as-errors"])
            if made.returncode != 0:
                wrong.append(f"DocC refuses {module}: its words are above")
    if wrong:
        sys.exit("\n".join(f"modules.py: {line}" for line in wrong))


if __name__ == "__main__":
    main()
