import Platform
import Synchronization

/// Counts wrong tokens and limits the answers to them.
///
/// A right token is always accepted: an attacker, perhaps one who uses the same proxy, must not
/// lock others out. The length of a token protects it (`ipnd check` warns below 128 bits). This
/// gate makes attempts visible, slow, and cheap to refuse.
package final class TokenGate: Sendable {
    /// The way in which a token was sent.
    package enum Carrier: String, Sendable, CaseIterable {
        /// `Authorization: Bearer`.
        case bearer
        /// The form of the pages.
        case form
    }

    /// Wrong tokens of one address in a window, and of all addresses together. The second limit
    /// holds an attacker who has many addresses.
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
        var all: Count?
        var refused: [Carrier: Int] = [:]
    }

    private let state = Mutex(State())
    private let clock: any Clock
    private let onWrong: @Sendable (Carrier, _ address: String) -> Void

    /// - Parameter onWrong: Called for each wrong token, to log it.
    package init(
        clock: any Clock,
        onWrong: @escaping @Sendable (Carrier, _ address: String) -> Void = { _, _ in }
    ) {
        self.clock = clock
        self.onWrong = onWrong
    }

    /// Counts a wrong token from `address`. Returns the number of seconds to wait; nil while the
    /// limits are not reached.
    package func noteWrong(_ carrier: Carrier, from address: String) -> Int? {
        let now = clock.now
        let wait = state.withLock { state in
            state.refused[carrier, default: 0] += 1
            var counts = [(Count, Int)]()
            counts.append((Self.adding(to: state.all, now), Self.failuresMax))
            state.all = counts[0].0
            if state.addresses[address] == nil, state.addresses.count >= Self.addressesMax,
                let oldest = state.addresses.min(by: { $0.value.began < $1.value.began })
            {
                state.addresses[oldest.key] = nil
            }
            counts.append(
                (Self.adding(to: state.addresses[address], now), Self.failuresPerAddressMax))
            state.addresses[address] = counts[1].0
            return counts.compactMap { count, max -> Int? in
                guard count.failures > max else { return nil }
                let end = count.began.advanced(seconds: Self.windowSeconds)
                return Int(end.nanoseconds(since: now) / 1_000_000_000) + 1
            }.max()
        }
        onWrong(carrier, address)
        return wait
    }

    /// Wrong tokens since the start.
    package var refused: [Carrier: Int] { state.withLock { $0.refused } }

    var addressCount: Int { state.withLock { $0.addresses.count } }

    private static func adding(to count: Count?, _ now: MonotonicTime) -> Count {
        var count = count ?? Count(began: now)
        if !(now < count.began.advanced(seconds: windowSeconds)) { count = Count(began: now) }
        count.failures += 1
        return count
    }
}
