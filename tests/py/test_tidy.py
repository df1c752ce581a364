"""tools/tidy finds each kind of violation, and nothing in a tree that keeps the rules."""

import pathlib
import subprocess
import sys

import pytest

TIDY = pathlib.Path(__file__).resolve().parents[2] / "tools" / "tidy"

CLEAN = {
    "src/base/README.md": "# base\n",
    "src/base/meson.build": "lith_sources += files(\n  'mem.c',\n  'err.c',\n)\n",
    "src/base/err.c": "/*\n * x\n */\n#include <errno.h>\n#ifdef X\n#endif\nint f(void)\n{\n"
                      "    abort();\n}\n",
    "src/base/mem.c": "/*\n * x\n */\n#include \"base/mem.h\"\n\nvoid *f(void)\n{\n"
                      "    return malloc(1);\n}\n",
    "src/base/mem.h": "/*\n * free(x) and `long` may stand in comments.\n */\n",
    "src/codec/README.md": "# codec\n",
    "src/codec/meson.build": "lith_sources += files('zstd.c')\n",
    "src/codec/zstd.c": "/*\n * x\n */\n#include <zstd.h>\n#include \"base/mem.h\"\n#include "
                        "\"lithify.h\"\nconst char *text = \"malloc(1) /* \";\n"
                        "int g(struct env *env)\n{\n    return env->time(1) + lith_free(2);\n}\n",
    "src/plan/README.md": "# plan\n",
    "src/plan/plan.h": "/*\n * x\n */\n#include \"lake/snapshot.h\"\n",
    "src/cli/README.md": "# cli\n",
    "src/cli/meson.build": "executable('lithify', 'main.c')\n",
    "src/cli/main.c": "/*\n * x\n */\nint main(void)\n{\n    exit(getenv(\"X\") != 0);\n}\n",
    "tests/unit/meson.build": "unit_tests = {'base': ['mem']}\n",
    "tests/unit/mem_test.c": "/*\n * x\n */\n#include \"support.h\"\nvoid *p = malloc(1);\n",
}

OPENING = "/*\n * x\n */\n"


def function_of(lines, waiver=""):
    return "void f(void)\n{\n" + waiver + "    g();\n" * lines + "}\n"


