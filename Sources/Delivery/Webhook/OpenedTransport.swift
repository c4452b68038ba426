import Records
import Store

/// Opens the merchant's metadata in what another transport sends: it is sealed in the record and in
/// the state.
package struct OpenedTransport: DeliveryTransport {
    private let transport: any DeliveryTransport
    private let keys: RecordKeys

    package init(_ transport: any DeliveryTransport, _ keys: RecordKeys) {
        self.transport = transport
        self.keys = keys
    }

    package func attempt(_ message: DeliveryMessage) async -> AttemptOutcome {
        var opened = message
        guard var opener = keys.opener() else { return await transport.attempt(message) }
        do throws(RecordError) { opened.record = try opener.open(message.record) } catch {
            return AttemptOutcome(.failed, latencyMicroseconds: 0, detail: "\(error)")
        }
        return await transport.attempt(opened)
    }

    package func shownURL(of destination: String) -> String? {
        transport.shownURL(of: destination)
    }
}
