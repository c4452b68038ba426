import Bytes
import Payments

/// The fields of a notification as bytes, sorted by name: in the charset in which Alipay signed
/// them, so that no text has to be converted.
struct AlipayForm {
    private(set) var fields: [RawForm.Field]

    /// - Throws: ``Refusal``, malformed, as ``RawForm``.
    init(parsing body: [UInt8], work: inout VerificationWork) throws(Refusal) {
        let form = try RawForm(parsing: body[...], work: &work)
        // At most 256 names are compared eight times each.
        try work.spend(8 * form.all.reduce(0) { $0 + $1.name.count })
        fields = form.all.sorted { $0.name.span.precedes($1.name.span) }
    }

    /// The value of a field; nil if it is absent.
    subscript(_ name: StaticString) -> [UInt8]? {
        fields.first { $0.name[...].spells(name) }?.value
    }

    /// The same with all values decoded once more, as earlier releases of Alipay's Node library
    /// read them; nil where one cannot be, or nothing would change.
    var decodedAgain: AlipayForm? {
        guard fields.contains(where: { $0.value.contains(UInt8(ascii: "%")) }) else { return nil }
        var again = self
        for (place, field) in fields.enumerated() {
            guard let value = PercentEncoding.decode(field.value[...]) else { return nil }
            again.fields[place].value = value
        }
        return again
    }

    /// The text that is signed: `name=value` of all fields but the signature, joined by `&`.
    ///
    /// - Parameter withType: Whether `sign_type` is part of it.
    func text(withType: Bool) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(fields.reduce(0) { $0 + $1.name.count + $1.value.count + 2 })
        for field in fields where !field.name[...].spells("sign") {
            if !withType, field.name[...].spells("sign_type") { continue }
            if !text.isEmpty { text.append(UInt8(ascii: "&")) }
            text += field.name
            text.append(UInt8(ascii: "="))
            text += field.value
        }
        return text
    }

    /// Refuses a form whose signed text has a second reading about what is read here: the text
    /// escapes neither `&` nor `=`, and a customer may choose the words of some values.
    ///
    /// - Throws: ``Refusal``, unauthenticated: `signed_key_ambiguous`, `signed_value_ambiguous`.
    func requireUnambiguous() throws(Refusal) {
        for field in fields {
            guard
                !field.name.contains(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "&") })
            else {
                throw .unauthenticated("signed_key_ambiguous", "the name of a field holds = or &")
            }
            var rest = field.value[...]
            while let mark = rest.firstIndex(of: UInt8(ascii: "&")) {
                rest = rest[(mark + 1)...]
                let isRead = Self.readNames.contains { field.name[...].spells($0) }
                guard !isRead, !Self.readNames.contains(where: { Self.begins(rest, with: $0) })
                else {
                    throw .unauthenticated(
                        "signed_value_ambiguous",
                        "the value of \(field.name.span.text) reads as another field")
                }
            }
        }
    }

    private static func begins(_ text: ArraySlice<UInt8>, with name: StaticString) -> Bool {
        let count = name.utf8CodeUnitCount
        return text.count > count && text[text.startIndex + count] == UInt8(ascii: "=")
            && text.prefix(count).spells(name)
    }

    /// The fields that verification and interpretation read.
    private static let readNames: [StaticString] = [
        "app_id", "seller_id", "partner", "sign", "sign_type", "notify_type", "notify_id",
        "notify_time", "notify_action_type", "trade_no", "out_trade_no", "trade_status",
        "total_amount", "total_fee", "currency", "trans_currency", "refund_fee", "refund_status",
        "out_biz_no",
        "gmt_payment", "gmt_refund", "gmt_close", "gmt_create",
    ]
}