# What is put into the clean tree (file, text) and the one line that must come out.
VIOLATIONS = [
    ("src/base/mem.h", OPENING + "int f(void)\n{\n    LITH_AUTO(arena) struct arena a;\n\n    if (x)\n"
     "        return 1;\n    arena_init(&a);\n}\n",
     "src/base/mem.h:6: a is not set up before the first way out"),
    ("src/base/mem.h", OPENING + '#include "codec/codec.h"\n',
     'src/base/mem.h:4: "codec/codec.h": src/base may not include src/codec'),
    ("src/base/mem.h", OPENING + '#include "store/store.h"\n',
     'src/base/mem.h:4: "store/store.h": src/base may not include src/store'),
    ("src/plan/plan.h", OPENING + '#include "lake/manifest.h"\n',
     'src/plan/plan.h:4: "lake/manifest.h": src/plan may not include src/lake'),
    ("src/plan/plan.h", OPENING + '#include "nowhere/x.h"\n',
     'src/plan/plan.h:4: "nowhere/x.h": there is no folder src/nowhere in the table of layers'),
    ("src/plan/plan.h", OPENING + '#include "plan.h"\n',
     'src/plan/plan.h:4: "plan.h": name the folder too'),
    ("src/base/mem.h", OPENING + "#include <jansson.h>\n",
     "src/base/mem.h:4: <jansson.h> belongs to src/base/json.c alone"),
    ("src/base/mem.h", OPENING + "#include <xxhash.h>\n",
     "src/base/mem.h:4: <xxhash.h> belongs to src/base/hash.c and src/base/xxh3.c alone"),
    ("src/base/mem.h", OPENING + "#  include <pthread.h>\n",
     "src/base/mem.h:4: <pthread.h> belongs to src/base/pool.c alone"),
    ("src/base/mem.h", OPENING + "#include <zstd.h>\n",
     "src/base/mem.h:4: <zstd.h> belongs to src/codec/ alone"),
    ("src/plan/plan.h", OPENING + "#include <libdeflate.h>\n",
     "src/plan/plan.h:4: <libdeflate.h> belongs to src/base/hash.c and src/codec/ alone"),
    ("src/plan/plan.h", OPENING + "#include <cyaml/cyaml.h>\n",
     "src/plan/plan.h:4: <cyaml/cyaml.h> belongs to src/config/ alone"),
    ("src/plan/plan.h", OPENING + "#include <curl/curl.h>\n",
     "src/plan/plan.h:4: <curl/curl.h> belongs to src/net/ alone"),
    ("src/plan/plan.h", OPENING + "#include <errno.h>\n",
     "src/plan/plan.h:4: <errno.h> belongs to src/base/ alone"),
    ("src/codec/zstd.c", OPENING + "void *p = malloc(1);\n",
     "src/codec/zstd.c:4: malloc() is banned"),
    ("src/codec/zstd.c", OPENING + "void *p = (free (1));\n",
     "src/codec/zstd.c:4: free() is banned"),
    ("src/codec/zstd.c", OPENING + "int t = time(NULL);\n", "src/codec/zstd.c:4: time() is banned"),
    ("src/codec/zstd.c", OPENING + "int t = abort();\n", "src/codec/zstd.c:4: abort() is banned"),
    ("src/codec/zstd.c", OPENING + "int t = exit(1);\n", "src/codec/zstd.c:4: exit() is banned"),
    ("src/codec/zstd.c", OPENING + "int t = getenv(x);\n",
     "src/codec/zstd.c:4: getenv() is banned"),
    ("src/base/mem.c", OPENING + "int t = getenv(x);\n", "src/base/mem.c:4: getenv() is banned"),
    ("src/base/mem.c", OPENING + "int t = sprintf(x, 1);\n",
     "src/base/mem.c:4: sprintf() is banned"),
    ("src/base/mem.h", OPENING + "int f(unsigned long x);\n",
     "src/base/mem.h:4: `long` in an interface: its width varies"),
    ("src/base/mem.h", OPENING + "typedef struct x x_t;\n",
     "src/base/mem.h:4: typedef is for function types only"),
    ("src/codec/zstd.c", OPENING + "#ifdef X\n#endif\n",
     "src/codec/zstd.c:4: #ifdef outside of src/base"),
    ("src/codec/zstd.c", OPENING + "#if X\n#endif\n",
     "src/codec/zstd.c:4: #if outside of src/base"),
    ("src/codec/zstd.c", "int x;\n",
     "src/codec/zstd.c:1: a file opens with a comment that says what it does"),
    ("tests/unit/mem_test.c", "int x;\n",
     "tests/unit/mem_test.c:1: a file opens with a comment that says what it does"),
    ("src/codec/zstd.c", OPENING + "/" * 101 + "\n",
     "src/codec/zstd.c:4: 101 columns; at most 100"),
    ("src/codec/zstd.c", OPENING + "int\tx;\n", "src/codec/zstd.c:4: tab or space at the end"),
    ("src/codec/zstd.c", OPENING + "int x; \n", "src/codec/zstd.c:4: tab or space at the end"),
    ("src/codec/zstd.c", OPENING + "int x;", "src/codec/zstd.c:4: no newline at the end"),
    ("src/codec/zstd.c", OPENING + function_of(71),
     "src/codec/zstd.c:5: a function of 71 lines; at most 70, or say why: "
     '"tidy: long because ..."'),
    ("src/codec/zstd.c", OPENING + function_of(71, "    /* tidy: long because */\n"),
     "src/codec/zstd.c:5: a function of 72 lines; at most 70, or say why: "
     '"tidy: long because ..."'),
    ("src/codec/lz4.c", OPENING, "src/codec/meson.build:1: lz4.c is not listed"),
    ("src/codec/meson.build", "files('zstd.c', 'gone.c')\n",
     "src/codec/meson.build:1: gone.c is listed and not there"),
    ("src/codec/meson.build", "# 'zstd.c'\n", "src/codec/meson.build:1: zstd.c is not listed"),
    ("src/plan/README.md", None,
     "src/plan/README.md:1: each folder has a page that says what it is for"),
    ("src/other/x.h", OPENING,
     "src/other/x.h:1: there is no folder src/other in the table of layers\n"
     "src/other/README.md:1: each folder has a page that says what it is for"),
    ("tests/unit/arena_test.c", OPENING,
     "tests/unit/meson.build:1: arena_test.c is not listed: it never runs"),
]

# What may look like one and is none.
HARMLESS = [
    ("src/codec/zstd.c", OPENING + function_of(70)),
    ("src/codec/zstd.c", OPENING + function_of(90, "    /* tidy: long because a table is. */\n")),
    ("src/codec/zstd.c", OPENING + "/* tidy: long because one state\n * machine. */\n"
     + function_of(90)),
    ("src/codec/zstd.c", OPENING + "/*\n" + "#include <jansson.h>\n" * 2 + "*/\n"),
    ("src/codec/zstd.c", OPENING + "char c = '\"'; /* malloc(1) \" */ char d = '\"';\n"),
    ("src/codec/zstd.c", OPENING + "int runtime(int x); int x = my_free(1);\n"),
    ("src/codec/zstd.c", OPENING + "static long local;\n"),
    ("src/base/mem.h", OPENING + "typedef int (*lith_each)(void *ctx);\n#ifndef X\n#endif\n"),
]


def run_on(folder, name=None, text=None):
    """The lines that tidy prints for the clean tree with one file changed, and its exit code."""
    tree = dict(CLEAN)
    if name:
        tree[name] = text
    for path, content in tree.items():
        if content is not None:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(content)
    done = subprocess.run([sys.executable, TIDY, folder], stdout=subprocess.PIPE, text=True)
    return done.stdout.splitlines(), done.returncode


def test_clean_tree_has_none(tmp_path):
    assert run_on(tmp_path) == (["0 violations"], 0)


@pytest.mark.parametrize("name, text, wanted", VIOLATIONS)
def test_violation_is_found_alone(tmp_path, name, text, wanted):
    lines = wanted.split("\n")
    assert run_on(tmp_path, name, text) == (lines + [f"{len(lines)} violations"], 1)


@pytest.mark.parametrize("name, text", HARMLESS)
def test_harmless_text_is_let_be(tmp_path, name, text):
    assert run_on(tmp_path, name, text) == (["0 violations"], 0)


def test_no_tree_is_an_error(tmp_path):
    done = subprocess.run([sys.executable, TIDY, tmp_path], stdout=subprocess.PIPE, text=True)
    assert done.returncode == 2
