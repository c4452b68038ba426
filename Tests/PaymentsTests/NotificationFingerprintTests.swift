import Payments
import Testing

@Suite struct NotificationFingerprintTests {
    private let original = notification(.attempt(.paid, money(100)))

    @Test func `a repetition has the same content`() {
        var retry = original
        retry.occurred = Timestamp(microseconds: 1)
        retry.transaction = nil
        retry.flags = [.testMode]
        #expect(retry.contentBytes == original.contentBytes)
    }

    @Test(arguments: [
        notification(.attempt(.paid, money(101))), notification(.attempt(.paid, money(-100))),
        notification(.attempt(.paid, money(100, "EUR"))), notification(.attempt(.paid, nil)),
        notification(.attempt(.failed, money(100))),
        notification(.attempt(.paid, money(100)), reference: nil),
        notification(.attempt(.paid, money(100)), reference: "R2"),
        notification(.attempt(.paid, money(100)), reference: ""),
        notification(.capture(id: "", .succeeded, money(100))),
        notification(.refund(id: "", .succeeded, money(100))),
        notification(.dispute(id: "", .won, money(100))), notification(.none),
        notification(.reversal(.operation, id: "", .succeeded, money(100))),
        notification(.reversal(.dispute, id: "", .succeeded, money(100))),
        notification(
            .unclearRefund(
                id: "", .succeeded,
                RefundClaim(amount: money(100), refunded: nil, moment: nil))),
        notification(.doubt),
    ])
    func `another amount currency reference or status is other content`(other: Notification) {
        #expect(other.contentBytes != original.contentBytes)
    }

    @Test func `the canonical bytes never change`() {
        #expect(
            original.contentBytes == [1, 7, 1, 100, 0, 0, 0, 0, 0, 0, 0, 0x31, 0x22, 1, 0x52])
        #expect(notification(.none, reference: nil).contentBytes == [0, 0, 0, 0])
    }
}
