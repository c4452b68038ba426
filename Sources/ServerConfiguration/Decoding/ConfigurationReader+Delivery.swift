import Delivery

extension ConfigurationReader {
    /// Reads the delivery limits; those that the file leaves out have their defaults.
    func deliveryLimits() -> DeliveryLimits {
        var limits = DeliveryLimits()
        guard let section = root.optional("delivery")?.mapping() else { return limits }
        for limit in DeliveryLimitName.all {
            guard let value = section.optional(limit.name) else { continue }
            limit.read(value, into: &limits)
        }
        section.finish()
        return limits
    }
}

/// The name, range and key path of one limit of `DeliveryLimits`; the counterpart of
/// `HTTP.LimitName`.
struct DeliveryLimitName: Sendable {
    /// The key path of the limit, and the range that the configuration accepts.
    enum Kind: Sendable {
        case number(any WritableKeyPath<DeliveryLimits, Int> & Sendable, ClosedRange<Int>)
        case seconds(any WritableKeyPath<DeliveryLimits, Double> & Sendable, ClosedRange<Double>)
    }

    let name: String
    let kind: Kind

    func read(_ value: ValueReader, into limits: inout DeliveryLimits) {
        switch kind {
        case .number(let path, let range):
            value.integer(in: range).map { limits[keyPath: path] = $0 }
        case .seconds(let path, let range):
            value.seconds(in: range).map { limits[keyPath: path] = $0 }
        }
    }

    func text(in limits: DeliveryLimits) -> String {
        switch kind {
        case .number(let path, _): "\(limits[keyPath: path])"
        case .seconds(let path, _): "\(limits[keyPath: path])"
        }
    }

    func isDefault(in limits: DeliveryLimits) -> Bool { text(in: limits) == text(in: .init()) }

    /// All delivery limits. A window smaller than the largest record still takes one record at a
    /// time.
    static let all: [DeliveryLimitName] = [
        number("windowEventsMax", \.windowEventsMax, 1...1_000_000),
        number("windowBytesMax", \.windowBytesMax, 65_536...1 << 32),
        number("waitingEventsMax", \.waitingEventsMax, 1...10_000_000),
        number("attemptsMax", \.attemptsMax, 0...10_000_000),
        number("breakerOrdersMax", \.breakerOrdersMax, 1...100_000),
        seconds("retryAfterSecondsMax", \.retryAfterSecondsMax, 0...604_800),
        seconds("connectSecondsMax", \.connectSecondsMax, 0.001...3600),
        number("answerBytesMax", \.answerBytesMax, 0...1 << 30),
        number("answerHeadBytesMax", \.answerHeadBytesMax, 256...1 << 20),
        number("excerptBytesMax", \.excerptBytesMax, 0...65_536),
        number("idleConnectionsMax", \.idleConnectionsMax, 1...10_000),
        seconds("stateSecondsMax", \.stateSecondsMax, 0.001...3600),
        seconds("drainSecondsMax", \.drainSecondsMax, 0...3600),
    ]

    private static func number(
        _ name: String, _ path: any WritableKeyPath<DeliveryLimits, Int> & Sendable,
        _ range: ClosedRange<Int>
    ) -> DeliveryLimitName { DeliveryLimitName(name: name, kind: .number(path, range)) }

    private static func seconds(
        _ name: String, _ path: any WritableKeyPath<DeliveryLimits, Double> & Sendable,
        _ range: ClosedRange<Double>
    ) -> DeliveryLimitName { DeliveryLimitName(name: name, kind: .seconds(path, range)) }
}
