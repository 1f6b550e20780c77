"""The four matrices of the pJDS paper as the gallery makes them, and the storage that their row lengths need."""

import collections
import pathlib

import common

# name in the paper: whole matrix; the one to time, of less than 2 GB in every format; a small one
MATRICES = {"DLR1": ("dlr1", "dlr1", "dlr1:scale=0.03"), "DLR2": ("dlr2", "dlr2:scale=0.4", "dlr2:scale=0.01"),
            "HMEp": ("hmep", "hmep", "hmep:quanta=3"), "sAMG": ("samg", "samg", "samg:scale=0.01")}
BLOCK = 32  # rows, b_r of the paper


def generate(command, spec, folder):
    """Writes a matrix of the gallery as .mrx."""
    file = pathlib.Path(folder) / (spec.replace(":", "-").replace("=", "-") + ".mrx")
    command.call("gen", spec, "-o", file)
    return file


def histogram(file):
    """How many rows have each length, shortest first."""
    counted = collections.Counter(common.row_lengths(file))
    return {length: counted[length] for length in sorted(counted)}


def entries(lengths):
    return sum(length * count for length, count in lengths.items())


def num_rows(lengths):
    return sum(lengths.values())


def ell_slots(lengths):
    """Every row as long as the longest."""
    return num_rows(lengths) * max(lengths)


def pjds_slots(lengths, block=BLOCK):
    """Sorted rows, each block of them as long as its first; the last block may have fewer rows."""
    rows, slots, place = num_rows(lengths), 0, 0
    for length in sorted(lengths, reverse=True):
        end = place + lengths[length]
        first, last = -(-place // block) * block, -(-end // block) * block  # of the blocks whose first row is here
        slots += length * (min(last, rows) - min(first, rows))
        place = end
    return slots


def reduction(lengths):
    """Percent of ELLPACK's storage that pJDS saves."""
    return 100 * (1 - pjds_slots(lengths) / ell_slots(lengths))
