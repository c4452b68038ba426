import Bytes
import HTTP
import HTTPServer
import JournalStore
import Payments
import Platform
import Records
import Sealing
import Store
import TestSupport
import Testing

@testable import AdminAPI

/// Erasure through the admin API: who may, which records, and what is left.
@Suite struct ErasureTests {
    private static let day: Int64 = 86_400_000_000
    private static let admin = AdminCaller(role: .admin, name: "ann", remote: "unix")

    private let folder = TemporaryFolder()
    private let clock = ManualClock(wallMicroseconds: 1000 * day)
    private let store: JournalStore
    private let records: JournalRecords

    init() throws {
        try self.init(isSealed: true)
    }

    private init(isSealed: Bool) throws {
        var options = JournalStoreOptions()
        if isSealed {
            options.masterKeys = [MasterKey(name: "a", key: [UInt8](repeating: 1, count: 32))!]
        }
        // A test that fails leaves its store open while the folder is removed.
        var environment = StoreEnvironment()
        environment.fatal = { _ in }
        store = try JournalStore(
            directory: folder.file("journal"), options: options, environment: environment)
        records = JournalRecords(
            directory: folder.file("journal"), identity: store.identity,
            commitFeed: store.commitFeed)
    }

    private func submission(_ reference: String, daysAgo: Int64 = 0) -> Submission {
        let notification = Notification(
            id: "E-\(reference)", kind: "payment", status: "paid", reference: reference,
            transaction: "T-\(reference)", effect: .attempt(.pending, nil))
        return Submission(
            endpoint: "e", provider: "citcon-pay", key: "1", notification: notification,
            request: RecordedRequest(
                method: "POST", target: Array("/ipn".utf8)[...], headers: [],
                body: Array("Lovelace".utf8)),
            peer: "", received: Timestamp(microseconds: clock.wallMicroseconds - daysAgo * Self.day)
        )
    }

    private func handler() -> AdminHandler {
        AdminHandler(
            store: store, endpoints: EndpointCatalog(["e": "citcon-pay"]),
            feed: EventFeed(records, commitFeed: store.commitFeed, keys: store.keys),
            lists: NoLists(), repetitions: Repetitions(since: Timestamp(microseconds: 0)),
            pages: AdminPages(hindrance: { nil }, metrics: { [] }),
            access: AdminAccess(token: nil), gate: TokenGate(clock: clock),
            waiting: WaitingPlaces(perRoleMax: 64, perPersonMax: 64),
            rejections: RejectionEraser(naming: { $0.count }, before: { _ in 5 }),
            listWaitMillisecondsMax: 1000, clock: clock)
    }

    private func client(_ role: AdminRole = .admin) -> LocalClient {
        handler().client(AdminCaller(role: role, name: "ann", remote: "unix"))
    }

    private func erase(
        _ reference: String, last: UInt64, _ role: AdminRole = .admin
    ) async -> Result<ErasureAnswer, Problem> {
        let name = OrderName(endpoint: "e", reference: reference)
        do throws(Problem) {
            return .success(try await client(role).erase(name, reason: "asked", last: last))
        } catch {
            return .failure(error)
        }
    }

    /// The reason code of a refused erasure; nil where it was done.
    private func refusal(_ reference: String, last: UInt64, _ role: AdminRole = .admin) async
        -> String?
    {
        guard case .failure(let problem) = await erase(reference, last: last, role) else {
            return nil
        }
        return "\(problem.status) \(problem.code)"
    }

    /// The sequences of the records that still show the request.
    private func shown() async throws -> [UInt64] {
        try await client().events(after: 0, limit: 100).filter { $0.request != nil }
            .map(\.sequence)
    }

    @Test func `an order's records are erased, and no other's`() async throws {
        for reference in ["A", "B"] { _ = await store.record(submission(reference)) }
        #expect(try await shown() == [1, 2])
        for role in [AdminRole.operator, .viewer] {
            #expect(await refusal("A", last: 1, role) == "403 role_insufficient")
        }
        #expect(await refusal("C", last: 1) == "404 order_unknown")
        #expect(await refusal("A", last: 7) == "409 order_changed")
        #expect(try await shown() == [1, 2])
        let answer = try await erase("A", last: 1).get()
        #expect(answer.sequence == 3 && answer.records == 1 && answer.shared == [])
        #expect(answer.rejections == 1 && !answer.unreached.isEmpty)
        #expect(try await shown() == [2])
        let event = try #require(try await client().events(after: 0, limit: 1).first)
        #expect(event.erased == "request" && event.event.status == "paid")
        let act = try #require(try await client().events(after: 2, limit: 1).first)
        #expect(act.event.status == "erase" && act.event.action?.by == "ann")
        await store.close()
    }

