import Cryptography
import HTTP
import HTTPServer
import JSON
import Store

/// The side that is read: health, metrics and orders, on a listener of its own.
package struct AdminHandler: RequestHandler {
    private let store: any Store
    private let pages: AdminPages
    /// The Bearer token; nil where none is asked for (loopback only).
    private let token: [UInt8]?

    package init(store: any Store, pages: AdminPages, token: [UInt8]?) {
        self.store = store
        self.pages = pages
        self.token = token
    }

    package func respond(to request: Request, in context: RequestContext) async -> Response {
        guard request.method != .post else {
            return .problem(405, "method_not_allowed", allow: "GET, HEAD")
        }
        let path = String(decoding: request.path, as: UTF8.self)
        // Health needs no token: load balancers ask for it, and it tells nothing of orders.
        switch path {
        case "/healthz": return .plain(200, "ok\n")
        case "/readyz": return pages.isReady() ? .plain(200, "ready\n") : .plain(503, "not ready\n")
        default: break
        }
        guard isAuthorized(request) else { return .unauthorized }
        if path == "/metrics" { return pages.metricsResponse() }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 4, parts[1] == "orders" { return await order(parts[2], parts[3]) }
        return .problem(404, "unknown_path")
    }

    package func refused(_ reason: String, status: Int?, in context: RequestContext) {}

    private func order(_ endpoint: Substring, _ reference: Substring) async -> Response {
        guard let endpoint = Self.decoded(endpoint), let reference = Self.decoded(reference) else {
            return .problem(400, "path_invalid")
        }
        guard let view = await store.order(endpoint: endpoint, reference: reference) else {
            return .problem(404, "order_unknown")
        }
        var writer = JSONWriter()
        OrderPage.write(view, to: &writer)
        return Response(
            status: 200, fields: [("Content-Type", "application/json")], body: writer.bytes)
    }

    private static func decoded(_ part: Substring) -> String? {
        guard let bytes = PercentEncoding.decode(ArraySlice(part.utf8)),
            JSONWriter.isValidUTF8(bytes[...])
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func isAuthorized(_ request: Request) -> Bool {
        guard let token else { return true }
        let given = request.values("authorization")
        let scheme = Array("Bearer ".utf8)
        guard given.count == 1, given[0].starts(with: scheme) else { return false }
        return constantTimeEqual(Array(given[0].dropFirst(scheme.count)), token)
    }
}

extension Response {
    static func plain(_ status: Int, _ text: String) -> Response {
        Response(status: status, fields: [("Content-Type", "text/plain")], body: Array(text.utf8))
    }

    /// RFC 9457; `type` is left out and so means about:blank, `code` is ours.
    static func problem(_ status: Int, _ code: String, allow: String? = nil) -> Response {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("status")
        writer.integer(status)
        writer.key("title")
        writer.string(code.split(separator: "_").joined(separator: " "))
        writer.key("code")
        writer.string(code)
        writer.endObject()
        var fields = [("Content-Type", "application/problem+json")]
        if let allow { fields.append(("Allow", allow)) }
        return Response(status: status, fields: fields, body: writer.bytes)
    }

    static var unauthorized: Response {
        var response = problem(401, "token_required")
        response.fields.append(("WWW-Authenticate", "Bearer"))
        return response
    }
}
