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

// SSE4.2 is bit 20 of ECX of CPUID leaf 1 (Intel SDM volume 2A, CPUID).
static inline int ipnd_crc32c_available(void) {
    unsigned int eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & (1u << 20));
}

__attribute__((target("sse4.2")))
static inline uint32_t ipnd_crc32c_update(uint32_t state, const void *bytes, size_t count) {
    const unsigned char *next = (const unsigned char *)bytes;
    uint64_t crc = state;
    for (; count >= 8; count -= 8, next += 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        crc = __builtin_ia32_crc32di(crc, word);
    }
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
