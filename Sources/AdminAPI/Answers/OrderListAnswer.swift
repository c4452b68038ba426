import Payments
import Store

/// A page of orders, as `GET /orders` answers.
package struct OrderListAnswer: APIObject {
    package var orders: [ListedOrder] = []
    /// The `cursor` of the next page; nil on the last.
    package var next: String?
    /// The last record that the lists contain.
    package var indexed: UInt64 = 0
    /// The last durable record.
    package var recorded: UInt64 = 0

    package init() {}

    package mutating func members(_ form: inout some APIForm) {
        form.required("orders", &orders)
        form.nullable("next", &next)
        form.required("indexed", &indexed)
        form.required("recorded", &recorded)
    }
}

/// A listed order is one JSON object of `GET /orders`, and one line of its export.
extension ListedOrder: APIObject {
    package init() {
        let never = Timestamp(microseconds: 0)
        self.init(first: 0, last: 0, endpoint: "", status: "", created: never, updated: never)
    }

    package mutating func members(_ form: inout some APIForm) {
        form.required("endpoint", &endpoint)
        form.nullable("reference", &reference)
        form.required("status", &status)
        form.nullable("amount", &amount)
        form.nullable("authorized", &authorized)
        form.nullable("captured", &captured)
        form.nullable("refunded", &refunded)
        form.optional("reason", &reason)
        form.optional("method", &method)
        form.optional("agreement", &agreement)
        form.required("flags", &flags)
        form.optional("transaction", &transaction)
        form.required("created", &created)
        form.required("updated", &updated)
        form.required("first", &first)
        form.required("last", &last)
        var expectation = expected.map {
            ExpectationAnswer(amount: $0, expires: expires, metadata: metadata)
        }
        form.optional("expected", &expectation)
        expected = expectation?.amount
        expires = expectation?.expires
        metadata = expectation?.metadata?.text
    }
}
