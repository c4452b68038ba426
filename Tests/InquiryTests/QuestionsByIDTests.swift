import Payments
import Providers
import Store
import Testing

@testable import Inquiry

/// Questions to a provider that knows no references, such as PayPal.
@Suite struct QuestionsByIDTests {
    private let name = OrderName(endpoint: "e", reference: "R-1")

    private func questions(_ told: Notification...) throws -> [InquiryQuestion] {
        let target = try Merchant.target("paypal", 0, InquirySchedule())
        return target.questions(about: name, told.reduce(Order()) { $0.applying($1) })
    }

    private func told(
        _ effect: Effect, _ transaction: String, _ reference: String? = "R-1",
        isUnconfirmed: Bool = false
    ) -> Notification {
        Notification(
            id: "\(effect) \(transaction)", kind: "payment", status: "s", reference: reference,
            transaction: transaction, effect: effect, flags: isUnconfirmed ? [.unconfirmed] : [])
    }

    @Test func `every id is asked about, unconfirmed ones first`() throws {
        let asked = try questions(
            told(.attempt(.pending, nil), "O-1"),
            told(.attempt(.authorized, nil), "Z-A", isUnconfirmed: true),
            told(.capture(id: "Z-C", .succeeded, nil), "Z-A", nil, isUnconfirmed: true),
            told(.refund(id: "F-1", .pending, nil), "Z-C", nil))
        #expect(asked.map(\.value) == ["Z-A", "Z-C", "O-1", "F-1"])
        #expect(asked.map(\.subject) == [.payment, .payment, .payment, .refund])
        #expect(asked.allSatisfy { $0.name == .transaction })
        #expect(asked[0].reference == "R-1")
    }

    @Test func `there are no more questions than allowed, and none without an id`() throws {
        #expect(try questions().isEmpty)
        let target = try Merchant.target("paypal", 0, InquirySchedule())
        #expect(target.questions(about: name, nil).isEmpty)
        let known = (1...9).map { told(.attempt(.paid, nil), "T-\($0)", isUnconfirmed: $0 > 8) }
        let order = known.reduce(Order()) { $0.applying($1) }
        let asked = target.questions(about: name, order)
        #expect(asked.count == InquiryService.questionsMax && asked.first?.value == "T-9")
    }
}
