import Bytes
import JSON
import Payments
import Testing

@testable import Providers

@Suite struct CitconPayTests {
    let vector: JSONValue
    let provider: CitconPay

    init() throws {
        vector = try VectorFile.load("citcon-pay")
        provider = try CitconPay(
            settings: EndpointSettings(
                name: "c", ["secrets": .secrets([Array(#require(vector["token"]?.string).utf8)])]))
    }

    private func text(_ name: String) throws -> String { try #require(vector[name]?.string) }

    /// A signed form of these fields.
    private func form(_ pairs: [(String, String)], list: String? = nil) throws -> String {
        let list = list ?? pairs.map(\.0).joined(separator: ",")
        let all = pairs + [("fields", list)]
        let sign = CitconPay.sign(
            ListedFields.signedText(all), token: Array(try text("token").utf8))
        return (all + [("sign", String(decoding: sign, as: UTF8.self))])
            .map { "\($0.0)=\(PercentEncoding.encode(Array($0.1.utf8)))" }.joined(separator: "&")
    }

    private static let fields = [
        ("id", "P1"), ("amount", "258"), ("currency", "USD"), ("notify_status", "success"),
        ("reference", "ORDER-1"),
    ]

    private func read(_ changes: (String, String)...) throws -> Notification {
        let fields = changes.reduce(into: Self.fields) { fields, change in
            fields.removeAll { $0.0 == change.0 }
            fields.append(change)
        }
        return try provider.receive(SignedRequest(body: form(fields)))
    }

    @Test func `the vector verifies as form and as JSON`() throws {
        for name in ["form", "json"] {
            let verified = try provider.verify(SignedRequest(body: text(name)))
            #expect(verified.evidence.fields.signedText == Array(try text("text").utf8))
            let notification = provider.interpret(verified.evidence)
            #expect(notification.effect == .attempt(.paid, .of(258, "USD")))
            #expect(notification.reference == "ORDER-1001")
            #expect(notification.transaction == "P0023477472-35fe8730f1463bcaaa34")
            #expect(notification.occurred == nil, "a time without a zone is none")
            #expect(notification.id == "P0023477472-35fe8730f1463bcaaa34:success:")
        }
    }

    @Test(arguments: ["charge", "refund"])
    func `what succeeded and does not say how much is in doubt`(_ type: String) throws {
        for change in [("amount", "2.58"), ("currency", "usd")] {
            let notification = try read(("type", type), change)
            #expect(notification.effect == .doubt && notification.flags == [.notUnderstood])
            #expect(notification.reference == "ORDER-1" && notification.transaction == "P1")
        }
    }

    @Test func `one byte changed is refused`() throws {
        for (name, old, new) in [
            ("form", "amount=258", "amount=259"), ("form", "amount=258", "amount=258+"),
            ("form", "currency=USD", "currency=usd"), ("form", "=success", "=Success"),
            ("form", "ORDER-1001", "ORDER-1002"), ("form", "sign=15b", "sign=25b"),
            ("form", "sign=15b", "sign=15B"), ("json", ":258", ":258.0"),
            ("json", "success", "succesS"), ("json", "15b05c", "15b05d"),
        ] {
            let body = try text(name).replacing(old, with: new)
            #expect(try body != text(name))
            #expect(provider.refusal(SignedRequest(body: body)) == .signatureMismatch, "\(new)")
        }
        let other = try CitconPay(
            settings: EndpointSettings(name: "c", ["secrets": .secrets([Array("other".utf8)])]))
        #expect(try other.refusal(SignedRequest(body: text("form"))) == .signatureMismatch)
    }

    @Test func `space is written in two ways`() throws {
        let body = try text("form").replacing("22+13", with: "22%2013")
        #expect(provider.refusal(SignedRequest(body: body)) == nil)
    }

    @Test(arguments: [
        ("id=1&id=2", "form_duplicate_field"), ("id=1&%69d=2", "form_duplicate_field"),
        ("id=%zz", "form_escape"), ("id=%f", "form_escape"), ("id=%ff", "form_utf8"),
        ("id", "form_syntax"), ("id=1&x", "form_syntax"), ("{", "json_"),
        ((0..<300).map { "a\($0)=" }.joined(separator: "&"), "form_too_many_fields"),
    ])
    func `a form that cannot be read is malformed`(_ body: String, _ reason: String) {
        let refusal = provider.refusal(SignedRequest(body: body))
        #expect(refusal?.kind == .malformed && refusal?.reason.hasPrefix(reason) == true)
    }

    @Test(arguments: [
        ("", "sign_missing"), ("  \n", "sign_missing"), ("sign=1", "fields_missing"),
        ("fields=id", "sign_missing"), ("sign=1&fields=id", "signed_field_missing"),
        ("sign=1&fields=id,sign&id=1", "fields_forbidden_name"),
        ("sign=1&fields=token&token=1", "fields_forbidden_name"),
        ("sign=1&fields=id,id&id=1", "fields_duplicate_name"),
        ("sign=1&fields=id,amount&id=1&amount=1", "fields_required_missing"),
        (
            "sign=1&fields=id,amount,currency,reference&id=1&amount=1&currency=USD&reference=R",
            "fields_required_missing"
        ),
    ])
    func `without a usable list there is no signature`(_ body: String, _ reason: String) {
        let refusal = provider.refusal(SignedRequest(body: body))
        #expect(refusal?.kind == .unauthenticated && refusal?.reason == reason)
    }

    @Test(
        arguments: ["notify_status", "status"],
        [
            ("success", AttemptStatus.paid, [] as [Flag]), ("fail", .failed, []),
            ("cancel", .canceled, []), ("NULL", .pending, []), ("", .pending, []),
            ("paid", .pending, [.unknownStatus]), ("SUCCESS", .pending, [.unknownStatus]),
        ])
    func charges(_ name: String, _ row: (String, AttemptStatus, [Flag])) throws {
        var fields = Self.fields.filter { $0.0 != "notify_status" }
        fields.append((name, row.0))
        let notification = try provider.receive(SignedRequest(body: form(fields)))
        #expect(notification.flags == row.2)
        #expect(
            notification.effect == .attempt(row.1, row.2.isEmpty ? .of(258, "USD") : nil))
    }

    @Test(arguments: [
        ("success", "", "", ActionStatus.succeeded, 258 as Int64, [] as [Flag]),
        ("success", "success", "100", .succeeded, 100, []), ("fail", "", "", .failed, 258, []),
        ("success", "fail", "", .failed, 258, []), ("success", "NULL", "", .pending, 258, []),
        ("success", "odd", "", .pending, 258, [.unknownStatus]),
    ])
    func refunds(
        _ status: String, _ refundStatus: String, _ amount: String, _ action: ActionStatus,
        _ minor: Int64, _ flags: [Flag]
    ) throws {
        let notification = try read(
            ("type", "refund"), ("notify_status", status), ("refund_status", refundStatus),
            ("refunded_amount", amount))
        guard case .unclearRefund("P1", action, let claim) = notification.effect else {
            Issue.record("\(notification.effect)")
            return
        }
        #expect(claim.amount == .of(258, "USD"))
        #expect(claim.refunded == (amount.isEmpty ? nil : .of(minor, "USD")))
        #expect(notification.flags == flags && notification.reference == "ORDER-1")
    }

    @Test func `an unknown type has no effect`() throws {
        let notification = try read(("type", "payout"))
        #expect(notification.effect == .none && notification.flags == [.unknownKind])
    }

    @Test func `partial refunds of one transaction are told apart`() throws {
        let first = try read(("type", "refund"), ("refunded_amount", "100"))
        let second = try read(("type", "refund"), ("refunded_amount", "200"))
        #expect(first.id != second.id)
        let retry = try read(
            ("type", "refund"), ("refunded_amount", "100"), ("notify_id", "N-2"))
        #expect(retry.id == first.id)
        let other = try read(
            ("type", "refund"), ("refunded_amount", "100"), ("time", "later"))
        #expect(other.id != first.id)
    }

    @Test(arguments: ["id", "amount", "currency", "notify_status", "reference"])
    func `a field that holds nothing usable is never paid`(_ name: String) throws {
        for value in ["", "\u{0}", String(repeating: "9", count: 400), "\u{e9}\n"] {
            #expect(try !read((name, value)).effect.takesMoney, "\(name)=\(value)")
        }
        for value in ["-258", "2.58", "1e3", "0x10"] where name == "amount" {
            #expect(try !read((name, value)).effect.takesMoney)
        }
    }

    @Test func `unsigned fields change nothing`() throws {
        let list = Self.fields.map(\.0).joined(separator: ",")
        let plain = try provider.receive(SignedRequest(body: form(Self.fields)))
        let signed = try form(Self.fields, list: list)
        for extra in [
            "type=charge", "status=fail", "time=2017-06-22+13%3A23%3A12", "refund_status=",
            "refunded_amount=0", "amount_captured=258", "notify_id=9", "x=%26amount%3D1",
            // Citcon's demos write an absent value like this.
            "refund_status=NULL", "refunded_amount=null", "amount_refunded=NULL", "type=NULL",
            "type=null",
        ] {
            #expect(try provider.receive(SignedRequest(body: signed + "&" + extra)) == plain)
            #expect(try provider.receive(SignedRequest(body: extra + "&" + signed)) == plain)
        }
    }

    /// The documented list has no `type`: the signed fields of a refund may be those of a charge.
    @Test(arguments: [
        "type=refund", "type=REFUND", "type=void", "refund_status=success", "refunded_amount=258",
        "refunded_amount=100", "amount_captured=100", "amount_refunded=258",
    ])
    func `an unsigned word of a refund is an event of its own that counts for nothing`(
        _ extra: String
    ) throws {
        let list = Self.fields.map(\.0).joined(separator: ",")
        let plain = try provider.receive(SignedRequest(body: form(Self.fields)))
        let body = try form(Self.fields, list: list) + "&" + extra
        let claim = try provider.receive(SignedRequest(body: body))
        #expect(claim.effect == .doubt && claim.flags == [.unsignedClaim])
        #expect(claim.id != plain.id, "it is not swallowed as a repetition of the charge")
        #expect(claim.reference == plain.reference && claim.transaction == plain.transaction)
    }

    @Test func `answers byte for byte`() {
        #expect(
            provider.answer(.accepted)
                == Answer(status: 200, contentType: "text/plain", body: Array("ok".utf8)))
        #expect(provider.answer(.unavailable).status == 503)
        #expect(provider.answer(.refused(.signatureMismatch)).status == 401)
        #expect(provider.answer(.refused(.malformed("x", ""))).status == 400)
    }
}
