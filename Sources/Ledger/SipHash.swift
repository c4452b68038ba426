import Cryptography

/// SipHash-2-4 with a 128-bit result (Aumasson and Bernstein, 2012; the reference code's
/// `siphash.c`).
///
/// Every key of a store is made with it. References and event ids can be chosen by strangers
/// (a customer may pick the order number), so the function must neither collide nor crowd one
/// corner of a table on purpose: a keyed pseudo-random function with a secret key does both, at a
/// tenth of the cost of SHA-256.
package struct SipHash: Sendable, Equatable {
    /// The secret key, 128 bits.
    package var key: (UInt64, UInt64)

    package init(key: (UInt64, UInt64)) { self.key = key }

    /// A function under a new secret key.
    package static func keyedAtRandom() -> SipHash {
        let random = secureRandomBytes(16)
        return random.withUnsafeBytes { bytes in
            SipHash(
                key: (
                    bytes.loadUnaligned(as: UInt64.self),
                    bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
                ))
        }
    }

    package static func == (left: SipHash, right: SipHash) -> Bool {
        left.key == right.key
    }

    /// The 128-bit hash of `bytes`.
    package func hash(_ bytes: Span<UInt8>) -> KeyHash {
        hash(0, count: 0, bytes)
    }

    /// The hash of some bytes, at most seven, and then of `bytes`: both need not be copied together
    /// for it. The first are the lowest `count` of `prefix`, lowest first, and the others of it 0.
    package func hash(_ prefix: UInt64, count: UInt64, _ bytes: Span<UInt8>) -> KeyHash {
        var state = State(key: key)
        let raw = bytes.bytes
        let whole = bytes.count & ~7
        // What is not absorbed yet, and how much that is, in bits.
        var (rest, restBits) = (prefix, count * 8)
        var offset = 0
        while offset < whole {
            let word = UInt64(
                littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
            state.absorb(rest | word << restBits)
            rest = word >> (64 - restBits)
            offset += 8
        }
        while offset < bytes.count {
            rest |= UInt64(bytes[offset]) << restBits
            restBits += 8
            offset += 1
            if restBits == 64 {
                state.absorb(rest)
                (rest, restBits) = (0, 0)
            }
        }
        let length = UInt64(truncatingIfNeeded: bytes.count) &+ count
        state.absorb(rest | length << 56)
        return state.finish()
    }
}

extension SipHash {
    /// The four words of the permutation.
    private struct State {
        var v0, v1, v2, v3: UInt64

        init(key: (UInt64, UInt64)) {
            v0 = 0x736f_6d65_7073_6575 ^ key.0
            v1 = 0x646f_7261_6e64_6f6d ^ key.1 ^ 0xee
            v2 = 0x6c79_6765_6e65_7261 ^ key.0
            v3 = 0x7465_6462_7974_6573 ^ key.1
        }

        mutating func absorb(_ word: UInt64) {
            v3 ^= word
            round()
            round()
            v0 ^= word
        }

        mutating func finish() -> KeyHash {
            v2 ^= 0xee
            for _ in 0..<4 { round() }
            let low = v0 ^ v1 ^ v2 ^ v3
            v1 ^= 0xdd
            for _ in 0..<4 { round() }
            return KeyHash(low: low, high: v0 ^ v1 ^ v2 ^ v3)
        }

        private mutating func round() {
            v0 &+= v1
            v1 = (v1 << 13 | v1 >> 51) ^ v0
            v0 = v0 << 32 | v0 >> 32
            v2 &+= v3
            v3 = (v3 << 16 | v3 >> 48) ^ v2
            v0 &+= v3
            v3 = (v3 << 21 | v3 >> 43) ^ v0
            v2 &+= v1
            v1 = (v1 << 17 | v1 >> 47) ^ v2
            v2 = v2 << 32 | v2 >> 32
        }
    }
}
