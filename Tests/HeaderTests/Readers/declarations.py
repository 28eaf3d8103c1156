# SPDX-License-Identifier: Apache-2.0
"""Reads headers with clang, as they are for other compilers, and prints their declarations as JSON, in
the form of Declaration.swift.

    declarations.py INCLUDE_DIRECTORY HEADER...
"""
import functools
import json
import os.path
import sys

from clang.cindex import CursorKind, Index, TypeKind

KINDS = {CursorKind.FUNCTION_DECL: "function", CursorKind.STRUCT_DECL: "structure",
         CursorKind.ENUM_DECL: "enumeration", CursorKind.TYPEDEF_DECL: "alias",
         CursorKind.FIELD_DECL: "value", CursorKind.PARM_DECL: "value"}
PARTS_OF_FUNCTIONS = {CursorKind.PARM_DECL, CursorKind.ANNOTATE_ATTR, CursorKind.TYPE_REF}
TAG = '-DCURFEW_TAG(thread, state)=__attribute__((annotate(#thread ";" #state)))'


@functools.cache
def lines(path):
    with open(path, encoding="utf-8") as file:
        return file.read().split("\n")


def is_documented(cursor):
    """Whether a comment that begins its line ends on the line above the declaration."""
    above = lines(cursor.location.file.name)[:cursor.extent.start.line - 1]
    if not above or not above[-1].rstrip().endswith("*/"):
        return False
    return next(line for line in reversed(above) if "/*" in line).lstrip().startswith("/*")


def inner(of_it):
    """A type without its pointers and arrays, and whether there are any."""
    is_pointer = is_array = False
    while of_it.kind in (TypeKind.POINTER, TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY):
        if of_it.kind == TypeKind.POINTER:
            of_it, is_pointer = of_it.get_pointee(), True
        else:
            of_it, is_array = of_it.element_type, True
    return of_it, is_pointer, is_array


def declaration(cursor):
    """A declaration with its parameters, members and constants."""
    def parts(kind):
        return [child for child in cursor.get_children() if child.kind == kind]

    kind = KINDS.get(cursor.kind, "unknown")
    unknown = [cursor.kind.name] if kind == "unknown" else []
    of_it = cursor.type
    if kind == "alias":
        of_it = cursor.underlying_typedef_type
    elif kind == "function":
        of_it = cursor.result_type
        unknown = [child.kind.name for child in cursor.get_children()
                   if child.kind not in PARTS_OF_FUNCTIONS]
    of_it, is_pointer, is_array = inner(of_it)
    if of_it.kind == TypeKind.FUNCTIONPROTO:
        kind = "callback" if kind == "alias" else "functionPointer"
        of_it, is_pointer, is_array = inner(of_it.get_result())
    elif kind == "value" and of_it.get_declaration().is_anonymous():
        kind = "structure"
    file = os.path.relpath(os.path.normpath(cursor.location.file.name), directory)
    return {
        "kind": kind, "name": cursor.spelling,
        "structureTag": cursor.spelling if cursor.kind == CursorKind.STRUCT_DECL else "",
        "type": of_it.spelling.removeprefix("const "),
        "isPointer": is_pointer, "isArray": is_array,
        "parameters": [declaration(part) for part in parts(CursorKind.PARM_DECL)],
        "members": [declaration(part) for part in parts(CursorKind.FIELD_DECL)],
        "constants": [part.spelling for part in parts(CursorKind.ENUM_CONSTANT_DECL)],
        "tags": [dict(zip(("thread", "state"), part.spelling.split(";")))
                 for part in parts(CursorKind.ANNOTATE_ATTR)],
        "unknown": unknown, "isDocumented": is_documented(cursor),
        "place": f"{file}:{cursor.extent.start.line}"}


def has_body(typedef):
    """Whether it is `typedef struct … { … } name`, of which clang makes two declarations."""
    body = typedef.underlying_typedef_type.get_declaration()
    return body.is_definition() and body.extent.start in typedef.extent


directory, *names = sys.argv[1:]
text = "".join(f"#include <{name}>\n" for name in names)
unit = Index.create().parse("all.h", ["-xc", "-std=c11", "-U__clang__", "-I", directory, TAG],
                            unsaved_files=[("all.h", text)])
errors = [str(each) for each in unit.diagnostics if each.severity >= each.Error]
if errors:
    sys.exit("\n".join(errors))
found = []
for top in unit.cursor.get_children():
    if not top.location.file or not top.location.file.name.startswith(directory + "/"):
        continue
    if top.kind == CursorKind.TYPEDEF_DECL and has_body(top):
        outer = declaration(top)
        found[-1] |= {key: outer[key] for key in ("name", "isDocumented", "place")}
    elif top.kind != CursorKind.STRUCT_DECL or top.is_definition():
        found.append(declaration(top))
json.dump(found, sys.stdout)
