#!/usr/bin/env python3
"""Each header compiles alone, and the public one as plain C11 and as C++.

header_check.py ROOT: exits 1 and shows the compiler's words when one does not.
"""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys

STRICT = ["-Wall", "-Wextra", "-pedantic-errors", "-Werror", "-fsyntax-only"]


def compiles(command, header, text):
    done = subprocess.run([*command, *STRICT, "-"], input=text, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{header} does not compile alone ({' '.join(command)}):\n{done.stderr}")
    return done.returncode == 0


def main():
    root = pathlib.Path(sys.argv[1])
    cc = shlex.split(os.environ.get("CC", "cc"))
    cxx = shlex.split(os.environ.get("CXX", "c++"))
    public = root / "include" / "lithify.h"
    # Twice, so that the guard is seen too. ISO C knows no unit without a declaration.
    folders = [f"-I{root / 'src'}", f"-I{root / 'include'}"]
    inside = [*cc, "-std=gnu17", "-D_GNU_SOURCE", *folders, "-xc"]
    good = [compiles(inside, header, f'#include "{header}"\n' * 2 + "extern int unit;\n")
            for header in sorted((root / "src").rglob("*.h"))]
    good.append(compiles([*cc, "-std=c11", "-xc"], public, f'#include "{public}"\n' * 2))
    if shutil.which(cxx[0]):
        good.append(compiles([*cxx, "-std=c++11", "-xc++"], public, f'#include "{public}"\n' * 2))
    return 0 if len(good) > 1 and all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
