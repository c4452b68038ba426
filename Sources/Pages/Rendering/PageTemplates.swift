import Mustache

/// The values of a template.
typealias PageValues = [String: Any]

/// The templates in `Assets`. Every value is escaped, unless it is in three braces, which a test
/// forbids.
struct PageTemplates: Sendable {
    private let library: MustacheLibrary

    static let shared = PageTemplates(PageAssets.templates)

    /// - Parameter texts: The templates by name. An invalid one is a programming error.
    init(_ texts: [(name: String, text: String)]) {
        MustacheContentTypes.register(MarkupEscaping(), named: Self.contentType)
        var library = MustacheLibrary()
        for (name, text) in texts {
            do {
                // The library escapes character by character; see `MarkupEscaping`. Partials start
                // with the library's escaping, so each template sets the content type itself.
                try library.register("{{% CONTENT_TYPE: \(Self.contentType)}}\(text)", named: name)
            } catch {
                preconditionFailure("the template \(name) cannot be read: \(error)")
            }
        }
        self.library = library
    }

    private static let contentType = "IPND_HTML"

    func render(_ name: String, _ values: PageValues) -> String {
        library.render(Self.withoutEmptyTexts(values), withTemplate: name) ?? ""
    }

    /// Replaces empty texts, which the library's sections would treat as present.
    private static func withoutEmptyTexts(_ value: Any) -> Any {
        switch value {
        case let text as String where text.utf8.isEmpty: NoText()
        case let values as PageValues: values.mapValues(withoutEmptyTexts)
        case let list as [PageValues]: list.map(withoutEmptyTexts)
        default: value
        }
    }
}

/// A text that is absent. The member is kept, because otherwise the library would show the member
/// of the same name in the enclosing context.
private struct NoText: MustacheCustomRenderable {
    var renderText: String { "" }
    var isNull: Bool { true }
}

/// Escapes text for HTML, as content and in quoted attributes, byte by byte.
///
/// Escaping by characters is not enough: a quote followed by a combining mark is one character in
/// Swift, different from a quote, but the browser would end an attribute there.
struct MarkupEscaping: MustacheContentType {
    func escapeText(_ text: String) -> String {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "<"): escaped += "&lt;".utf8
            case UInt8(ascii: ">"): escaped += "&gt;".utf8
            case UInt8(ascii: "&"): escaped += "&amp;".utf8
            case UInt8(ascii: "\""): escaped += "&quot;".utf8
            case UInt8(ascii: "'"): escaped += "&#39;".utf8
            case UInt8(ascii: "`"): escaped += "&#96;".utf8
            // HTML has no NUL: a browser replaces or drops it.
            case 0: escaped += "\u{FFFD}".utf8
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}
