import Payments

/// How far a signed time may be from that of receipt.
struct TimeTolerance: Sendable {
    let seconds: Int64

    /// - Throws: ``Refusal``, unauthenticated: `timestamp_out_of_tolerance`.
    func check(_ time: Timestamp, received: Timestamp) throws(Refusal) {
        let difference = received.microseconds.subtractingReportingOverflow(time.microseconds)
        guard !difference.overflow, difference.partialValue.magnitude <= UInt64(seconds) * 1_000_000
        else {
            throw .unauthenticated(
                "timestamp_out_of_tolerance", "the signed time is more than \(seconds) s from ours")
        }
    }
}
