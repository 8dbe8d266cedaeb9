#!/usr/bin/env python3
"""Writes the tables and polynomials of payload/libc/math, computed with mpmath (pip install mpmath) in 450 digits:
payload/libc/math/tables-float.h.  Polynomials are Chebyshev's interpolation of what is left after the exact first terms."""

import sys
from mpmath import mp, mpf, log, exp, floor, chebyfit, pi, sin, cos, tan, nint, sqrt, erf, erfc, asin

mp.dps = 450
PLACE = "payload/libc/math/tables-float.h"


def double(x):
    """x as a double, in hexadecimal."""
    return float(x).hex()


def fit(f, low, high, terms):
    """Coefficients, the constant first, of a polynomial near f."""
    return [double(c) for c in reversed(chebyfit(f, [mpf(low), mpf(high)], terms))]


def array(name, values, per_line=4):
    lines = ["static const double %s[] = {" % name]
    for i in range(0, len(values), per_line):
        lines.append("    " + ", ".join(values[i:i + per_line]) + ",")
    return lines + ["};", ""]


def exponentials():
    """2^(r/32) = 1 + r * EXP(r), |r| <= 1/2 (a little more, for other rounding modes)."""
    n, bound = 32, mpf("0.51")
    out = ["// 2^(i/32) as bits, less i << 47, so that adding k << 47 gives 2^(k/32).", "static const uint64_t EXP_TABLE[] = {"]
    for i in range(n):
        bits = int.from_bytes(__import__("struct").pack(">d", float(mpf(2) ** (mpf(i) / n))), "big")
        out.append("    0x%016x," % ((bits - (i << 47)) % 2 ** 64))
    out += ["};", "", "// (2^(r/32) - 1) / r for |r| <= 1/2."]
    ln2 = log(mpf(2)) / n
    out += array("EXP", fit(lambda r: (exp(r * ln2) - 1) / r if r else ln2, -bound, bound, 3))
    return out


def logarithms(name, base, terms):
    """Sixteen intervals from OFF on; the one around 1 has 1 itself, so that nothing cancels there."""
    off, step = 0x3f330000, 0x80000
    rows, bound = [], mpf(0)
    for i in range(16):
        ends = []
        for bits in (off + i * step, off + (i + 1) * step):
            ends.append(mpf(1 + mpf(bits & 0x7fffff) / 2 ** 23) * mpf(2) ** ((bits >> 23) - 127))
        inverse = mpf(1) if ends[0] < 1 < ends[1] else mpf(float(2 / (ends[0] + ends[1])))
        bound = max(bound, *[abs(e * inverse - 1) for e in ends])
        rows += [double(inverse), double(-log(inverse) / log(mpf(base)))]
    scale = 1 / log(mpf(base))
    out = ["// 1/c and the logarithm of c to base %s, for c in the middle of each interval." % ("e" if base != 2 else "2")]
    out += array(name + "_TABLE", rows, 2)
    if base == 2:
        out.append("// log2(1 + r) / r.")
        out += array(name, fit(lambda r: log(1 + r) * scale / r if r else scale, -bound, bound, terms))
        out += ["// The same with less care: where no exponent makes its error larger."]
        out += array(name + "_SHORT", fit(lambda r: log(1 + r) * scale / r if r else scale, -bound, bound, terms - 1))
    else:
        out.append("// (log(1 + r) - r) / r^2.")
        out += array(name, fit(lambda r: (log(1 + r) - r) / r ** 2 if r else mpf(-1) / 2, -bound, bound, terms))
    return out


