import JSON
import Testing

/// A text that the grammar accepts, named after its category.
struct AcceptedCase: CustomTestStringConvertible, Sendable {
    let name: String
    let bytes: [UInt8]

    init(_ name: String, _ text: String) {
        self.name = name
        bytes = Array(text.utf8)
    }

    var testDescription: String { name }
}

/// A text that must be refused, with the reason and offset.
struct RefusedCase: CustomTestStringConvertible, Sendable {
    let name: String
    let bytes: [UInt8]
    let error: JSONError

    init(_ name: String, _ text: String, _ error: JSONError) {
        self.init(name, Array(text.utf8), error)
    }

    init(_ name: String, _ bytes: [UInt8], _ error: JSONError) {
        self.name = name
        self.bytes = bytes
        self.error = error
    }

    /// Bytes inside a string in an array; the first one is at offset 2.
    init(utf8 name: String, _ content: [UInt8], at offset: Int = 2) {
        self.init(name, Array("[\"".utf8) + content + Array("\"]".utf8), .utf8(offset))
    }

    var testDescription: String { name }
}
