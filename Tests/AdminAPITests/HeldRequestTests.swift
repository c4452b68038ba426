import Bytes
import HTTP
import HTTPServer
import Inquiry
import JSON
import JournalStore
import Payments
import Platform
import Providers
import Records
import Store
import Synchronization
import TestSupport
import Testing
import WebClient

@testable import AdminAPI

/// Requests that wait for an answer, on a clock that the test moves.
@Suite struct HeldRequestTests {
    private let clock = ManualClock()
    private let folder = TemporaryFolder()
    private let store: JournalStore
    private let presence = ClientPresence()

    init() throws {
        var options = JournalStoreOptions()
        options.journal.segmentBytes = 1 << 20
        options.journal.frameBytesMax = 256 << 10
        options.journal.recordBytesMax = 128 << 10
        store = try JournalStore(directory: folder.file("journal"), options: options)
    }

    private func record(_ status: String, _ effect: Effect, _ reference: String = "R-1") async {
        let notification = Notification(
            id: "E-\(reference)-\(status)", kind: "payment", status: status, reference: reference,
            transaction: "T-\(reference)", effect: effect)
        _ = await store.record(
            Submission(
                endpoint: "e", provider: "citcon-pay", key: "1", notification: notification,
                request: RecordedRequest(
                    method: "POST", target: Array("/ipn".utf8)[...], headers: [], body: []),
                peer: "", received: Timestamp(microseconds: clock.wallMicroseconds)))
    }

    private func request(_ path: String, _ query: String?, accept: String? = nil) -> Request {
        Request(
            method: .get, target: Array((path + (query.map { "?" + $0 } ?? "")).utf8)[...],
            path: Array(path.utf8)[...], query: query.map { Array($0.utf8)[...] },
            version: .http11, fields: accept.map { [Header("Accept", $0)] } ?? [], body: [],
            keepAlive: true)
    }

    private var context: RequestContext {
        RequestContext(
            peer: .unix(path: "x"), client: nil, isTLS: false, clientCertificate: nil,
            presence: presence)
    }

    private func handler(_ inquiries: InquiryService? = nil) -> AdminHandler {
        AdminHandler(
            store: store, endpoints: EndpointCatalog(["e": "citcon-pay"]),
            feed: EventFeed(
                JournalRecords(
                    directory: folder.file("journal"), identity: store.identity,
                    commitFeed: store.commitFeed), commitFeed: store.commitFeed),
            lists: LateLists(), inquiries: inquiries,
            repetitions: Repetitions(since: Timestamp(microseconds: 0)),
            pages: AdminPages(hindrance: { nil }, metrics: { [] }),
            access: AdminAccess(token: nil), gate: TokenGate(clock: clock),
            waiting: WaitingPlaces(perRoleMax: 64, perPersonMax: 64), listWaitMillisecondsMax: 1000,
            clock: clock)
    }

    /// Sends a GET. The task returns the answer.
    private func ask(
        _ path: String, _ query: String? = nil, of handler: AdminHandler
    ) -> Task<Response, Never> {
        let (request, context) = (request(path, query), context)
        return Task { await handler.respond(to: request, in: context) }
    }

    private static func status(_ response: Response) throws -> String? {
        try JSONDocument(parsing: response.body).root["status"]?.string
    }

    /// Waits until a task sleeps on the clock.
    private func isHeld(sleepers: Int = 1) async -> Bool {
        await eventuallyYielding { clock.sleeperCount == sleepers }
    }

    @Test func `a page of records ends at its size`() async throws {
        for status in ["a", "b", "c"] { await record(status, .attempt(.pending, nil)) }
        let records = JournalRecords(
            directory: folder.file("journal"), identity: store.identity,
            commitFeed: store.commitFeed)
        let first = try await records.page(after: 0, through: 3, limit: 10, bytesMax: 1)
        #expect(first.records.map(\.sequence) == [1])
        let rest = try await records.page(after: 1, through: 3, limit: 10, bytesMax: 1 << 20)
        #expect(rest.records.map(\.sequence) == [2, 3])
        await store.close()
    }

    @Test func `an order is waited for until the end of the wait`() async throws {
        await record("pending", .attempt(.pending, nil))
        let held = ask("/orders/e/R-1", "wait=60", of: handler())
        #expect(await isHeld())
        clock.advance(seconds: 59.999)
        // It still waits, so the new record ends the wait.
        await record("paid", .attempt(.paid, nil))
        #expect(try Self.status(await held.value) == "paid")
        #expect(await eventuallyYielding { clock.sleeperCount == 0 })
        await store.close()
    }

    @Test func `a wait without a change ends when its time is up`() async throws {
        await record("pending", .attempt(.pending, nil))
        let start = clock.now
        let held = ask("/orders/e/R-1", "wait=60", of: handler())
        #expect(await isHeld())
        #expect(clock.nextDeadline == start.advanced(seconds: 60))
        clock.advance(seconds: 60)
        #expect(try Self.status(await held.value) == "pending")
        // An unknown order.
        let unknown = ask("/orders/e/R-2", "wait=1", of: handler())
        #expect(await isHeld())
        clock.advance(seconds: 1)
        #expect(await unknown.value.status == 404)
        await store.close()
    }

