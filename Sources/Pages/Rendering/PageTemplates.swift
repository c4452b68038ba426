import Mustache

/// What a template is filled with.
typealias PageValues = [String: Any]

/// The templates in `Assets`, which the program carries in itself. Every value that a template
/// names is escaped, unless it stands in three braces, which a test forbids.
struct PageTemplates: Sendable {
    private let library: MustacheLibrary

    static let shared = PageTemplates(PageAssets.templates)

    /// - Parameter texts: By name. One that cannot be read is a mistake in the program.
    init(_ texts: [(name: String, text: String)]) {
        MustacheContentTypes.register(MarkupEscaping(), named: Self.contentType)
        var library = MustacheLibrary()
        for (name, text) in texts {
            do {
                // The library's own escaping is by characters; see `MarkupEscaping`. A partial
                // begins with the library's, so each template says which one it wants.
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

    /// In a section the library takes an empty text for something that is there.
    private static func withoutEmptyTexts(_ value: Any) -> Any {
        switch value {
        case let text as String where text.utf8.isEmpty: NoText()
        case let values as PageValues: values.mapValues(withoutEmptyTexts)
        case let list as [PageValues]: list.map(withoutEmptyTexts)
        default: value
        }
    }
}

/// Nothing to show. The member itself stays, or the one of the same name around it would be shown.
private struct NoText: MustacheCustomRenderable {
    var renderText: String { "" }
    var isNull: Bool { true }
}

/// Escapes text for HTML, as content and in quoted attributes, byte by byte.
///
/// Character by character is not enough: a quote and a combining mark behind it are one character,
/// which is not the quote, and would end an attribute in the browser all the same.
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
            // HTML has no NUL: the browser would put U+FFFD in its place or drop it.
            case 0: escaped += "\u{FFFD}".utf8
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}
