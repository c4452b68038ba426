import COpenSSL

/// Whether `a` and `b` are equal, in a time that depends only on their length. Different lengths
/// are unequal.
package func constantTimeEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    constantTimeEqual(a[...], b)
}

/// The same for a slice.
package func constantTimeEqual(_ a: ArraySlice<UInt8>, _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    return a.withUnsafeBytes { a in
        b.withUnsafeBytes { b in
            a.isEmpty || CRYPTO_memcmp(a.baseAddress, b.baseAddress, a.count) == 0
        }
    }
}
