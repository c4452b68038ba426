import Cryptography

/// The value of Antom's `signature` header: `algorithm=RSA256,keyVersion=1,signature=<value>`.
///
/// The parts stand in any order, white space around them and around the `=` does not matter, and
/// the value is standard Base64, percent-encoded. A part is split at its first `=`, because
/// unencoded Base64 may end in `=`.
struct AntomSignatureHeader: Equatable {
    /// Which of Antom's keys signed, where the header says so in digits. Only a hint for where to
    /// begin.
    let keyVersion: Int?
    let signature: [UInt8]

    /// - Throws: ``Refusal``, always unauthenticated: `signature_header_syntax`,
    ///   `signature_parameter_duplicate`, `signature_algorithm_unknown`, `signature_missing`,
    ///   `signature_encoding`.
    init(parsing header: ArraySlice<UInt8>) throws(Refusal) {
        var algorithm: ArraySlice<UInt8>?
        var version: ArraySlice<UInt8>?
        var value: ArraySlice<UInt8>?
        var rest = header
        var isLast = false
        while !isLast {
            let (name, content) = try Self.part(cutFrom: &rest, &isLast)
            if name.spells("algorithm") {
                try Self.assign(content, to: &algorithm)
            } else if name.spells("keyVersion") {
                try Self.assign(content, to: &version)
            } else if name.spells("signature") {
                try Self.assign(content, to: &value)
            }
            // Other parameters are let pass: they cannot change what is verified.
        }
        // Only RSA256 exists. A header that names no algorithm is verified as that one, and cannot
        // choose a weaker.
        if let algorithm, !algorithm.spells("RSA256") {
            throw .unauthenticated("signature_algorithm_unknown", "the algorithm is not RSA256")
        }
        keyVersion = version.flatMap(Self.number)
        signature = try Self.decode(value)
    }

    /// Takes the next part and its comma off the front of `rest`.
    private static func part(
        cutFrom rest: inout ArraySlice<UInt8>, _ isLast: inout Bool
    ) throws(Refusal) -> (name: ArraySlice<UInt8>, content: ArraySlice<UInt8>) {
        let part = rest.upTo(UInt8(ascii: ","))
        isLast = part.endIndex == rest.endIndex
        if !isLast { rest = rest[(part.endIndex + 1)...] }
        let name = part.upTo(UInt8(ascii: "="))
        guard name.endIndex < part.endIndex else {
            throw .unauthenticated("signature_header_syntax", "a part has no `=`")
        }
        return (name.trimmed, part[(name.endIndex + 1)...].trimmed)
    }

    private static func assign(
        _ content: ArraySlice<UInt8>, to parameter: inout ArraySlice<UInt8>?
    ) throws(Refusal) {
        guard parameter == nil else {
            throw .unauthenticated("signature_parameter_duplicate", "a parameter is there twice")
        }
        parameter = content
    }

    private static func decode(_ value: ArraySlice<UInt8>?) throws(Refusal) -> [UInt8] {
        guard let value, !value.isEmpty else {
            throw .unauthenticated("signature_missing", "the header carries no signature")
        }
        // Percent-decoding only: a `+` is a digit of Base64 here and never a space.
        guard let base64 = PercentEncoding.decode(value),
            let signature = Base64.decode(strict: base64[...])
        else {
            throw .unauthenticated(
                "signature_encoding", "the signature is not percent-encoded Base64")
        }
        return signature
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard (1...9).contains(digits.count) else { return nil }
        var number = 0
        for digit in digits {
            guard digit >= UInt8(ascii: "0") && digit <= UInt8(ascii: "9") else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }
}

extension ArraySlice<UInt8> {
    /// Without spaces and tabs at both ends.
    var trimmed: ArraySlice<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        let bytes = span
        var start = 0
        var end = bytes.count
        while start < end, isBlank(bytes[start]) { start += 1 }
        while end > start, isBlank(bytes[end - 1]) { end -= 1 }
        return self[(startIndex + start)..<(startIndex + end)]
    }

    /// The bytes before the first `separator`; all of them where there is none.
    fileprivate func upTo(_ separator: UInt8) -> ArraySlice<UInt8> {
        let end = span.firstOffset(of: separator) ?? count
        return self[startIndex..<(startIndex + end)]
    }
}
