import Ledger
import Payments
import Platform
import Records
import Store

/// Writes down what somebody does, before it is done. What cannot be written is not done.
struct ActRecorder: Sendable {
    let store: any Store
    let endpoints: EndpointCatalog
    let clock: any Clock

    /// Who does what, and why.
    struct Deed {
        var kind: RecordedAction.Kind
        var caller: AdminCaller
        var reason: String
        var parameters: [RecordedAction.Parameter] = []
    }

    /// An act that is about no single order. Returns its record.
    @discardableResult
    func note(_ deed: Deed) async throws(Problem) -> UInt64 {
        try await record(deed, endpoint: "", reference: nil, .note)
    }

    /// An act that is about this order. Returns its record.
    @discardableResult
    func note(_ deed: Deed, of name: OrderName) async throws(Problem) -> UInt64 {
        let own = try await view(name)?.order.reference
        return try await record(
            deed, endpoint: name.endpoint, reference: own ?? name.reference, .note)
    }

    /// An act that is about all orders with this reference: one record for each endpoint that
    /// knows it, so that each order tells of it.
    func note(_ deed: Deed, ofAll reference: String) async throws(Problem) {
        var isNoted = false
        for endpoint in endpoints.names where reference.isWord {
            let name = OrderName(endpoint: endpoint, reference: reference)
            guard let own = try await view(name)?.order.reference else { continue }
            try await record(deed, endpoint: endpoint, reference: own, .note)
            isNoted = true
        }
        if !isNoted { try await note(deed) }
    }

    @discardableResult
    func record(
        _ deed: Deed, endpoint: String, reference: String?, _ demand: ActionDemand
    ) async throws(Problem) -> UInt64 {
        let act = Act(
            deed.kind, by: deed.caller.name, remote: deed.caller.remote, reason: deed.reason,
            parameters: deed.parameters, endpoint: endpoint,
            provider: endpoints.provider(of: endpoint) ?? "", reference: reference,
            demand: demand, received: clock.timestamp)
        switch await store.act(act) {
        case .recorded(let sequence): return sequence
        case .denied(let denial): throw Problem(denial)
        case .refused(let refusal):
            throw .unavailable(refusal.reason, "it could not be made durable; try again")
        }
    }

    func view(_ name: OrderName) async throws(Problem) -> OrderView? {
        do throws(ReadFailure) {
            return try await store.order(endpoint: name.endpoint, reference: name.reference)
        } catch {
            throw Problem(error)
        }
    }
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
                "nothing came to this order by an id alone, and no other claims an id of it")
        case .settlement(let refusal): self.init(refusal)
        case .expectationUnknown:
            self.init(
                404, "expectation_unknown", "nothing is expected of this order: register it first")
        case .alreadyPaid:
            self.init(
                409, "already_paid",
                "money has moved, so what was expected stands: resolve the order instead")
        }
    }

    private init(_ refusal: SettlementRefusal) {
        let detail =
            switch refusal {
            case .notInReview: "the order is not in `review`: there is nothing to resolve"
            case .orderFull:
                "the order has more events than it holds: it shows no sums to accept, and cannot "
                    + "be split; say `status`, `captured` and `refunded`"
            case .sumsUnknown:
                "what was taken or given back is not known: say `captured` and `refunded`"
            case .currencyDiffers: "the sums are not in one currency in which the order was told"
            case .sumsOutOfBounds:
                "more was not told of this order, and not more was given back than taken"
            case .statusDiffers: "these sums are not those of this status"
            }
        self.init(409, refusal.rawValue, detail)
    }
}
