import Payments
import Testing

@testable import Providers

/// The payment method, and the agreement of which a payment is an instalment, in each provider's
/// words.
struct MethodTests {
    @Test(arguments: [
        (#""pspCustomerInfo":{"pspName":"GCASH"}"#, "GCASH" as String?),
        (#""paymentMethodType":"CARD","pspCustomerInfo":{"pspName":"GCASH"}"#, "CARD"),
        (#""cardInfo":{"cardBrand":"VISA"}"#, "VISA"), (#""pspCustomerInfo":"GCASH""#, nil),
    ])
    func `Antom names the wallet or the card`(member: String, method: String?) {
        let body =
            #"{"notifyType":"PAYMENT_RESULT","paymentId":"P","paymentRequestId":"R","#
            + #""paymentAmount":{"currency":"MYR","value":"4200"},"#
            + #""result":{"resultStatus":"S"},\#(member)}"#
        #expect(AntomInterpretation.notification(body: Array(body.utf8)).method == method)
    }

    /// The method counts only if it is a signed field.
    @Test func `Citcon UPI signs it`() throws {
        typealias Fixture = CitconUPIFixture
        let method = Fixture.Field.text("payment_method", "paypal")
        let signed = Fixture.body(Fixture.fields(method))
        #expect(try Fixture.provider.receive(SignedRequest(body: signed)).method == "paypal")
        let unsigned = Fixture.body(Fixture.paid, unsigned: [method])
        #expect(try Fixture.provider.receive(SignedRequest(body: unsigned)).method == nil)
    }

    @Test func `ecommpay names method and series`() throws {
        typealias Fixture = EcommpayFixture
        func read(_ type: String, _ more: String) throws -> Notification {
            try Fixture.read(
                Fixture.members(type: type, operation: "success", payment: "success")
                    .replacing(#""id":"ORD-1""#, with: #""id":"ORD-1","method":"card""#) + more)
        }
        let first = try read("sale", "")
        #expect(first.method == "card" && first.agreement == nil)
        #expect(try read("sale", #","recurring":{"id":1079}"#).agreement == "1079")
        #expect(try read("recurring", #","recurring":{"id":1079}"#).agreement == "1079")
        #expect(try read("recurring", "").agreement == "ORD-1", "the payment stands for the series")
    }

    /// A token callback and one about a series name the agreement by an id that cannot be charged.
    @Test(arguments: [
        (
            #""request":{"id":"REQ-1","action":"create","status":"success"},"token":"SECRET""#,
            "REQ-1"
        ),
        (#""recurring":{"id":"1079","status":"cancelled"}"#, "1079"),
    ])
    func `ecommpay tells agreements by their ID`(members: String, id: String) throws {
        let told = try EcommpayFixture.read(#""project_id":115,\#(members)"#)
        #expect(told.effect == .none && told.agreement == id)
        #expect(!told.id.contains("SECRET"))
    }

    @Test(
        arguments: [
            (#""standingInstruction":{"mode":"REPEATED","initialTransactionId":"PAY-0"}"#, "PAY-0"),
            (#""standingInstruction":{"mode":"REPEATED"},"registrationId":"REG-1""#, "REG-1"),
            (#""recurringType":"REPEATED","registrationId":"REG-1""#, "REG-1"),
            (#""recurringType":"REPEATED""#, "ORD-1"),
            (#""standingInstruction":{"mode":"INITIAL"},"registrationId":"REG-1""#, nil),
            (#""registrationId":"REG-1""#, nil),
        ] as [(String, String?)])
    func `the platform marks repetitions`(members: String, agreement: String?) {
        let plaintext =
            #"{"type":"PAYMENT","payload":{"id":"PAY-1","paymentType":"DB","amount":"42.00","#
            + #""currency":"EUR","result":{"code":"000.000.000"},"paymentBrand":"VISA","#
            + #""merchantTransactionId":"ORD-1",\#(members)}}"#
        let told = OPPInterpretation.notification(plaintext: Array(plaintext.utf8), mode: .live)
        #expect(told.method == "VISA" && told.agreement == agreement)
    }

    @Test func `the platform tells a registration by its ID`() {
        let plaintext =
            #"{"type":"REGISTRATION","action":"CREATED","payload":{"id":"REG-1"}}"#
        let told = OPPInterpretation.notification(plaintext: Array(plaintext.utf8), mode: .live)
        #expect(told.effect == .none && told.agreement == "REG-1")
    }

    @Test(arguments: [
        (
            #""authorizationNotifyType":"TOKEN_CREATED","authState":"S-1","accessToken":"SECRET""#,
            "S-1"
        ),
        (#""subscriptionNotificationType":"CREATE","subscriptionId":"SUB-1","phaseNo":1"#, "SUB-1"),
        (#""vaultingRequestId":"V-1","vaultingId":"SECRET","result":{"resultStatus":"S"}"#, "V-1"),
    ])
    func `Antom tells agreements by an ID that charges nothing`(members: String, id: String) {
        let told = AntomInterpretation.notification(body: Array("{\(members)}".utf8))
        #expect(told.effect == .none && told.agreement == id)
        #expect(!told.id.contains("SECRET"))
    }

    @Test func `mapped fields say where they stand`() throws {
        var mapping = FieldMapping(
            reference: "/order", status: "/status", amount: "/amount", currency: .fixed("EUR"),
            statuses: ["ok": .paid])
        mapping.method = "/via/name"
        mapping.agreement = "/series"
        let body = #"{"order":"R","status":"ok","amount":100,"via":{"name":"card"},"series":7}"#
        let told = MappedInterpretation.notification(Array(body.utf8), mapping: mapping)
        #expect(told.method == "card" && told.agreement == "7")
        mapping.method = "via"
        #expect(throws: SettingsError.self) { try mapping.check() }
    }
}
