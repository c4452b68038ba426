import Delivery
import JSON
import Payments
import Platform

extension DestinationStatus {
    /// As `GET /destinations` lists it.
    ///
    /// - Parameter now: By the wall clock, in microseconds.
    func write(now: Int64, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("name")
        writer.string(name)
        writer.key("served")
        writer.boolean(isServed)
        writer.key("servedBy")
        if let servedBy { writer.string(servedBy) } else { writer.null() }
        writer.key("paused")
        if let pause = figures?.pause { writer.string(pause.rawValue) } else { writer.null() }
        writer.key("breaker")
        writer.string((figures?.breaker ?? .closed).rawValue)
        writer.key("heldUntil")
        if let held = figures?.heldUntil, held > now {
            writer.string(Timestamp(microseconds: held).rfc3339)
        } else {
            writer.null()
        }
        let numbers: [(String, Int)] = [
            ("inFlight", figures?.inFlight ?? 0), ("concurrency", figures?.limit ?? 0),
            ("waiting", figures?.waiting ?? 0), ("dead", figures?.dead ?? 0),
            ("lag", Int(clamping: lag)), ("position", Int(clamping: figures?.position ?? 0)),
            ("oldestSeconds", Int(oldestSeconds)),
        ]
        for (key, number) in numbers {
            writer.key(key)
            writer.integer(number)
        }
        writer.key("attempts")
        writer.beginObject()
        for (outcome, count) in counters.attempts.sorted(by: { $0.key < $1.key }) {
            writer.key(outcome)
            writer.integer(count)
        }
        writer.endObject()
        if let trouble {
            writer.key("trouble")
            writer.string(trouble)
        }
        writer.endObject()
    }
}

extension PendingDelivery {
    /// As `GET /deliveries` lists it.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        let texts = [
            ("destination", destination), ("endpoint", endpoint), ("reference", reference),
            ("kind", kind), ("status", status), ("received", received.rfc3339),
            ("state", state.rawValue),
        ]
        for (key, text) in texts {
            writer.key(key)
            writer.string(text)
        }
        writer.key("sequence")
        writer.integer(sequence)
        writer.key("attempts")
        writer.integer(attempts)
        writer.key("due")
        if let due { writer.string(due.rfc3339) } else { writer.null() }
        writer.key("last")
        if let last { last.write(to: &writer) } else { writer.null() }
        writer.endObject()
    }
}

extension LoggedAttempt {
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("destination")
        writer.string(destination)
        writer.key("sequence")
        writer.integer(sequence)
        writer.key("number")
        writer.integer(number)
        writer.key("began")
        writer.string(began.rfc3339)
        outcome.writeMembers(to: &writer)
        writer.endObject()
    }
}

extension AttemptOutcomeSummary {
    func writeMembers(to writer: inout JSONWriter) {
        writer.key("status")
        if let status { writer.integer(status) } else { writer.null() }
        writer.key("reason")
        writer.string(reason)
        writer.key("latencyMicroseconds")
        writer.integer(latencyMicroseconds)
        if !detail.isEmpty {
            writer.key("detail")
            writer.string(detail)
        }
        writer.key("answer")
        writer.string(excerpt)
    }
}
