import Bytes
import JournalStore
import Payments
import Platform
import Records
import Store
import TestSupport
import Testing

@testable import AdminAPI

/// The events of one request, as the feed and the pages show them.
@Suite struct SharedRequestTests {
    private let folder = TemporaryFolder()
    private let store: JournalStore

    init() async throws {
        var options = JournalStoreOptions()
        options.journal.segmentBytes = 1 << 20
        options.journal.frameBytesMax = 256 << 10
        options.journal.recordBytesMax = 128 << 10
        store = try JournalStore(directory: folder.file("journal"), options: options)
        let events = (1...3).map { number in
            Submission(
                endpoint: "e", provider: "p", key: "1",
                notification: Notification(
                    id: "E-\(number)", kind: "payment", status: "paid", reference: "R-\(number)",
                    effect: .attempt(.paid, nil)),
                request: RecordedRequest(
                    method: "POST", target: Array("/ipn".utf8)[...], headers: [],
                    body: Array("several".utf8)),
                part: RecordPart(number: number, count: 3), peer: "203.0.113.7",
                received: Timestamp(microseconds: 1_795_244_400_000_000))
        }
        let receipts = await store.record(events)
        #expect(receipts.compactMap(\.sequence) == [1, 2, 3])
    }

    private func client(_ role: AdminRole) -> LocalClient {
        let clock = ManualClock()
        let handler = AdminHandler(
            store: store, endpoints: EndpointCatalog(["e": "p"]),
            feed: EventFeed(
                JournalRecords(
                    directory: folder.file("journal"), identity: store.identity,
                    commitFeed: store.commitFeed), commitFeed: store.commitFeed),
            lists: NoLists(), inquiries: nil,
            repetitions: Repetitions(since: Timestamp(microseconds: 0)),
            pages: AdminPages(hindrance: { nil }, metrics: { [] }),
            access: AdminAccess(token: nil), gate: TokenGate(clock: clock),
            waiting: WaitingPlaces(perRoleMax: 4, perPersonMax: 4), listWaitMillisecondsMax: 1000,
            clock: clock)
        return handler.client(AdminCaller(role: role, name: "local", remote: "unix"))
    }

    @Test func `each event is shown with the request of all`() async throws {
        let client = client(.admin)
        let events = try await client.events(after: 0, limit: 10)
        #expect(events.map(\.part?.number) == [1, 2, 3])
        #expect(events.map(\.part?.of) == [nil, 1, 1])
        #expect(events.map(\.request?.body) == ["several", nil, nil])
        for event in events {
            let whole = try await client.withRequest(event)
            #expect(whole.request?.body == "several" && whole.peer == "203.0.113.7")
            #expect(whole.sequence == event.sequence)
        }
        await store.close()
    }

    @Test func `a viewer sees no request`() async throws {
        let client = client(.viewer)
        for event in try await client.events(after: 0, limit: 10) {
            let shown = try await client.withRequest(event)
            #expect(shown.request == nil && shown.peer == nil && shown.part?.count == 3)
        }
        await store.close()
    }
}

private struct NoLists: OrderLists {
    var isBehind: Bool { false }
    func sequence() async throws(ReadFailure) -> UInt64 { 0 }
    func overdueCount() async -> Int? { nil }
    func paidHours(since time: Timestamp) async throws(ReadFailure) -> PaidHours {
        PaidHours(rows: [], isCut: false)
    }

    func page(_ query: OrderQuery, limit: Int) async throws(ReadFailure) -> OrderListPage {
        throw ReadFailure("none", "none")
    }
}
