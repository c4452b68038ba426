import Ledger
import Payments
import Platform
import Records
import Store

/// Records an act before it is carried out. An act that cannot be recorded is not carried out.
struct ActRecorder: Sendable {
    let store: any Store
    let endpoints: EndpointCatalog
    let clock: any Clock

    /// An act that is about to be carried out: its caller, its kind and the reason.
    struct Draft {
        var kind: RecordedAction.Kind
        var caller: AdminCaller
        var reason: String
        var parameters: [RecordedAction.Parameter] = []
    }

    /// Records an act that is not about a single order. Returns the sequence.
    @discardableResult
    func note(_ draft: Draft) async throws(Problem) -> UInt64 {
        try await record(draft, endpoint: "", reference: nil, .note)
    }

    /// Records an act that is about this order. Returns the sequence.
    @discardableResult
    func note(_ draft: Draft, of name: OrderName) async throws(Problem) -> UInt64 {
        let own = try await found(name)?.order.reference
        return try await record(
            draft, endpoint: name.endpoint, reference: own ?? name.reference, .note)
    }

    /// Records an act that is about all orders with this reference: one record for each endpoint
    /// that has such an order, so that each order's timeline shows the act.
    func note(_ draft: Draft, ofAll reference: String) async throws(Problem) {
        var isNoted = false
        for endpoint in endpoints.names where reference.isWord {
            let name = OrderName(endpoint: endpoint, reference: reference)
            guard let own = try await view(name)?.order.reference else { continue }
            try await record(draft, endpoint: endpoint, reference: own, .note)
            isNoted = true
        }
        if !isNoted { try await note(draft) }
    }

    @discardableResult
    func record(
        _ draft: Draft, endpoint: String, reference: String?, _ demand: ActionDemand
    ) async throws(Problem) -> UInt64 {
        let act = Act(
            draft.kind, by: draft.caller.name, remote: draft.caller.remote, reason: draft.reason,
            parameters: draft.parameters, endpoint: endpoint,
            provider: endpoints.provider(of: endpoint) ?? "", reference: reference,
            demand: demand, received: clock.timestamp)
        switch await store.act(act) {
        case .recorded(let sequence): return sequence
        case .denied(let denial): throw Problem(denial)
        case .refused(let refusal):
            throw .unavailable(refusal.reason, "it could not be made durable; try again")
        }
    }

    /// The order that a person decides about; nil if there is none.
    ///
    /// Throws `order_unjoined` for an order without a reference: its facts belong to an order whose
    /// payment was not reported yet, and a decision about them would not be about that order.
    func view(_ name: OrderName) async throws(Problem) -> OrderView? {
        let view = try await found(name)
        if let view, view.order.reference == nil { throw .unjoined }
        return view
    }

    /// The order, also one without a reference; nil if there is none.
    func found(_ name: OrderName) async throws(Problem) -> OrderView? {
        do throws(ReadFailure) { return try await store.order(name) } catch {
            throw Problem(error)
        }
    }
}

extension Problem {
    fileprivate static let unjoined = Problem(
        409, "order_unjoined",
        "no reference of this order is known yet, so nothing can be decided about it: wait for its "
            + "payment, or ask the provider")
}

extension Problem {
    init(_ denial: ActionRefusal) {
        switch denial {
        case .orderUnknown:
            self.init(404, "order_unknown", "no notification has named this order")
        case .orderChanged(let last):
            self.init(
                409, "order_changed",
                "the order has changed since you looked: its newest record is \(last)")
        case .orderFull: self.init(SettlementRefusal.orderFull)
        case .nothingJoined:
            self.init(
                409, "nothing_joined",
                "no id has joined anything to this order, and no other order claims one of its ids")
        case .settlement(let refusal): self.init(refusal)
        case .expectationUnknown:
            self.init(
                404, "expectation_unknown", "this order has no expectation; register one first")
        case .triesFull:
            self.init(
                409, "tries_full", "the order has \(Order.triesMax) tries, as many as it may have")
        case .notSealed:
            self.init(
                409, "not_sealed",
                "these records are stored as they are, so there are no keys to destroy; configure "
                    + "`personal.masterKeys`, and seal what is there with `ipnd journal seal`")
        case .alreadyPaid:
            self.init(
                409, "already_paid",
                "money has moved, so the expectation is final; resolve the order instead")
        }
    }

    private init(_ refusal: SettlementRefusal) {
        let detail =
            switch refusal {
            case .notInReview: "the order is not in `review`; there is nothing to resolve"
            case .orderFull:
                "the order has more events than it holds, so it shows no sums to accept and cannot "
                    + "be split; send `status`, `captured` and `refunded`"
            case .sumsUnknown:
                "the captured or refunded sum is not known; send `captured` and `refunded`"
            case .currencyDiffers: "the sums must be in one of the order's currencies"
            case .sumsOutOfBounds:
                "the sums exceed what was reported or expected, or the refund exceeds the capture"
            case .statusDiffers: "the sums do not match the status"
            }
        self.init(409, refusal.rawValue, detail)
    }
}
