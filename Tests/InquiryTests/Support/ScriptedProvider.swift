import Bytes
import JournalStore
import Payments
import Providers
import Store
import Synchronization
import TestSupport
import WebClient

@testable import Inquiry

/// A transport that answers from a list and records the requests.
final class ScriptedProvider: InquiryTransport {
    typealias Answer = Result<(status: Int, body: String), InquiryFailure>

    private let answers: Mutex<[Answer]>
    private let seen = Mutex<[InquiryRequest]>([])

    init(_ answers: [Answer]) { self.answers = Mutex(answers) }

    convenience init(_ bodies: String...) { self.init(bodies.map { .success((200, $0)) }) }

    var requests: [InquiryRequest] { seen.withLock { $0 } }

    func send(
        _ request: InquiryRequest, to target: InquiryTarget
    ) async throws(InquiryFailure) -> InquiryAnswer {
        seen.withLock { $0.append(request) }
        let next = answers.withLock { answers -> Answer in
            answers.isEmpty
                ? .failure(InquiryFailure(reason: "connect_refused", detail: "nobody there"))
                : answers.removeFirst()
        }
        let (status, body) = try next.get()
        return InquiryAnswer(
            status: status, headers: [Header("content-type", "application/json")],
            body: Array(body.utf8), received: Timestamp(microseconds: 1_790_000_000_000_000))
    }
}

/// A store with a journal, and an endpoint that can be asked.
struct Merchant {
    let folder: TemporaryFolder
    let store: JournalStore
    let target: InquiryTarget

    let clock = ManualClock()

    init(
        _ system: String = "citcon-pay", pauseSeconds: Double = 0,
        secondsPerQuestion: Double = 0.2, retryAfterSecondsMax: Double = 3600
    ) throws {
        var schedule = InquirySchedule()
        schedule.secondsPerQuestion = secondsPerQuestion
        schedule.retryAfterSecondsMax = retryAfterSecondsMax
        try self.init(system, pauseSeconds: pauseSeconds, schedule: schedule)
    }

    init(
        _ system: String = "citcon-pay", pauseSeconds: Double, schedule: InquirySchedule
    ) throws {
        folder = TemporaryFolder()
        store = try Self.open(folder)
        target = try Self.target(system, pauseSeconds, schedule)
    }

    /// Registers an expectation. Returns its record.
    @discardableResult
    func expect(
        _ reference: String, at received: Timestamp = Timestamp(microseconds: 1)
    ) async -> UInt64? {
        await store.register(
            Registration(
                endpoint: "e", provider: "citcon-pay", reference: reference,
                expectation: Expectation(amount: Money.eur(4200)!), metadata: [], peer: "",
                received: received)
        ).sequence
    }

    static func open(_ folder: TemporaryFolder) throws -> JournalStore {
        var options = JournalStoreOptions()
        options.journal.segmentBytes = 1 << 20
        options.journal.frameBytesMax = 256 << 10
        options.journal.recordBytesMax = 128 << 10
        return try JournalStore(directory: "\(folder.path)/journal", options: options)
    }

    static func target(
        _ system: String, _ pauseSeconds: Double, _ schedule: InquirySchedule
    ) throws -> InquiryTarget {
        let settings = EndpointSettings(
            name: "e",
            ["secrets": .secrets([Array("a-secret-token".utf8)]), "projectID": "115"],
            inquiry: [
                "clientID": "client", "clientSecret": "a-secret-token",
                "privateKey": "sk-private", "token": "a-secret-token",
                "entityIDs": .texts([String(repeating: "e", count: 32)]),
            ])
        guard let descriptor = ProviderRegistry.all[system]?.inquiry else { throw Unknown() }
        return InquiryTarget(
            endpoint: "e", provider: system, inquirer: try descriptor.make(settings),
            url: try WebURL("https://provider.example"),
            prefersTransaction: descriptor.prefersTransaction,
            knowsReferences: descriptor.knowsReferences, pauseSeconds: pauseSeconds,
            schedule: schedule)
    }

    struct Unknown: Error {}

    let name = OrderName(endpoint: "e", reference: "R-1")

    func service(_ provider: ScriptedProvider) -> InquiryService {
        InquiryService([target], store: store, transport: provider, clock: clock)
    }

    func order(_ reference: String = "R-1") async -> Order? {
        await store.order(endpoint: "e", reference: reference)?.order
    }

    static func paid(_ status: String = "success", amount: Int = 4200, id: String = "T-1") -> String
    {
        #"{"id":"\#(id)","type":"charge","amount":\#(amount),"currency":"EUR","reference":"R-1","#
            + #""status":"\#(status)"}"#
    }
}

extension InquiryService {
    func ask(
        _ name: OrderName, isPatient: Bool = false
    ) async throws(InquiryRefusal) -> InquiryReport {
        try await ask(try permit(name, isPatient: isPatient))
    }
}
