import JournalStore
import Payments
import Providers
import Records
import ServerConfiguration
import Testing

@testable import Commands

/// Records whose request is in another record are verified and read again by that request.
@Suite struct SharedRequestTests {
    private static func configuration(
        _ provider: some Provider = BatchProvider()
    ) throws -> Configuration {
        var configuration = Sandbox.configuration
        var endpoint = try #require(configuration.endpoints.first)
        endpoint.name = "batch"
        endpoint.provider = provider
        configuration.endpoints = [endpoint]
        return configuration
    }

    private static let system = Sandbox.configuration.endpoints.first?.system ?? ""
    private static let received = Timestamp(microseconds: 1_795_244_400_000_000)

    /// A record of the event `id`; `body` is the list of the request's events.
    private static func record(
        _ sequence: UInt64, _ id: String, _ part: RecordPart?, body: String
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        RecordEncoder.append(
            RecordContent(sequence: sequence, outcome: .recorded, flags: []),
            of: BatchProvider().event(id[...]),
            from: RecordOrigin(received: received, endpoint: "batch", provider: system, key: "1"),
            request: RecordedRequest(
                method: "POST", target: Array("/ipn".utf8)[...], headers: [],
                body: Array(body.utf8)),
            part: part, peer: "", to: &bytes)
        return bytes
    }

    /// One request of three events after one of one.
    private static let records = [
        record(1, "X", nil, body: "X"),
        record(2, "A", RecordPart(number: 1, count: 3), body: "A B C"),
        record(3, "B", RecordPart(holder: 2, number: 2, count: 3), body: ""),
        record(4, "C", RecordPart(holder: 2, number: 3, count: 3), body: ""),
    ]

    private static func check(_ records: [[UInt8]]) throws -> SignatureCheck {
        let check = SignatureCheck(try configuration())
        for record in records {
            let sequence = try RecordDecoder.event(record).sequence
            try record.withUnsafeBytes { try check.check(sequence, $0) }
        }
        return check
    }

    @Test func `each request is verified once`() throws {
        let check = try Self.check(Self.records)
        #expect(check.verified == 2 && check.failed == 0)
        let rest = try Self.check(Array(Self.records[2...]))
        #expect(rest.verified == 0 && rest.failed == 0, "retention has removed the request")
    }

    @Test(arguments: [1, 3, 7] as [UInt64])
    func `a record that names another one for its request is not verified`(holder: UInt64) throws {
        let part = RecordPart(holder: holder, number: 2, count: 3)
        let check = try Self.check(
            [Self.records[0], Self.records[1], Self.record(3, "B", part, body: "")])
        #expect(check.verified == 2 && check.failed == 1)
    }

    private static func reread(
        _ provider: BatchProvider, _ records: [[UInt8]] = records
    ) throws -> (corrections: [Correction], unread: Int) {
        var rereading = Rereading(try configuration(provider), at: received)
        try rereading.run(ListedRecords(records: records)) { _ in }
        return (rereading.corrections, rereading.unread)
    }

    @Test func `each event is compared with the one of its number`() throws {
        let same = try Self.reread(BatchProvider())
        #expect(same.corrections.isEmpty && same.unread == 0)
        let (corrections, _) = try Self.reread(BatchProvider(failed: "B"))
        #expect(corrections.map(\.sequence) == [3])
        #expect(corrections.first?.notification.status == "failed")
    }

    @Test func `another order of the events is no difference`() throws {
        let read = try Self.reread(BatchProvider(isReversed: true))
        #expect(read.corrections.isEmpty && read.unread == 0)
    }

    @Test func `without its request a record cannot be read again`() throws {
        let read = try Self.reread(BatchProvider(failed: "B"), Array(Self.records[2...]))
        #expect(read.corrections.isEmpty && read.unread == 2)
    }
}

private struct ListedRecords: RereadRecords {
    let records: [[UInt8]]

    func forEach(_ visit: (UnsafeRawBufferPointer) throws -> Void) throws {
        for record in records { try record.withUnsafeBytes { try visit($0) } }
    }
}

/// A provider whose bodies are lists of identities. An empty body is not genuine.
private struct BatchProvider: Provider {
    var failed: Substring?
    var isReversed = false

    func verify(_ delivery: SignedRequest) throws(Refusal) -> Verified<[Substring]> {
        let ids = String(decoding: delivery.body, as: UTF8.self).split(separator: " ")
        if ids.isEmpty { throw .unauthenticated("signature_mismatch", "empty") }
        return Verified(evidence: isReversed ? ids.reversed() : ids, key: "1")
    }

    func interpret(_ evidence: [Substring]) -> Notification { event(evidence[0]) }

    func notifications(in evidence: [Substring]) -> [Notification] { evidence.map(event) }

    func event(_ id: Substring) -> Notification {
        Notification(
            id: String(id), kind: "payment", status: id == failed ? "failed" : "paid",
            reference: String(id), effect: .attempt(id == failed ? .failed : .paid, nil))
    }

    func answer(_ verdict: Verdict) -> Answer { .plainText(verdict, accepted: .empty) }
}
