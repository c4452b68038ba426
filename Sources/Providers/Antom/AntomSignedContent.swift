import Cryptography

/// The two texts that Antom may have signed for a delivery: with the bare path, and with path and
/// query.
///
/// Held as slices of what arrived: nothing is copied together before it is hashed.
struct AntomSignedContent {
    private let barePath: [ArraySlice<UInt8>]
    private let pathAndQuery: [ArraySlice<UInt8>]?

    init(delivery: Delivery, clientID: ArraySlice<UInt8>, time: ArraySlice<UInt8>) {
        let method = Array(delivery.method.utf8)[...]
        let body = delivery.body[...]
        barePath = [
            method, Self.space, delivery.path, Self.newline, clientID, Self.dot, time, Self.dot,
            body,
        ]
        pathAndQuery = delivery.query.map { query in
            [
                method, Self.space, delivery.path, Self.mark, query, Self.newline, clientID,
                Self.dot,
                time, Self.dot, body,
            ]
        }
    }

    /// Whether one of the two texts bears `signature` by `key`.
    func isSigned(by key: RSAPublicKey, _ signature: [UInt8]) -> Bool {
        if key.verifySHA256(message: barePath, signature: signature) { return true }
        guard let pathAndQuery else { return false }
        return key.verifySHA256(message: pathAndQuery, signature: signature)
    }

    private static let space: ArraySlice<UInt8> = [UInt8(ascii: " ")]
    private static let newline: ArraySlice<UInt8> = [UInt8(ascii: "\n")]
    private static let dot: ArraySlice<UInt8> = [UInt8(ascii: ".")]
    private static let mark: ArraySlice<UInt8> = [UInt8(ascii: "?")]
}
