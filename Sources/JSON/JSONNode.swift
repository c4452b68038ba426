/// One value or member name of a document: 16 bytes on the tape, in document order.
///
/// The tape of `{"a":[1,2]}` is: object, name `a`, array, number, number. A container is followed
/// by its contents, a name by its value, and `link` leads over a subtree. No node has a heap
/// object of its own, and text stays in the source until someone asks for it.
struct JSONNode {
    enum Tag: UInt8 {
        case object, array, string, integer, number, `true`, `false`, null, key
    }

    /// Offset of the first byte in the source; of the opening quote for text.
    var start: UInt32
    /// Offset after the last byte; after the closing quote for text.
    var end: UInt32
    /// Of a value: the index of the node after its subtree (of a container still open: the
    /// container around it). Of a name: bits of its content, see `KeyHint`.
    var link: UInt32
    var tag: Tag
    /// Text only: there is a backslash in it, so its content is not its source bytes.
    var hasEscapes = false

    /// Text only: what stands between the quotes.
    var content: Range<Int> { Int(start) + 1..<Int(end) - 1 }
}
