import Bytes
import JSON

/// One member of a request whose value is replaced before the request is stored.
///
/// ```yaml
/// redact:
///   - /customer/email      # a member of a JSON body (RFC 6901)
///   - /items/*/name        # of each element, or of each member
///   - form:buyer_email     # a field of a form
///   - query:email          # a parameter of the request target
///   - header:x-forwarded-for
/// ```
package struct RedactionRule: Sendable, Equatable {
    enum Place: Sendable, Equatable {
        /// The steps of a JSON pointer; nil matches every element or member.
        case body([[UInt8]?])
        case form([UInt8])
        case query([UInt8])
        /// In lower case.
        case header(String)
    }

    let place: Place
    /// The rule as it was written.
    package let text: String

    /// Parses a rule.
    ///
    /// - Throws: ``RedactionRuleError``, with what is wrong and what to write.
    package init(_ text: String) throws(RedactionRuleError) {
        self.text = text
        if text.hasPrefix("/") {
            var steps: [[UInt8]?] = []
            for step in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
                guard let bytes = JSONValue.unescapedBytes(step.utf8) else {
                    throw RedactionRuleError(
                        problem: "`~` is followed by neither 0 nor 1",
                        remedy: "write ~0 for a tilde and ~1 for a slash (RFC 6901)")
                }
                steps.append(step == "*" ? nil : bytes)
            }
            place = .body(steps)
            return
        }
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])) else {
            throw RedactionRuleError(
                problem: "is neither a JSON pointer nor the name of a field",
                remedy: "write /customer/email, form:NAME, query:NAME or header:NAME")
        }
        let name = parts[1]
        switch kind {
        case .form: place = .form(Array(name.utf8))
        case .query: place = .query(Array(name.utf8))
        case .header: place = .header(name.lowercased())
        }
    }

    private enum Kind: String { case form, query, header }
}

/// A mistake in a rule, and its remedy.
package struct RedactionRuleError: Error, Equatable {
    package let problem: String
    package let remedy: String
}