def trigonometry():
    bound = pi / 4 + mpf("0.001")
    out = ["// (sin(r) - r) / r^3 and (cos(r) - 1) / r^2, in r^2, for |r| <= pi/4."]
    top = bound ** 2
    tiny = mpf(10) ** -40
    out += array("SIN", fit(lambda s: (sin(sqrt(s)) - sqrt(s)) / sqrt(s) ** 3 if s > tiny else -mpf(1) / 6, 0, top, 4))
    out += array("COS", fit(lambda s: (cos(sqrt(s)) - 1) / s if s > tiny else -mpf(1) / 2, 0, top, 5))
    half = pi / 2
    first = mpf(int(half * 2 ** 25)) / 2 ** 25
    out += ["// pi/2: its first 26 bits, and the rest."]
    out += array("HALF_PI", [double(first), double(half - first)], 2)
    out += ["// 2/pi, 8 bits each, the first of them in front of the point."]
    parts = ["0x%02x" % (int(floor(2 / pi * mpf(2) ** (8 * i))) & 0xff) for i in range(0, 26)]
    lines = ["    " + ", ".join(parts[i:i + 13]) + "," for i in range(0, 26, 13)]
    out += ["static const unsigned char TWO_OVER_PI[] = {"] + lines + ["};", ""]
    return out


def rows_of_logarithms(base):
    """For 128 intervals: 1/c in few bits, and its logarithm as two parts, of which the first is short."""
    off, step, rows, most = LOG_START, 2 ** 45, [], mpf(0)
    for i in range(128):
        ends = []
        for bits in (off + i * step, off + (i + 1) * step):
            ends.append(mpf(1 + mpf(bits & (2 ** 52 - 1)) / 2 ** 52) * mpf(2) ** ((bits >> 52) - 1023))
        is_one = ends[0] < 1 < ends[1]
        # So few bits that z / c - 1 has no more than a double, for all z in the interval: |r| < 2^-7.
        places = 7 if ends[0] < 1 else 8
        inverse = mpf(1) if is_one else nint(2 / (ends[0] + ends[1]) * 2 ** places) / 2 ** places
        most = max(most, *[abs(end * inverse - 1) for end in ends])
        whole = -log(inverse) / log(mpf(base))
        first = nint(whole * 2 ** 42) / 2 ** 42
        rows.append("{%s, %s, %s}" % (double(inverse), double(first), double(whole - first)))
    assert most < FURTHEST
    return rows


