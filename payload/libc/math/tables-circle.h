// Made by tools/math-tables.py: run it again instead of editing.
#pragma once
#include <stdint.h>

// A sine or a tangent, and what it lacks.
typedef struct {
    double first, rest;
} CircleRow;

// 64/pi, and pi/64 for one rounding and for two: then the first parts have 33 bits.
#define PER_PART 0x1.45f306dc9c883p+4
static const double PART_FUSED[] = {
    0x1.921fb54442d18p-5,
    0x1.1a62633145c07p-59,
    -0x1.f1976b7ed8fbcp-115,
};

static const double PART_PLAIN[] = {
    0x1.921fb54400000p-5,
    0x1.0b4611a600000p-39,
    0x1.3198a2e037073p-74,
};

#define QUARTER 0x1.921fb54442d18p+0
#define QUARTER_LOW 0x1.1a62633145c07p-54

// 2/pi, 64 bits each, the first of them in front of the point.
static const uint64_t TWO_OVER_PI[] = {
    0x0000000000000000,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
};

#ifdef NEEDS_CIRCLE_ROWS
#define CIRCLE_ROWS {                                \
    {0x0.0p+0, 0x0.0p+0},                            \
    {0x1.91f65f10dd814p-5, -0x1.912bd0d569a90p-61},  \
    {0x1.917a6bc29b42cp-4, -0x1.e2718d26ed688p-60},  \
    {0x1.2c8106e8e613ap-3, 0x1.13000a89a11e0p-58},   \
    {0x1.8f8b83c69a60bp-3, -0x1.26d19b9ff8d82p-57},  \
    {0x1.f19f97b215f1bp-3, -0x1.42deef11da2c4p-57},  \
    {0x1.294062ed59f06p-2, -0x1.5d28da2c4612dp-56},  \
    {0x1.58f9a75ab1fddp-2, -0x1.efdc0d58cf620p-62},  \
    {0x1.87de2a6aea963p-2, -0x1.72cedd3d5a610p-57},  \
    {0x1.b5d1009e15cc0p-2, 0x1.5b362cb974183p-57},   \
    {0x1.e2b5d3806f63bp-2, 0x1.e0d891d3c6841p-58},   \
    {0x1.073879922ffeep-1, -0x1.a5a014347406cp-55},  \
    {0x1.1c73b39ae68c8p-1, 0x1.b25dd267f6600p-55},   \
    {0x1.30ff7fce17035p-1, -0x1.efcc626f74a6fp-57},  \
    {0x1.44cf325091dd6p-1, 0x1.8076a2cfdc6b3p-57},   \
    {0x1.57d69348ceca0p-1, -0x1.75720992bfbb2p-55},  \
    {0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55},  \
    {0x1.7b5df226aafafp-1, -0x1.0f537acdf0ad7p-56},  \
    {0x1.8bc806b151741p-1, -0x1.2c5e12ed1336dp-55},  \
    {0x1.9b3e047f38741p-1, -0x1.30ee286712474p-55},  \
    {0x1.a9b66290ea1a3p-1, 0x1.9f630e8b6dac8p-60},   \
    {0x1.b728345196e3ep-1, -0x1.bc69f324e6d61p-55},  \
    {0x1.c38b2f180bdb1p-1, -0x1.6e0b1757c8d07p-56},  \
    {0x1.ced7af43cc773p-1, -0x1.e7b6bb5ab58aep-58},  \
    {0x1.d906bcf328d46p-1, 0x1.457e610231ac2p-56},   \
    {0x1.e212104f686e5p-1, -0x1.014c76c126527p-55},  \
    {0x1.e9f4156c62ddap-1, 0x1.760b1e2e3f81ep-55},   \
    {0x1.f0a7efb9230d7p-1, 0x1.52c7adc6b4989p-56},   \
    {0x1.f6297cff75cb0p-1, 0x1.562172a361fd3p-56},   \
    {0x1.fa7557f08a517p-1, -0x1.7a0a8ca13571fp-55},  \
    {0x1.fd88da3d12526p-1, -0x1.87df6378811c7p-55},  \
    {0x1.ff621e3796d7ep-1, -0x1.c57bc2e24aa15p-57},  \
    {0x1.0000000000000p+0, 0x0.0p+0},                \
    {0x1.ff621e3796d7ep-1, -0x1.c57bc2e24aa15p-57},  \
    {0x1.fd88da3d12526p-1, -0x1.87df6378811c7p-55},  \
    {0x1.fa7557f08a517p-1, -0x1.7a0a8ca13571fp-55},  \
    {0x1.f6297cff75cb0p-1, 0x1.562172a361fd3p-56},   \
    {0x1.f0a7efb9230d7p-1, 0x1.52c7adc6b4989p-56},   \
    {0x1.e9f4156c62ddap-1, 0x1.760b1e2e3f81ep-55},   \
    {0x1.e212104f686e5p-1, -0x1.014c76c126527p-55},  \
    {0x1.d906bcf328d46p-1, 0x1.457e610231ac2p-56},   \
    {0x1.ced7af43cc773p-1, -0x1.e7b6bb5ab58aep-58},  \
    {0x1.c38b2f180bdb1p-1, -0x1.6e0b1757c8d07p-56},  \
    {0x1.b728345196e3ep-1, -0x1.bc69f324e6d61p-55},  \
    {0x1.a9b66290ea1a3p-1, 0x1.9f630e8b6dac8p-60},   \
    {0x1.9b3e047f38741p-1, -0x1.30ee286712474p-55},  \
    {0x1.8bc806b151741p-1, -0x1.2c5e12ed1336dp-55},  \
    {0x1.7b5df226aafafp-1, -0x1.0f537acdf0ad7p-56},  \
    {0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55},  \
    {0x1.57d69348ceca0p-1, -0x1.75720992bfbb2p-55},  \
    {0x1.44cf325091dd6p-1, 0x1.8076a2cfdc6b3p-57},   \
    {0x1.30ff7fce17035p-1, -0x1.efcc626f74a6fp-57},  \
    {0x1.1c73b39ae68c8p-1, 0x1.b25dd267f6600p-55},   \
    {0x1.073879922ffeep-1, -0x1.a5a014347406cp-55},  \
    {0x1.e2b5d3806f63bp-2, 0x1.e0d891d3c6841p-58},   \
    {0x1.b5d1009e15cc0p-2, 0x1.5b362cb974183p-57},   \
    {0x1.87de2a6aea963p-2, -0x1.72cedd3d5a610p-57},  \
    {0x1.58f9a75ab1fddp-2, -0x1.efdc0d58cf620p-62},  \
    {0x1.294062ed59f06p-2, -0x1.5d28da2c4612dp-56},  \
    {0x1.f19f97b215f1bp-3, -0x1.42deef11da2c4p-57},  \
    {0x1.8f8b83c69a60bp-3, -0x1.26d19b9ff8d82p-57},  \
    {0x1.2c8106e8e613ap-3, 0x1.13000a89a11e0p-58},   \
    {0x1.917a6bc29b42cp-4, -0x1.e2718d26ed688p-60},  \
    {0x1.91f65f10dd814p-5, -0x1.912bd0d569a90p-61},  \
    {0x0.0p+0, 0x0.0p+0},                            \
    {-0x1.91f65f10dd814p-5, 0x1.912bd0d569a90p-61},  \
    {-0x1.917a6bc29b42cp-4, 0x1.e2718d26ed688p-60},  \
    {-0x1.2c8106e8e613ap-3, -0x1.13000a89a11e0p-58}, \
    {-0x1.8f8b83c69a60bp-3, 0x1.26d19b9ff8d82p-57},  \
    {-0x1.f19f97b215f1bp-3, 0x1.42deef11da2c4p-57},  \
    {-0x1.294062ed59f06p-2, 0x1.5d28da2c4612dp-56},  \
    {-0x1.58f9a75ab1fddp-2, 0x1.efdc0d58cf620p-62},  \
    {-0x1.87de2a6aea963p-2, 0x1.72cedd3d5a610p-57},  \
    {-0x1.b5d1009e15cc0p-2, -0x1.5b362cb974183p-57}, \
    {-0x1.e2b5d3806f63bp-2, -0x1.e0d891d3c6841p-58}, \
    {-0x1.073879922ffeep-1, 0x1.a5a014347406cp-55},  \
    {-0x1.1c73b39ae68c8p-1, -0x1.b25dd267f6600p-55}, \
    {-0x1.30ff7fce17035p-1, 0x1.efcc626f74a6fp-57},  \
    {-0x1.44cf325091dd6p-1, -0x1.8076a2cfdc6b3p-57}, \
    {-0x1.57d69348ceca0p-1, 0x1.75720992bfbb2p-55},  \
    {-0x1.6a09e667f3bcdp-1, 0x1.bdd3413b26456p-55},  \
    {-0x1.7b5df226aafafp-1, 0x1.0f537acdf0ad7p-56},  \
    {-0x1.8bc806b151741p-1, 0x1.2c5e12ed1336dp-55},  \
    {-0x1.9b3e047f38741p-1, 0x1.30ee286712474p-55},  \
    {-0x1.a9b66290ea1a3p-1, -0x1.9f630e8b6dac8p-60}, \
    {-0x1.b728345196e3ep-1, 0x1.bc69f324e6d61p-55},  \
    {-0x1.c38b2f180bdb1p-1, 0x1.6e0b1757c8d07p-56},  \
    {-0x1.ced7af43cc773p-1, 0x1.e7b6bb5ab58aep-58},  \
    {-0x1.d906bcf328d46p-1, -0x1.457e610231ac2p-56}, \
    {-0x1.e212104f686e5p-1, 0x1.014c76c126527p-55},  \
    {-0x1.e9f4156c62ddap-1, -0x1.760b1e2e3f81ep-55}, \
    {-0x1.f0a7efb9230d7p-1, -0x1.52c7adc6b4989p-56}, \
    {-0x1.f6297cff75cb0p-1, -0x1.562172a361fd3p-56}, \
    {-0x1.fa7557f08a517p-1, 0x1.7a0a8ca13571fp-55},  \
    {-0x1.fd88da3d12526p-1, 0x1.87df6378811c7p-55},  \
    {-0x1.ff621e3796d7ep-1, 0x1.c57bc2e24aa15p-57},  \
    {-0x1.0000000000000p+0, 0x0.0p+0},               \
    {-0x1.ff621e3796d7ep-1, 0x1.c57bc2e24aa15p-57},  \
    {-0x1.fd88da3d12526p-1, 0x1.87df6378811c7p-55},  \
    {-0x1.fa7557f08a517p-1, 0x1.7a0a8ca13571fp-55},  \
    {-0x1.f6297cff75cb0p-1, -0x1.562172a361fd3p-56}, \
    {-0x1.f0a7efb9230d7p-1, -0x1.52c7adc6b4989p-56}, \
    {-0x1.e9f4156c62ddap-1, -0x1.760b1e2e3f81ep-55}, \
    {-0x1.e212104f686e5p-1, 0x1.014c76c126527p-55},  \
    {-0x1.d906bcf328d46p-1, -0x1.457e610231ac2p-56}, \
    {-0x1.ced7af43cc773p-1, 0x1.e7b6bb5ab58aep-58},  \
    {-0x1.c38b2f180bdb1p-1, 0x1.6e0b1757c8d07p-56},  \
    {-0x1.b728345196e3ep-1, 0x1.bc69f324e6d61p-55},  \
    {-0x1.a9b66290ea1a3p-1, -0x1.9f630e8b6dac8p-60}, \
    {-0x1.9b3e047f38741p-1, 0x1.30ee286712474p-55},  \
    {-0x1.8bc806b151741p-1, 0x1.2c5e12ed1336dp-55},  \
    {-0x1.7b5df226aafafp-1, 0x1.0f537acdf0ad7p-56},  \
    {-0x1.6a09e667f3bcdp-1, 0x1.bdd3413b26456p-55},  \
    {-0x1.57d69348ceca0p-1, 0x1.75720992bfbb2p-55},  \
    {-0x1.44cf325091dd6p-1, -0x1.8076a2cfdc6b3p-57}, \
    {-0x1.30ff7fce17035p-1, 0x1.efcc626f74a6fp-57},  \
    {-0x1.1c73b39ae68c8p-1, -0x1.b25dd267f6600p-55}, \
    {-0x1.073879922ffeep-1, 0x1.a5a014347406cp-55},  \
    {-0x1.e2b5d3806f63bp-2, -0x1.e0d891d3c6841p-58}, \
    {-0x1.b5d1009e15cc0p-2, -0x1.5b362cb974183p-57}, \
    {-0x1.87de2a6aea963p-2, 0x1.72cedd3d5a610p-57},  \
    {-0x1.58f9a75ab1fddp-2, 0x1.efdc0d58cf620p-62},  \
    {-0x1.294062ed59f06p-2, 0x1.5d28da2c4612dp-56},  \
    {-0x1.f19f97b215f1bp-3, 0x1.42deef11da2c4p-57},  \
    {-0x1.8f8b83c69a60bp-3, 0x1.26d19b9ff8d82p-57},  \
    {-0x1.2c8106e8e613ap-3, -0x1.13000a89a11e0p-58}, \
    {-0x1.917a6bc29b42cp-4, 0x1.e2718d26ed688p-60},  \
    {-0x1.91f65f10dd814p-5, 0x1.912bd0d569a90p-61},  \
}
#endif

