import Bytes
import Cryptography
import JSON
import Payments
import TestSupport
import Testing

@testable import Providers

/// One signed text has one effect, although its separators are not escaped.
@Suite struct EcommpayAmbiguityTests {
    typealias Fixture = EcommpayFixture

    private func sign(_ text: String) -> String {
        Base64.encode(HMAC.code(.sha512, key: Fixture.secret, message: Array(text.utf8)))
    }

    private func refusal(_ members: String, signed text: String) -> String? {
        Fixture.provider.refusal(
            SignedRequest(body: "{\(members),\"signature\":\"\(sign(text))\"}"))?.reason
    }

    /// The customer's browser sees the text and the signature of the page that it opens.
    @Test func `a payment pages signature is no callback`() {
        let name =
            "Joe;operation:id:7;operation:status:success;operation:type:sale"
            + ";payment:id:VICTIM-1;payment:status:success;payment:sum:amount:99900"
            + ";payment:sum:currency:EUR"
        let page =
            "customer_first_name:\(name);payment_amount:100;payment_currency:EUR"
            + ";payment_id:MINE-1;project_id:115"
        let forged =
            #""customer_first_name":"Joe","operation":{"id":7,"status":"success","#
            + #""type":"sale"},"payment":{"id":"VICTIM-1","status":"success","sum":{"#
            + #""amount":99900,"currency":"EUR"}},"payment_amount":100,"#
            + #""payment_currency":"EUR","payment_id":"MINE-1","project_id":115"#
        #expect(refusal(forged, signed: page) == "checkout_parameter")
        // Names of the page's parameters are hidden in values of documented members.
        let hidden =
            #""account":{"x":"1;customer_id:5;mode:card_tokenize"},"#
            + #""payment":{"id":"VICTIM-1","status":"success"},"project_id":115"#
        let tokenize =
            "account:x:1;customer_id:5;mode:card_tokenize"
            + ";payment:id:VICTIM-1;payment:status:success;project_id:115"
        #expect(refusal(hidden, signed: tokenize) == "checkout_parameter")
        #expect(
            refusal(
                #""payment_id":"A","payment_amount":1,"project_id":115"#,
                signed: "payment_amount:1;payment_id:A;project_id:115") == "checkout_parameter")
    }

    @Test func `only documented names have a plain value at the root`() {
        #expect(
            refusal(
                #""payment":{"id":"A"},"project_id":115,"shop":1"#,
                signed: "payment:id:A;project_id:115;shop:1") == "root_member_unknown")
        // Callbacks can be customised with objects.
        #expect(
            refusal(
                #""payment":{"id":"A"},"project_id":115,"shop":{"branch":1}"#,
                signed: "payment:id:A;project_id:115;shop:branch:1") == nil)
    }

    /// A declined payment whose key hides the decline.
    @Test func `fields cannot be hidden in keys`() {
        let text =
            "operation:request_id:abc;operation:status:decline;operation:type:sale"
            + ";payment:id:A;payment:status:success;project_id:115"
        let hidden =
            #""operation":{"request_id":{"abc;operation":{"status":"decline"}},"#
            + #""type":"sale"},"payment":{"id":"A","status":"success"},"project_id":115"#
        #expect(refusal(hidden, signed: text) == "signed_key_ambiguous")
    }

    @Test func `a missing project is a mismatch`() {
        #expect(
            refusal(
                #""payment":{"id":"A","status":"decline"}"#,
                signed: "payment:id:A;payment:status:decline") == "project_id_mismatch")
        let hidden = #""account":{"x":"1;project_id:115"},"payment":{"id":"A"}"#
        #expect(
            refusal(hidden, signed: "account:x:1;payment:id:A;project_id:115") != nil)
    }

    /// Text of a customer in members that are not read.
    @Test(arguments: ["Main St 5; flat 2", "a;b:c", ";", "x;payment", "x;Payment:id:2", "a;:b"])
    func `a semicolon in what is not read is harmless`(_ address: String) throws {
        let body = try Fixture.body(
            #""customer":{"address":"\#(address)"},"operation":{"type":"sale","id":1,"#
                + #""status":"decline","message":"No; sorry"},"project_id":115,"#
                + #""payment":{"id":"A;","status":"decline"}"#.replacing("A;", with: "A"))
        let notification = try Fixture.provider.receive(SignedRequest(body: body))
        #expect(notification.reference == "A" && notification.reason?.message == "No")
    }

    /// All accepted documents with the same random text give the same notification.
    @Test(arguments: Effort.share(of: 0..<40)) func `one signed text has one effect`(_ seed: UInt64)
        throws
    {
        var random = SeededGenerator(seed: seed)
        var pairs = 0
        for _ in 0..<200 {
            let text = SignedTexts.random(&random)
            var first: Notification?
            for _ in 0..<12 {
                guard let members = SignedTexts.document(of: text, &random) else { continue }
                let delivery = SignedRequest(
                    body: "{\(members.isEmpty ? "" : members + ",")\"signature\":\"\(sign(text))\"}"
                )
                guard let told = try? Fixture.provider.receive(delivery) else { continue }
                if let first {
                    pairs += 1
                    #expect(told == first, "seed \(seed): \(text)\n\(delivery.bodyText)")
                } else {
                    first = told
                }
            }
        }
        #expect(pairs > 20)
    }
}