# How far z / c may be from 1.
FURTHEST = mpf("0.00574")
# 1 lies in the middle of an interval, as seen from both sides: below it, intervals are half as long.
LOG_START = 0x3ff0000000000000 - (80 * 2 ** 45 + 2 ** 46 // 3)


def wide_logarithms(name, base):
    return ["#define %s { \\" % name] + ["    %s, \\" % row for row in rows_of_logarithms(base)] + ["}", ""]


def split_constant(name, value, bits=None):
    """A constant as two doubles; the first one with no bit below 2^-bits."""
    first = nint(value * mpf(2) ** bits) / mpf(2) ** bits if bits else mpf(float(value))
    return ["#define %s %s" % (name, double(first)), "#define %s_LOW %s" % (name, double(value - first))]


def doubles():
    ln2 = log(mpf(2))
    shared = ["#define LOG_START 0x%x" % LOG_START, "#define LN2 %s" % double(nint(ln2 * 2 ** 42) / 2 ** 42),
              "#define LN2_LOW %s" % double(ln2 - nint(ln2 * 2 ** 42) / 2 ** 42)]
    shared += split_constant("PER_LN2", 1 / ln2) + split_constant("PER_LN10", 1 / log(mpf(10)))
    shared += ["// log(1 + r) = r + r^2 * SERIES(r)."]
    series = [(-1) ** (n + 1) / mpf(n) for n in range(2, 10)]
    shared += array("SERIES", [double(c) for c in series])
    shared += ["// (log(1 + r) - r) / r^2 for |r| < 0.00574, and the same to base 2: one term less, and nearly as near."]
    bound, one = FURTHEST, mpf(1)
    near = lambda r: (log(1 + r) - r) / r ** 2 if abs(r) > mpf(10) ** -40 else -one / 2
    shared += array("NEAR", fit(near, -bound, bound, 6)) + array("NEAR_2", fit(lambda r: near(r) / ln2, -bound, bound, 6))
    power = ["#define EXP_ROWS { \\"]
    for i in range(128):
        exact = mpf(2) ** (mpf(i) / 128)
        bits = int.from_bytes(__import__("struct").pack(">d", float(exact)), "big")
        power.append("    {%s, 0x%016x}, \\" % (double((exact - mpf(float(exact))) / exact), (bits - (i << 45)) % 2 ** 64))
    step = ln2 / 128
    first = nint(step * 2 ** 41) / mpf(2) ** 41
    power += ["}", ""]
    shared += ["// 128 / ln 2, and its inverse: few enough bits that whole multiples are exact, and the rest.",
              "#define PER_STEP %s" % double(1 / step), "#define STEP %s" % double(first), "#define STEP_LOW %s" % double(step - first)]
    return {"SHARED": shared, "LOG": wide_logarithms("LOG_ROWS", exp(mpf(1))), "LOG2": wide_logarithms("LOG2_ROWS", 2), "EXP": power}


def short_parts(value, bits, count):
    """A constant as doubles, all but the last of `bits` bits."""
    out = []
    for _ in range(count - 1):
        place = mpf(2) ** (bits - 1 - int(floor(log(abs(value), 2))))
        out.append(floor(value * place) / place)
        value -= out[-1]
    return [double(part) for part in out + [value]]


def rows_of_circle():
    """The sine at each of 128 places of the circle, and what its double lacks."""
    rows = []
    for i in range(128):
        exact = mpf((0, 1, 0, -1)[i // 32]) if i % 32 == 0 else sin(pi * i / 64)
        first = mpf(float(exact))
        rows.append("{%s, %s}" % (double(first), double(exact - first)))
    return ["#define CIRCLE_ROWS { \\"] + ["    %s, %s, \\" % (rows[i], rows[i + 1]) for i in range(0, 128, 2)] + ["}", ""]


def rows_of_tangent():
    """The tangent at 32 places from an eighth of the circle back to one on, and what its double lacks."""
    rows = []
    for i in range(-16, 16):
        exact = mpf(-1) if i == -16 else tan(pi * i / 64)
        first = mpf(float(exact))
        rows.append("{%s, %s}" % (double(first), double(exact - first)))
    return ["static const CircleRow TANGENTS[] = {"] + ["    %s, %s," % (rows[i], rows[i + 1]) for i in range(0, 32, 2)] + ["};", ""]


def tangent():
    """(tan(x) / x - 1) / x^2 in x^2, for x up to a half."""
    tiny = mpf(10) ** -30
    f = lambda s: (tan(sqrt(s)) / sqrt(s) - 1) / s if s > tiny else mpf(1) / 3
    return ["// (tan(x) - x) / x^3 in x^2, for x up to a half."] + array("TANGENT", fit(f, 0, mpf(1) / 4, 11), 3)


def circle():
    step = pi / 64
    first = mpf(float(step))
    second = mpf(float(step - first))
    out = ["// 64/pi, and pi/64 for one rounding and for two: then the first parts have 33 bits.",
           "#define PER_PART %s" % double(1 / step)]
    out += array("PART_FUSED", [double(first), double(second), double(step - first - second)], 3)
    out += array("PART_PLAIN", short_parts(step, 33, 3), 3)
    out += split_constant("QUARTER", pi / 2)
    out += ["", "// 2/pi, 64 bits each, the first of them in front of the point."]
    words = [int(floor(2 / pi * mpf(2) ** (64 * i))) & (2 ** 64 - 1) for i in range(0, 20)]
    lines = ["    " + ", ".join("0x%016x" % w for w in words[i:i + 4]) + "," for i in range(0, 20, 4)]
    return out + ["static const uint64_t TWO_OVER_PI[] = {"] + lines + ["};"]


def wide():
    lines = ["// Made by tools/math-tables.py: run it again instead of editing.", "#pragma once", "#include <stdint.h>", "",
             "// 1/c, in 9 bits, and the logarithm of c, its first part with no bit below 2^-42.",
             "typedef struct { double inverse, log, log_low; } LogRow;", "",
             "// 2^(i/128) as bits, less i << 45, and what is left of it, in parts of the whole.",
             "typedef struct { double rest; uint64_t bits; } ExpRow;", ""]
    for name, part in doubles().items():
        lines += part + [""] if name == "SHARED" else ["#ifdef NEEDS_" + name] + part + ["#endif", ""]
    with open(PLACE.replace("float", "double"), "w") as file:
        file.write("\n".join(lines).rstrip("\n") + "\n")


def around():
    lines = ["// Made by tools/math-tables.py: run it again instead of editing.", "#pragma once", "#include <stdint.h>", "",
             "// A sine or a tangent, and what it lacks.", "typedef struct { double first, rest; } CircleRow;", ""] + circle()
    lines += ["", "#ifdef NEEDS_CIRCLE_ROWS"] + rows_of_circle()[:-1] + ["#endif"]
    lines += ["", "#ifdef NEEDS_TANGENTS"] + rows_of_tangent() + tangent()[:-1] + ["#endif"]
    with open(PLACE.replace("float", "circle"), "w") as file:
        file.write("\n".join(lines) + "\n")


def rows_of_erf():
    """First erf(x) / x - 1 in x^2 for x below 1/2, then for each eighth up to 6 erf in its middle, what its double lacks,
    and (erf(c + t) - erf(c)) / t."""
    tiny, rows = mpf(10) ** -40, []
    terms = fit(lambda s: erf(sqrt(s)) / sqrt(s) - 1 if s > tiny else 2 / sqrt(pi) - 1, 0, mpf(1) / 4, 9)
    rows.append(["0x0.0p+0", "0x0.0p+0"] + terms)
    for i in range(4, 48):
        middle = (mpf(i) + mpf(1) / 2) / 8
        value = erf(middle)
        slope = 2 / sqrt(pi) * exp(-middle ** 2)
        terms = fit(lambda t: (erf(middle + t) - value) / t if abs(t) > tiny else slope, -mpf(1) / 16, mpf(1) / 16, 9)
        rows.append([double(value), double(value - mpf(float(value)))] + terms)
    return ["    {%s, %s, {%s}}," % (row[0], row[1], ", ".join(row[2:])) for row in rows]


def errors():
    lines = ["// Made by tools/math-tables.py: run it again instead of editing.", "#pragma once", "",
             "// erf in the middle of an eighth, what it lacks, and (erf(c + t) - erf(c)) / t; in the first row (erf(x) - x) / x",
             "// in x^2, for x below 1/2.", "typedef struct { double first, rest, terms[9]; } ErrorRow;", "",
             "static const ErrorRow ERF_ROWS[] = {"] + rows_of_erf() + ["};", ""]
    lines += ["// e^(x^2) * erfc(x) * (x + 4) in (x - 4) / (x + 4), for x from 1 to 28."]
    at = lambda y: 4 * (1 + y) / (1 - y)
    lines += array("ERFC", fit(lambda y: exp(at(y) ** 2) * erfc(at(y)) * (at(y) + 4), -mpf(3) / 5, mpf(3) / 4, 22))
    with open(PLACE.replace("float", "error"), "w") as file:
        file.write("\n".join(lines).rstrip("\n") + "\n")


def arcs():
    """asin(x) = x + x^3 * ARC(x^2), x^2 up to 1/4."""
    tiny = mpf(10) ** -40
    lines = ["// Made by tools/math-tables.py: run it again instead of editing.", "#pragma once", "",
             "// (asin(x) - x) / x^3 in x^2, for x up to 1/2."]
    lines += array("ARC", fit(lambda s: (asin(sqrt(s)) / sqrt(s) - 1) / s if s > tiny else mpf(1) / 6, 0, mpf(1) / 4, 13))
    with open(PLACE.replace("float", "arc"), "w") as file:
        file.write("\n".join(lines).rstrip("\n") + "\n")


def main():
    wide()
    around()
    mp.dps = 80
    errors()
    arcs()
    mp.dps = 450
    lines = ["// Made by tools/math-tables.py: run it again instead of editing.", "#pragma once", "#include <stdint.h>", ""]
    parts = {"EXP": exponentials(), "LOG": logarithms("LOG", exp(mpf(1)), 4), "LOG2": logarithms("LOG2", 2, 6),
             "TRIGONOMETRY": trigonometry()}
    for name, part in parts.items():
        lines += ["#ifdef NEEDS_" + name] + part + ["#endif", ""]
    with open(PLACE, "w") as file:
        file.write("\n".join(lines).rstrip("\n") + "\n")


main()
