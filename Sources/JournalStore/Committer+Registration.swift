import Records
import Store

/// The merchant's side of the group commit.
extension Committer {
    /// Decides one registration and puts its record into the frame.
    func register(
        _ registration: Registration, _ continuation: UnsafeContinuation<Receipt, Never>
    ) {
        guard makeRoom() else { return continuation.resume(returning: Receipt(.refused(.failed))) }
        let decision = ledger.decide(registration, sequence: journal.nextSequence)
        switch consume decision {
        case .same(let original):
            let receipt = Receipt(.duplicate(of: original), reference: registration.reference)
            answer(continuation, receipt, after: original)
        case .differs(let original):
            let receipt = Receipt(.conflict(original), reference: registration.reference)
            answer(continuation, receipt, after: original)
        case .record(let change):
            let refusal = append { bytes, _ in
                RecordEncoder.append(change.content, of: registration, to: &bytes)
            }
            if let refusal { return continuation.resume(returning: Receipt(.refused(refusal))) }
            waiting.append((continuation, Receipt(change)))
            accept(change, registration.endpoint, received: registration.received)
        }
    }
}
