import HTTP
import HTTPServer

/// The cookie that names a session.
///
/// It has no `Path`: the browser then takes the folder of the page that set it, `…/ui`, which is
/// right under any path that a proxy puts before it (RFC 6265 §5.1.4).
enum SessionCookie {
    static let name = "ipnd-session"

    /// The identifier that a request brings; nil when it brings none, or several.
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

    /// Whether the browser came by TLS, to us or to a proxy before us: the page's own origin tells.
    static func isSecure(_ request: Request, _ context: RequestContext) -> Bool {
        context.isTLS || request.values("origin").contains { $0.starts(with: "https://".utf8) }
    }
}
