import HTTP
import HTTPServer

/// The cookie with a session's identifier.
///
/// It has no `Path`. The browser then uses the folder of the page that set it, `…/ui`, which is
/// right under any path prefix of a proxy (RFC 6265 §5.1.4).
enum SessionCookie {
    static let name = "ipnd-session"

    /// The identifier in a request; nil where there is none, or several.
    static func identifier(in request: Request) -> String? {
        let prefix = "\(name)="
        let found = request.values("cookie")
            .flatMap { String(decoding: $0, as: UTF8.self).split(separator: ";") }
            .map { $0.drop { $0 == " " } }
            .filter { $0.hasPrefix(prefix) }
        guard found.count == 1 else { return nil }
        return String(found[0].dropFirst(prefix.count))
    }

    static func setting(_ identifier: String, isSecure: Bool) -> String {
        "\(name)=\(identifier); HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    }

    static func ending(isSecure: Bool) -> String {
        setting("", isSecure: isSecure) + "; Max-Age=0"
    }

    /// Whether the browser uses TLS, to this listener or to a proxy: the page's origin shows it.
    static func isSecure(_ request: Request, _ context: RequestContext) -> Bool {
        context.isTLS || request.values("origin").contains { $0.starts(with: "https://".utf8) }
    }
}
