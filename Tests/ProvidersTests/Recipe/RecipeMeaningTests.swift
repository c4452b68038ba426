import Payments
import Testing

@testable import Providers

@Suite struct RecipeMeaningTests {
    private func body(
        _ type: String, amount: String? = "4200", currency: String = "\"EUR\"", more: String = ""
    ) -> String {
        let sum = amount.map { #","amount":\#($0)"# } ?? ""
        return #"{"id":"1","order":"R","payment":"P","action":"A","type":"\#(type)""#
            + #","currency":\#(currency)\#(sum)\#(more)}"#
    }

    private func read(
        _ body: String, _ change: (inout FieldMapping) -> Void,
        settings: [String: SettingValue?] = [:]
    ) -> Notification {
        RecipeShop.read(body, RecipeShop.fields(change), settings: settings)[0]
    }

    @Test func `exact words come before the longest beginning`() {
        let words: [String: EventType] = [
            "x.*": .ignored, "x.paid.*": .paid, "x.paid.late": .failed, "*": .pending,
        ]
        let expected: [(String, EventType)] = [
            ("x.paid.late", .failed), ("x.paid.now", .paid), ("x.other", .ignored), ("y", .pending),
        ]
        for (word, type) in expected {
            let read = read(body(word)) { $0.statuses = words }
            #expect(read.kind == type.kind && read.status == type.status, "\(word)")
        }
    }

    @Test func `unknown words are kept and flagged, and never paid`() {
        for word in ["PAID", "paid ", "p\u{430}id", "*"] {
            let read = read(body(word)) { _ in }
            #expect(read.effect == .none && read.flags == [.unknownStatus] && read.status == word)
        }
    }

    @Test func `a word may bring flags`() {
        let read = read(body("warned")) {
            $0.statuses["warned"] = .ignored
            $0.statusFlags["warned"] = [.providerReview]
        }
        #expect(read.effect == .none && read.flags == [.providerReview] && read.kind == "other")
    }

    @Test func `what is undone may be a payment or an operation`() {
        let read = read(body("back")) { $0.statuses["back"] = .reversed }
        #expect(read.effect == .reversal(.operation, id: "A", .succeeded, .of(4200, "EUR")))
        #expect(read.ids == .anything && read.transaction == "P" && read.kind == "reversal")
        let whole = self.read(body("back", amount: nil)) { $0.statuses["back"] = .reversed }
        #expect(whole.effect == .reversal(.operation, id: "A", .succeeded, nil))
        // An unreadable sum is not all of it.
        let unreadable = self.read(body("back", amount: "-1")) { $0.statuses["back"] = .reversed }
        #expect(unreadable.effect == .doubt && unreadable.flags == [.notUnderstood])
    }

    @Test func `paid without a sum counts only where the recipe says so`() {
        #expect(read(body("paid", amount: nil)) { _ in }.effect == .doubt)
        let change = { (fields: inout FieldMapping) in fields.withoutAmount = true }
        #expect(read(body("paid", amount: nil), change).effect == .attempt(.paid, nil))
        #expect(read(body("paid", amount: "null"), change).effect == .attempt(.paid, nil))
        #expect(
            read(body("refunded", amount: nil), change).effect == .refund(id: "A", .succeeded, nil))
        // A sum that is there has to be readable.
        for bad in ["\"1.5\"", "{}", "1e3", "-5"] {
            #expect(read(body("paid", amount: bad), change).effect == .doubt, "\(bad)")
        }
        let noCurrency = body("paid", currency: "null")
        #expect(read(noCurrency, change).effect == .doubt)
    }

    @Test(arguments: [
        ("ISK", 2, "50000", 500 as Int64?), ("ISK", 2, "50050", nil), ("UGX", 2, "100", 1),
        ("MGA", 0, "5", 500), ("MGA", 0, "92233720368547759", nil), ("CLP", 2, "120000", 1200),
        ("CLP", 2, "120001", nil), ("EUR", 2, "4200", 4200),
    ])
    func `units of the provider's own are exact or not understood`(
        _ code: String, _ decimals: Int, _ digits: String, _ minor: Int64?
    ) {
        let read = read(body("paid", amount: digits, currency: "\"\(code)\"")) {
            $0.exponents = [code: decimals]
        }
        #expect(read.effect == (minor.map { .attempt(.paid, .of($0, code)) } ?? .doubt))
    }

