import Bytes
import JSON
import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// The rules of `Sources/Providers/Inquiry/Inquiry.md` for all providers, in its order.
@Suite struct InquiryRulesTests {
    @Test(arguments: ProviderFixture.inquired)
    func `a plain answer says paid`(_ system: ProviderFixture) throws {
        let fixture = try InquiryFixture(system)
        let finding = try fixture.finding(fixture.paid())
        #expect(finding.verdict == .answered && finding.facts.count == 1, "\(finding)")
        let signs = fixture.inquiry.sign != nil
        #expect(finding.trust == (signs ? .signature : .tls))
        #expect(finding.facts.first?.key == (signs ? "1" : "tls"))
        let money = Money.of(4200, "EUR")
        #expect(finding.facts.first?.notification.effect == .attempt(.paid, money))
        #expect(finding.facts.first?.notification.reference == "R-1")
    }

    // MARK: 1. The call and the payment have separate words

    @Test(arguments: ProviderFixture.inquired)
    func `a successful call is no payment`(_ system: ProviderFixture) throws {
        let fixture = try InquiryFixture(system)
        #expect(!fixture.inquiry.successfulCalls.isEmpty)
        for body in fixture.inquiry.successfulCalls {
            let finding = try fixture.finding(body)
            #expect(finding.facts.isEmpty && finding.verdict != .answered, "\(finding)")
        }
    }

    @Test(arguments: ProviderFixture.inquired)
    func `a failed call is no failed payment`(_ system: ProviderFixture) throws {
        let fixture = try InquiryFixture(system)
        #expect(!fixture.inquiry.failedCalls.isEmpty)
        for body in fixture.inquiry.failedCalls {
            let finding = try fixture.finding(body)
            #expect(finding.facts.isEmpty && finding.verdict != .answered, "\(finding)")
        }
    }

    // MARK: 2. Match before reading

    @Test(arguments: ProviderFixture.inquired)
    func `an answer about another payment is not read`(_ system: ProviderFixture) throws {
        let fixture = try InquiryFixture(system)
        let finding = try fixture.finding(fixture.paid(reference: "R-2"))
        #expect(finding.verdict == .untrusted && finding.facts.isEmpty, "\(finding)")
        #expect(finding.reason.hasPrefix("other_"))
    }

    @Test func `an old answer of Antom is not read`() throws {
        for (seconds, verdict) in [
            (-901, InquiryVerdict.untrusted), (-899, .answered), (899, .answered),
            (901, .untrusted),
        ] {
            let answered = Timestamp(
                microseconds: InquiryFixture.moment.microseconds + Int64(seconds) * 1_000_000)
            let finding = try InquiryFixture("antom")
                .finding([try InquiryFixture.paid("antom")], answered: answered)
            #expect(finding.verdict == verdict, "\(seconds)")
        }
    }

    @Test func `an answer of another project is not read`() throws {
        let body = try InquiryFixture.paid("ecommpay").replacing("115", with: "116")
        for isSigned in [true, false] {
            let finding = try InquiryFixture("ecommpay").finding([body], isSigned: isSigned)
            #expect(finding.verdict == .untrusted && finding.facts.isEmpty)
        }
    }

    // MARK: 3. Not known is not yet

    @Test(arguments: ProviderFixture.inquired)
    func `an unknown payment is no fact`(_ system: ProviderFixture) throws {
        let fixture = try InquiryFixture(system)
        #expect(!fixture.inquiry.unknown.isEmpty)
        for (body, status) in fixture.inquiry.unknown {
            let finding = try fixture.finding(body, status: status)
            #expect(finding.verdict == .absent && finding.facts.isEmpty, "\(finding)")
        }
    }

    // MARK: 4. Throttled, refused, broken, HTML, empty: no fact

    @Test(arguments: ProviderFixture.inquired, [301, 400, 401, 403, 429, 500, 502, 503])
    func `no other status is a fact`(_ system: ProviderFixture, _ status: Int) throws {
        for body in ["", "<html>Sorry</html>", #"{"message":"no"}"#] {
            let finding = try InquiryFixture(system).finding(body, status: status)
            #expect(finding.facts.isEmpty && finding.verdict != .answered)
            #expect(finding.verdict != .absent, "\(finding)")
        }
    }

    @Test(
        arguments: ProviderFixture.inquired,
        ["<html>ok</html>", "OK", "{", "\"paid\"", "42", "null"])
    func `no foreign body is a fact`(_ system: ProviderFixture, _ body: String) throws {
        for isSigned in [true, false] {
            let finding = try InquiryFixture(system).finding([body], isSigned: isSigned)
            #expect(finding.facts.isEmpty && finding.verdict != .answered, "\(finding)")
        }
    }

    @Test func `unsigned answers of Antom prove nothing`() throws {
        let finding = try InquiryFixture("antom")
            .finding([try InquiryFixture.paid("antom")], isSigned: false)
        #expect(finding.verdict == .untrusted && finding.trust == .none && finding.facts.isEmpty)
    }

    @Test func `unsigned answers of ecommpay rest on TLS`() throws {
        let finding = try InquiryFixture("ecommpay")
            .finding([try InquiryFixture.paid("ecommpay")], isSigned: false)
        #expect(finding.verdict == .answered && finding.trust == .tls)
        #expect(finding.facts.first?.key == "tls")
    }

    // MARK: 6. Unknown words, amounts, names that come twice

    @Test(arguments: ProviderFixture.inquired)
    func `an unknown word is never paid`(_ system: ProviderFixture) throws {
        let fixture = try InquiryFixture(system)
        let word = fixture.inquiry.unknownWord
        let finding = try fixture.finding(fixture.paid(status: word))
        let fact = try #require(finding.facts.first?.notification)
        #expect(fact.effect == .attempt(.pending, nil))
        #expect(fact.flags == [.unknownStatus] && fact.status == word)
    }

    @Test(arguments: ProviderFixture.inquired)
    func `paid without a currency is not understood`(_ system: ProviderFixture) throws {
        let fixture = try InquiryFixture(system)
        for currency in ["", "euro", "XX1"] {
            let finding = try fixture.finding(fixture.paid().replacing("EUR", with: currency))
            #expect(finding.verdict == .unreadable && finding.facts.isEmpty, "\(finding)")
        }
    }

    @Test(arguments: ProviderFixture.inquired)
    func `a name that comes twice is refused`(_ system: ProviderFixture) throws {
        let fixture = try InquiryFixture(system)
        let finding = try fixture.finding("{\"id\":1,\"id\":2," + fixture.paid().dropFirst())
        #expect(finding.verdict == .unreadable && finding.facts.isEmpty, "\(finding)")
    }
}
