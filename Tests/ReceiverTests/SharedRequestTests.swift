import Glibc
import HTTP
import HTTPServer
import Payments
import Platform
import Providers
import Store
import Synchronization
import TestSupport
import Testing

@testable import Receiver

/// A request that reports several events has one answer, for all of them.
@Suite(.ownThreads) struct SharedRequestTests {
    private let store = ListedStore()
    private let metrics = Metrics()
    private let log = CapturedLines()

    /// What the provider is answered for a body with these events.
    private func answer(
        _ body: String, eventsMax: Int = 256, sendsOneEvent: Bool = false
    ) async throws -> Int {
        let endpoint = Endpoint(
            name: "batch", path: "/ipn", publicPath: nil, providerName: "batch",
            provider: BatchProvider(sendsOneEvent: sendsOneEvent), allow: [],
            counters: metrics.counters(of: "batch"))
        let requestLog = RequestLog(
            sink: log.sink, format: .text, metrics: metrics, rejections: nil, repeatSeconds: 0)
        let receiver = Receiver(
            endpoints: EndpointTable([endpoint], inspectedBytesMax: 0), store: store,
            requestLog: requestLog, eventsPerRequestMax: eventsMax)
        let target = Array("/ipn".utf8)[...]
        let request = Request(
            method: .post, target: target, path: target, query: nil, version: .http11, fields: [],
            body: Array(body.utf8), keepAlive: true)
        let context = RequestContext(
            peer: .unix(path: ""), client: nil, isTLS: false, clientCertificate: nil)
        return await receiver.respond(to: request, in: context).status
    }

    @Test func `three events are submitted together and answered as one`() async throws {
        #expect(try await answer("A B C") == 204)
        let events = try #require(store.requests.first)
        #expect(store.requests.count == 1 && store.singles == 0)
        #expect(events.map(\.notification.id) == ["A", "B", "C"])
        #expect(events.map(\.part?.number) == [1, 2, 3])
        #expect(events.allSatisfy { $0.part?.count == 3 && $0.part?.holder == nil })
        #expect(events.allSatisfy { $0.request == events[0].request && $0.key == "1" })
        #expect(metrics.counters(of: "batch").value(.recorded) == 3)
        #expect(metrics.counters(of: "batch").latency.read().counts.reduce(0, +) == 1)
        #expect(metrics.counters(of: "batch").lastAccepted != nil)
    }

    @Test func `one event takes the path of one event`() async throws {
        #expect(try await answer("A") == 204)
        #expect(try await answer("A B", sendsOneEvent: true) == 204)
        #expect(store.requests.isEmpty && store.singles == 2)
    }

    @Test func `a body without events is recorded as what cannot be understood`() async throws {
        #expect(try await answer("") == 204)
        #expect(store.singles == 1)
    }

    @Test func `if the store refuses one, the provider must send all again`() async throws {
        store.refuse(.noSpace)
        #expect(try await answer("A B C") == 503)
        #expect(metrics.counters(of: "batch").value(.unavailable) == 3)
        #expect(metrics.counters(of: "batch").lastAccepted == nil)
        let line = try #require(log.lines.last)
        #expect(line.contains("warning") && line.contains("events=3 unavailable=3 reason=no_space"))
    }

    @Test func `the line has the number of each outcome`() async throws {
        store.repeats(["A", "C"])
        #expect(try await answer("A B C") == 204)
        #expect(log.lines.count == 1)
        let line = try #require(log.lines.last)
        #expect(line.contains("endpoint=batch events=3 recorded=1 duplicate=2 sequence="))
        #expect(metrics.counters(of: "batch").value(.duplicate) == 2)
    }

    @Test func `more events than the limit are refused before any is recorded`() async throws {
        #expect(try await answer("A B C", eventsMax: 3) == 204)
        #expect(try await answer("A B C D", eventsMax: 3) == 400)
        #expect(store.requests.count == 1)
        #expect(metrics.counters(of: "batch").value(.refused) == 1)
        let line = try #require(log.lines.last)
        #expect(line.contains("reason=events_too_many"))
        #expect(line.contains("4 events; limits.eventsPerRequestMax is 3"))
    }
}

/// A provider whose bodies are lists of identities.
struct BatchProvider: Provider {
    let sendsOneEvent: Bool

    func verify(_ delivery: SignedRequest) throws(Refusal) -> Verified<[String]> {
        let text = String(decoding: delivery.body, as: UTF8.self)
        return Verified(evidence: text.split(separator: " ").map(String.init), key: "1")
    }

    func interpret(_ evidence: [String]) -> Notification { event(evidence.first ?? "none") }

    func notifications(in evidence: [String]) -> [Notification] { evidence.map(event) }

    private func event(_ id: String) -> Notification {
        Notification(id: id, kind: "payment", status: "paid", reference: id)
    }

    func answer(_ verdict: Verdict) -> Answer {
        Answer.plainText(verdict, accepted: Answer(status: 204))
    }
}

/// A store that lists what it is given.
final class ListedStore: Store {
    private struct State {
        var requests: [[Submission]] = []
        var singles = 0
        var refusal: StoreRefusal?
        var known: Set<String> = []
    }

    private let state = Mutex(State())
    let commitFeed = CommitFeed()

    var requests: [[Submission]] { state.withLock { $0.requests } }
    var singles: Int { state.withLock { $0.singles } }

    func refuse(_ refusal: StoreRefusal) { state.withLock { $0.refusal = refusal } }
    func repeats(_ ids: Set<String>) { state.withLock { $0.known = ids } }

    func record(_ submission: consuming Submission) async -> Receipt {
        state.withLock { $0.singles += 1 }
        return Receipt(.recorded(1))
    }

    func record(_ events: [Submission]) async -> [Receipt] {
        state.withLock { state in
            state.requests.append(events)
            if let refusal = state.refusal { return events.map { _ in Receipt(.refused(refusal)) } }
            return events.enumerated().map { index, event in
                let sequence = UInt64(index + 7)
                return Receipt(
                    state.known.contains(event.notification.id)
                        ? .duplicate(of: sequence) : .recorded(sequence))
            }
        }
    }

    func register(_ registration: Registration) async -> Receipt { Receipt(.recorded(1)) }
    func act(_ act: Act) async -> ActReceipt { .recorded(1) }
    func order(endpoint: String, reference: String) async -> OrderView? { nil }
    func order(endpoint: String, unjoined id: String) async -> OrderView? { nil }
    func orders(knownAs text: String, endpoint: String?) async -> [OrderView] { [] }
    func close() async {}
}

/// The lines of a log.
final class CapturedLines: Sendable {
    let sink: LogSink
    private let reading: Int32
    private let writing: Int32
    private let text = Mutex("")

    init() {
        var ends: [Int32] = [-1, -1]
        precondition(pipe(&ends) == 0)
        (reading, writing) = (ends[0], ends[1])
        sink = LogSink(descriptor: writing)
    }

    deinit {
        sink.close()
        close(reading)
        close(writing)
    }

    /// Ends the log. A few lines fit into the pipe.
    var lines: [Substring] {
        sink.close()
        text.withLock { text in
            var entry = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
            while poll(&entry, 1, 0) == 1 {
                var bytes = [UInt8](repeating: 0, count: 4096)
                let count = read(reading, &bytes, bytes.count)
                if count <= 0 { break }
                text += String(decoding: bytes[..<count], as: UTF8.self)
            }
        }
        return text.withLock { $0 }.split(separator: "\n")
    }
}
