import JSON
import Payments

extension JSONWriter {
    mutating func member(_ name: String, _ value: String) {
        key(name)
        string(value)
    }

    mutating func member(_ name: String, _ value: Int64) {
        key(name)
        integer(value)
    }

    /// An object: whatever `content` writes, between braces.
    mutating func object(_ name: String? = nil, _ content: (inout JSONWriter) -> Void) {
        if let name { key(name) }
        beginObject()
        content(&self)
        endObject()
    }
}

extension SampleEvent {
    /// The amount in the smallest unit, as digits.
    ///
    /// - Throws: ``SenderError/unrepresentableAmount`` for a negative one.
    func digits() throws(SenderError) -> String {
        guard money.minor >= 0 else { throw .unrepresentableAmount }
        return String(money.minor)
    }
}
