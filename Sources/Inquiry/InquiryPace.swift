import Platform

/// When an order may be asked about again: providers limit questions about one payment, and the
/// merchant's own programs share that limit.
struct InquiryPace {
    /// Orders that are remembered; the oldest give way. More asked within one pause would be let
    /// through, at most one question each.
    static let ordersMax = 10_000

    private var asked: [OrderPlace: Int64] = [:]
    private var order: [OrderPlace] = []
    private var first = 0

    struct OrderPlace: Hashable {
        let endpoint: String
        let reference: String
    }

    /// How many seconds are left until the order may be asked about; nil where it may be now.
    ///
    /// - Parameter now: In microseconds, of a clock that only rises.
    func left(for place: OrderPlace, pauseSeconds: Double, now: Int64) -> Double? {
        let pause = Int64(pauseSeconds * 1_000_000)
        guard let last = asked[place], now - last < pause else { return nil }
        return Double(last + pause - now) / 1_000_000
    }

    /// The order is being asked about.
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
