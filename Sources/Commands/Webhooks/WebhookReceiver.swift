import Console
import HTTP
import HTTPServer
import JSON
import Payments
import Platform
import Providers
import Synchronization

/// Verifies webhooks, prints a line for each, and answers as configured.
final class WebhookReceiver: RequestHandler {
    /// How it answers genuine messages.
    struct Manner: Sendable {
        /// Share of messages answered with an error, from 0 to 1.
        var failRate = 0.0
        var failStatus = 500
        var delaySeconds = 0.0
        var retryAfterSeconds: Int?
    }

    private let verifier: StandardWebhooks
    private let manner: Manner
    private let isJSON: Bool
    private let clock: any Clock
    private let seen = Mutex<Set<String>>([])

    /// Maximum number of ids kept to detect duplicates; above it all are dropped.
    private static let idsMax = 100_000

    init(verifier: StandardWebhooks, manner: Manner, isJSON: Bool, clock: any Clock) {
        self.verifier = verifier
        self.manner = manner
        self.isJSON = isJSON
        self.clock = clock
    }

    func respond(to request: Request, in context: RequestContext) async -> Response {
        if manner.delaySeconds > 0 {
            try? await clock.sleep(microseconds: Int64(manner.delaySeconds * 1e6))
        }
        let delivery = SignedRequest(
            method: request.method.name, path: request.path, query: request.query,
            headers: request.fields, body: request.body,
            received: Timestamp(microseconds: clock.wallMicroseconds))
        do throws(Refusal) {
            _ = try verifier.verify(delivery)
        } catch {
            show(request, "refused: \(error.reason)", status: 401)
            return Response(
                status: 401, fields: [("Content-Type", "text/plain")],
                body: Array("\(error.reason)\n".utf8))
        }
        let fails = manner.failRate > 0 && Double.random(in: 0..<1) < manner.failRate
        var response = Response(status: fails ? manner.failStatus : 200)
        if fails, let seconds = manner.retryAfterSeconds {
            response.fields.append(("Retry-After", String(seconds)))
        }
        show(
            request, isNew(Self.id(request)) ? "verified" : "verified again",
            status: response.status)
        return response
    }

    func refused(_ reason: String, status: Int?, in context: RequestContext) {
        StandardError.print("ipnd receive: \(reason)")
    }

    private static func id(_ request: Request) -> String {
        request.values("webhook-id").first.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private func isNew(_ id: String) -> Bool {
        seen.withLock { seen in
            if seen.count >= Self.idsMax { seen = [] }
            return seen.insert(id).inserted
        }
    }

    private func show(_ request: Request, _ verdict: String, status: Int) {
        let root = try? JSONDocument(parsing: request.body).root
        let data = root?["data"]
        let order = data?["order"]
        let words: [(key: String, text: String)] = [
            ("id", Self.id(request)), ("type", root?["type"]?.string ?? ""),
            ("endpoint", data?["endpoint"]?.string ?? ""),
            ("reference", order?["reference"]?.string ?? order?["transaction"]?.string ?? ""),
            ("verdict", verdict),
        ]
        guard isJSON else {
            let line = words.map(\.text).filter { !$0.isEmpty } + ["->", String(status)]
            return StandardOutput.print(TextTable.printable(line.joined(separator: " ")))
        }
        let line = JSONWriter.object { json in
            for (key, value) in words { json.member(key, value) }
            json.member("sequence", data?["sequence"]?.int64 ?? 0)
            json.member("status", status)
        }
        _ = StandardOutput.write(line + [UInt8(ascii: "\n")])
    }
}
