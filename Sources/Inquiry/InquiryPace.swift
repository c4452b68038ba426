import Platform

/// The pause between two questions about one order. Providers limit the questions about a payment,
/// and the merchant's own programs share that limit.
struct InquiryPace {
    /// Number of orders that are remembered; the oldest are forgotten. If more are asked about
    /// within one pause, each may be asked about once too early.
    static let ordersMax = 10_000

    private var asked: [OrderPlace: Int64] = [:]
    private var order: [OrderPlace] = []
    private var first = 0

    struct OrderPlace: Hashable {
        let endpoint: String
        let reference: String
    }

    /// Seconds until the order may be asked about; nil if it may be now.
    ///
    /// - Parameter now: In microseconds, of a clock that only rises.
    func left(for place: OrderPlace, pauseSeconds: Double, now: Int64) -> Double? {
        let pause = Int64(pauseSeconds * 1_000_000)
        guard let last = asked[place], now - last < pause else { return nil }
        return Double(last + pause - now) / 1_000_000
    }

    /// Records that the order is asked about now.
    mutating func note(_ place: OrderPlace, now: Int64) {
        if asked.updateValue(now, forKey: place) == nil { order.append(place) }
        if order.count - first > Self.ordersMax {
            asked[order[first]] = nil
            first += 1
        }
        if first > Self.ordersMax {
            order.removeFirst(first)
            first = 0
        }
    }
}
