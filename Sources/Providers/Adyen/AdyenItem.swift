import JSON
import Payments

/// A `NotificationRequestItem`: the fields that are signed, absent or null as nothing.
package struct AdyenItem: Sendable {
    let psp, original, account, reference, value, currency, event, success: ArraySlice<UInt8>

    /// Base64 of the code of the signed text.
    let signature: ArraySlice<UInt8>

    /// The item itself. All else in it is not signed.
    let unsigned: JSONValue

    /// The text that is signed.
    ///
    /// - Parameter isEscaped: With `\` before each `\` and `:`, as it is not.
    func signedText(isEscaped: Bool = false) -> [UInt8] {
        let fields = [psp, original, account, reference, value, currency, event, success]
        let colon = UInt8(ascii: ":"), backslash = UInt8(ascii: "\\")
        guard isEscaped else { return Array(fields.joined(separator: [colon])) }
        let escaped = fields.map { field in
            field.flatMap { $0 == colon || $0 == backslash ? [backslash, $0] : [$0] }
        }
        return Array(escaped.joined(separator: [colon]))
    }

    /// All items of a body.
    ///
    /// - Throws: ``Refusal``, malformed: `body_malformed`; unauthenticated: `signature_missing`.
    static func items(
        in root: JSONValue, work: inout VerificationWork
    ) throws(Refusal) -> [AdyenItem] {
        var items: [AdyenItem] = []
        for element in root["notificationItems"]?.elements ?? root.elements {
            guard let item = element["NotificationRequestItem"], item.kind == .object else {
                throw unreadable("an item has no NotificationRequestItem")
            }
            // Each field is looked for; only names of its length are compared.
            try work.spend(4 * item.rawBytes.count)
            items.append(try AdyenItem(item))
        }
        guard !items.isEmpty else { throw unreadable("there are no notificationItems") }
        return items
    }

    private init(_ item: JSONValue) throws(Refusal) {
        func text(_ value: JSONValue?) throws(Refusal) -> ArraySlice<UInt8> {
            guard let value, !value.isNull else { return [] }
            guard let text = value.utf8 else { throw Self.unreadable("a signed field is no text") }
            return text
        }
        let amount = item["amount"]
        guard let value = amount?["value"], value.kind == .number,
            !value.rawBytes.contains(where: { ".eE".utf8.contains($0) })
        else { throw Self.unreadable("amount.value is not a whole number") }
        psp = try text(item["pspReference"])
        original = try text(item["originalReference"])
        account = try text(item["merchantAccountCode"])
        reference = try text(item["merchantReference"])
        self.value = value.rawBytes
        currency = try text(amount?["currency"])
        event = try text(item["eventCode"])
        success = try text(item["success"])
        signature = try text(item["additionalData"]?["hmacSignature"])
        unsigned = item
        guard !signature.isEmpty else {
            throw .unauthenticated("signature_missing", "an item has no hmacSignature")
        }
    }

    private static func unreadable(_ detail: String) -> Refusal {
        .malformed("body_malformed", detail)
    }
}

// MARK: Amounts

extension AdyenItem {
    /// The amount of this operation; nil where it cannot be read, or is a fraction of the
    /// currency's smallest unit.
    var amount: Money? {
        guard let currency = Currency(listed: currency.span),
            let value = Int64(String(decoding: value, as: UTF8.self)),
            let minor = Self.scaled(value, up: Self.isCoarser(currency), by: currency)
        else { return nil }
        return Money(minor: minor, currency: currency)
    }

    /// The same in Adyen's own decimals.
    static func value(_ money: Money) -> Int64? {
        scaled(money.minor, up: !isCoarser(money.currency), by: money.currency)
    }

    /// Currencies with decimals that ISO 4217 does not give them, and those without the two that it
    /// does (docs.adyen.com/development-resources/currency-codes).
    private static let finer = ["CLP", "ISK"], coarser = ["CVE", "IDR"]

    private static func isCoarser(_ currency: Currency) -> Bool { coarser.contains(currency.code) }

    private static func scaled(_ value: Int64, up isUp: Bool, by currency: Currency) -> Int64? {
        guard (finer + coarser).contains(currency.code) else { return value }
        guard isUp else { return value % 100 == 0 ? value / 100 : nil }
        let (product, overflow) = value.multipliedReportingOverflow(by: 100)
        return overflow ? nil : product
    }
}
