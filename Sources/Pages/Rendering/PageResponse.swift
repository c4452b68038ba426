import HTTP

/// Answers of the pages, with the headers that keep them to themselves.
enum PageResponse {
    /// Nothing but what this listener serves is loaded, run, framed or posted to. There is no
    /// inline script or style, so nothing that a provider sent can become one.
    static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'",
        "connect-src 'self'", "worker-src 'self'", "form-action 'self'", "base-uri 'none'",
        "frame-ancestors 'none'",
    ].joined(separator: "; ")

    /// `same-origin` and not `no-referrer`: with that, browsers send `Origin: null` with a form.
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

    /// To a place relative to the page that was asked for, so that a proxy's path before it does
    /// not matter.
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
