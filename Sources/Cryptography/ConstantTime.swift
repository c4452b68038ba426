import COpenSSL

/// Whether `a` and `b` are the same bytes, in a time that depends on their length only. Different
/// lengths are unequal.
package func constantTimeEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    constantTimeEqual(a[...], b)
}

/// The same for a part of what was received.
package func constantTimeEqual(_ a: ArraySlice<UInt8>, _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    return a.withUnsafeBytes { a in
        b.withUnsafeBytes { b in
            a.isEmpty || CRYPTO_memcmp(a.baseAddress, b.baseAddress, a.count) == 0
        }
    }
}
