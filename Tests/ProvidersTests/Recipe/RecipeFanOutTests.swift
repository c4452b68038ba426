import Payments
import Testing

@testable import Providers

@Suite struct RecipeFanOutTests {
    private static let fields: FieldMapping = {
        var fields = FieldMapping(
            identity: ["/id"], reference: "/order", transaction: "/payment",
            status: .join(["/kind", "/action"], with: "."), amount: "/amount",
            currency: .root("/currency"),
            statuses: ["payments.paid": .paid, "payments.failed": .failed, "mandates.*": .ignored])
        fields.each = FieldMapping.FanOut("/events", max: 3)
        return fields
    }()

    private func element(_ id: Int, _ amount: String = "5", kind: String = "payments") -> String {
        #"{"id":"E\#(id)","kind":"\#(kind)","action":"paid","order":"R\#(id)","#
            + #""payment":"P\#(id)","amount":\#(amount)}"#
    }

    private func read(_ elements: [String], _ fields: FieldMapping = fields) -> [Notification] {
        let list = elements.joined(separator: ",")
        return RecipeShop.read(#"{"currency":"EUR","events":[\#(list)]}"#, fields)
    }

    @Test func `every element is an event of its own`() {
        let events = read([element(1), element(2), element(3, kind: "mandates")])
        #expect(events.map(\.reference) == ["R1", "R2", "R3"])
        #expect(Set(events.map(\.id)).count == 3)
        #expect(events[0].effect == .attempt(.paid, .of(5, "EUR")))
        #expect(events[2].effect == .none && events[2].kind == "other")
    }

    @Test func `one that cannot be read does not hold up the others`() {
        let events = read([element(1), #"{"odd":true}"#, element(2, "-1")])
        #expect(events.count == 3)
        #expect(events[0].effect == .attempt(.paid, .of(5, "EUR")) && events[0].flags.isEmpty)
        #expect(events[1].flags == [.notUnderstood] && events[1].effect == .none)
        #expect(events[2].flags == [.notUnderstood] && events[2].effect == .doubt)
        #expect(events[2].reference == "R2" && Set(events.map(\.id)).count == 3)
        #expect(read(["7", "null", "[]"]).allSatisfy { $0.flags == [.notUnderstood] })
    }

    @Test func `an empty array is one ignored event`() {
        let events = read([])
        #expect(events.count == 1 && events[0].effect == .none && events[0].flags.isEmpty)
        #expect(events[0].kind == "other" && events[0].status == "ignored")
    }

    @Test func `without the array, or with too many elements, nothing is believed`() {
        for body in [#"{"events":{}}"#, #"{"a":1}"#, "[]", #"{"events":null}"#] {
            let events = RecipeShop.read(body, Self.fields)
            #expect(events.count == 1 && events[0].flags == [.notUnderstood], "\(body)")
        }
        let events = read((1...4).map { element($0) })
        #expect(events.count == 1 && events[0].flags == [.notUnderstood])
    }

    @Test func `an element without an identity is told apart by its bytes`() {
        var fields = Self.fields
        fields.identity = []
        let events = read([element(1), element(2), element(1)], fields)
        #expect(events[0].id != events[1].id && events[0].id == events[2].id)
    }

    @Test func `a variant may fan out by itself`() {
        var fields = RecipeShop.fields
        var captures = FieldMapping(
            identity: [.root("/id"), "/capture"], reference: .root("/order"),
            transaction: .root("/payment"), action: "/capture", status: .root("/type"),
            amount: "/sum", currency: .root("/currency"), statuses: ["captured": .captured])
        captures.each = FieldMapping.FanOut("/captures")
        fields.variants = [
            FieldMapping.Variant(
                conditions: [Condition("/captures", .isPresent(true))], fields: captures)
        ]
        let events = RecipeShop.read(
            #"""
            {"id":"1","type":"captured","order":"R","payment":"P","currency":"EUR",
            "captures":[{"capture":"C1","sum":3},{"capture":"C2","sum":4}]}
            """#, fields)
        #expect(
            events.map(\.effect) == [
                .capture(id: "C1", .succeeded, .of(3, "EUR")),
                .capture(id: "C2", .succeeded, .of(4, "EUR")),
            ])
        let plain = RecipeShop.read(
            #"{"id":"1","type":"paid","order":"R","payment":"P","currency":"EUR","amount":9}"#,
            fields)
        #expect(plain.map(\.effect) == [.attempt(.paid, .of(9, "EUR"))])
    }

    @Test func `variants of elements choose by the element`() {
        var fields = Self.fields
        var later = fields
        later.each = nil
        later.statuses = ["payments.paid": .pending]
        fields.variants = [
            FieldMapping.Variant(
                conditions: [Condition("/later", .isOneOf(["true"]))], fields: later)
        ]
        let events = read(
            [element(1).replacing("{", with: #"{"later":true,"#), element(2)], fields)
        #expect(events.map(\.status) == ["pending", "paid"])
    }

    @Test func `mistakes of a fan-out are named`() {
        var nested = Self.fields
        nested.variants = [
            FieldMapping.Variant(
                conditions: [Condition("/a", .isPresent(true))], fields: Self.fields)
        ]
        #expect(throws: SettingsError.self) { try nested.check() }
        var none = Self.fields
        none.each = FieldMapping.FanOut("events")
        #expect(throws: SettingsError.self) { try none.check() }
        none.each = FieldMapping.FanOut("/events", max: 0)
        #expect(throws: SettingsError.self) { try none.check() }
    }
}
