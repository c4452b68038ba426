import JSON
import Payments

/// A page of the feed, as `GET /events` answers.
///
/// The feed copies the records as the store holds them, so this is only read, never written.
package struct EventPageAnswer: APIObject {
    /// The store's identity, with which a position is valid.
    package var store = ""
    package var gap: GapAnswer?
    /// Records in the form of `Sources/Records/Schema.md`, which ``EventAnswer`` reads.
    package var events: [JSONValue] = []
    /// The position for the next page.
    package var next: UInt64 = 0

    package init() {}

    package mutating func members(_ form: inout some APIForm) {
        form.required("store", &store)
        form.optional("gap", &gap)
        form.required("events", &events)
        form.required("next", &next)
    }
}

/// Records that retention deleted: the first and the last.
package struct GapAnswer: APIObject {
    package var from: UInt64 = 0
    package var to: UInt64 = 0

    package init() {}

    init(_ gap: ClosedRange<UInt64>) { (from, to) = (gap.lowerBound, gap.upperBound) }

    package mutating func members(_ form: inout some APIForm) {
        form.required("from", &from)
        form.required("to", &to)
    }
}

/// The members of a record that people are shown. `Sources/Records/Schema.md` defines all of them.
///
/// The feed sends records as the store holds them, so this is only read, never written.
package struct EventAnswer: APIObject {
    package var sequence: UInt64 = 0
    package var received = Timestamp(microseconds: 0)
    package var endpoint = ""
    /// The key or secret that verified it.
    package var key: String?
    /// Its place in a request that reported several events.
    package var part: Part?
    package var outcome = ""
    package var conflictsWith: UInt64?
    package var flags: [String] = []
    package var event = Event()
    package var order: OrderAfter?
    package var request: RequestAnswer?
    package var inquiry: Inquiry?
    /// The client's address. Viewers do not get it.
    package var peer: String?
    /// The first member of the personal part, where that was erased: `request`, `inquiry`.
    package var erased: String?

    package init() {}

    /// Nil where `record` is not JSON, or not of a record's form.
    init?(_ record: [UInt8]) {
        guard let document = try? JSONDocument(parsing: record, limits: .trusted) else {
            return nil
        }
        self.init(json: document.root)
    }

    package mutating func members(_ form: inout some APIForm) {
        form.required("sequence", &sequence)
        form.required("received", &received)
        form.required("endpoint", &endpoint)
        form.optional("key", &key)
        form.optional("part", &part)
        form.required("outcome", &outcome)
        form.optional("conflictsWith", &conflictsWith)
        form.required("flags", &flags)
        form.required("event", &event)
        form.optional("order", &order)
        form.optional("request", &request)
        form.optional("inquiry", &inquiry)
        form.optional("peer", &peer)
        form.optional("erased", &erased)
    }

    /// Whether a provider sent it: not an expectation, an act, a correction, or an answer to an
    /// inquiry.
    package var isNotification: Bool {
        inquiry == nil && !["expectation", "correction", "action"].contains(event.kind)
    }
}

extension EventAnswer {
    package struct Event: APIObject {
        package var kind = ""
        package var status = ""
        package var transaction: String?
        package var effect: Effect?
        package var reason: Reason?
        package var expectation: ExpectationAnswer?
        package var action: Act?

        package init() {}

        package mutating func members(_ form: inout some APIForm) {
            form.required("kind", &kind)
            form.required("status", &status)
            form.optional("transaction", &transaction)
            form.optional("effect", &effect)
            form.optional("reason", &reason)
            form.optional("expectation", &expectation)
            form.optional("action", &action)
        }
    }

    package struct Effect: APIObject {
        package var amount: Money?

        package init() {}

        package mutating func members(_ form: inout some APIForm) {
            form.optional("amount", &amount)
        }
    }

    /// The place in a request that reported several events.
    package struct Part: APIObject {
        /// The record that holds the request; nil of that record.
        package var of: UInt64?
        package var number = 0
        package var count = 0

        package init() {}

        package mutating func members(_ form: inout some APIForm) {
            form.optional("of", &of)
            form.required("number", &number)
            form.required("count", &count)
        }
    }

    /// The caller and the reason of an act.
    package struct Act: APIObject {
        package var by = ""
        package var reason: String?

        package init() {}

        package mutating func members(_ form: inout some APIForm) {
            form.required("by", &by)
            form.optional("reason", &reason)
        }
    }

    /// The order after the event.
    package struct OrderAfter: APIObject {
        package var reference: String?
        package var status = ""
        /// Nil where the event was the first of this order.
        package var previous: String?
        package var amount: Money?

        package init() {}

        package mutating func members(_ form: inout some APIForm) {
            form.optional("reference", &reference)
            form.required("status", &status)
            form.optional("previous", &previous)
            form.optional("amount", &amount)
        }
    }

    /// Both sides of an inquiry.
    package struct Inquiry: APIObject {
        package var request: RequestAnswer?
        package var answer: RequestAnswer?

        package init() {}

        package mutating func members(_ form: inout some APIForm) {
            form.optional("request", &request)
            form.optional("answer", &answer)
        }
    }
}

/// A request as it was received, or a provider's answer.
package struct RequestAnswer: APIObject {
    /// Of an answer.
    package var status: Int?
    /// Of a request, as `target`.
    package var method: String?
    package var target: String?
    /// Pairs of name and value.
    package var headers: [[String]] = []
    /// The body, where it is UTF-8.
    package var body: String?
    /// The body, where it is not.
    package var bodyBase64: String?
    package var redacted: Redacted?

    /// The parts that were removed before it was stored.
    package struct Redacted: APIObject {
        package var values = 0
        package var cards = 0
        package var codes = 0
        package var bodySHA256 = ""

        package init() {}

        package mutating func members(_ form: inout some APIForm) {
            form.required("values", &values)
            form.required("cards", &cards)
            form.required("codes", &codes)
            form.required("bodySHA256", &bodySHA256)
        }
    }

    package init() {}

    package mutating func members(_ form: inout some APIForm) {
        form.optional("status", &status)
        form.optional("method", &method)
        form.optional("target", &target)
        form.required("headers", &headers)
        form.optional("body", &body)
        form.optional("bodyBase64", &bodyBase64)
        form.optional("redacted", &redacted)
    }
}
