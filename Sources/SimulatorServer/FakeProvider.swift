import Bytes
import Console
import HTTP
import HTTPServer
import JSON
import Payments
import Platform
import Providers
import Simulator
import Synchronization

/// The providers' inquiry APIs on one listener, and the simulator's own two paths: `/simulate`
/// returns its counts, `/simulate/payments` the actual state of every order.
package final class FakeProvider: RequestHandler {
    /// Faults to inject.
    package struct Faults: Sendable {
        /// Share of inquiries answered with 502 and an HTML page, as by a gateway.
        package var outages = 0.0
        /// Share of signed answers in which a digit is changed after signing.
        package var forgeries = 0.0

        package init() {}
    }

    private struct Counts {
        var answers: [String: Int] = [:]
        var throttled = 0
        var outages = 0
        var forged = 0
    }

    private let endpoints: [SimulatedEndpoint]
    private let log: PaymentLog
    private let faults: Faults
    private let speed: Double
    private let tally: SimulationCounters
    private let clock: any Clock
    private let generator: Mutex<SplitMix64>
    private let counts = Mutex(Counts())

    package init(
        _ endpoints: [SimulatedEndpoint], log: PaymentLog, tally: SimulationCounters,
        faults: Faults = Faults(), speed: Double = 1, seed: UInt64 = 0,
        clock: any Clock
    ) {
        self.endpoints = endpoints
        self.log = log
        self.tally = tally
        self.clock = clock
        self.faults = faults
        self.speed = speed
        generator = Mutex(SplitMix64(seed: seed))
    }

    package func refused(_ reason: String, status: Int?, in context: RequestContext) {
        // The client has its answer, and there is no log.
    }

    package func respond(to request: Request, in context: RequestContext) async -> Response {
        let path = String(decoding: request.path, as: UTF8.self)
        switch (request.method, path) {
        case (.get, "/simulate"):
            return Response(
                status: 200, fields: [("Content-Type", "application/json")], body: summary.json)
        case (.get, "/simulate/payments"): return payments
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
                body: Array("no simulated provider has this path\n".utf8))
        }
        if happens(faults.outages) {
            counts.withLock { $0.outages += 1 }
            return Response(
                status: 502, fields: [("Content-Type", "text/html")],
                body: Array("<html><body>Bad Gateway</body></html>\n".utf8))
        }
        let moment = ResponderMoment(
            now: Timestamp(microseconds: clock.wallMicroseconds), speed: speed)
        if let limit = first.1.limit, let subject = limit.subject(asked),
            log.exceeds(
                limit, "\(first.0.name) \(subject)",
                now: Int64(clock.now.nanoseconds / 1000), speed: speed)
        {
            counts.withLock { $0.throttled += 1 }
            return Response(limit.refusal(moment))
        }
        // Several endpoints of one provider differ by their credentials.
        var answer = Self.answer(asked, served[0], log, moment)
        for other in served.dropFirst() where answer.status == 401 || answer.status == 400 {
            answer = Self.answer(asked, other, log, moment)
        }
        if first.1.signsAnswers, happens(faults.forgeries), let forged = answer.forged {
            counts.withLock { $0.forged += 1 }
            return Response(forged)
        }
        counts.withLock { $0.answers[first.0.name, default: 0] += 1 }
        return Response(answer)
    }

    private static func answer(
        _ request: InquiryRequest, _ played: (SimulatedEndpoint, any Responder),
        _ log: PaymentLog, _ moment: ResponderMoment
    ) -> InquiryAnswer {
        let (endpoint, responder) = played
        let page = responder.list(request, at: moment) {
            log.events(of: endpoint.name).compactMap { event in
                (try? endpoint.sender.sender.sign(event, path: "/"))
                    .map { SentEvent(event, body: $0.body) }
            }
        }
        return page ?? responder.answer(request, at: moment) { log.find(endpoint.name, $0, $1) }
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
                body: Array("not a payment of a simulated endpoint\n".utf8))
        }
        log.register(life, endpoint: endpoint)
        return Response(status: 204)
    }

    /// The counts so far.
    package var summary: NamedValues {
        let counts = counts.withLock { $0 }
        var report = tally.report
        report.member("orders", log.count)
        report.member("answered", .counts(counts.answers))
        report.member("throttled", counts.throttled)
        report.member("outages", counts.outages)
        report.member("forged", counts.forged)
        return report
    }

    /// One line of JSON for each order.
    private var payments: Response {
        let list = PaymentList(log: log)
        var response = Response(
            status: 200, fields: [("Content-Type", "application/x-ndjson")])
        response.stream = { writer in try await list.write(to: writer) }
        return response
    }
}

/// The actual state of all orders, read in portions.
private struct PaymentList: Sendable {
    let log: PaymentLog

    private static let ordersMax = 256

    func write(to writer: any BodyWriter) async throws {
        var first = 0
        while true {
            let orders = log.orders(from: first, limit: Self.ordersMax)
            if orders.isEmpty { return }
            first += orders.count
            try await writer.write(orders.flatMap { $0.life.stateLine(endpoint: $0.endpoint) })
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
    /// A copy with the last digit of its first amount changed; nil if it has none.
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
    /// The order's actual state, as a line of JSON.
    func stateLine(endpoint: String) -> [UInt8] {
        let truth = SampleState(self)
        let line = JSONWriter.object(reserving: 384) { json in
            json.member("endpoint", endpoint)
            json.member("reference", reference)
            json.member("status", truth.status.rawValue)
            json.member("authorized", truth.authorized)
            json.member("captured", truth.captured)
            json.member("refunded", truth.refunded)
            json.member("currency", ifPresent: events.first?.money.currency.code)
            json.array("attempts", truth.attempts) {
                $0.member("transaction", $1.transaction)
                $0.member("status", $1.status.name)
            }
        }
        return line + [UInt8(ascii: "\n")]
    }
}
