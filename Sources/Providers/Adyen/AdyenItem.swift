import Bytes
import JSON
import Payments

/// A `NotificationRequestItem`.
package struct AdyenItem: Sendable {
    // Signed, absent or null as nothing.
    private(set) var psp: ArraySlice<UInt8> = []
    private(set) var original: ArraySlice<UInt8> = []
    private(set) var account: ArraySlice<UInt8> = []
    private(set) var reference: ArraySlice<UInt8> = []
    private(set) var value: ArraySlice<UInt8> = []
    private(set) var currency: ArraySlice<UInt8> = []
    private(set) var event: ArraySlice<UInt8> = []
    private(set) var success: ArraySlice<UInt8> = []

    // Not signed: for people, and nothing is decided by them.
    private(set) var date: ArraySlice<UInt8>?
    private(set) var reason: String?
    private(set) var method: String?

    /// Base64 of the code of ``signedText``.
    private(set) var signature: ArraySlice<UInt8> = []

    /// The text that is signed.
    var signedText: [UInt8] {
        Array(
            [psp, original, account, reference, value, currency, event, success]
                .joined(separator: [UInt8(ascii: ":")]))
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
                throw malformed("an item has no NotificationRequestItem")
            }
            // One pass over its members, and two over those of its parts.
            try work.spend(3 * item.rawBytes.count)
            items.append(try AdyenItem(item))
        }
        guard !items.isEmpty else { throw malformed("there are no notificationItems") }
        return items
    }

    private init(_ item: JSONValue) throws(Refusal) {
        var texts: [(path: WritableKeyPath<AdyenItem, ArraySlice<UInt8>>, value: JSONValue)] = []
        var amount: JSONValue?
        var data: JSONValue?
        item.forEachMember { name, value in
            switch name.count {
            case _ where name.spells("pspReference"): texts.append((\.psp, value))
            case _ where name.spells("originalReference"): texts.append((\.original, value))
            case _ where name.spells("merchantAccountCode"): texts.append((\.account, value))
            case _ where name.spells("merchantReference"): texts.append((\.reference, value))
            case _ where name.spells("eventCode"): texts.append((\.event, value))
            case _ where name.spells("success"): texts.append((\.success, value))
            case _ where name.spells("amount"): amount = value
            case _ where name.spells("additionalData"): data = value
            case _ where name.spells("eventDate"): date = value.utf8
            case _ where name.spells("reason"): reason = value.string
            case _ where name.spells("paymentMethod"): method = value.word
            default: break
            }
        }
        guard let minor = amount?["value"], minor.isInteger else {
            throw Self.malformed("amount.value is not a whole number")
        }
        value = minor.rawBytes
        if let code = amount?["currency"] { texts.append((\.currency, code)) }
        if let code = data?["hmacSignature"] { texts.append((\.signature, code)) }
        for (path, value) in texts where !value.isNull {
            guard let text = value.utf8 else {
                throw Self.malformed("a signed field is not a text")
            }
            self[keyPath: path] = text
        }
        guard !signature.isEmpty else {
            throw .unauthenticated("signature_missing", "an item has no hmacSignature")
        }
    }

    static func malformed(_ detail: String) -> Refusal { .malformed("body_malformed", detail) }
}

extension JSONValue {
    /// Whether it is a number without fraction and exponent.
    fileprivate var isInteger: Bool {
        kind == .number
            && rawBytes.allSatisfy { $0 == UInt8(ascii: "-") || $0 >= UInt8(ascii: "0") }
            && !rawBytes.contains { $0 > UInt8(ascii: "9") }
    }
}

// MARK: Amounts

extension AdyenItem {
    /// Decimals in which Adyen differs from ISO 4217
    /// (docs.adyen.com/development-resources/currency-codes): CLP and ISK have two, CVE and IDR
    /// none.
    static func decimals(_ currency: Currency) -> Int {
        switch currency.code {
        case "CLP", "ISK": 2
        case "CVE", "IDR": 0
        default: currency.exponent
        }
    }

    /// The amount of this operation; nil where it cannot be read, or is a fraction of the
    /// currency's smallest unit.
    var amount: Money? {
        guard let currency = Currency(listed: currency.span),
            let value = Int64(String(decoding: value, as: UTF8.self))
        else { return nil }
        return Self.shifted(value, by: currency.exponent - Self.decimals(currency))
            .map { Money(minor: $0, currency: currency) }
    }

    /// `value` times ten to the power of `places`; nil where it does not fit or is a fraction.
    static func shifted(_ value: Int64, by places: Int) -> Int64? {
        var value = value
        for _ in 0..<abs(places) {
            guard places < 0 else {
                let (product, overflow) = value.multipliedReportingOverflow(by: 10)
                guard !overflow else { return nil }
                value = product
                continue
            }
            guard value % 10 == 0 else { return nil }
            value /= 10
        }
        return value
    }
}
