import JSON
import Payments
import Store

extension ListedOrder {
    /// As `GET /orders` lists it.
    ///
    /// - Parameter showsMetadata: What the merchant noted beside its expectation, too.
    package func write(to writer: inout JSONWriter, showsMetadata: Bool = true) {
        writer.beginObject()
        writer.key("endpoint")
        writer.string(endpoint)
        writer.key("reference")
        if let reference { writer.string(reference) } else { writer.null() }
        writer.key("status")
        writer.string(status)
        writer.key("amount")
        writer.money(amount)
        writer.key("authorized")
        writer.money(authorized)
        writer.key("captured")
        writer.money(captured)
        writer.key("refunded")
        writer.money(refunded)
        if let reason {
            writer.key("reason")
            writer.reason(reason)
        }
        writer.word("method", method)
        writer.word("agreement", agreement)
        writer.key("flags")
        writer.beginArray()
        for flag in flags { writer.string(flag) }
        writer.endArray()
        if let transaction {
            writer.key("transaction")
            writer.string(transaction)
        }
        writer.key("created")
        writer.string(created.rfc3339)
        writer.key("updated")
        writer.string(updated.rfc3339)
        writer.key("first")
        writer.integer(first)
        writer.key("last")
        writer.integer(last)
        writeExpectation(to: &writer, showsMetadata: showsMetadata)
        writer.endObject()
    }

    private func writeExpectation(to writer: inout JSONWriter, showsMetadata: Bool) {
        guard let expected else { return }
        writer.key("expected")
        writer.beginObject()
        writer.key("amount")
        writer.money(expected)
        if let expires {
            writer.key("expires")
            writer.string(expires.rfc3339)
        }
        if showsMetadata, let metadata {
            writer.key("metadata")
            writer.raw(Array(metadata.utf8)[...])
        }
        writer.endObject()
    }
}

extension JSONWriter {
    /// `{"code":"…","message":"…"}`.
    mutating func reason(_ reason: Reason) {
        beginObject()
        key("code")
        string(reason.code)
        key("message")
        string(reason.message)
        endObject()
    }

    /// A member where there is a text, and nothing else.
    mutating func word(_ name: String, _ text: String?) {
        guard let text else { return }
        key(name)
        string(text)
    }

    /// `{"minor":4200,"currency":"MYR"}`, or null.
    mutating func money(_ money: Money?) {
        guard let money else { return null() }
        beginObject()
        key("minor")
        integer(money.minor)
        key("currency")
        string(money.currency.code)
        endObject()
    }
}
