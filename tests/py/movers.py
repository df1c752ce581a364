"""The ways in which the program moves a chunk, and how a test asks for one of them.

A test that takes `mover` runs once for each; `merge` forces it. One that the program cannot be
asked for yet is not in the table.
"""

import lithify

# Name -> (options of `lithify merge`, environment).
MOVERS = {
    "recode": ([], {}),
}


def merge(mover, output, inputs, *options):
    """`lithify merge` with one mover; returns the output files."""
    more, env = MOVERS[mover]
    return lithify.merge(output, inputs, *more, *options, env=env)