    @Test func `a store that closes ends the wait`() async throws {
        await record("pending", .attempt(.pending, nil))
        let held = ask("/orders/e/R-1", "wait=60", of: handler())
        #expect(await isHeld())
        await store.close()
        _ = await held.value
        #expect(await eventuallyYielding { clock.sleeperCount == 0 })
    }

    @Test func `a client that leaves ends its wait`() async throws {
        await record("pending", .attempt(.pending, nil))
        let held = ask("/orders/e/R-1", "wait=60", of: handler())
        #expect(await isHeld())
        presence.end()
        #expect(try Self.status(await held.value) == "pending")
        #expect(await eventuallyYielding { clock.sleeperCount == 0 })
        await store.close()
    }

    @Test func `events are waited for until the end of the wait`() async throws {
        let handler = handler()
        func sequences(_ response: Response) throws -> Int {
            try JSONDocument(parsing: response.body).root["events"].map { Array($0.elements) }?
                .count ?? -1
        }
        let vain = ask("/events", "after=0&wait=7", of: handler)
        #expect(await isHeld())
        clock.advance(seconds: 7)
        #expect(try sequences(await vain.value) == 0)
        let held = ask("/events", "after=0&wait=60", of: handler)
        #expect(await isHeld())
        clock.advance(seconds: 59.999)
        await record("paid", .attempt(.paid, nil))
        #expect(try sequences(await held.value) == 1)
        await store.close()
    }

    /// A wait asks the provider after its pause (5 s), and then again at this interval.
    @Test func `a wait asks the provider until the order is settled`() async throws {
        let provider = OneAnswer(clock)
        let inquirer = try #require(ProviderRegistry.all["citcon-pay"]?.inquiry).make(
            EndpointSettings(
                name: "e", ["secrets": .secrets([Array("token".utf8)])],
                inquiry: ["privateKey": "sk", "token": "token"]))
        let target = InquiryTarget(
            endpoint: "e", provider: "citcon-pay", inquirer: inquirer,
            url: try WebURL("https://provider.example"))
        let handler = handler(
            InquiryService([target], store: store, transport: provider, clock: clock))
        for reference in ["R-1", "R-2"] {
            await record("pending", .attempt(.pending, nil), reference)
        }
        let paid = ask("/orders/e/R-1", "wait=60", of: handler)
        #expect(await isHeld(sleepers: 2))
        clock.advance(seconds: 4.999)
        #expect(provider.count == 0)
        clock.advance(seconds: 0.001)
        #expect(try Self.status(await paid.value) == "paid")
        #expect(provider.count == 1)
        #expect(await isHeld(sleepers: 0))
        let held = ask("/orders/e/R-2", "wait=19", of: handler)
        #expect(await isHeld(sleepers: 2))
        for count in 2...4 {
            clock.advance(seconds: 5)
            #expect(await eventuallyYielding { provider.count == count })
            // It has been answered, and sleeps again.
            #expect(await isHeld(sleepers: 2))
        }
        clock.advance(seconds: 4)
        #expect(try Self.status(await held.value) == "pending")
        // Halfway through a shorter wait, but not within the pause: the last question was 4 seconds
        // ago.
        let short = ask("/orders/e/R-2", "wait=2", of: handler)
        #expect(await isHeld(sleepers: 2))
        clock.advance(seconds: 1)
        #expect(await eventuallyYielding { provider.count == 5 })
        clock.advance(seconds: 1)
        #expect(try Self.status(await short.value) == "pending")
        // Without a wait, or if the order is settled, the provider is not asked.
        _ = await ask("/orders/e/R-1", "wait=1", of: handler).value
        _ = await ask("/orders/e/R-2", of: handler).value
        #expect(provider.count == 5)
        await store.close()
    }

    private static let caller = AdminCaller(role: .admin, name: "admin", remote: "unix")

    /// The rules of the API apply in process too: roles, personal data, unknown parameters.
    @Test func `a client in process follows the rules of the API`() async throws {
        await record("paid", .attempt(.paid, nil))
        let name = OrderName(endpoint: "e", reference: "R-1")
        let admin = handler().client(Self.caller)
        let viewer = handler().client(AdminCaller(role: .viewer, name: "viewer", remote: "unix"))
        #expect(try await viewer.order(name).status == "paid")
        #expect(try await viewer.events(after: 0, limit: 9).map(\.sequence) == [1])
        #expect(try await viewer.events(after: 0, limit: 9).first?.request == nil)
        #expect(try await admin.events(after: 0, limit: 9).first?.request?.target == "/ipn")
        let refusal = Problem.roleInsufficient
        await #expect(throws: refusal) { try await viewer.retryDeliveries([]) }
        await #expect(throws: refusal) { try await viewer.inquire(name) }
        await #expect(throws: refusal) { try await viewer.pause("shop") }
        await #expect(throws: refusal) {
            try await viewer.correct(
                name, amount: Money(minor: 1, currency: Currency("MYR")!), reason: "r", last: 1)
        }
        let unknown = await #expect(throws: Problem.self) {
            try await viewer.orders([("flags", "paid")])
        }
        #expect(unknown?.code == "parameter_unknown")
        #expect(throws: Problem.self) { try ResolutionRequest(reason: "", last: 1) }
        #expect(throws: Problem.self) {
            try ResolutionRequest(reason: "r", last: 1, status: "review")
        }
        await store.close()
    }

    /// A list waits for the index, for a bounded time.
    @Test func `a list waits for earlier records`() async throws {
        let lists = LateLists()
        let routes = OrderListRoutes(
            lists: lists, store: store, waitMillisecondsMax: 1000, clock: clock)
        await record("paid", .attempt(.paid, nil))
        let request = request("/orders", nil)
        let held = Task { try await routes.list(request, Self.caller) }
        #expect(await eventuallyYielding { clock.sleeperCount == 1 })
        clock.advance(milliseconds: 900)
        #expect(await eventuallyYielding { clock.sleeperCount == 1 })
        lists.catchUp(1)
        #expect(await clock.reaches { lists.pages == 1 })
        let indexed = try JSONDocument(parsing: await held.value.body).root["indexed"]?.int64
        #expect(indexed == 1)
        // The index no longer advances.
        await record("paid", .attempt(.paid, nil), "R-2")
        let start = clock.now
        let late = Task { try await routes.list(request, Self.caller) }
        #expect(await clock.reaches { lists.pages == 2 })
        let root = try JSONDocument(parsing: await late.value.body).root
        #expect(root["indexed"]?.int64 == 1 && root["recorded"]?.int64 == 2)
        #expect(clock.now.nanoseconds(since: start) >= 1_000_000_000)
        await store.close()
    }

    /// A comment is sent after each silence, so that proxies keep the connection.
    @Test func `a stream without records sends comments`() async throws {
        let writer = Pieces()
        let stream = EventStream(
            feed: EventFeed(
                JournalRecords(
                    directory: folder.file("journal"), identity: store.identity,
                    commitFeed: store.commitFeed), commitFeed: store.commitFeed),
            commitFeed: store.commitFeed, clock: clock, presence: presence, showsAll: false)
        let running = Task { try await stream.run(after: 0, to: writer) }
        #expect(await eventuallyYielding { clock.sleeperCount == 1 })
        clock.advance(seconds: Double(EventStream.heartbeatSeconds) - 0.001)
        await record("paid", .attempt(.paid, nil))
        #expect(await eventuallyYielding { writer.all.count == 2 && clock.sleeperCount == 1 })
        #expect(writer.all.last?.hasPrefix("id: 1\n") == true, "no comment came before it")
        clock.advance(seconds: Double(EventStream.heartbeatSeconds))
        #expect(await eventuallyYielding { writer.all.count == 3 })
        #expect(writer.all.last == ":\n\n")
        presence.end()
        try await running.value
        await store.close()
    }
}

