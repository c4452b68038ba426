import Payments

/// Maximum difference between a signed time and the time of receipt.
struct TimeTolerance: Sendable {
    let seconds: Int64

    /// Checks a signed time.
    ///
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

extension Duration {
    static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }
    static func hours(_ count: Int) -> Duration { .seconds(3600 * count) }
    static func days(_ count: Int) -> Duration { .seconds(86_400 * count) }
}

extension Timestamp {
    /// The time without the fraction of a second, for systems that send whole seconds.
    var wholeSeconds: Timestamp {
        let remainder = microseconds % 1_000_000
        return Timestamp(
            microseconds: microseconds - (remainder < 0 ? remainder + 1_000_000 : remainder))
    }
}
