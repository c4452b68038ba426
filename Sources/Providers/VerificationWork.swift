/// How much work a delivery may cause before anything proves where it comes from. The
/// configuration sets each under `limits`, by the name that it has here.
package struct VerificationLimits: Sendable, Equatable {
    /// Bytes that are hashed, compared or copied for each byte received; beyond it 400.
    package var verificationBytesPerByteMax = 16

    /// Bytes that may be hashed, compared or copied besides, however small the delivery is.
    package var verificationBytesFree = 65_536

    /// The defaults.
    package init() {}
}

/// Counts what verifying one delivery costs, in bytes hashed, compared or copied.
///
/// An unauthenticated sender must not make one byte on the wire cost a thousand here. Orders of
/// fields, forms of numbers, forms of nulls and secrets multiply each other; this bounds the
/// product, whatever it is made of.
package struct VerificationWork {
    /// Bytes of the delivery's body.
    package let receivedBytes: Int

    /// The sum at which verification ends.
    package let bytesMax: Int

    /// What was spent so far.
    package private(set) var bytes = 0

    package init(receivedBytes: Int, limits: VerificationLimits = .init()) {
        self.receivedBytes = receivedBytes
        let (product, overflows) = receivedBytes.multipliedReportingOverflow(
            by: limits.verificationBytesPerByteMax)
        let (sum, isTooLarge) = product.addingReportingOverflow(limits.verificationBytesFree)
        bytesMax = overflows || isTooLarge ? .max : sum
    }

    /// What may still be spent.
    package var bytesLeft: Int { max(bytesMax - bytes, 0) }

    /// Counts `count` bytes of work. Called before the work where its size is known, so that what
    /// exceeds the limit is not done.
    ///
    /// - Throws: ``Refusal``, malformed: `verification_too_costly`.
    package mutating func spend(_ count: Int) throws(Refusal) {
        guard count <= bytesLeft else {
            // What was counted so far stays, and no later step is begun.
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

    /// ``Provider/verify(_:)``, with the count.
    ///
    /// - Throws: ``Refusal``; `verification_too_costly` where `work` is at its end.
    func verify(
        _ delivery: SignedRequest, work: inout VerificationWork
    ) throws(Refusal) -> Verified<Evidence>
}

extension MeasuredProvider {
    package func verify(_ delivery: SignedRequest) throws(Refusal) -> Verified<Evidence> {
        var work = VerificationWork(
            receivedBytes: delivery.body.count, limits: verificationLimits)
        return try verify(delivery, work: &work)
    }
}
