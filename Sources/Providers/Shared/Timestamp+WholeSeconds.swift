import Payments

extension Timestamp {
    /// Without the fraction of a second, as the systems that write seconds have it.
    var wholeSeconds: Timestamp {
        let remainder = microseconds % 1_000_000
        return Timestamp(
            microseconds: microseconds - (remainder < 0 ? remainder + 1_000_000 : remainder))
    }
}
