/// Limits on the work for a delivery before its origin is proved. The configuration sets each under
/// `limits`, with the same name.
package struct VerificationLimits: Sendable, Equatable {
    /// Maximum number of bytes hashed, compared or copied for each byte received; beyond it the
    /// answer is 400.
    package var verificationBytesPerByteMax = 16

    /// Bytes that may be hashed, compared or copied in addition, however small the delivery is.
    package var verificationBytesFree = 65_536

    /// The defaults.
    package init() {}
}

/// Counts the work of verifying one delivery, in bytes hashed, compared or copied.
///
/// An unauthenticated sender must not cause the work of a thousand bytes with one byte. Orders of
/// fields, forms of numbers, forms of nulls and secrets multiply each other; this limits the
/// product, whatever its factors.
package struct VerificationWork {
    /// Bytes of the delivery's body.
    package let receivedBytes: Int

    /// The amount of work at which verification stops.
    package let bytesMax: Int

    /// The work so far.
    package private(set) var bytes = 0

    package init(receivedBytes: Int, limits: VerificationLimits = .init()) {
        self.receivedBytes = receivedBytes
        let (product, overflows) = receivedBytes.multipliedReportingOverflow(
            by: limits.verificationBytesPerByteMax)
        let (sum, isTooLarge) = product.addingReportingOverflow(limits.verificationBytesFree)
        bytesMax = overflows || isTooLarge ? .max : sum
    }

    /// The work that is left.
    package var bytesLeft: Int { max(bytesMax - bytes, 0) }

    /// Counts `count` bytes of work. Called before the work if its size is known, so that work
    /// beyond the limit is not done.
    ///
    /// - Throws: ``Refusal``, malformed: `verification_too_costly`.
    package mutating func spend(_ count: Int) throws(Refusal) {
        guard count <= bytesLeft else {
            // Uses up the rest, so that no later step begins.
            bytes = max(bytes, bytesMax)
            throw .malformed(
                "verification_too_costly", "verifying it would take more work than its size allows")
        }
        bytes += count
    }
}

/// A system whose verification counts its work.
package protocol MeasuredProvider: Provider {
    var verificationLimits: VerificationLimits { get }

    /// Verifies like ``Provider/verify(_:)`` and counts the work.
    ///
    /// - Throws: ``Refusal``; `verification_too_costly` if `work` is used up.
    func verify(
        _ delivery: SignedRequest, work: inout VerificationWork
    ) throws(Refusal) -> Verified<Evidence>
}

extension MeasuredProvider {
    /// Verifies with the endpoint's limits: the body of ``Provider/verify(_:)`` in each such
    /// system.
    func verifyWithinLimits(_ delivery: SignedRequest) throws(Refusal) -> Verified<Evidence> {
        var work = VerificationWork(
            receivedBytes: delivery.body.count, limits: verificationLimits)
        return try verify(delivery, work: &work)
    }
}
