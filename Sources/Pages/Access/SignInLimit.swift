import Platform
import Synchronization

/// Limits how often a wrong token may be tried. The memory is bounded: so many addresses, each with
/// a number and a time.
package final class SignInLimit: Sendable {
    /// Wrong tokens of one address in a window, and of all addresses together: behind a proxy all
    /// are one, and whoever has many addresses is held back by the second number.
    static let failuresPerAddressMax = 10
    static let failuresMax = 200
    static let windowSeconds = 60
    static let addressesMax = 1024

    private struct Count {
        var failures = 0
        var began: MonotonicTime
    }

    private struct State {
        var addresses: [String: Count] = [:]
        var all = Count(began: MonotonicTime(nanoseconds: 0))
    }

    private let clock: any Clock
    private let state = Mutex(State())

    package init(clock: any Clock) { self.clock = clock }

    /// How many seconds an address has to wait before its next attempt is looked at; nil when it
    /// need not wait.
    func secondsToWait(_ address: String) -> Int? {
        let now = clock.now
        return state.withLock { state in
            let counts = [
                state.addresses[address].map { ($0, Self.failuresPerAddressMax) },
                (state.all, Self.failuresMax),
            ]
            return counts.compactMap(\.self).compactMap { count, max in
                let end = count.began.advanced(seconds: Self.windowSeconds)
                guard count.failures >= max, now < end else { return nil }
                return Int(end.nanoseconds(since: now) / 1_000_000_000) + 1
            }.max()
        }
    }

    /// A wrong token came from `address`.
    func noteFailure(_ address: String) {
        let now = clock.now
        state.withLock { state in
            Self.add(to: &state.all, now)
            if state.addresses[address] == nil, state.addresses.count >= Self.addressesMax,
                let oldest = state.addresses.min(by: { $0.value.began < $1.value.began })
            {
                state.addresses[oldest.key] = nil
            }
            Self.add(to: &state.addresses[address, default: Count(began: now)], now)
        }
    }

    var addressCount: Int { state.withLock { $0.addresses.count } }

    private static func add(to count: inout Count, _ now: MonotonicTime) {
        if !(now < count.began.advanced(seconds: windowSeconds)) { count = Count(began: now) }
        count.failures += 1
    }
}
