import Bytes
import Cryptography
import Payments

@testable import Providers

// The first byte chooses a form of body, and the rest is a body, as a genuine sender or anyone else
// might send it. The recipe has a signature over values of the body, a fan-out, variants, joined
// words, prefixes, units of its own and test events. Nothing is verified by accident, reading a
// body twice gives the same, and nothing that is not understood, unknown or a test takes money.

private let secret = Array("fuzz".utf8)
private let fields = makeFields()
private let providers = [Recipe.BodyForm.json, .form].map(makeProvider)

private func makeFields() -> FieldMapping {
    var fields = FieldMapping(
        identity: ["/id", .optional("/part")], reference: .first(["/order", .root("/order")]),
        transaction: .prefixed("p_", of: "/payment"), action: "/action",
        status: .join(["/kind", .optional("/state")], with: "."), amount: "/amount",
        currency: .first(["/currency", .text("ISK")]), occurred: "/at",
        statuses: ["p.paid": .paid, "p.back": .reversed, "x.*": .ignored, "d.": .chargedBack])
    fields.exponents = ["ISK": 2]
    fields.occurredForm = .milliseconds
    fields.test = [Condition("/live", .isOneOf(["false"])), Condition("/id", .endsWith(["_0"]))]
    var refund = fields
    refund.statuses = ["r.ok": .refunded]
    refund.amountForm = .decimal
    refund.withoutAmount = true
    var batch = fields
    batch.each = FieldMapping.FanOut("/events", max: 5)
    batch.variants = [
        FieldMapping.Variant(conditions: [Condition("/kind", .isOneOf(["r"]))], fields: refund)
    ]
    fields.variants = [
        FieldMapping.Variant(
            conditions: [Condition("/events", .isPresent(true))], fields: batch),
        FieldMapping.Variant(
            conditions: [Condition("/kind", .startsWith(["r"]))], fields: refund),
    ]
    return fields
}

private func makeProvider(_ form: Recipe.BodyForm) -> RecipeProvider {
    let template = SignedTemplate(
        parts: [.pointer("/order"), .literal([UInt8(ascii: "|")]), .pointer("/sum")])
    var settings = EndpointSettings(name: "f")
    settings.secrets = [secret]
    guard
        let provider = try? RecipeProvider(
            .signature(HMACScheme(at: .pointer("/sign"), content: template)), body: form,
            fields: fields, settings: settings)
    else { preconditionFailure("the settings can be used") }
    return provider
}

private func check(_ events: [Notification]) {
    precondition(!events.isEmpty && events.count <= 5)
    for event in events {
        precondition(!event.id.isEmpty)
        let isUnclear = !Set(event.flags).isDisjoint(
            with: [.notUnderstood, .unknownStatus, .testMode])
        precondition(!isUnclear || event.effect == .none || event.effect == .doubt)
        if case .attempt(.paid, nil) = event.effect { preconditionFailure("paid without a sum") }
    }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRecipe(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = bytes.first else { return 0 }
    let body = Array(bytes.dropFirst())
    let form = first & 1 == 0 ? Recipe.BodyForm.json : .form
    let reading = MappedInterpretation(fields, body: form)
    let events = reading.notifications(body)
    check(events)
    precondition(events == reading.notifications(body))
    let delivery = SignedRequest(
        path: Array("/f".utf8)[...], headers: [], body: body,
        received: Timestamp(microseconds: 1_700_000_000_000_000))
    // Without the secret nothing verifies.
    precondition((try? providers[first & 1 == 0 ? 0 : 1].verify(delivery)) == nil)
    return 0
}