    @Test(arguments: [
        ("16.66", "EUR", 1666 as Int64?), ("\"16.66\"", "EUR", 1666), ("10.5", "EUR", 1050),
        ("10.50", "EUR", 1050), ("62723", "JPY", 62723), ("0.1", "KWD", 100), ("1.00", "JPY", 1),
        ("1.5", "JPY", nil), ("16.666", "EUR", nil), ("1e2", "EUR", nil), ("-1.00", "EUR", nil),
        ("9007199254740993.01", "EUR", 900_719_925_474_099_301),
    ])
    func `sums in major units are read by their digits`(
        _ amount: String, _ code: String, _ minor: Int64?
    ) {
        let read = read(body("paid", amount: amount, currency: "\"\(code)\"")) {
            $0.amountForm = .decimal
        }
        #expect(read.effect == (minor.map { .attempt(.paid, .of($0, code)) } ?? .doubt))
    }

    @Test func `a running total is a bound and no refund`() {
        let fields = { (fields: inout FieldMapping) in
            fields.refundedAtLeast = "/total"
            fields.statuses["total"] = .ignored
        }
        let read = read(body("total", more: #","total":300"#), fields)
        #expect(read.refundedAtLeast == .of(300, "EUR") && read.effect == .none)
        #expect(self.read(body("paid", more: #","total":0"#), fields).refundedAtLeast == nil)
        #expect(self.read(body("paid", more: #","total":"x""#), fields).refundedAtLeast == nil)
    }

    @Test func `reason, alias, method and time are kept`() {
        let more = #","code":5,"why":"\#(String(repeating: "é", count: 300))","own":"O","at":"#
        let change = { (fields: inout FieldMapping) in
            fields.reason = FieldMapping.ReasonSource(code: "/code", message: "/why")
            fields.alias = "/own"
            fields.occurred = "/at"
            fields.occurredForm = .milliseconds
        }
        let read = read(body("failed", more: more + "1790000061123"), change)
        #expect(read.reason?.code == "5" && read.reason?.message.utf8.count == 256)
        #expect(read.alias == "O")
        #expect(read.occurred == Timestamp(epochMilliseconds: 1_790_000_061_123))
        let seconds = self.read(body("failed", more: more + "1790000061"), change)
        #expect(seconds.occurred == nil && seconds.flags.isEmpty)
    }

    @Test func `test events never count at a live endpoint`() {
        let change = { (fields: inout FieldMapping) in
            fields.test = [
                Condition("/live", .isOneOf(["false"])), Condition("/id", .endsWith(["_00"])),
            ]
        }
        let test = body("paid", more: #","live":false"#)
        let live = read(test, change)
        #expect(live.effect == .none && live.flags == [.testMode] && live.status == "test_mode")
        #expect(live.kind == "payment" && live.reference == "R")
        let counted = read(test, change, settings: ["mode": "test"])
        #expect(counted.effect == .attempt(.paid, .of(4200, "EUR")))
        #expect(counted.flags == [.testMode])
        let genuine = read(body("paid", more: #","live":true"#), change)
        #expect(genuine.effect == .attempt(.paid, .of(4200, "EUR")) && genuine.flags.isEmpty)
        // An unknown word and an unreadable sum do not make more of it.
        #expect(read(body("magic", more: #","live":false"#), change).flags == [.testMode])
        #expect(read(body("paid", amount: "x\"", more: ""), change).effect == .none)
    }

    @Test func `samples with one id are told apart by what they name`() {
        let change = { (fields: inout FieldMapping) in
            fields.test = [Condition("/id", .isOneOf(["1"]))]
        }
        let one = read(body("paid"), change)
        let other = read(
            body("paid").replacing("\"payment\":\"P\"", with: "\"payment\":\"Q\""), change)
        #expect(one.id != other.id)
    }
}
