import Bytes
import JSON
import Payments
import Testing

@testable import Providers

/// The rules for all five systems of `Sources/Providers/Inquiry/Inquiry.md`, in its order.
@Suite struct InquiryRulesTests {
    @Test(arguments: InquiryVector.systems)
    func aPlainAnswerSaysPaid(_ system: String) throws {
        let finding = try InquiryFixture(system).finding(InquiryFixture.paid(system))
        #expect(finding.verdict == .answered && finding.facts.count == 1, "\(finding)")
        let signs = system == "antom" || system == "ecommpay"
        #expect(finding.trust == (signs ? .signature : .tls))
        #expect(finding.facts.first?.key == (signs ? "1" : "tls"))
        let money = Money.of(4200, "EUR")
        #expect(finding.facts.first?.notification.effect == .attempt(.paid, money))
        #expect(finding.facts.first?.notification.reference == "R-1")
    }

    // MARK: 1. The call and the payment have separate words

    @Test(arguments: [
        ("antom", #"{"result":{"resultStatus":"S","resultCode":"SUCCESS"}}"#),
        ("citcon-upi", #"{"status":"success","data":{"code":"0","message":"succeeded"}}"#),
        ("citcon-pay", #"{"status":"success","code":"200"}"#),
        ("ecommpay", #"{"status":"success","payment":{"status":"success"}}"#),
        ("opp", #"{"result":{"code":"000.000.100"}}"#),
        ("opp", #"{"result":{"code":"000.000.000"},"amount":"42.00","currency":"EUR"}"#),
    ])
    func aSuccessfulCallIsNoPayment(_ system: String, _ body: String) throws {
        let finding = try InquiryFixture(system).finding(body)
        #expect(finding.facts.isEmpty && finding.verdict != .answered, "\(finding)")
    }

    @Test(arguments: [
        ("antom", #"{"result":{"resultStatus":"F","resultCode":"PARAM_ILLEGAL"}}"#),
        ("citcon-upi", #"{"status":"fail","data":{"code":"4107","message":"gateway error"}}"#),
        ("citcon-pay", #"{"status":"fail"}"#),
        ("ecommpay", #"{"payment":{"status":"error"},"errors":[{"code":"3061"}]}"#),
        ("opp", #"{"result":{"code":"700.400.580"}}"#),
        ("opp", #"{"result":{"code":"800.120.100"}}"#),
        ("opp", #"{"result":{"code":"800.900.300"}}"#),
        ("opp", #"{"result":{"code":"100.150.100"}}"#),
    ])
    func aFailedCallIsNoFailedPayment(_ system: String, _ body: String) throws {
        let finding = try InquiryFixture(system).finding(body)
        #expect(finding.facts.isEmpty && finding.verdict != .answered, "\(finding)")
    }

    // MARK: 2. Match before reading

    @Test(arguments: InquiryVector.systems)
    func anAnswerAboutAnotherPaymentIsNotRead(_ system: String) throws {
        let finding = try InquiryFixture(system)
            .finding(InquiryFixture.paid(system, reference: "R-2"))
        #expect(finding.verdict == .untrusted && finding.facts.isEmpty, "\(finding)")
        #expect(finding.reason.hasPrefix("other_"))
    }

    @Test func anOldAnswerOfAntomIsNotRead() throws {
        for (seconds, verdict) in [
            (-901, InquiryVerdict.untrusted), (-899, .answered), (899, .answered),
            (901, .untrusted),
        ] {
            let answered = Timestamp(
                microseconds: InquiryFixture.moment.microseconds + Int64(seconds) * 1_000_000)
            let finding = try InquiryFixture("antom")
                .finding([InquiryFixture.paid("antom")], answered: answered)
            #expect(finding.verdict == verdict, "\(seconds)")
        }
    }

    @Test func anAnswerOfAnotherProjectIsNotRead() throws {
        let body = InquiryFixture.paid("ecommpay").replacing("115", with: "116")
        for isSigned in [true, false] {
            let finding = try InquiryFixture("ecommpay").finding([body], isSigned: isSigned)
            #expect(finding.verdict == .untrusted && finding.facts.isEmpty)
        }
    }

    // MARK: 3. Not known is not yet

    @Test(arguments: [
        ("antom", #"{"result":{"resultStatus":"F","resultCode":"ORDER_NOT_EXIST"}}"#, 200),
        ("citcon-upi", #"{"status":"fail","data":{"code":"4040"}}"#, 404),
        ("citcon-pay", "{}", 200), ("citcon-pay", "[]", 200), ("citcon-pay", "", 200),
        ("citcon-pay", #"{"status":null}"#, 200),
        ("ecommpay", #"{"payment":{"status":"error"},"errors":[{"code":"3061"}]}"#, 200),
        ("opp", #"{"result":{"code":"700.400.580"}}"#, 404),
        ("opp", #"{"result":{"code":"000.000.100"},"payments":[]}"#, 200),
    ])
    func whatIsNotKnownIsNoFact(_ system: String, _ body: String, _ status: Int) throws {
        let finding = try InquiryFixture(system).finding(body, status: status)
        #expect(finding.verdict == .absent && finding.facts.isEmpty, "\(finding)")
    }

    // MARK: 4. Throttled, refused, broken, HTML, empty: no fact

    @Test(arguments: InquiryVector.systems, [301, 400, 401, 403, 429, 500, 502, 503])
    func noOtherStatusIsAFact(_ system: String, _ status: Int) throws {
        for body in ["", "<html>Sorry</html>", #"{"message":"no"}"#] {
            let finding = try InquiryFixture(system).finding(body, status: status)
            #expect(finding.facts.isEmpty && finding.verdict != .answered)
            #expect(finding.verdict != .absent, "\(finding)")
        }
    }

    @Test(
        arguments: InquiryVector.systems, ["<html>ok</html>", "OK", "{", "\"paid\"", "42", "null"])
    func noForeignBodyIsAFact(_ system: String, _ body: String) throws {
        for isSigned in [true, false] {
            let finding = try InquiryFixture(system).finding([body], isSigned: isSigned)
            #expect(finding.facts.isEmpty && finding.verdict != .answered, "\(finding)")
        }
    }

    @Test func unsignedAnswersOfAntomProveNothing() throws {
        let finding = try InquiryFixture("antom")
            .finding([InquiryFixture.paid("antom")], isSigned: false)
        #expect(finding.verdict == .untrusted && finding.trust == .none && finding.facts.isEmpty)
    }

    @Test func unsignedAnswersOfEcommpayRestOnTLS() throws {
        let finding = try InquiryFixture("ecommpay")
            .finding([InquiryFixture.paid("ecommpay")], isSigned: false)
        #expect(finding.verdict == .answered && finding.trust == .tls)
        #expect(finding.facts.first?.key == "tls")
    }

    // MARK: 6. Unknown words, amounts, names that come twice

    @Test(arguments: InquiryVector.systems)
    func anUnknownWordIsNeverPaid(_ system: String) throws {
        let word = system == "opp" ? "123.456.789" : "Success!"
        let finding = try InquiryFixture(system)
            .finding(InquiryFixture.paid(system, status: word))
        let fact = try #require(finding.facts.first?.notification)
        #expect(fact.effect == .attempt(.pending, nil))
        #expect(fact.flags == [.unknownStatus] && fact.status == word)
    }

    @Test(arguments: InquiryVector.systems)
    func paidWithoutACurrencyIsNotUnderstood(_ system: String) throws {
        for currency in ["", "euro", "XX1"] {
            let body = InquiryFixture.paid(system).replacing("EUR", with: currency)
            let finding = try InquiryFixture(system).finding(body)
            #expect(finding.verdict == .unreadable && finding.facts.isEmpty, "\(finding)")
        }
    }

    @Test(arguments: InquiryVector.systems)
    func aNameThatComesTwiceIsRefused(_ system: String) throws {
        let body = "{\"id\":1,\"id\":2," + InquiryFixture.paid(system).dropFirst()
        let finding = try InquiryFixture(system).finding(body)
        #expect(finding.verdict == .unreadable && finding.facts.isEmpty, "\(finding)")
    }
}
