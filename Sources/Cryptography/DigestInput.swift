/// What a message's parts are given to, one after the other, so that a text that is signed as one
/// need not be copied together first.
package struct DigestInput {
    private let context: OpaquePointer

    init(_ context: OpaquePointer) { self.context = context }

    /// Adds `bytes` as they are.
    package func add(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { DigestAlgorithm.update(context, $0) }
    }

    /// Adds `bytes` as they are.
    package func add(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { DigestAlgorithm.update(context, $0) }
    }

    /// Adds the text's UTF-8.
    package func add(_ text: String) {
        var text = text
        text.withUTF8 { DigestAlgorithm.update(context, UnsafeRawBufferPointer($0)) }
    }
}
