import Bytes
import JSON
import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// `inquiry-*.json`: reproducible requests, and the finding of each answer.
@Suite struct InquiryVectorTests {
    @Test(arguments: ProviderFixture.inquired)
    func `every request is made byte for byte`(_ system: ProviderFixture) throws {
        for vector in try InquiryVector.all(system) {
            _ = try vector.finding(asked: { request, expected in
                let wanted = vector.request(expected)
                #expect(request.method == wanted.method, "\(vector.id)")
                #expect(request.target == wanted.target, "\(vector.id)")
                // The question of one case has members that ipnd does not send.
                guard vector.id != "ecommpay-refunded-unsigned" else { return }
                #expect(request.body == wanted.body, "\(vector.id)")
                // Signed times have two forms; ipnd writes the documented one.
                let isISO = wanted.headers.contains {
                    $0.isNamed("request-time") && $0.value.contains(UInt8(ascii: "T"))
                }
                guard !isISO else { return }
                #expect(Self.lines(request.headers) == Self.lines(wanted.headers), "\(vector.id)")
            })
        }
    }

    private static func lines(_ headers: [Header]) -> Set<String> {
        Set(
            headers.map {
                String(decoding: $0.name, as: UTF8.self).lowercased() + ": "
                    + String(decoding: $0.value, as: UTF8.self)
            })
    }

    @Test(arguments: ProviderFixture.inquired)
    func `every answer is understood`(_ system: ProviderFixture) throws {
        for vector in try InquiryVector.all(system) {
            let finding = try vector.finding()
            let expected = try #require(vector.json["expected"])
            Self.check(finding, expected, vector.id, system)
            Self.checkOrder(finding, expected, vector.id)
        }
    }

    @Test(arguments: ProviderFixture.inquired)
    func `every negative says nothing`(_ system: ProviderFixture) throws {
        var count = 0
        for vector in try InquiryVector.all(system) {
            for negative in vector.negatives {
                let finding = try vector.finding(last: negative["response"])
                let id = negative["id"]?.string ?? vector.id
                Self.check(finding, try #require(negative["expected"]), id, system)
                count += 1
            }
        }
        #expect(count > 0)
    }

    /// Verifies requests as the provider would, after a change in transit.
    @Test func `changed requests do not verify`() throws {
        var count = 0
        for vector in try InquiryVector.all("antom") {
            var settings = try vector.settings
            settings.keys = [
                VersionedKey(
                    version: 1,
                    text: try #require(
                        vector.json["config"]?["merchant_public_key_spki_base64"]?.string))
            ]
            let merchant = try Antom(settings: settings)
            #expect(merchant.refusal(delivery(vector, vector.exchanges[0]["request"])) == nil)
            for negative in vector.json["request_negatives"]?.elements.map(\.self) ?? [] {
                #expect(merchant.refusal(delivery(vector, negative["request"])) != nil)
                count += 1
            }
        }
        for vector in try InquiryVector.all("ecommpay") {
            let project = try Ecommpay(settings: vector.settings)
            let request = delivery(vector, vector.exchanges[0]["request"])
            var work = VerificationWork(receivedBytes: request.body.count)
            // A question has members that no callback has.
            _ = try project.verify(request, isAnswer: true, work: &work)
            for negative in vector.json["request_negatives"]?.elements.map(\.self) ?? [] {
                #expect(project.refusal(delivery(vector, negative["request"])) != nil)
                count += 1
            }
        }
        #expect(count == 3)
    }

    private func delivery(_ vector: InquiryVector, _ json: JSONValue?) -> SignedRequest {
        let request = vector.request(json)
        return SignedRequest(
            path: Array(request.target.utf8)[...], headers: request.headers, body: request.body,
            received: vector.moment(json))
    }

    // MARK: Expectations

    private static func check(
        _ finding: InquiryFinding, _ expected: JSONValue, _ id: String, _ system: ProviderFixture
    ) {
        let right =
            [expected["verdict"]?.string]
            + (expected["also_right"]?.elements.map(\.string) ?? [])
        #expect(right.contains(finding.verdict.rawValue), "\(id): \(finding)")
        if expected["verdict"]?.string == finding.verdict.rawValue {
            #expect(finding.trust.rawValue == expected["trust"]?.string, "\(id): \(finding)")
        }
        let notifications = finding.facts.map(\.notification)
        let facts = notifications.compactMap { InquiryVectorFact($0) }.map { adapted($0, system) }
        let wanted = (expected["facts"]?.elements.map { InquiryVectorFact($0) } ?? [])
            .map { adapted($0, system) }
        #expect(Set(facts) == Set(wanted) && facts.count == wanted.count, "\(id): \(finding)")
        let seen = notifications.filter { $0.effect == .none }.flatMap { $0.flags.map(\.rawValue) }
        #expect(seen == expected["flags"]?.elements.compactMap(\.string) ?? [], "\(id)")
        for notification in notifications { #expect(notification.id.hasPrefix("inquiry:")) }
        if let total = expected["reported_refunded"] {
            let bound = notifications.compactMap(\.refundedAtLeast).first
            #expect(bound.map { String($0.minor) } == total["minor"]?.string, "\(id)")
        }
    }

    /// The fact without its transaction, if ipnd's notifications name none.
    private static func adapted(
        _ fact: InquiryVectorFact, _ system: ProviderFixture
    ) -> InquiryVectorFact {
        var changed = fact
        let names = system.inquiry?.namesTransaction(fact.words["kind"], fact.words["status"])
        if names == false { changed.words["transaction"] = nil }
        return changed
    }

    private static func checkOrder(
        _ finding: InquiryFinding, _ expected: JSONValue, _ id: String
    ) {
        guard let status = expected["order"]?.string else { return }
        for facts in [finding.facts, finding.facts.reversed()] {
            var order = Order()
            for fact in facts {
                order.apply(fact.notification)
                order.apply(fact.notification)
            }
            #expect(order.summary.status.rawValue == status, "\(id): \(order.summary)")
        }
    }
}