/// Answers that every order is paid, except R-2, which it does not know.
private final class OneAnswer: InquiryTransport {
    private let clock: ManualClock
    private let asked = Atomic(0)

    init(_ clock: ManualClock) { self.clock = clock }

    var count: Int { asked.load(ordering: .relaxed) }

    func send(
        _ request: InquiryRequest, to target: InquiryTarget
    ) async throws(InquiryFailure) -> InquiryAnswer {
        asked.add(1, ordering: .relaxed)
        let isKnown = String(decoding: request.body, as: UTF8.self).contains("R-1")
        let body =
            #"{"id":"T-R-1","type":"charge","amount":4200,"currency":"EUR","reference":"R-1","#
            + #""status":"success"}"#
        return InquiryAnswer(
            status: 200, headers: [Header("content-type", "application/json")],
            body: Array((isKnown ? body : "{}").utf8),
            received: Timestamp(microseconds: clock.wallMicroseconds))
    }
}

/// Lists that contain the records that the test sets.
private final class LateLists: OrderLists {
    private let state = Mutex((known: UInt64(0), pages: 0))

    var isBehind: Bool { true }
    var pages: Int { state.withLock { $0.pages } }

    func catchUp(_ sequence: UInt64) { state.withLock { $0.known = sequence } }

    func sequence() async throws(ReadFailure) -> UInt64 { state.withLock { $0.known } }

    func page(_ query: OrderQuery, limit: Int) async throws(ReadFailure) -> OrderListPage {
        state.withLock { $0.pages += 1 }
        return OrderListPage(orders: [], limit: limit)
    }

    func overdueCount() async -> Int? { nil }
    func paidHours(since time: Timestamp) async throws(ReadFailure) -> PaidHours {
        PaidHours(rows: [], isCut: false)
    }
}

/// Collects the pieces of a stream.
private final class Pieces: BodyWriter, Sendable {
    private let texts = Mutex<[String]>([])

    var all: [String] { texts.withLock(\.self) }

    func write(_ pieces: [[UInt8]]) async throws(BodyWriterError) {
        let text = String(decoding: pieces.joined(), as: UTF8.self)
        texts.withLock { $0.append(text) }
    }
}
