import HTTP
import HTTPServer
import Inquiry
import JSON
import Platform
import Store
import Synchronization

/// The shopper's own question: `GET /outcome/{token}?wait=25`, on a listener and with limits of its
/// own.
///
/// Shops put it on the public internet, for their return page and their app. A token is about one
/// order, so a client without one learns nothing; it costs the decryption of at most
/// `OutcomeTokens.lengthMax` bytes. A client with one learns a single word, and makes its provider
/// be asked no more often than the provider's limits for that order allow.
package struct OutcomeHandler: RequestHandler {
    private let wait: OrderWait
    private let tokens: OutcomeTokens
    private let allowOrigins: Set<String>
    private let places: OutcomePlaces
    private let clock: any Clock

    /// Seconds after which to ask again while the outcome is pending: after a wait, or without one.
    private static let retrySeconds = (waited: 1, looked: 3)

    /// - Parameters:
    ///   - allowOrigins: The origins of pages that may read the answers (CORS).
    ///   - places: Places for waiting requests; they outlive a reload.
    package init(
        store: any Store, inquiries: InquiryService?, tokens: OutcomeTokens,
        allowOrigins: [String], places: OutcomePlaces, clock: any Clock
    ) {
        wait = OrderWait(store: store, inquiries: inquiries, clock: clock)
        self.tokens = tokens
        self.allowOrigins = Set(allowOrigins)
        self.places = places
        self.clock = clock
    }

    package func respond(to request: Request, in context: RequestContext) async -> Response {
        var response: Response
        do throws(Problem) {
            response = try await answer(request, context)
        } catch {
            response = error.response
        }
        response.fields += [
            ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
        ]
        if !allowOrigins.isEmpty {
            response.fields.append(("Vary", "Origin"))
            let origins = request.values("origin").map { String(decoding: $0, as: UTF8.self) }
            if origins.count == 1, allowOrigins.contains(origins[0]) {
                response.fields += [
                    ("Access-Control-Allow-Origin", origins[0]),
                    ("Access-Control-Expose-Headers", "ETag, Retry-After"),
                ]
            }
        }
        return response
    }

    package func refused(_ reason: String, status: Int?, in context: RequestContext) {}

    package func answer(to error: HTTPError, path: ArraySlice<UInt8>?) -> Response {
        Problem(error, path: nil).response
    }

    private func answer(
        _ request: Request, _ context: RequestContext
    ) async throws(Problem) -> Response {
        if request.path.elementsEqual("/healthz".utf8) { return .plain(200, "ok\n") }
        let start = Array("/outcome/".utf8)
        guard request.path.starts(with: start) else { throw .unknownPath }
        guard Route.reading.contains(request.method) else { throw .methodNotAllowed(Route.reading) }
        let token = request.path.dropFirst(start.count)
        let name = try tokens.read(token, now: clock.timestamp)
        let parameters = try QueryParameters(request, known: ["wait"])
        let known = Self.known(request)
        let wanted = try LongPoll.seconds(parameters)
        // A client that finds no place to wait is answered at once, and asks again.
        let place = wanted > 0 ? places.take(name) : nil
        defer { place?.leave() }
        let seconds = place == nil ? 0 : wanted
        let view = try await wait.order(
            name, seconds: Double(seconds), context.presence, asks: seconds > 0
        ) { view in
            let outcome = PaymentOutcome(view)
            return outcome != .pending && !known.contains(Self.tag(outcome))
        }
        return Self.response(PaymentOutcome(view), known: known, hasWaited: seconds > 0)
    }

    private static func response(
        _ outcome: PaymentOutcome, known: Set<String>, hasWaited: Bool
    ) -> Response {
        var writer = JSONWriter()
        writer.object { $0.member("status", outcome.rawValue) }
        let isKnown = known.contains(tag(outcome))
        var response =
            isKnown ? Response(status: 304, fields: [], body: []) : .json(200, writer.bytes)
        response.fields.removeAll { $0.0 == "Cache-Control" }
        response.fields.append(("ETag", tag(outcome)))
        if outcome == .pending {
            let seconds = hasWaited ? retrySeconds.waited : retrySeconds.looked
            response.fields.append(("Retry-After", "\(seconds)"))
        }
        return response
    }

    private static func tag(_ outcome: PaymentOutcome) -> String { "\"\(outcome.rawValue)\"" }

    /// The tags of `If-None-Match`. Weak ones compare equal (RFC 9110 §13.1.2).
    private static func known(_ request: Request) -> Set<String> {
        let fields = request.values("if-none-match").map { String(decoding: $0, as: UTF8.self) }
        return Set(
            fields.flatMap { $0.split(separator: ",") }.map { part in
                let tag = part.filter { $0 != " " && $0 != "\t" }
                return tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag
            })
    }
}

/// Places for requests that wait for an outcome: a number in all, and some of them for one order.
package final class OutcomePlaces: Sendable {
    private let places: Mutex<WaitingPlaces>

    package init(countMax: Int, perOrderMax: Int) {
        places = Mutex(Self.places(countMax, perOrderMax))
    }

    /// Other numbers from now on. Requests that wait keep their places and do not count any more.
    package func resize(countMax: Int, perOrderMax: Int) {
        places.withLock { $0 = Self.places(countMax, perOrderMax) }
    }

    private static func places(_ countMax: Int, _ perOrderMax: Int) -> WaitingPlaces {
        WaitingPlaces(perRoleMax: countMax, perPersonMax: perOrderMax)
    }

    func take(_ name: OrderName) -> WaitingPlace? {
        places.withLock { $0 }.take(.viewer, "\(name.endpoint)/\(name.reference)")
    }
}
