import HTTP

/// The answers of the pages, with headers that isolate them from other sites.
enum PageResponse {
    /// Only this listener's files are loaded, and forms are only sent to it. Inline scripts and
    /// styles are forbidden, so that text from a provider cannot become one.
    static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'",
        "connect-src 'self'", "worker-src 'self'", "form-action 'self'", "base-uri 'none'",
        "frame-ancestors 'none'",
    ].joined(separator: "; ")

    /// The referrer policy is `same-origin`, because with `no-referrer` browsers send `Origin:
    /// null` with a form.
    static let security: [(String, String)] = [
        ("Content-Security-Policy", policy),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    static func html(_ text: String, status: Int = 200) -> Response {
        Response(
            status: status,
            fields: [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store")]
                + security,
            body: Array(text.utf8))
    }

    /// Redirects to a place relative to the requested page, which works under any path prefix of a
    /// proxy.
    static func redirect(to place: String, cookie: String? = nil) -> Response {
        var response = Response(
            status: 303,
            fields: [("Location", place), ("Cache-Control", "no-store")] + security)
        if let cookie { response.fields.append(("Set-Cookie", cookie)) }
        return response
    }

    static func asset(_ asset: PageAsset) -> Response {
        Response(
            status: 200,
            fields: [
                ("Content-Type", asset.mediaType),
                ("Cache-Control", "public, max-age=31536000, immutable"),
            ] + security,
            body: asset.bytes)
    }
}
