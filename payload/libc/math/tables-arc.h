// Made by tools/math-tables.py: run it again instead of editing.
#pragma once

// (asin(x) - x) / x^3 in x^2, for x up to 1/2.
static const double ARC[] = {
    0x1.5555555555556p-3,
    0x1.3333333332ecap-4,
    0x1.6db6db6e31f13p-5,
    0x1.f1c71c1db0623p-6,
    0x1.6e8bb1c8209a2p-6,
    0x1.1c4d35cf95421p-6,
    0x1.c9cf07674736ap-7,
    0x1.782651caa6547p-7,
    0x1.52420b04b37bep-7,
    0x1.65a9c4dfcf8b2p-8,
    0x1.1d189408314eep-6,
    -0x1.e6aaa8a0a04ccp-7,
    0x1.d72b2bc8155f8p-6,
};
