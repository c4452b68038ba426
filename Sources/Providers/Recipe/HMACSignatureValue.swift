import Bytes

/// The signature's header (or the member that it is in), taken apart as the scheme says.
struct HMACSignatureValue {
    /// Most signatures in a header; during a rotation there are two.
    static let signaturesMax = 16
    /// Most parts of a header that holds several.
    static let partsMax = 32

    /// The decoded signatures; not empty, each as long as the algorithm's code.
    let signatures: [[UInt8]]
    private let parameters: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)]

    /// - Throws: ``Refusal``: `signature_prefix`, `signature_encoding`, `signature_missing`,
    ///   `signature_too_many`, `signature_parts_too_many`.
    init(_ value: ArraySlice<UInt8>, _ scheme: HMACScheme) throws(Refusal) {
        let values: [ArraySlice<UInt8>]
        switch scheme.layout {
        case .single:
            parameters = []
            values = [value]
        case .list(let separator):
            parameters = []
            values = try Self.parts(value, separator)
        case .parameters(let separator, let signature):
            parameters = try Self.parts(value, separator).compactMap { part in
                part.firstIndex(of: UInt8(ascii: "=")).map {
                    (part[..<$0].trimmingBlanks, part[($0 + 1)...].trimmingBlanks)
                }
            }
            values = parameters.filter { $0.name.elementsEqual(signature.utf8) }.map(\.value)
            guard !values.isEmpty else {
                throw .unauthenticated(
                    "signature_missing", "the header has no parameter \(signature)")
            }
        }
        guard values.count <= Self.signaturesMax else {
            throw .unauthenticated(
                "signature_too_many", "more than \(Self.signaturesMax) signatures")
        }
        signatures = try Self.decode(values, scheme)
    }

    /// The value of the parameter `name`, which must be there exactly once: of two times, one could
    /// be signed and the other checked.
    ///
    /// - Throws: ``Refusal``: `parameter_missing` (unauthenticated) or `parameter_duplicate`
    ///   (malformed).
    func parameter(_ name: String) throws(Refusal) -> ArraySlice<UInt8> {
        let found = parameters.filter { $0.name.elementsEqual(name.utf8) }
        guard let first = found.first else {
            throw .unauthenticated("parameter_missing", "the header has no parameter \(name)")
        }
        guard found.count == 1 else {
            throw .malformed("parameter_duplicate", "the parameter \(name) appears twice")
        }
        return first.value
    }

    private static func parts(
        _ value: ArraySlice<UInt8>, _ separator: HMACScheme.Separator
    ) throws(Refusal) -> [ArraySlice<UInt8>] {
        let parts = value.split(separator: separator.byte, maxSplits: partsMax)
        guard parts.count <= partsMax else {
            throw .unauthenticated("signature_parts_too_many", "more than \(partsMax) parts")
        }
        return parts.map(\.trimmingBlanks)
    }

    /// Values of another form are passed over where another one is right: senders add schemes.
    private static func decode(
        _ values: [ArraySlice<UInt8>], _ scheme: HMACScheme
    ) throws(Refusal) -> [[UInt8]] {
        let own = values.filter { $0.starts(with: scheme.prefix.utf8) }
        guard !own.isEmpty else {
            throw .unauthenticated(
                "signature_prefix", "the signature does not begin with the prefix")
        }
        let byteCount = scheme.algorithm.byteCount
        let signatures = own.compactMap { value in
            let text = value.dropFirst(scheme.prefix.utf8.count)
            let bytes =
                switch scheme.encoding {
                case .hex: Hex.decode(text)
                case .base64: Base64.decode(strict: text)
                }
            return bytes?.count == byteCount ? bytes : nil
        }
        guard !signatures.isEmpty else {
            throw .unauthenticated(
                "signature_encoding",
                "the signature is not \(byteCount) bytes in \(scheme.encoding)")
        }
        return signatures
    }
}
