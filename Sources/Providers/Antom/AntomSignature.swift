import Bytes
import Cryptography

/// The value of Antom's `signature` header: `algorithm=RSA256,keyVersion=1,signature=<value>`.
///
/// The parts may come in any order, with white space around them and around the `=`. The value is
/// standard Base64, percent-encoded. A part is split at its first `=`, because unencoded Base64 may
/// end in `=`.
struct AntomSignatureHeader: Equatable {
    /// The number of Antom's key that signed, if the header has it in digits. It only decides which
    /// key is tried first.
    let keyVersion: Int?
    let signature: [UInt8]

    /// - Throws: ``Refusal``, always unauthenticated: `signature_header_syntax`,
    ///   `signature_parameter_duplicate`, `signature_algorithm_unknown`, `signature_missing`,
    ///   `signature_encoding`.
    init(parsing header: ArraySlice<UInt8>) throws(Refusal) {
        let text = header.span
        var algorithm: Range<Int>?
        var version: Range<Int>?
        var value: Range<Int>?
        var start = 0
        while start <= text.count {
            let end = text.firstOffset(of: UInt8(ascii: ","), from: start) ?? text.count
            let (name, content) = try Self.split(text, start..<end)
            let parameter = text.extracting(name)
            if parameter.spells("algorithm") {
                try Self.assign(content, to: &algorithm)
            } else if parameter.spells("keyVersion") {
                try Self.assign(content, to: &version)
            } else if parameter.spells("signature") {
                try Self.assign(content, to: &value)
            }
            // Other parameters are ignored: they cannot change what is verified.
            start = end + 1
        }
        // RSA256 is the only algorithm. A header without one is verified as RSA256, so it cannot
        // select a weaker algorithm.
        if let algorithm, !text.extracting(algorithm).spells("RSA256") {
            throw .unauthenticated("signature_algorithm_unknown", "the algorithm is not RSA256")
        }
        keyVersion = version.flatMap { Self.number(text.extracting($0)) }
        signature = try Self.decode(text.extracting(value ?? 0..<0))
    }

    /// Splits one part of the header at its first `=`.
    private static func split(
        _ text: Span<UInt8>, _ part: Range<Int>
    ) throws(Refusal) -> (name: Range<Int>, content: Range<Int>) {
        guard let sign = text.extracting(part).firstOffset(of: UInt8(ascii: "=")) else {
            throw .unauthenticated("signature_header_syntax", "a part has no `=`")
        }
        let middle = part.lowerBound + sign
        return (
            text.trimmingBlanks(part.lowerBound..<middle),
            text.trimmingBlanks(middle + 1..<part.upperBound)
        )
    }

    private static func assign(
        _ content: Range<Int>, to parameter: inout Range<Int>?
    ) throws(Refusal) {
        guard parameter == nil else {
            throw .unauthenticated("signature_parameter_duplicate", "a parameter appears twice")
        }
        parameter = content
    }

    private static func decode(_ value: Span<UInt8>) throws(Refusal) -> [UInt8] {
        guard !value.isEmpty else {
            throw .unauthenticated("signature_missing", "the header carries no signature")
        }
        // Percent-decoding only: a `+` is a Base64 digit here, never a space.
        guard let base64 = PercentEncoding.decode(value),
            let signature = Base64.decode(strict: base64[...])
        else {
            throw .unauthenticated(
                "signature_encoding", "the signature is not percent-encoded Base64")
        }
        return signature
    }

    private static func number(_ digits: Span<UInt8>) -> Int? {
        guard (1...9).contains(digits.count) else { return nil }
        var number = 0
        for index in digits.indices {
            let digit = digits[index]
            guard digit >= UInt8(ascii: "0") && digit <= UInt8(ascii: "9") else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }
}

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
