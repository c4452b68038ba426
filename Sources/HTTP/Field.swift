/// One field line of a request's head, as received. Both parts are views of the head's bytes, so
/// that what a signature covers is what came over the wire.
package struct Field: Sendable {
    private let section: [UInt8]
    private let bounds: FieldBounds

    /// The name in the sender's spelling.
    package var name: ArraySlice<UInt8> { section[bounds.name] }

    /// The value without the white space around it (RFC 9110 §5.5); the inside is untouched.
    package var value: ArraySlice<UInt8> { section[bounds.value] }

    @inline(__always)
    init(section: [UInt8], bounds: FieldBounds) {
        self.section = section
        self.bounds = bounds
    }

    /// A field that never was on the wire, for tests and for requests made here.
    package init(name: String, value: String) {
        section = Array(name.utf8) + Array(value.utf8)
        let middle = name.utf8.count
        bounds = FieldBounds(name: 0..<middle, value: middle..<section.count)
    }

    /// Whether the name is this one, whose letters are lower case (RFC 9110 §5.1: names have no
    /// case).
    package func isNamed(_ lowercasedName: String) -> Bool {
        guard bounds.nameCount == lowercasedName.utf8.count else { return false }
        return zip(section[bounds.name], lowercasedName.utf8)
            .allSatisfy { ByteClass.lowercased($0) == $1 }
    }
}
