import PaymentNotifications

/// The examples in the comments on orders and money. `CommentSamplesTests` expects each of their
/// lines here, so that they are compiled.
enum CommentSamples {
    static func money(ringgit: Currency, euro: Currency, yen: Currency) -> [Any?] {
        let price = Money(minor: 4200, currency: ringgit)
        return [
            price.description,  // "42.00 MYR"
            Money(decimal: "92.5", currency: euro)?.minor,  // 9250
            Money(decimal: "5.00", currency: yen),  // nil: yen have no decimals
            Money(decimal: "5.00", currency: yen, allowingTrailingZeros: true)?.minor,  // 5
        ]
    }

    static func effect(of notification: Notification) {
        switch notification.effect {
        case .attempt(.paid, let amount): print("paid", amount?.description ?? "an unknown sum")
        case .refund(let id, .succeeded, _): print("refund", id)
        default: break
        }
    }

    static func paid(_ amount: Money) -> Money? {
        let paid = Notification(
            id: "1", kind: "payment", status: "paid", reference: "R-1", transaction: "T-1",
            effect: .attempt(.paid, amount))
        return Order().applying(paid).applying(paid).summary.captured
    }

    static func orders(
        _ notifications: [Notification], early: Order, price: Money,
        ship: (Money?) -> Void
    ) -> [Order?] {
        var order = Order()
        for notification in notifications { order.apply(notification) }
        if order.status == .paid { ship(order.summary.captured) }
        order = order.registering(Expectation(amount: price), reference: "R-1")
        // A payment of any other sum is now `review`, with the flag `amount_unexpected`.
        // A refund that named only its payment's id came before the payment.
        let whole = early.merging(order)
        let facts = order.encoded()
        let read = Order(encoded: facts)  // equal to `order`
        return [order, whole, read]
    }
}
