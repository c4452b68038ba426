import JSON
import Payments

/// A value of the API's answers: the server writes it as JSON, and commands read it again.
package protocol APIValue: JSONWritable, Sendable {
    /// Nil where `json` has another form.
    init?(json: JSONValue)
}

/// A JSON object of the API. ``members(_:)`` lists its members once, for writing and for reading:
///
///     struct Note: APIObject {
///         var text = ""
///         var author: String?
///
///         mutating func members(_ form: inout some APIForm) {
///             form.required("text", &text)
///             form.optional("author", &author)
///         }
///     }
///
///     Note(text: "a").json()  // {"text":"a"}
///     Note(json: document.root)?.author
package protocol APIObject: APIValue, Equatable {
    /// An object without values, to read into.
    init()

    /// Passes each member with its name to `form`, in the order of the JSON text.
    mutating func members(_ form: inout some APIForm)
}

/// Receives the members of an ``APIObject``: a writer reads their values, a reader sets them.
package protocol APIForm {
    /// A member that is always there.
    mutating func required<Value: APIValue>(_ name: StaticString, _ value: inout Value)

    /// A member that is null where there is no value.
    mutating func nullable<Value: APIValue>(_ name: StaticString, _ value: inout Value?)

    /// A member that is left out where there is no value.
    mutating func optional<Value: APIValue>(_ name: StaticString, _ value: inout Value?)

    /// An array that is left out where it is empty.
    mutating func nonempty<Value: APIValue>(_ name: StaticString, _ values: inout [Value])
}

extension APIObject {
    /// Nil where a required member is missing or has another form. Unknown members are ignored:
    /// later versions add some.
    package init?(json: JSONValue) {
        guard json.kind == .object else { return nil }
        self.init()
        var reader = APIReader(json)
        members(&reader)
        guard reader.isComplete else { return nil }
    }

    package func write(to writer: inout JSONWriter) {
        var members = self
        writer.object { members.members(&$0) }
    }

    /// - Parameter reserving: Number of bytes to make room for.
    package func json(reserving: Int = 512) -> [UInt8] {
        var writer = JSONWriter(reserving: reserving)
        write(to: &writer)
        return writer.bytes
    }
}

extension JSONWriter: APIForm {
    package mutating func required<Value: APIValue>(_ name: StaticString, _ value: inout Value) {
        // Not `member`, which this module cannot specialise.
        key(name)
        value.write(to: &self)
    }

    package mutating func nullable<Value: APIValue>(_ name: StaticString, _ value: inout Value?) {
        member(name, value)
    }

    package mutating func optional<Value: APIValue>(_ name: StaticString, _ value: inout Value?) {
        if let value { member(name, value) }
    }

    package mutating func nonempty<Value: APIValue>(
        _ name: StaticString, _ values: inout [Value]
    ) {
        if !values.isEmpty { member(name, values) }
    }
}

/// Reads the members of one JSON object.
private struct APIReader: APIForm {
    private let object: JSONValue
    /// Whether each required member was there and could be read.
    private(set) var isComplete = true

    init(_ object: JSONValue) { self.object = object }

    mutating func required<Value: APIValue>(_ name: StaticString, _ value: inout Value) {
        guard let read = object[name].flatMap(Value.init(json:)) else {
            isComplete = false
            return
        }
        value = read
    }

    mutating func nullable<Value: APIValue>(_ name: StaticString, _ value: inout Value?) {
        value = object[name].flatMap(Value.init(json:))
    }

    mutating func optional<Value: APIValue>(_ name: StaticString, _ value: inout Value?) {
        value = object[name].flatMap(Value.init(json:))
    }

    mutating func nonempty<Value: APIValue>(_ name: StaticString, _ values: inout [Value]) {
        values = object[name].flatMap([Value].init(json:)) ?? []
    }
}

// MARK: Values

extension String: APIValue {
    package init?(json: JSONValue) {
        guard let text = json.string else { return nil }
        self = text
    }
}

extension Bool: APIValue {
    package init?(json: JSONValue) {
        guard let value = json.bool else { return nil }
        self = value
    }
}

extension FixedWidthInteger where Self: APIValue {
    package init?(json: JSONValue) {
        guard let number = json.int64, let value = Self(exactly: number) else { return nil }
        self = value
    }
}

extension Int: APIValue {}
extension UInt64: APIValue {}

extension Array: APIValue where Element: APIValue {
    package init?(json: JSONValue) {
        guard json.kind == .array else { return nil }
        self = []
        for element in json.elements {
            guard let value = Element(json: element) else { return nil }
            append(value)
        }
    }
}

/// An object with any names, sorted.
extension Dictionary: APIValue where Key == String, Value: APIValue {
    package init?(json: JSONValue) {
        guard json.kind == .object else { return nil }
        self = [:]
        for (name, member) in json.members { self[name] = Value(json: member) }
    }
}

extension Dictionary: JSONWritable where Key == String, Value: APIValue {
    package func write(to writer: inout JSONWriter) {
        writer.object { json in
            for (name, value) in sorted(by: { $0.key < $1.key }) { json.member(name, value) }
        }
    }
}

/// A time, as RFC 3339 in UTC.
extension Timestamp: APIValue {
    package init?(json: JSONValue) {
        guard let text = json.string else { return nil }
        self.init(iso8601: text)
    }

    package func write(to writer: inout JSONWriter) { writer.string(rfc3339) }
}

/// `{"minor":4200,"currency":"MYR"}`.
extension Money: APIValue {
    package init?(json: JSONValue) {
        guard let minor = json["minor"]?.int64,
            let currency = json["currency"]?.string.flatMap({ Currency($0) })
        else { return nil }
        self.init(minor: minor, currency: currency)
    }

    package func write(to writer: inout JSONWriter) {
        writer.object {
            $0.member("minor", minor)
            $0.member("currency", currency.code)
        }
    }
}

/// `{"code":"…","message":"…"}`, in the provider's words.
extension Reason: APIValue {
    package init?(json: JSONValue) {
        self.init(code: json["code"]?.string, message: json["message"]?.string)
    }

    package func write(to writer: inout JSONWriter) {
        writer.object {
            $0.member("code", code)
            $0.member("message", message)
        }
    }
}

/// JSON that is passed on as it came, such as a record of the feed.
extension JSONValue: APIValue, Equatable {
    package init(json: JSONValue) { self = json }

    package func write(to writer: inout JSONWriter) { writer.raw(rawBytes) }

    /// Whether both are the same text.
    package static func == (left: JSONValue, right: JSONValue) -> Bool {
        left.rawBytes == right.rawBytes
    }
}

/// JSON text that is passed on as it is, such as the metadata of an expectation.
package struct RawJSON: APIValue, Equatable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package init?(json: JSONValue) {
        self.init(String(decoding: json.rawBytes, as: UTF8.self))
    }

    package func write(to writer: inout JSONWriter) { writer.raw(Array(text.utf8)[...]) }
}
