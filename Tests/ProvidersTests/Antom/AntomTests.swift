import Bytes
import Cryptography
import Payments
import Testing

@testable import Providers

@Suite struct AntomTests {
    let fixture = AntomFixture.shared

    private func genuine() throws -> SignedRequest {
        try fixture.delivery(body: AntomInterpretationTests.paid)
    }

    @Test func `the announced version is tried first and the others after it`() throws {
        for (key, announced, verified) in [
            (fixture.first, 1, "1"), (fixture.second, 2, "2"), (fixture.second, 1, "2"),
            (fixture.first, 2, "1"), (fixture.second, 7, "2"),
        ] {
            let sender = try fixture.sender(key, version: announced)
            let delivery = try sender.sign(.sample(.paid), path: "/ipn/antom").delivery
            #expect(try fixture.provider.verify(delivery).key == verified)
        }
    }

    @Test func `a foreign key is refused`() throws {
        let delivery = try fixture.sender(fixture.foreign).sign(.sample(.paid), path: "/ipn/antom")
        #expect(
            fixture.provider.refusal(delivery.delivery)
                == .unauthenticated(
                    "signature_mismatch", "no key of this endpoint verifies it"))
    }

    @Test func `a foreign client ID is refused although its signature is right`() throws {
        let delivery = try fixture.sender(clientID: "SANDBOX_2").sign(.sample(.paid), path: "/ipn")
        let refusal = fixture.provider.refusal(delivery.delivery)
        #expect(refusal?.reason == "client_id_mismatch" && refusal?.kind == .unauthenticated)
    }

    @Test func `both forms of the query verify and no third one`() throws {
        for signedQuery in [true, false] {
            let delivery = try fixture.delivery(
                body: "{}", query: "a=1&b=%20", signedQuery: signedQuery)
            #expect(fixture.provider.refusal(delivery) == nil)
            var other = delivery
            other.query = Array("a=1&b=+".utf8)[...]
            #expect((fixture.provider.refusal(other) == nil) == !signedQuery)
        }
        var emptyQuery = try fixture.delivery(body: "{}", query: "", signedQuery: true)
        #expect(fixture.provider.refusal(emptyQuery) == nil)
        emptyQuery.query = nil
        #expect(fixture.provider.refusal(emptyQuery)?.reason == "signature_mismatch")
    }

    @Test(arguments: ["client-id", "request-time", "signature"])
    func `every header must be there once`(_ name: String) throws {
        let missing = try genuine().with(header: name, nil)
        #expect(fixture.provider.refusal(missing)?.reason == "missing_header")
        #expect(fixture.provider.refusal(missing)?.kind == .unauthenticated)
        var doubled = try genuine()
        doubled.headers.append(Header(name.uppercased(), try #require(doubled.value(name))))
        #expect(fixture.provider.refusal(doubled)?.reason == "duplicate_header")
        #expect(fixture.provider.refusal(doubled)?.kind == .malformed)
    }

    @Test func `header names are read in any case`() throws {
        var delivery = try genuine()
        delivery.headers = delivery.headers.map {
            Header(
                String(decoding: $0.name, as: UTF8.self).uppercased(),
                String(decoding: $0.value, as: UTF8.self))
        }
        #expect(fixture.provider.refusal(delivery) == nil)
    }

    @Test func `a signature of another length is none`() throws {
        let delivery = try genuine().with(header: "signature", "signature=AQID")
        #expect(fixture.provider.refusal(delivery)?.reason == "signature_length")
    }

    /// The text `time.body` has no mark between the two: the beginning of a body could be taken as
    /// the end of the time.
    @Test func `the seam between time and body cannot be moved`() throws {
        let inner = AntomInterpretationTests.paid
        var moved = try fixture.delivery(body: "{\"note\":\"x.\(inner)")
        moved = moved.with(header: "request-time", "2025-05-17T07:58:04Z.{\"note\":\"x")
        moved.bodyText = inner
        #expect(fixture.provider.refusal(moved)?.reason == "request_time_malformed")
    }

    @Test(arguments: ["", "not json", #"{"a":1,"a":2}"#, "\u{0}", "[]", "null"])
    func `a body of any bytes can be authentic`(_ body: String) throws {
        let notification = try fixture.provider.receive(fixture.delivery(body: body))
        #expect(notification.effect == .none && notification.flags == [.notUnderstood])
    }

    @Test(arguments: [
        (
            "clientID",
            EndpointSettings(name: "a", ["keys": .keys([VersionedKey(version: 1, text: "x")])])
        ),
        (
            "clientID",
            EndpointSettings(
                name: "a",
                ["clientID": .text(""), "keys": .keys([VersionedKey(version: 1, text: "x")])])
        ),
        ("keys", EndpointSettings(name: "a", ["clientID": .text("C")])),
        (
            "keys[0].publicKey",
            EndpointSettings(
                name: "a",
                [
                    "clientID": .text("C"),
                    "keys": .keys([VersionedKey(version: 1, text: "nonsense")]),
                ])
        ),
        (
            "keys[0].publicKey",
            EndpointSettings(
                name: "a",
                [
                    "clientID": .text("C"),
                    "keys": .keys([VersionedKey(version: 1, text: AntomFixture.shared.first.pem)]),
                ])
        ),
        (
            "keys[1].version",
            EndpointSettings(
                name: "a",
                [
                    "clientID": .text("C"),
                    "keys": .keys([
                        VersionedKey(version: 1, text: AntomFixture.shared.first.publicKeyPEM),
                        VersionedKey(version: 1, text: AntomFixture.shared.second.publicKeyPEM),
                    ]),
                ])
        ),
    ])
    func `settings that cannot work are named`(_ key: String, _ settings: EndpointSettings) {
        do throws(SettingsError) {
            _ = try Antom(settings: settings)
            Issue.record("accepted")
        } catch {
            #expect(error.key == key)
        }
    }

    @Test func `answers byte for byte`() {
        func text(_ verdict: Verdict) -> (Int, String?, String) {
            let answer = fixture.provider.answer(verdict)
            return (answer.status, answer.contentType, String(decoding: answer.body, as: UTF8.self))
        }
        #expect(
            text(.accepted) == (
                200, "application/json",
                #"{"result":{"resultCode":"SUCCESS","resultStatus":"S","resultMessage":"success"}}"#
            ))
        #expect(
            text(.refused(.unauthenticated("x", ""))) == (
                401, "application/json",
                #"{"result":{"resultCode":"INVALID_SIGNATURE","resultStatus":"F","#
                    + #""resultMessage":"The signature is invalid."}}"#
            ))
        #expect(
            text(.refused(.malformed("x", ""))) == (
                400, "application/json",
                #"{"result":{"resultCode":"PARAM_ILLEGAL","resultStatus":"F","#
                    + #""resultMessage":"The request is malformed."}}"#
            ))
        #expect(
            text(.unavailable) == (
                503, "application/json",
                #"{"result":{"resultCode":"UNKNOWN_EXCEPTION","resultStatus":"U","#
                    + #""resultMessage":"The notification could not be stored."}}"#
            ))
    }
}
