import Bytes

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
