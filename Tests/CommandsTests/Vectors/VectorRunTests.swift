import Bytes
import Cryptography
import JSON
import Payments
import Testing

@testable import Commands
@testable import Providers

/// What a run over a file of vectors finds, shown with signed events of one provider.
@Suite struct VectorRunTests {
    @Test func `a file that is right passes`() throws {
        let report = try run(VectorDraft.file())
        #expect(report.text == "2 genuine, 1 negatives, 1 traps: 4 passed, 0 failed")
    }

    @Test(arguments: [
        (#""type":"paid""#, #""type":"authorized""#, "type"),
        (#""minor":"4200""#, #""minor":"4201""#, "minor"),
        (#""currency":"EUR""#, #""currency":"USD""#, "minor"),
        (#""reference":"R-1""#, #""reference":"R-2""#, "reference"),
        (#""transaction":"T-1""#, #""transaction":"T-2""#, "transaction"),
        (#""effect":"attempt""#, #""effect":"capture""#, "effect"),
        (#""identity":["T-1""#, #""identity":["T-3""#, "identity"),
        (#""status":200"#, #""status":204"#, "answer"),
        (#""http":401"#, #""http":400"#, "http"),
        ("signature_mismatch", "signature_encoding", "expected"),
        (#""captured":"4200""#, #""captured":"4100""#, "order.captured"),
        (#""status":"paid""#, #""status":"refunded""#, "order.status"),
        (#""after":[]"#, #""after":["nobody"]"#, "after"),
        (#""projectID":"115""#, #""projectIDs":"115""#, "config.projectIDs"),
        (#""projectID":"115""#, #""projectID":"116""#, "expected"),
        (#""body_sha256":""#, #""body_sha256":"0"#, "body_sha256"),
    ])
    func `each difference is found and named`(
        old: String, new: String, member: String
    ) throws {
        let file = try VectorDraft.file()
        #expect(file.contains(old))
        let report = try run(file.replacing(old, with: new))
        #expect(!report.isPassed)
        #expect(report.failures.contains { $0.differences.contains { $0.member == member } })
        #expect(report.text.contains(member))
    }

    @Test func `a negative that verifies is a difference`() throws {
        let file = try VectorDraft.file().replacing(
            #""negatives":[{"id":"changed""#, with: #""x":[{"id":"changed""#)
        let genuine =
            try VectorDraft.genuine().replacing(#""expected":[{"#, with: #""unused":[{"#)
            .dropLast() + #","expected":"signature_mismatch","http":401}"#
        let report = try run(file.dropLast() + #","negatives":[\#(genuine)]}"#)
        #expect(report.failures.first?.list == "negative")
    }

    @Test func `also_right names codes and types that are as good`() throws {
        let file = try VectorDraft.file()
            .replacing(
                "signature_mismatch\"",
                with: "missing_header\",\"also_right\":[\"signature_mismatch\"]"
            )
            .replacing(#""type":"paid""#, with: #""type":"authorized","also_right":"paid""#)
        #expect(try run(file).isPassed)
    }

    @Test func `the same event with another sum must be a conflict`() throws {
        let file = try VectorDraft.file(trap: 4300)
        #expect(try run(file).isPassed)
        let same = try VectorDraft.file(trap: 4300, expected: 4200)
        #expect(
            try run(same).failures.first?.differences.map(\.member) == ["minor", "repetition"])
    }

    @Test(arguments: ["", "[]", #"{"vectors":[]}"#, #"{"vectors":[{"id":"a"}]}"#])
    func `what is no file of vectors is refused`(text: String) {
        #expect(throws: VectorFileError.self) { try VectorFile(Array(text.utf8)) }
    }

    private func run(_ text: String) throws -> VectorReport {
        VectorRun(.ecommpay).report(on: try VectorFile(Array(text.utf8)))
    }
}

/// A file with two genuine requests, a changed one and a repetition.
private enum VectorDraft {
    static let config = #"{"secrets":["project-secret"],"projectID":"115"}"#

    static func genuine() throws -> String {
        try entry("paid", .paid, #"{"status":"paid","captured":"4200","refunded":"0"}"#, "[]")
    }

    static func file(trap: Int64 = 4200, expected: Int64? = nil) throws -> String {
        let refunded = try entry(
            "refunded", .refunded,
            #"{"status":"refunded","refunded":"4200"}"#, #"["paid"]"#)
        let negative =
            try #"{"id":"changed","config":\#(config),"request":\#(request(.paid, changed: true)),"#
            + #""expected":"signature_mismatch","http":401}"#
        let trap = try entry(
            "again", .paid, nil, nil, sum: trap, expected: expected ?? trap)
        return try #"{"system":"ecommpay","vectors":[\#(genuine()),\#(refunded)],"#
            + #""negatives":[\#(negative)],"traps":[\#(trap)]}"#
    }

    private static func entry(
        _ id: String, _ type: EventType, _ order: String?, _ after: String?, sum: Int64 = 4200,
        expected minor: Int64 = 4200
    ) throws -> String {
        let expected =
            type == .paid
            ? #"{"identity":["T-1"],"type":"paid","effect":"attempt","reference":"R-1","#
                + #""transaction":"T-1","minor":"\#(minor)","currency":"EUR"}"#
            : #"{"identity":["A-1"],"type":"refunded","effect":"refund","reference":"R-1","#
                + #""action":"A-1","minor":"\#(minor)","currency":"EUR"}"#
        let life = order.map { #","order":\#($0),"after":\#(after ?? "[]")"# } ?? ""
        return try #"{"id":"\#(id)","config":\#(config),"key":0,"request":\#(request(type, sum)),"#
            + #""expected":[\#(expected)],"answer":{"status":200,"body":""}\#(life)}"#
    }

    private static func request(
        _ type: EventType, _ sum: Int64 = 4200, changed: Bool = false
    ) throws -> String {
        let settings = EndpointSettings(
            name: "e", ["secrets": .secrets([Array("project-secret".utf8)]), "projectID": "115"])
        let event = SampleEvent(
            type: type, reference: "R-1", transaction: "T-1", actionID: "A-1",
            money: Money(minor: sum, currency: try #require(Currency("EUR"))),
            occurred: Timestamp(microseconds: 1_790_000_000_000_000))
        let sender = try ProviderDescriptor.ecommpay.makeSender(settings)
        var request = try sender.sign(event, path: "/ipn/ecommpay")
        if changed { request = request.damaged(reference: "R-1") }
        var json = JSONWriter()
        json.object { json in
            json.member("url", "https://pay.example\(request.target)")
            json.key("headers")
            json.beginArray()
            for header in request.headers {
                json.beginArray()
                json.string(String(decoding: header.name, as: UTF8.self))
                json.string(String(decoding: header.value, as: UTF8.self))
                json.endArray()
            }
            json.endArray()
            json.member("body", String(decoding: request.body, as: UTF8.self))
            json.member("body_sha256", Hex.encode(SHA256.hash(request.body)))
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
