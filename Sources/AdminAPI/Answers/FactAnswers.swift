import Payments

/// An attempt to pay, with its captures.
package struct AttemptAnswer: APIObject {
    /// The provider's id; empty where a notification named none.
    package var transaction = ""
    package var status: String?
    package var amount: Money?
    package var authorized: Money?
    package var method: String?
    package var agreement: String?
    package var reason: Reason?
    package var claims: [Money] = []
    package var captures: [OperationAnswer] = []

    package init() {}

    init(_ attempt: Attempt) {
        transaction = attempt.transaction
        status = attempt.status?.name
        (amount, authorized) = (attempt.amount, attempt.authorized)
        (method, agreement) = (attempt.method, attempt.agreement)
        reason = attempt.reports.reason
        claims = attempt.reports.claims
        captures = attempt.captures.map { OperationAnswer($0.id, nil, $0.reports) }
    }

    package mutating func members(_ form: inout some APIForm) {
        form.required("transaction", &transaction)
        form.nullable("status", &status)
        form.nullable("amount", &amount)
        form.nullable("authorized", &authorized)
        form.optional("method", &method)
        form.optional("agreement", &agreement)
        form.optional("reason", &reason)
        form.nonempty("claims", &claims)
        form.required("captures", &captures)
    }
}

/// A capture, refund, dispute or reversal.
package struct OperationAnswer: APIObject {
    package var id = ""
    /// In a reversal: the kind of operation that is undone.
    package var of: String?
    /// The provider's id of the payment, capture or refund that it is about.
    package var transaction: String?
    package var status: String?
    package var amount: Money?
    package var reason: Reason?
    package var claims: [Money] = []

    package init() {}

    init<Status>(
        _ id: String, _ transaction: String?, _ reports: Reports<Status>, of kind: String? = nil
    ) {
        self.id = id
        of = kind
        self.transaction = transaction
        status = reports.status?.name
        amount = reports.amount
        reason = reports.reason
        claims = reports.claims
    }

    package mutating func members(_ form: inout some APIForm) {
        form.required("id", &id)
        form.optional("of", &of)
        form.optional("transaction", &transaction)
        form.nullable("status", &status)
        form.nullable("amount", &amount)
        form.optional("reason", &reason)
        form.nonempty("claims", &claims)
    }
}

/// A refund whose amounts can be read in several ways.
package struct RefundClaimAnswer: APIObject {
    package var id = ""
    package var status = ""
    package var amount: Money?
    package var amountRefunded: Money?

    package init() {}

    init(_ refund: UnclearRefund) {
        id = refund.id
        status = refund.status.name
        (amount, amountRefunded) = (refund.claim.amount, refund.claim.refunded)
    }

    package mutating func members(_ form: inout some APIForm) {
        form.required("id", &id)
        form.required("status", &status)
        form.nullable("amount", &amount)
        form.nullable("amountRefunded", &amountRefunded)
    }
}

extension Reports {
    /// The amounts of every status that was reported with several, ascending.
    fileprivate var claims: [Money] {
        Set(entries.compactMap(\.amounts).filter { !$0.isOneAmount }.flatMap(\.all)).sorted()
    }
}
