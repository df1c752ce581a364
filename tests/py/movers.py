"""The ways in which the program moves a chunk, and how a test asks for one of them.

A test that takes `mover` runs once for each; `merge` forces it. `auto` is what users get; `copy`
copies pages that are too small to be worth it, too, as most of a test's are.
"""

import lithify

# Name -> (options of `lithify merge`, environment).
MOVERS = {
    "auto": ([], {}),
    "copy": (["--movers", "copy"], {}),
    "recode": (["--movers", "recode"], {}),
}


def in_turn(cases):
    """(case, mover) for each case: where a case takes long, each has one mover, all take turns."""
    return [(case, list(MOVERS)[number % len(MOVERS)]) for number, case in enumerate(cases)]


def merge(mover, output, inputs, *options):
    """`lithify merge` with one mover; returns the output files."""
    more, env = MOVERS[mover]
    return lithify.merge(output, inputs, *more, *options, env=env)
