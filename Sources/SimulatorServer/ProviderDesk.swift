import Bytes
import HTTP
import HTTPServer
import JSON
import Payments
import Platform
import Providers
import Simulator
import Synchronization

/// The providers' interfaces on one listener, and beside them the simulator's own two paths:
/// `/simulate` tells what it has done, `/simulate/payments` the truth about every order.
package final class ProviderDesk: RequestHandler {
    /// What goes wrong on purpose.
    package struct Mischief: Sendable {
        /// The share of questions that a gateway in front answers with 502 and a page.
        package var outages = 0.0
        /// The share of signed answers in which a digit is changed behind the signature.
        package var forgeries = 0.0

        package init() {}
    }

    private struct Counts {
        var answers: [String: Int] = [:]
        var throttled = 0
        var outages = 0
        var forged = 0
    }

    private let endpoints: [PlayedEndpoint]
    private let book: ProviderBook
    private let mischief: Mischief
    private let speed: Double
    private let tally: WorldTally
    private let clock: any Clock
    private let generator: Mutex<SplitMix64>
    private let counts = Mutex(Counts())

    package init(
        _ endpoints: [PlayedEndpoint], book: ProviderBook, tally: WorldTally,
        mischief: Mischief = Mischief(), speed: Double = 1, seed: UInt64 = 0,
        clock: any Clock
    ) {
        self.endpoints = endpoints
        self.book = book
        self.tally = tally
        self.clock = clock
        self.mischief = mischief
        self.speed = speed
        generator = Mutex(SplitMix64(seed: seed))
    }

    package func refused(_ reason: String, status: Int?, in context: RequestContext) {
        // Whoever sent it has been told.
    }

    package func respond(to request: Request, in context: RequestContext) async -> Response {
        let path = String(decoding: request.path, as: UTF8.self)
        switch (request.method, path) {
        case (.get, "/simulate"):
            return Response(
                status: 200, fields: [("Content-Type", "application/json")], body: summary)
        case (.get, "/simulate/payments"): return truths
        case (.post, "/simulate/payments"): return register(request.body)
        default: return inquiry(request)
        }
    }

    // MARK: Inquiries

    private func inquiry(_ request: Request) -> Response {
        let asked = InquiryRequest(
            method: request.method.name, target: String(decoding: request.target, as: UTF8.self),
            headers: request.fields, body: request.body)
        let served = endpoints.compactMap { endpoint in
            endpoint.responder.flatMap { $0.serves(asked) ? (endpoint, $0) : nil }
        }
        guard let first = served.first else {
            return Response(
                status: 404, fields: [("Content-Type", "text/plain")],
                body: Array("no provider that is played here has this path\n".utf8))
        }
        if happens(mischief.outages) {
            counts.withLock { $0.outages += 1 }
            return Response(
                status: 502, fields: [("Content-Type", "text/html")],
                body: Array("<html><body>Bad Gateway</body></html>\n".utf8))
        }
        let moment = ResponderMoment(
            now: Timestamp(microseconds: clock.wallMicroseconds), speed: speed)
        if let limit = first.1.limit, let subject = limit.subject(asked),
            book.exceeds(
                limit, "\(first.0.name) \(subject)",
                now: Int64(clock.now.nanoseconds / 1000), speed: speed)
        {
            counts.withLock { $0.throttled += 1 }
            return Response(limit.refusal(moment))
        }
        // Several endpoints of one system differ by their credentials.
        var answer = Self.answer(asked, served[0], book, moment)
        for other in served.dropFirst() where answer.status == 401 || answer.status == 400 {
            answer = Self.answer(asked, other, book, moment)
        }
        if first.1.signsAnswers, happens(mischief.forgeries), let forged = answer.forged {
            counts.withLock { $0.forged += 1 }
            return Response(forged)
        }
        counts.withLock { $0.answers[first.0.name, default: 0] += 1 }
        return Response(answer)
    }

    private static func answer(
        _ request: InquiryRequest, _ played: (PlayedEndpoint, any Responder),
        _ book: ProviderBook, _ moment: ResponderMoment
    ) -> InquiryAnswer {
        played.1.answer(request, at: moment) { book.find(played.0.name, $0, $1) }
    }

    private func happens(_ share: Double) -> Bool {
        guard share > 0 else { return false }
        return generator.withLock { Double.random(in: 0..<1, using: &$0) < share }
    }

    // MARK: The simulator's own paths

    private func register(_ body: [UInt8]) -> Response {
        guard let (endpoint, life) = SampleLife.read(body),
            endpoints.contains(where: { $0.name == endpoint })
        else {
            return Response(
                status: 400, fields: [("Content-Type", "text/plain")],
                body: Array("not a payment of an endpoint that is played here\n".utf8))
        }
        book.register(life, endpoint: endpoint)
        return Response(status: 204)
    }

    /// What was done so far, as JSON.
    package var summary: [UInt8] {
        let counts = counts.withLock { $0 }
        return tally.json { json in
            json.member("orders", book.count)
            json.key("answered")
            json.beginObject()
            for (name, count) in counts.answers.sorted(by: { $0.key < $1.key }) {
                json.member(name, count)
            }
            json.endObject()
            json.member("throttled", counts.throttled)
            json.member("outages", counts.outages)
            json.member("forged", counts.forged)
        }
    }

    /// One line of JSON for each order.
    private var truths: Response {
        let list = TruthList(book: book)
        var response = Response(
            status: 200, fields: [("Content-Type", "application/x-ndjson")])
        response.stream = { writer in try await list.write(to: writer) }
        return response
    }
}

