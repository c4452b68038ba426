import Payments
import Store

/// One order, as `GET /orders/{endpoint}/{reference}` answers. `config/openapi.yaml` describes
/// every member, in the schema `Order`.
package struct OrderAnswer: APIObject {
    /// Most elements of each list of facts in one answer; `?offset=` asks for the next ones.
    static let factsMax = 100

    package var endpoint = ""
    package var reference: String?
    package var aliases: [String] = []
    /// The references of its tries, where the merchant has registered some.
    package var tries: [String] = []
    package var status = ""
    package var amount: Money?
    package var authorized: Money?
    package var captured: Money?
    package var refunded: Money?
    package var claims: [Money] = []
    package var candidates: [Money] = []
    package var reason: Reason?
    package var method: String?
    package var agreement: String?
    package var flags: [String] = []
    package var sharedWith: [String] = []
    package var expected: ExpectationAnswer?
    package var attempts: [AttemptAnswer] = []
    package var refunds: [OperationAnswer] = []
    package var refundClaims: [RefundClaimAnswer] = []
    package var disputes: [OperationAnswer] = []
    package var reversals: [OperationAnswer] = []
    package var counts: CountsAnswer?
    package var resolution: ResolutionAnswer?
    /// The newest record of the order.
    package var last: UInt64 = 0
    package var sequences: [UInt64] = []
    package var later: LaterAnswer?
    package var repetitions: RepetitionsAnswer?
    /// For the shopper's app; only in the answer to an expectation.
    package var outcomeToken: String?

    package init() {}

    package mutating func members(_ form: inout some APIForm) {
        form.required("endpoint", &endpoint)
        form.nullable("reference", &reference)
        form.nonempty("aliases", &aliases)
        form.nonempty("tries", &tries)
        form.required("status", &status)
        form.nullable("amount", &amount)
        form.nullable("authorized", &authorized)
        form.nullable("captured", &captured)
        form.nullable("refunded", &refunded)
        form.nonempty("claims", &claims)
        form.nonempty("candidates", &candidates)
        form.optional("reason", &reason)
        form.optional("method", &method)
        form.optional("agreement", &agreement)
        form.required("flags", &flags)
        form.nonempty("sharedWith", &sharedWith)
        form.optional("expected", &expected)
        form.required("attempts", &attempts)
        form.required("refunds", &refunds)
        form.nonempty("refundClaims", &refundClaims)
        form.required("disputes", &disputes)
        form.nonempty("reversals", &reversals)
        form.optional("counts", &counts)
        form.optional("resolution", &resolution)
        form.required("last", &last)
        form.required("sequences", &sequences)
        form.optional("later", &later)
        form.optional("repetitions", &repetitions)
        form.optional("outcomeToken", &outcomeToken)
    }
}

extension OrderAnswer {
    /// - Parameters:
    ///   - offset: Number of elements of each list of facts to leave out.
    ///   - repetitions: Included where they are given.
    ///   - now: Decides the flag `overdue`.
    init(
        _ view: OrderView, from offset: Int = 0, repetitions: Repetitions? = nil, now: Timestamp
    ) {
        let order = view.order
        let summary = order.summary
        func page<Fact>(_ facts: [Fact]) -> ArraySlice<Fact> {
            facts.dropFirst(offset).prefix(Self.factsMax)
        }
        endpoint = view.endpoint
        reference = order.reference
        aliases = Array(page(order.aliases))
        if order.hasTries { tries = order.payable.filter { !reference.isExactly($0) } }
        (status, amount, authorized) = (summary.status.rawValue, summary.amount, summary.authorized)
        (captured, refunded) = (summary.captured, summary.refunded)
        (claims, candidates) = (summary.claims, summary.candidates)
        (reason, method, agreement) = (summary.reason, summary.method, summary.agreement)
        flags = summary.flags.map(\.rawValue)
        if Overdue.isOverdue(summary.status, order.expected?.expires, now: now) {
            flags.append(Overdue.flag)
        }
        sharedWith = view.rivals
        expected = order.expected.map {
            ExpectationAnswer(amount: $0.amount, expires: $0.expires)
        }
        attempts = page(order.attempts).map(AttemptAnswer.init)
        refunds = page(order.refunds).map { .init($0.id, $0.transaction, $0.reports) }
        refundClaims = page(order.unclearRefunds).map(RefundClaimAnswer.init)
        disputes = page(order.disputes).map { .init($0.id, $0.transaction, $0.reports) }
        reversals = page(order.reversals).map {
            .init($0.id, $0.transaction, $0.reports, of: $0.kind.name)
        }
        counts = CountsAnswer(order)
        resolution = order.resolution.map {
            ResolutionAnswer($0, stands: order.flags.contains(.resolved))
        }
        last = view.last
        sequences = view.sequences
        if view.laterCount > 0 {
            later = LaterAnswer(count: view.laterCount, last: view.laterLast)
        }
        self.repetitions = repetitions.map { RepetitionsAnswer($0, of: view.sequences) }
    }
}

