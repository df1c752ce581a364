#!/usr/bin/env python3
"""The shared library exports the functions that lithify.h declares with LITH_API, and no more.

export_check.py SHARED STATIC HEADER: also its soname, that it needs nothing only the program needs,
and that every global symbol of the static one, where nothing is hidden from a program that links
it, begins with lith_.
"""

import re
import subprocess
import sys

# Libraries of the program and of the tests.
FOREIGN = ("yaml", "cmocka")


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    library, archive, header = sys.argv[1:]
    with open(header, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    declared = set()
    for match in re.finditer(r"^LITH_API\b(?P<rest>[^;]*);", text, flags=re.M):
        declared.add(re.search(r"\b(lith_\w+)\s*\(", match["rest"])[1])
    symbols = output_of("nm", "-D", "--defined-only", library)
    exported = {line.split()[-1] for line in symbols.splitlines()}
    dynamic = output_of("readelf", "-d", library)
    soname = re.search(r"SONAME.*\[(.*)\]", dynamic)
    wrong = [f"{name}: declared, not exported" for name in sorted(declared - exported)]
    wrong += [f"{name}: exported, not declared" for name in sorted(exported - declared)]
    if not soname or not re.fullmatch(r"liblithify\.so\.\d+", soname[1]):
        wrong.append(f"the soname is {soname and soname[1]}")
    wrong += [f"needs {name}" for name in re.findall(r"NEEDED.*\[(.*)\]", dynamic)
              if any(word in name for word in FOREIGN)]
    lines = output_of("nm", "-g", "--defined-only", archive).splitlines()
    names = {line.split()[-1] for line in lines if len(line.split()) == 3}
    wrong += [f"{name}: no lith_ in front" for name in sorted(names)
              if not name.startswith("lith_")]
    wrong += [f"{name}: not in the static library" for name in sorted(declared - names)]
    print("\n".join(wrong) or f"{len(declared)} functions")
    return 1 if wrong or not declared else 0


if __name__ == "__main__":
    sys.exit(main())