#ifdef NEEDS_TANGENTS
static const CircleRow TANGENTS[] = {
    {-0x1.0000000000000p+0, 0x0.0p+0},
    {-0x1.d00cbc7384d2ep-1, -0x1.8dcad85e60fbep-56},
    {-0x1.a43002ae42850p-1, 0x1.a6db80fe796fep-56},
    {-0x1.7bb99ed2990cfp-1, 0x1.aa7538e44e996p-55},
    {-0x1.561b82ab7f990p-1, -0x1.7a8c52172b675p-55},
    {-0x1.32e1889047ffdp-1, 0x1.10b4421e6a4f8p-55},
    {-0x1.11ab7190834ecp-1, 0x1.e564bcd1e635dp-55},
    {-0x1.e450e0d273e7ap-2, -0x1.41522f15e53c5p-56},
    {-0x1.a827999fcef32p-2, -0x1.08b2fb1366ea9p-56},
    {-0x1.6e649f7d78649p-2, -0x1.78e945dc3913cp-57},
    {-0x1.36a08355c63dcp-2, 0x1.d704d1bfdb6e8p-57},
    {-0x1.007fa758626aep-2, -0x1.5a6d6c3c8b6a7p-57},
    {-0x1.975f5e0553158p-3, -0x1.ef5d367441946p-61},
    {-0x1.2fcac73a60640p-3, -0x1.2cfb5a746f62cp-58},
    {-0x1.936bb8c5b2da2p-4, -0x1.87d054f689d7ap-58},
    {-0x1.927278a3b1162p-5, -0x1.ada13ceebab9dp-64},
    {0x0.0p+0, 0x0.0p+0},
    {0x1.927278a3b1162p-5, 0x1.ada13ceebab9dp-64},
    {0x1.936bb8c5b2da2p-4, 0x1.87d054f689d7ap-58},
    {0x1.2fcac73a60640p-3, 0x1.2cfb5a746f62cp-58},
    {0x1.975f5e0553158p-3, 0x1.ef5d367441946p-61},
    {0x1.007fa758626aep-2, 0x1.5a6d6c3c8b6a7p-57},
    {0x1.36a08355c63dcp-2, -0x1.d704d1bfdb6e8p-57},
    {0x1.6e649f7d78649p-2, 0x1.78e945dc3913cp-57},
    {0x1.a827999fcef32p-2, 0x1.08b2fb1366ea9p-56},
    {0x1.e450e0d273e7ap-2, 0x1.41522f15e53c5p-56},
    {0x1.11ab7190834ecp-1, -0x1.e564bcd1e635dp-55},
    {0x1.32e1889047ffdp-1, -0x1.10b4421e6a4f8p-55},
    {0x1.561b82ab7f990p-1, 0x1.7a8c52172b675p-55},
    {0x1.7bb99ed2990cfp-1, -0x1.aa7538e44e996p-55},
    {0x1.a43002ae42850p-1, -0x1.a6db80fe796fep-56},
    {0x1.d00cbc7384d2ep-1, 0x1.8dcad85e60fbep-56},
};

// (tan(x) - x) / x^3 in x^2, for x up to a half.
static const double TANGENT[] = {
    0x1.5555555555555p-2,
    0x1.11111111110a0p-3,
    0x1.ba1ba1ba2d324p-5,
    0x1.664f487a39af7p-6,
    0x1.226e377ce9975p-7,
    0x1.d6d33412afbdap-9,
    0x1.7db17680a5a75p-10,
    0x1.3489d5fbfa85fp-11,
    0x1.02418b5e02334p-12,
    0x1.4156b739a9927p-14,
    0x1.26287f4fec261p-14,
};
#endif
