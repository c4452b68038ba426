/// One scalar of a callback: where it stands in the text of ``EcommpayLeaves``, and what of it is
/// signed.
struct EcommpayLeaf: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case string, number, boolean, null
    }

    let kind: Kind

    /// Keys and array indices from the root, joined by `:`; a `:` inside a key is doubled.
    let path: Range<Int>

    /// Behind the path and one `:`, the text that is hashed: booleans are `1` and `0`, null is
    /// empty, a number is its literal.
    let value: Range<Int>

    /// `path:value`
    var whole: Range<Int> { path.lowerBound..<value.upperBound }
}
