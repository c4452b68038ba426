import Journal
import Payments
import Records
import Store

/// The merchant's side of the group commit.
extension Committer {
    /// Decides what a person does and puts its record into the frame.
    func act(_ act: Act, _ continuation: UnsafeContinuation<Receipt, Never>) {
        guard makeRoom() else { return continuation.resume(returning: Receipt(.refused(.failed))) }
        let sequence = journal.nextSequence
        let decision = ledger.decide(act, sequence: sequence)
        switch consume decision {
        case .refused(let refusal):
            answer(continuation, Receipt(refusal, after: sequence - 1), after: sequence - 1)
        case .record(let change, let action):
            let refusal = append { bytes, _ in
                RecordEncoder.append(change.content, of: act, decided: action, to: &bytes)
            }
            if let refusal { return continuation.resume(returning: Receipt(.refused(refusal))) }
            waiting.append((continuation, Receipt(change)))
            if change.content.outcome == .ignored { ignored += 1 }
            accept(change, act.endpoint, received: action.received)
        }
    }

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
