/// The listener on which a shopper's app asks whether an order is paid.
package struct OutcomeConfiguration: Sendable {
    package var listener: ListenerConfiguration
    /// The secrets of the tokens, the current one first.
    package var secrets: [[UInt8]]
    /// The origins of pages that may read the answers.
    package var allowOrigins: [String] = []
    /// Time for which a token is good.
    package var tokenHours = 72
    /// Most connections to the listener.
    package var connectionsMax = 2000
    /// Most requests that wait for an outcome, and how many of them for one order.
    package var waitsMax = 1000
    package var waitsPerOrderMax = 4

    /// Least length of a secret, in bytes.
    static let secretBytesMin = 16
}