/// The registered expectation: amount and expiry, in lists also the metadata.
package struct ExpectationAnswer: APIObject {
    package var amount: Money?
    package var expires: Timestamp?
    /// A JSON object. Viewers do not get it.
    package var metadata: RawJSON?

    package init() {}

    init(amount: Money?, expires: Timestamp?, metadata: String? = nil) {
        self.amount = amount
        self.expires = expires
        self.metadata = metadata.map(RawJSON.init)
    }

    package mutating func members(_ form: inout some APIForm) {
        form.nullable("amount", &amount)
        form.optional("expires", &expires)
        form.optional("metadata", &metadata)
    }
}

/// Lengths of an order's lists, where one of them does not fit into an answer.
package struct CountsAnswer: APIObject {
    package var aliases = 0
    package var attempts = 0
    package var refunds = 0
    package var refundClaims = 0
    package var disputes = 0
    package var reversals = 0

    package init() {}

    /// Nil where every list fits.
    fileprivate init?(_ order: Order) {
        aliases = order.aliases.count
        attempts = order.attempts.count
        refunds = order.refunds.count
        refundClaims = order.unclearRefunds.count
        disputes = order.disputes.count
        reversals = order.reversals.count
        let longest = [aliases, attempts, refunds, refundClaims, disputes, reversals].max()
        guard let longest, longest > OrderAnswer.factsMax else { return nil }
    }

    package mutating func members(_ form: inout some APIForm) {
        form.required("aliases", &aliases)
        form.required("attempts", &attempts)
        form.required("refunds", &refunds)
        form.required("refundClaims", &refundClaims)
        form.required("disputes", &disputes)
        form.required("reversals", &reversals)
    }
}

/// A person's decision about an order in `review`.
package struct ResolutionAnswer: APIObject {
    package var by = ""
    package var resolved = Timestamp(microseconds: 0)
    package var reason = ""
    package var status = ""
    package var captured: Money?
    package var refunded: Money?
    /// The record of the act.
    package var sequence: UInt64 = 0
    /// Whether it still decides the order's status.
    package var stands = false

    package init() {}

    fileprivate init(_ resolution: Resolution, stands: Bool) {
        by = resolution.by
        resolved = resolution.resolved
        reason = resolution.reason
        status = resolution.settlement.status.rawValue
        captured = resolution.settlement.captured
        refunded = resolution.settlement.refunded
        sequence = resolution.sequence
        self.stands = stands
    }

    package mutating func members(_ form: inout some APIForm) {
        form.required("by", &by)
        form.required("resolved", &resolved)
        form.required("reason", &reason)
        form.required("status", &status)
        form.nullable("captured", &captured)
        form.nullable("refunded", &refunded)
        form.required("sequence", &sequence)
        form.required("stands", &stands)
    }
}

/// The records since the order was full, none of which is added up.
package struct LaterAnswer: APIObject {
    package var count: UInt64 = 0
    package var last: UInt64 = 0

    package init() {}

    fileprivate init(count: UInt64, last: UInt64) {
        self.count = count
        self.last = last
    }

    package mutating func members(_ form: inout some APIForm) {
        form.required("count", &count)
        form.required("last", &last)
    }
}

/// The order's records that were received again, as counted by this process.
package struct RepetitionsAnswer: APIObject {
    package struct Record: APIObject {
        package var sequence: UInt64 = 0
        package var times = 0
        package var last = Timestamp(microseconds: 0)

        package init() {}

        package mutating func members(_ form: inout some APIForm) {
            form.required("sequence", &sequence)
            form.required("times", &times)
            form.required("last", &last)
        }
    }

    /// When the process began to count.
    package var since = Timestamp(microseconds: 0)
    package var records: [Record] = []

    package init() {}

    fileprivate init(_ repetitions: Repetitions, of sequences: [UInt64]) {
        since = repetitions.since
        records = sequences.compactMap { sequence in
            guard let count = repetitions[sequence] else { return nil }
            var record = Record()
            (record.sequence, record.times, record.last) = (sequence, count.times, count.last)
            return record
        }
    }

    package mutating func members(_ form: inout some APIForm) {
        form.required("since", &since)
        form.required("records", &records)
    }
}
