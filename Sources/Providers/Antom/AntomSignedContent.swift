import Cryptography

/// The two texts that Antom may have signed for a delivery: with the bare path, and with path and
/// query.
///
/// The text before the body is short and is built as one piece, because a digest takes one piece
/// faster than nine. The body is not copied.
struct AntomSignedContent {
    private let withoutQuery: [UInt8]
    private let withQuery: [UInt8]?
    private let body: [UInt8]

    init(_ delivery: SignedRequest, clientID: ArraySlice<UInt8>, time: ArraySlice<UInt8>) {
        withoutQuery = Self.beginning(delivery, nil, clientID, time)
        withQuery = delivery.query.map { Self.beginning(delivery, $0, clientID, time) }
        body = delivery.body
    }

    /// Whether `signature` by `key` verifies for one of the two texts.
    func isSigned(by key: RSAPublicKey, _ signature: [UInt8]) -> Bool {
        isSigned(by: key, signature, withoutQuery)
            || withQuery.map { isSigned(by: key, signature, $0) } ?? false
    }

    private func isSigned(
        by key: RSAPublicKey, _ signature: [UInt8], _ beginning: [UInt8]
    ) -> Bool {
        key.verifySHA256(signature) { digest in
            digest.add(beginning)
            digest.add(body)
        }
    }

    /// Returns `POST <path>[?<query>]` LF `<client-id>.<time>.`
    private static func beginning(
        _ delivery: SignedRequest, _ query: ArraySlice<UInt8>?, _ clientID: ArraySlice<UInt8>,
        _ time: ArraySlice<UInt8>
    ) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(
            delivery.path.count + (query?.count ?? 0) + clientID.count + time.count + 16)
        text.append(delivery.method.utf8.span)
        text.append(UInt8(ascii: " "))
        text.append(delivery.path.span)
        if let query {
            text.append(UInt8(ascii: "?"))
            text.append(query.span)
        }
        text.append(UInt8(ascii: "\n"))
        text.append(clientID.span)
        text.append(UInt8(ascii: "."))
        text.append(time.span)
        text.append(UInt8(ascii: "."))
        return text
    }
}

/// The signed part of a notification that is read: the whole body.
///
/// The signature also covers the path, the client id and the request time. The first two belong to
/// the endpoint, and a retry may have another time, so none of them is kept. The query is left out
/// because it may be unsigned.
public struct AntomEvidence: Sendable, Equatable {
    let body: [UInt8]
}
