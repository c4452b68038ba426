import COpenSSL

/// Returns `count` bytes from OpenSSL's generator, which the kernel seeds.
///
/// It fails only if the kernel provides no entropy; no key or salt could be trusted then, so the
/// process stops.
package func secureRandomBytes(_ count: Int) -> [UInt8] {
    guard count > 0 else { return [] }
    guard let length = Int32(exactly: count) else {
        preconditionFailure("more random bytes in one call than OpenSSL takes")
    }
    return [UInt8](unsafeUninitializedCapacity: count) { output, written in
        guard RAND_bytes(output.baseAddress, length) == 1 else {
            fatalError("OpenSSL has no entropy")
        }
        written = count
    }
}
