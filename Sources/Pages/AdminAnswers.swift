import AdminAPI
import Bytes
import HTTP
import HTTPServer
import JSON

/// The API, asked in process: a page shows what `GET /orders` and its like answer, so the two can
/// never say different things, and lists come from the same readers.
struct AdminAnswers: Sendable {
    let handler: AdminHandler
    let context: RequestContext
    let caller: AdminCaller

    /// The answer's JSON. Throws what the API refused.
    func get(_ target: String) async throws(PageProblem) -> JSONValue {
        try await ask(.get, target)
    }

    /// - Parameter body: JSON; empty where the act takes none.
    func post(
        _ target: String, _ body: [UInt8] = []
    ) async throws(PageProblem) -> JSONValue {
        try await ask(.post, target, body)
    }

    /// An answer as it is, for exports.
    func response(_ target: String, accept: String) async -> Response {
        await handler.respond(to: request(.get, target, accept), in: context, by: caller)
    }

    /// The text of an answer that is not JSON.
    func text(_ target: String) async -> (status: Int, text: String) {
        let response = await response(target, accept: "text/plain")
        return (response.status, String(decoding: response.body, as: UTF8.self))
    }

    private func ask(
        _ method: Method, _ target: String, _ body: [UInt8] = []
    ) async throws(PageProblem) -> JSONValue {
        let request = request(method, target, "application/json", body)
        let response = await handler.respond(to: request, in: context, by: caller)
        let root = try? JSONDocument(parsing: response.body, limits: .trusted).root
        guard (200...299).contains(response.status), let root else {
            throw PageProblem(
                response.status, root?["code"]?.string ?? "answer_unreadable",
                root?["detail"]?.string ?? "")
        }
        return root
    }

    private func request(
        _ method: Method, _ target: String, _ accept: String, _ body: [UInt8] = []
    ) -> Request {
        let bytes = Array(target.utf8)[...]
        let mark = bytes.firstIndex(of: UInt8(ascii: "?"))
        return Request(
            method: method, target: bytes, path: bytes[..<(mark ?? bytes.endIndex)],
            query: mark.map { bytes[($0 + 1)...] }, version: .http11,
            fields: [Header("Accept", accept), Header("Content-Type", "application/json")],
            body: body, keepAlive: true)
    }
}

/// Why a page cannot be shown, or an act was not done.
struct PageProblem: Error, Equatable {
    var status: Int
    var code: String
    var detail: String

    init(_ status: Int, _ code: String, _ detail: String) {
        self.status = status
        self.code = code
        self.detail = detail
    }

    static let unknownPage = PageProblem(404, "unknown_path", "There is no such page.")
    static let notText = PageProblem(
        400, "parameter_encoding", "What is asked for is not UTF-8 in percent-encoding.")
    static let formTooLong = PageProblem(
        413, "form_too_long", "The form is longer than any of these pages.")
    static let crossSite = PageProblem(
        403, "cross_site", "The request did not come from one of these pages.")
    static let hostUnknown = PageProblem(
        421, "host_unknown",
        "Without a token only localhost, an IP address or a name in admin.hosts is answered.")
    static let roleMayNotAct = PageProblem(
        403, "role_may_not_act", "You are signed in as a viewer, who sees and cannot act.")
}