/// Texts in the form that ecommpay signs, and documents with these texts.
private enum SignedTexts {
    static let parts = [
        "payment:id:A", "payment:status:success", "payment:status:decline", "payment:type:purchase",
        "payment:sum:amount:4200", "payment:sum:amount:4.2e+06", "payment:sum:currency:EUR",
        "operation:id:7", "operation:id:5.1e+15", "operation:status:success",
        "operation:status:decline", "operation:type:sale", "operation:message:No", "x",
        "operation:type:refund", "operation:sum_initial:amount:1",
        "operation:sum_initial:currency:EUR", "account:number:1", "account:holder:", "errors:0:1",
        "request:id:", "request:status:1", "token:x", "token_status:1", "customer:a::b:c",
        "operation:request_id:abc", "payment:", "payment:id:", "general:project_id:115",
        "recurring:id:5", "payment::id:5", "payment:date:2023-03-10T12:26:17+0000",
    ]

    static func random(_ random: inout SeededGenerator) -> String {
        var chosen = Set(
            (0..<Int.random(in: 2...12, using: &random)).map { _ in random.pick(parts) })
        chosen.insert("project_id:115")
        if random.once(in: 2) { chosen.insert("payment:id:A") }
        return chosen.sorted().joined(separator: ";")
    }

    /// The members of a document with this text; nil if the random choice gives none.
    static func document(of text: String, _ random: inout SeededGenerator) -> String? {
        var scalars: [String] = []
        for part in text.split(separator: ";", omittingEmptySubsequences: false) {
            if let last = scalars.last, random.once(in: 6) || !part.contains(":") {
                scalars[scalars.count - 1] = last + ";" + part
            } else {
                scalars.append(String(part))
            }
        }
        var root = Node()
        for scalar in scalars {
            let seams = scalar.indices.filter { scalar[$0] == ":" }
            guard !seams.isEmpty else { return nil }
            // Mostly the last separator: at another one the value contains a key.
            let seam = random.once(in: 8) ? random.pick(seams) : usual(scalar, seams)
            let value = String(scalar[scalar.index(after: seam)...])
            guard root.put(path(scalar[..<seam]), literal(value, &random)) else { return nil }
        }
        return root.members
    }

    private static let knownPaths = EcommpayLeaves.readPaths.map { "\($0):" }

    private static func usual(_ scalar: String, _ seams: [String.Index]) -> String.Index {
        let known = knownPaths.first { scalar.hasPrefix($0) }
        guard let known else { return seams[seams.count > 1 ? 1 : 0] }
        return scalar.index(scalar.startIndex, offsetBy: known.count - 1)
    }

    /// The keys of a path.
    private static func path(_ text: Substring) -> [String] {
        text.replacing("::", with: "\u{1}").split(
            separator: ":", omittingEmptySubsequences: false
        ).map { String($0.replacing("\u{1}", with: ":")) }
    }

    private static func literal(_ value: String, _ random: inout SeededGenerator) -> String {
        if value.isEmpty, random.once(in: 2) { return "null" }
        if value == "1", random.once(in: 2) { return "true" }
        if value == "4.2e+06", random.once(in: 2) { return "4200000" }
        if EcommpayNumber.isNumber(value.utf8), random.once(in: 2) { return value }
        return "\"\(value)\""
    }

    private struct Node {
        var value: String?
        var children: [(key: String, node: Node)] = []

        mutating func put(_ path: [String], _ literal: String) -> Bool {
            guard let key = path.first else {
                guard value == nil, children.isEmpty else { return false }
                value = literal
                return true
            }
            guard value == nil else { return false }
            let place = children.firstIndex { $0.key == key } ?? children.count
            if place == children.count { children.append((key, Node())) }
            return children[place].node.put(Array(path.dropFirst()), literal)
        }

        var members: String {
            children.map { "\"\($0.key)\":" + ($0.node.value ?? "{\($0.node.members)}") }
                .joined(separator: ",")
        }
    }
}
