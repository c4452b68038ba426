/// The bytes of a text whose scalars are all below 256: `"\u{FF}"` is the octet FF.
func latin1(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { UInt8($0.value) }
}

/// The text of some bytes, to compare the content of a request.
func text(_ bytes: some Sequence<UInt8>) -> String {
    String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
}
