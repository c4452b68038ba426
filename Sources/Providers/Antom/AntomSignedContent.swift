import Cryptography

/// The two texts that Antom may have signed for a delivery: with the bare path, and with path and
/// query.
///
/// Up to the body a text is short and is put together, for a digest takes one piece faster than
/// nine; the body is not copied.
struct AntomSignedContent {
    private let withoutQuery: [UInt8]
    private let withQuery: [UInt8]?
    private let body: [UInt8]

    init(_ delivery: SignedRequest, clientID: ArraySlice<UInt8>, time: ArraySlice<UInt8>) {
        withoutQuery = Self.beginning(delivery, nil, clientID, time)
        withQuery = delivery.query.map { Self.beginning(delivery, $0, clientID, time) }
        body = delivery.body
    }

    /// Whether one of the two texts bears `signature` by `key`.
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

    /// `POST <path>[?<query>]` LF `<client-id>.<time>.`
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

/// What Antom's signature covers and these rules read: the whole body.
///
/// It covers the path, the client id and the request time too. The first two are the endpoint's
/// own, and the time may be another one in a retry, so none of them is handed on. The query is not
/// here: it may or may not have been signed.
package struct AntomEvidence: Sendable, Equatable {
    let body: [UInt8]
}
