import Payments
import Testing

@testable import Providers

@Suite struct FieldVariantTests {
    static let mapping: FieldMapping = {
        var mapping = FieldMapping(
            identity: ["/id"], reference: "/o", transaction: "/x/id", status: "/type",
            amount: "/x/amount", currency: .pointer("/x/currency"), statuses: ["paid": .paid])
        var refund = mapping
        refund.transaction = "/x/of"
        refund.action = "/x/id"
        refund.status = "/x/status"
        refund.statuses = ["ok": .refunded, "7": .refundFailed]
        mapping.variants = [
            FieldMapping.Variant(pointer: "/x/kind", words: ["refund", "2"], fields: refund)
        ]
        return mapping
    }()

    private func effect(_ body: String) -> Effect {
        let bytes = Array(body.utf8)
        return MappedInterpretation.notification(bytes, mapping: Self.mapping)
            .effect
    }

    @Test func `the first variant that fits is read`() {
        #expect(
            effect(
                #"{"id":"1","o":"R","type":"paid","x":{"id":"P","amount":5,"currency":"EUR"}}"#)
                == .attempt(.paid, .of(5, "EUR")))
        for kind in [#""refund""#, "2"] {
            let body = """
                {"id":"2","type":"paid","x":{"id":"F","of":"P","kind":\(kind),"status":"ok",
                "amount":3,"currency":"EUR"}}
                """
            #expect(effect(body) == .refund(id: "F", .succeeded, .of(3, "EUR")))
        }
        // Another kind is read by the main fields; the words of a variant do not apply to it.
        #expect(
            effect(#"{"id":"2","type":"ok","x":{"of":"P","kind":"other","status":"ok"}}"#) == .none)
    }

    @Test(
        arguments: [
            ("eur", .of(5, "EUR")), ("EUR", .of(5, "EUR")), ("Eur", nil), ("eu", nil), ("€", nil),
        ] as [(String, Money?)])
    func `currencies may be written in small letters`(_ code: String, _ money: Money?) {
        let body = """
            {"id":"1","o":"R","type":"paid","x":{"id":"P","amount":5,"currency":"\(code)"}}
            """
        // A payment with an unreadable currency needs review.
        #expect(effect(body) == (money.map { .attempt(.paid, $0) } ?? .doubt))
    }

    @Test func `samples are written where the variant reads`() throws {
        let sample = MappedSample(mapping: Self.mapping)
        let body = try sample.body(.sample(.refunded))
        #expect(
            MappedInterpretation.notification(body, mapping: Self.mapping).effect
                == .refund(id: SampleEvent.sample(.refunded).actionID, .succeeded, .of(4200, "MYR"))
        )
        #expect(throws: SenderError.unsupported(.disputed)) {
            try sample.body(.sample(.disputed))
        }
    }

    @Test func `variants that cannot work are named`() {
        func key(_ change: (inout FieldMapping.Variant) -> Void) -> String? {
            var mapping = Self.mapping
            change(&mapping.variants[0])
            do throws(SettingsError) { try mapping.check() } catch { return error.key }
            return nil
        }
        #expect(key { _ in } == nil)
        #expect(
            key { $0.conditions = [Condition("/x/kind", .isOneOf([]))] } == "fields.variants[0].is")
        #expect(
            key { $0.conditions = [Condition("x", .isOneOf(["a"]))] } == "fields.variants[0].when")
        #expect(key { $0.fields.status = "x" } == "fields.variants[0].status")
        #expect(key { $0.fields.statuses = [:] } == "fields.variants[0].statuses")
    }
}
