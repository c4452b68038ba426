import TestSupport
import Testing

@testable import Payments

/// An encoded order gives the same answers as the decoded one.
@Suite struct EncodedOrderTests {
    private static let names = [
        "", "T", "T1", "T2", "T3", "T4", "C1", "C2", "F1", "F2", "D1", "D2", "V1", "V2", "U1", "U2",
        "R1", "R2", "A1", "A2", "R", "W",
    ]

    private static func check(_ order: Order) {
        let bytes: [UInt8] = [0xff, 0xff] + order.encoded()
        let encoded = EncodedOrder(bytes[2...])
        for name in names {
            #expect(encoded.holds(name) == order.holds(name), "\(name) in \(order)")
            #expect(encoded.names(name) == order.names(name), "\(name) in \(order)")
            for role in [OrderReference.Role.alias, .operation, .payment] {
                #expect(
                    encoded.isKnown(as: name, role: role) == order.isKnown(as: name, role: role),
                    "\(name) in \(order)")
            }
        }
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `it answers as the order does`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var order = Order()
        Self.check(order)
        for notification in generator.notifications() + generator.notifications() {
            order.apply(notification)
            Self.check(order)
        }
        if seed % 2 == 0 {
            Self.check(order.registering(Expectation(amount: money(5)), reference: "R"))
        } else {
            let expires = Timestamp(microseconds: 1 << 40)
            Self.check(
                order.registering(
                    Expectation(amount: money(5, "EUR"), expires: expires), reference: "R1"))
        }
    }
}
