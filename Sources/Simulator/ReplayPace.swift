import Payments

/// How fast requests are sent again.
package enum ReplayPace: Sendable, Equatable {
    /// Each as soon as the one before is answered.
    case fastest
    /// With the pauses with which they came.
    case recorded
    case perSecond(Double)

    /// `fastest`, `recorded`, or `100-per-second`.
    package init?(_ text: String) {
        switch text {
        case "fastest": self = .fastest
        case "recorded": self = .recorded
        default:
            let suffix = "-per-second"
            guard text.hasSuffix(suffix), let rate = Double(text.dropLast(suffix.count)),
                rate.isFinite, rate > 0
            else { return nil }
            self = .perSecond(rate)
        }
    }

    /// When a request is due, counted from the first one.
    ///
    /// - Parameter index: Its place, from 0.
    func due(index: Int, received: Timestamp?, first: Timestamp?) -> Duration {
        switch self {
        case .fastest: return .zero
        case .perSecond(let rate): return .nanoseconds(Int64(min(Double(index) / rate * 1e9, 9e18)))
        case .recorded:
            guard let received, let first, received > first else { return .zero }
            return .microseconds(received.microseconds - first.microseconds)
        }
    }
}
