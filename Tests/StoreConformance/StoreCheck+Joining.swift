import Ledger
import Payments
import Records
import Store

extension StoreCheck {
    /// The orders that notifications belong to.
    static let joining = [
        StoreCheck("payments of two references are never one order: both are in review") { open in
            let store = try await open()
            _ = await store.outcome(Sample.payment("E-1", reference: "A"))
            _ = await store.outcome(Sample.payment("E-1", reference: "B"))
            _ = await store.outcome(Sample.refund("E-2"))
            let views = try await Sample.views(["A", "B"], store)
            for (view, rival) in zip(views, ["B", "A"]) {
                try expect(view?.order.status, is: .review, "status")
                try expect(view?.order.flags.contains(.sharedID), is: true, "flag")
                try expect(view?.rivals, is: [rival], "the other")
            }
            try expect(views.map { $0?.order.refunds.count }, is: [1, 0], "at the least of both")
            await store.close()
            let again = try await open()
            try expect(try await Sample.views(["A", "B"], again), is: views, "after a start")
            try expect(await again.act(Sample.split("A", views[0])), is: .recorded(4), "split")
            let apart = try await Sample.views(["A", "B"], again)
            try expect(apart.map { $0?.order.status }, is: [.paid, .review], "A is settled")
            try expect(apart[0]?.order.refunds.count, is: 0, "what came by an id is gone")
            await again.close()
            let last = try await open()
            try expect(try await Sample.views(["A", "B"], last), is: apart, "after a start")
            await last.close()
        },
        StoreCheck(on: "ids that are unique within a reference lead to no other order") { store in
            for reference in ["A", "B", "C"] {
                var payment = Sample.payment("E", reference: reference, transaction: "1")
                payment.ids = .reference
                _ = await store.outcome(payment)
            }
            for view in try await Sample.views(["A", "B", "C"], store) {
                try expect(view?.order.status, is: .paid, "status")
                try expect(view?.order.flags, is: [], "flags")
            }
        },
        StoreCheck(on: "an operation's own id leads to no payment") { store in
            for id in ["1", "2"] {
                _ = await store.outcome(Sample.payment("E-\(id)", reference: id, transaction: id))
            }
            _ = await store.outcome(Sample.refund("E-3", refund: "2", transaction: "1"))
            // Not even if it is the only name in the notification.
            _ = await store.outcome(Sample.refund("E-4", refund: "2", transaction: nil))
            _ = await store.outcome(Sample.refund("E-5", refund: "1", transaction: nil))
            let views = try await Sample.views(["1", "2"], store)
            try expect(
                views.map { $0?.order.status }, is: [.partiallyRefunded, .paid], "status")
        },
        StoreCheck(on: "a refund goes where it points, whatever reference it carries") { store in
            var refund = Sample.refund("E-1", transaction: "PAY-A")
            refund.reference = "B"
            let all = [
                refund, Sample.payment("E-2", reference: "B", transaction: "PAY-B"),
                Sample.payment("E-3", reference: "A", transaction: "PAY-A"),
            ]
            for (endpoint, row) in ["e": all, "f": all.reversed()] {
                for note in row { _ = await store.outcome(note, endpoint: endpoint) }
                let views = try await Sample.views(["A", "B"], store, endpoint)
                try expect(
                    views.map { $0?.order.status }, is: [.partiallyRefunded, .paid], endpoint)
            }
        },
        StoreCheck(on: "what points to an operation follows it, whatever came first") { store in
            // The refund names the capture, which names the payment; each has a reference.
            var capture = Notification(
                id: "E-2", kind: "capture", status: "succeeded", reference: "C",
                transaction: "PAY", effect: .capture(id: "CP", .succeeded, Sample.money(4200)))
            var refund = Sample.refund("E-3", refund: "RF", transaction: "CP")
            refund.reference = "R"
            var payment = Sample.payment("E-1", reference: "A", transaction: "PAY", .authorized)
            (payment.ids, capture.ids, refund.ids) = (.anything, .anything, .anything)
            let all = [payment, capture, refund]
            let rows = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
            for (number, row) in rows.enumerated() {
                let endpoint = "e\(number)"
                for place in row { _ = await store.outcome(all[place], endpoint: endpoint) }
                let views = try await Sample.views(["A", "C", "R"], store, endpoint)
                try expect(views[0]?.order.status, is: .partiallyRefunded, "\(row)")
                try expect(views[0]?.order.flags, is: [], "\(row)")
                try expect(
                    views.map { $0?.order.reference }, is: ["A", "A", "A"], "aliases, \(row)")
            }
        },
        StoreCheck(on: "every id, reference and alias of an order leads to it") { store in
            _ = await store.outcome(Sample.payment("E-1"))
            _ = await store.outcome(Sample.refund("E-2"))
            _ = await store.outcome(
                Notification(
                    id: "E-3", kind: "dispute", status: "lost", alias: "CASE-1",
                    transaction: "PAY-1",
                    effect: .dispute(id: "DSP-1", .lost, Sample.money(4200))))
            _ = await store.outcome(Sample.refund("E-4", refund: "REF-9", transaction: "PAY-9"))
            _ = await store.outcome(Sample.payment("E-1"), endpoint: "f")
            func names(_ text: String, _ endpoint: String? = "e") async throws -> [OrderName] {
                try await store.orders(knownAs: text, endpoint: endpoint).map(\.name)
            }
            let order = OrderName(endpoint: "e", reference: "REQ-1")
            for text in ["REQ-1", "PAY-1", "REF-1", "DSP-1", "CASE-1"] {
                try expect(try await names(text), is: [order], text)
            }
            let unjoined = OrderName(endpoint: "e", unjoined: "PAY-9")
            for text in ["PAY-9", "REF-9"] {
                try expect(try await names(text), is: [unjoined], text)
            }
            let elsewhere = OrderName(endpoint: "f", reference: "REQ-1")
            try expect(try await names("PAY-1", nil), is: [order, elsewhere], "of all endpoints")
            for text in ["pay-1", "PAY-2", "E-1", ""] {
                try expect(try await names(text, nil), is: [], text)
            }
        },
        StoreCheck(on: "one id leads to every order that holds it") { store in
            for name in ["B", "A"] {
                _ = await store.outcome(Sample.payment("E-\(name)", reference: name))
            }
            let found = try await store.orders(knownAs: "PAY-1", endpoint: nil)
            try expect(found.map(\.order.reference), is: ["A", "B"], "both")
            let own = try await store.orders(knownAs: "B", endpoint: nil)
            try expect(own.map(\.order.reference), is: ["B"], "one")
        },
        StoreCheck(on: "canonically equivalent ids are two") { store in
            _ = await store.outcome(Sample.payment("E-1"))
            for (number, id) in ["\u{E9}", "e\u{301}"].enumerated() {
                _ = await store.outcome(Sample.refund("R-\(number)", refund: id))
                _ = await store.outcome(
                    Sample.payment("P-\(number)", reference: id, transaction: "T\(number)"))
            }
            let views = try await Sample.views(["REQ-1", "\u{E9}", "e\u{301}"], store)
            try expect(views[0]?.order.refunded, is: Sample.money(2000), "refunded")
            try expect(views[1]?.order.attempts[0].transaction, is: "T0", "composed")
            try expect(views[2]?.order.attempts[0].transaction, is: "T1", "decomposed")
        },
        StoreCheck("every reference on one id is an order") { open in
            let store = try await open()
            for number in 0..<40 {
                _ = await store.outcome(
                    Sample.payment("E-\(number)", reference: "R\(number)", minor: 100))
            }
            _ = await store.register(Sample.registration("R39", minor: 100))
            for number in [0, 9, 39] {
                let view = try await store.order(endpoint: "e", reference: "R\(number)")
                try expect(view?.order.reference, is: "R\(number)", "its own")
                try expect(view?.order.flags, is: [.sharedID], "flags")
                try expect(view?.rivals.count, is: 8, "the least few")
            }
            await store.close()
        },
        StoreCheck("a person says what a full order is") { open in
            let store = try await open()
            _ = await store.outcome(Sample.payment("E-1", transaction: "PAY-2"))
            for number in 0..<260 {
                _ = await store.outcome(
                    Sample.payment("E-\(number)x", transaction: "PAY-2-\(number)", minor: 1))
            }
            let full = try await store.order(endpoint: "e", reference: "REQ-1")
            try expect(full?.order.isFull, is: true, "full")
            let last = max(full?.sequences.last ?? 0, full?.laterLast ?? 0)
            let settle = SettlementProposal.settle(
                .paid, captured: Sample.money(4200), refunded: Sample.money(0))
            try expect(
                await store.act(Sample.resolve(.accept, last: last)),
                is: .denied(.settlement(.orderFull)), "it shows no sums")
            try expect(
                await store.act(Sample.resolve(settle, last: last)), is: .recorded(262), "said")
            let resolved = try await store.order(endpoint: "e", reference: "REQ-1")
            try expect(resolved?.order.status, is: .paid, "status")
            await store.close()
            let again = try await open()
            try expect(
                try await again.order(endpoint: "e", reference: "REQ-1"), is: resolved,
                "after a start")
            _ = await again.outcome(Sample.payment("NEW", transaction: "PAY-NEW"))
            let reopened = try await again.order(endpoint: "e", reference: "REQ-1")
            try expect(reopened?.order.status, is: .review, "there was a further report")
            await again.close()
        },
    ]
}

extension Sample {
    fileprivate static func views(
        _ references: [String], _ store: any Store, _ endpoint: String = "e"
    ) async throws -> [OrderView?] {
        var views: [OrderView?] = []
        for reference in references {
            views.append(try await store.order(endpoint: endpoint, reference: reference))
        }
        return views
    }

    fileprivate static func split(_ reference: String, _ view: OrderView?) -> Act {
        Act(
            .split, by: "admin", remote: "127.0.0.1", reason: "because",
            parameters: RecordedAction.parameters(of: view?.parts ?? []), endpoint: "e",
            provider: "p", reference: reference, demand: .split(last: view?.sequences.last ?? 0),
            received: Timestamp(microseconds: 1_795_244_400_123_456))
    }
}