    /// The first record of a request has the bytes of all its events.
    @Test func `the other orders of a request are named`() async throws {
        _ = await store.record(submission("Z"))
        var parts = ["A", "B", "C"].map { submission($0) }
        for index in parts.indices { parts[index].part = RecordPart(number: index + 1, count: 3) }
        _ = await store.record(parts)
        #expect(try await shown() == [1, 2])
        let answer = try await erase("B", last: 3).get()
        #expect(answer.records == 2 && answer.shared == [2, 4])
        #expect(try await shown() == [1])
        await store.close()
    }

    @Test func `what is stored as it is cannot be erased`() async throws {
        let plain = try Self(isSealed: false)
        _ = await plain.store.record(plain.submission("A"))
        #expect(await plain.refusal("A", last: 1) == "409 not_sealed")
        #expect(try await plain.shown() == [1])
        await plain.store.close()
        await store.close()
    }

    private func age() -> AgeErasure {
        AgeErasure(
            store: store, records: records, keys: store.keys, endpoints: EndpointCatalog([:]),
            deliveries: nil, rejections: RejectionEraser(naming: { _ in 0 }, before: { _ in 5 }),
            clock: clock)
    }

    @Test func `what is older than some days is erased once`() async throws {
        for (number, days) in ([40, 31, 30, 29, 0] as [Int64]).enumerated() {
            _ = await store.record(submission("R-\(number)", daysAgo: days))
        }
        let erasure = age()
        let first = try await erasure.erase(
            olderThanDays: 30, by: Self.admin, reason: "retention")
        #expect(first.records == 2 && first.sequence == 6 && first.rejections == 5)
        #expect(try await shown() == [3, 4, 5])
        let second = try await erasure.erase(
            olderThanDays: 30, by: Self.admin, reason: "retention")
        #expect(second.records == 0 && second.sequence == 0)
        #expect(store.commitFeed.durableSequence == 6)
        clock.setWall(microseconds: clock.wallMicroseconds + 2 * Self.day)
        let third = try await erasure.erase(
            olderThanDays: 30, by: Self.admin, reason: "retention")
        #expect(third.records == 4 && third.sequence == 7)
        #expect(try await shown() == [5])
        // Orders are as before.
        for number in 0...4 {
            #expect(await store.order(endpoint: "e", reference: "R-\(number)") != nil)
        }
        await store.close()
    }

    /// A wall clock that is far ahead makes nothing old at once; what is old is erased in time.
    @Test func `a clock that jumps ahead erases nothing`() async throws {
        _ = await store.record(submission("A", daysAgo: 29))
        _ = await store.record(submission("B"))
        let erasure = age()
        let newest = try #require(try await erasure.newest())
        let time = ErasureClock(newest: newest, clock: clock)
        #expect(time.now.microseconds == clock.wallMicroseconds)
        let wall = clock.wallMicroseconds
        clock.setWall(microseconds: wall + 3650 * Self.day)
        let none = try await erasure.erase(
            olderThanDays: 30, at: time.now, by: Self.admin, reason: "r")
        #expect(none.records == 0)
        // One that starts now is a day ahead at most.
        let later = ErasureClock(newest: newest, clock: clock)
        #expect(later.now.microseconds == wall + Self.day)
        clock.advance(seconds: 86_400)
        #expect(time.now.microseconds == wall + 2 * Self.day)
        let one = try await erasure.erase(
            olderThanDays: 30, at: time.now, by: Self.admin, reason: "r")
        #expect(one.records == 1)
        await store.close()
    }

    @Test func `nothing old is erased from a store that is not sealed`() async throws {
        let plain = try Self(isSealed: false)
        _ = await plain.store.record(plain.submission("A", daysAgo: 50))
        await #expect(throws: Problem.self) {
            _ = try await plain.age().erase(olderThanDays: 30, by: Self.admin, reason: "r")
        }
        #expect(try await plain.shown() == [1])
        await plain.store.close()
        await store.close()
    }
}

/// There are no lists in these tests.
private struct NoLists: OrderLists {
    var isBehind: Bool { false }
    func sequence() async throws(ReadFailure) -> UInt64 { 0 }
    func overdueCount() async -> Int? { 0 }
    func paidHours(since time: Timestamp) async throws(ReadFailure) -> PaidHours {
        throw ReadFailure("none", "there are no lists")
    }
    func page(_ query: OrderQuery, limit: Int) async throws(ReadFailure) -> OrderListPage {
        throw ReadFailure("none", "there are no lists")
    }
}
