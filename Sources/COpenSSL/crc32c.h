// CRC32C (Castagnoli) with the processor's own instruction. It stands here, and not in Swift,
// because Swift has no name for these instructions, and a function that uses one must be compiled
// for a later processor than the rest of the program is: `target` says so for the one function, and
// the caller asks first whether it may call it.
#ifndef IPND_CRC32C_H
#define IPND_CRC32C_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

// SSE4.2 is bit 20 and PCLMULQDQ bit 1 of ECX of CPUID leaf 1 (Intel SDM volume 2A, CPUID).
static inline int ipnd_crc32c_available(void) {
    unsigned int eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & (1u << 20)) && (ecx & (1u << 1));
}

typedef long long ipnd_words __attribute__((vector_size(16)));
enum { IPND_LANE = 1024 };

__attribute__((target("sse4.2")))
static inline uint64_t ipnd_crc32c_word(uint64_t crc, const unsigned char *bytes) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    return __builtin_ia32_crc32di(crc, word);
}

// The instruction gives a result after three cycles and takes a word at each: three lanes side by
// side are three times as fast as one. Behind them the first two are moved over the bytes that
// follow them, by a carry-less product with x^(8n-33) mod P for n = two lanes and one, and added to
// the last word of the third (Gopal and others, "Fast CRC Computation for iSCSI Polynomial Using
// CRC32 Instruction", Intel 2011).
__attribute__((target("sse4.2,pclmul")))
static inline uint32_t ipnd_crc32c_update(uint32_t state, const void *bytes, size_t count) {
    const unsigned char *next = (const unsigned char *)bytes;
    uint64_t crc = state;
    const ipnd_words moves = {0xa51b6135, 0x170076fa};
    for (; count >= 3 * IPND_LANE; count -= 3 * IPND_LANE, next += 3 * IPND_LANE) {
        uint64_t second = 0, third = 0, last;
        for (size_t at = 0; at < IPND_LANE - 8; at += 8) {
            crc = ipnd_crc32c_word(crc, next + at);
            second = ipnd_crc32c_word(second, next + IPND_LANE + at);
            third = ipnd_crc32c_word(third, next + 2 * IPND_LANE + at);
        }
        crc = ipnd_crc32c_word(crc, next + IPND_LANE - 8);
        second = ipnd_crc32c_word(second, next + 2 * IPND_LANE - 8);
        ipnd_words lanes = {(long long)crc, (long long)second};
        ipnd_words moved = (ipnd_words)__builtin_ia32_pclmulqdq128(lanes, moves, 0x00)
            ^ (ipnd_words)__builtin_ia32_pclmulqdq128(lanes, moves, 0x11);
        memcpy(&last, next + 3 * IPND_LANE - 8, 8);
        crc = __builtin_ia32_crc32di(third, last ^ (uint64_t)moved[0]);
    }
    for (; count >= 8; count -= 8, next += 8) { crc = ipnd_crc32c_word(crc, next); }
    uint32_t rest = (uint32_t)crc;
    for (; count > 0; count -= 1, next += 1) { rest = __builtin_ia32_crc32qi(rest, *next); }
    return rest;
}

#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>

// HWCAP_CRC32 is bit 7 of AT_HWCAP (Documentation/arch/arm64/elf_hwcaps.rst).
static inline int ipnd_crc32c_available(void) { return (getauxval(AT_HWCAP) & (1ul << 7)) != 0; }

__attribute__((target("crc")))
static inline uint32_t ipnd_crc32c_update(uint32_t state, const void *bytes, size_t count) {
    const unsigned char *next = (const unsigned char *)bytes;
    for (; count >= 8; count -= 8, next += 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        state = __builtin_arm_crc32cd(state, word);
    }
    for (; count > 0; count -= 1, next += 1) { state = __builtin_arm_crc32cb(state, *next); }
    return state;
}

#else
static inline int ipnd_crc32c_available(void) { return 0; }
static inline uint32_t ipnd_crc32c_update(uint32_t state, const void *bytes, size_t count) {
    (void)bytes;
    (void)count;
    return state;
}
#endif

#endif
