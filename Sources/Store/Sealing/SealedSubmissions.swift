import Ledger
import Records

/// The merchant's own metadata is sealed before the decision, so that it is stored nowhere as it
/// is.
extension Registration {
    /// Seals its metadata for the record `sequence`.
    package mutating func sealMetadata(by sealer: inout RecordSealer, as sequence: UInt64) {
        metadata = sealer.sealed(metadata: metadata, of: sequence)
    }
}

extension Act {
    /// Seals the metadata of a corrected expectation for the record `sequence`.
    package mutating func sealMetadata(by sealer: inout RecordSealer, as sequence: UInt64) {
        guard case .correct(var registered, let last) = demand else { return }
        registered.metadata = sealer.sealed(metadata: registered.metadata, of: sequence)
        demand = .correct(registered, last: last)
    }
}
