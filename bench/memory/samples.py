"""The raw data that `memory` wrote, and the statistics that are made of it."""
import collections
import math


def read(path):
    """Of each function, mode and size, the nanoseconds of every candidate's rounds."""
    times = collections.defaultdict(dict)
    with open(path, encoding="ascii") as lines:
        for line in lines:
            function, mode, size, name, *rounds = line.rstrip("\n").split("\t")
            times[function, mode, int(size)][name] = [float(x) for x in rounds]
    return times


def interval(values):
    """The median's 95 % interval, by the binomial distribution of how many values lie below it."""
    values, n = sorted(values), len(values)
    below, k = 0.0, 0
    while True:
        below += math.comb(n, k) / 2**n
        if below > 0.025:
            break
        k += 1
    k = max(k - 1, 0)
    return values[k], values[n - 1 - k]


def paired(row, candidate, other):
    """Of each round, the candidate's time in units of the other's."""
    return [x / y for x, y in zip(row[candidate], row[other])]
