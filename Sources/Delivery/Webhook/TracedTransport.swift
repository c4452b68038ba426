import Telemetry

/// Traces the attempts of another transport: one span each, in the trace of the event's
/// notification, which the destination may continue.
package struct TracedTransport: DeliveryTransport {
    private let transport: any DeliveryTransport
    private let tracing: WorkTracing

    package init(_ transport: any DeliveryTransport, _ tracing: WorkTracing) {
        self.transport = transport
        self.tracing = tracing
    }

    package func attempt(_ message: DeliveryMessage) async -> AttemptOutcome {
        await tracing.trace("deliver \(message.destination)", continuing: message.trace) { span in
            span.note("ipnd.destination", message.destination)
            span.note("ipnd.endpoint", message.endpoint)
            span.note("ipnd.sequence", Int(clamping: message.sequence))
            span.note("ipnd.attempt", message.attempt)
            span.note("http.request.method", "POST")
            var traced = message
            traced.trace = WorkTracing.currentPlace
            let outcome = await transport.attempt(traced)
            outcome.status.map { span.note("http.response.status_code", $0) }
            if !outcome.isSuccess { span.fail(outcome.reason) }
            return outcome
        }
    }

    package func shownURL(of destination: String) -> String? {
        transport.shownURL(of: destination)
    }
}