/// The truth about all orders, some at a time.
private struct TruthList: Sendable {
    let book: ProviderBook

    private static let ordersMax = 256

    func write(to writer: any BodyWriter) async throws {
        var first = 0
        while true {
            let orders = book.orders(from: first, limit: Self.ordersMax)
            if orders.isEmpty { return }
            first += orders.count
            try await writer.write(orders.flatMap { $0.life.truthLine(endpoint: $0.endpoint) })
        }
    }
}

extension Response {
    fileprivate init(_ answer: InquiryAnswer) {
        self.init(
            status: answer.status,
            fields: answer.headers.map {
                (
                    String(decoding: $0.name, as: UTF8.self),
                    String(decoding: $0.value, as: UTF8.self)
                )
            }, body: answer.body)
    }
}

extension InquiryAnswer {
    /// The same with the last digit of its first amount changed; nil where it has none.
    var forged: InquiryAnswer? {
        let text = String(decoding: body, as: UTF8.self)
        let digit = [#/"value":"[0-9]*[0-9]/#, #/"amount":[0-9]*[0-9]/#].lazy
            .compactMap { try? $0.firstMatch(in: text)?.range.upperBound }.first
        guard let end = digit else { return nil }
        var changed = body
        let place = text.utf8.distance(from: text.startIndex, to: end) - 1
        changed[place] = changed[place] == UInt8(ascii: "1") ? UInt8(ascii: "2") : UInt8(ascii: "1")
        return InquiryAnswer(status: status, headers: headers, body: changed, received: received)
    }
}

extension SampleLife {
    /// What the books say, as a line of JSON.
    func truthLine(endpoint: String) -> [UInt8] {
        let truth = SampleTruth(self)
        var json = JSONWriter(reserving: 384)
        json.beginObject()
        json.member("endpoint", endpoint)
        json.member("reference", reference)
        json.member("status", truth.status.rawValue)
        json.member("authorized", Int(truth.authorized))
        json.member("captured", Int(truth.captured))
        json.member("refunded", Int(truth.refunded))
        if let currency = events.first?.money.currency { json.member("currency", currency.code) }
        json.key("attempts")
        json.beginArray()
        for attempt in truth.attempts {
            json.beginObject()
            json.member("transaction", attempt.transaction)
            json.member("status", attempt.status.name)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes + [UInt8(ascii: "\n")]
    }
}
