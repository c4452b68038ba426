/// Where a value of a notification stands: in the body, a header, a setting, or made of several.
///
/// A text literal is a JSON pointer (RFC 6901). In a form body `/name` is the field of that name.
public indirect enum Source: Sendable, Equatable, Codable {
    /// A word or number of the body; inside `each`, of the element.
    case pointer(String)
    /// A word or number of the whole body, where ``pointer(_:)`` is relative to an element.
    case root(String)
    /// The first that is there: neither missing nor `null` nor an empty text. One that is there and
    /// is no word ends the search, so that no other value passes for it.
    case first([Source])
    /// The same for every notification.
    case text(String)
    /// A header, by its name in lower case. Not signed unless the template names it.
    case header(String)
    /// A setting of the endpoint: its text, or the first of its pointers that is there.
    case setting(String)
    /// All of them with a text between; absent where one of them is.
    case join([Source], with: String)
    /// An empty text where it is absent; for a part of an identity or of ``join(_:with:)``.
    case optional(Source)
    /// With this prefix, which is added where it is missing.
    case prefixed(String, of: Source)
    /// Absent unless all conditions hold.
    case when([Condition], Source)
    /// Absent where all conditions hold.
    case unless([Condition], Source)

    /// A text that always applies, such as a currency that the provider never writes.
    public static func fixed(_ text: String) -> Source { .text(text) }
}

extension Source: ExpressibleByStringLiteral {
    public init(stringLiteral pointer: String) { self = .pointer(pointer) }
}

/// A condition on one notification. The literals `true` and `false` count as words.
public struct Condition: Sendable, Equatable, Codable {
    /// The requirement on the value.
    public enum Test: Sendable, Equatable, Codable {
        /// It is one of these words.
        case isOneOf([String])
        /// It is none of these words, or no word at all.
        case isNoneOf([String])
        /// It is there: neither missing nor `null` nor an empty text. An object or array is there.
        case isPresent(Bool)
        case startsWith([String])
        case endsWith([String])
        /// Both are words, and they differ.
        case differsFrom(Source)
    }

    /// The value that is tested: usually a pointer, a header or a setting.
    public var subject: Source
    /// The requirement on it.
    public var test: Test

    /// Creates a condition on a value.
    public init(_ subject: Source, _ test: Test) {
        self.subject = subject
        self.test = test
    }
}

/// A form in which a provider writes times.
public enum TimeForm: String, Sendable, CaseIterable, Codable {
    /// Seconds since 1970, in digits.
    case seconds
    /// Milliseconds since 1970: exactly 13 digits.
    case milliseconds
    /// Date, time and offset.
    case iso8601
}
