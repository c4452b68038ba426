import Journal
import Records
import Sealing
import Store
import SystemPackage

/// The committer's use of the keys: it seals records, and destroys keys with the commit of the
/// record that says so.
///
/// The file without the keys is written before that commit and put in place after it. A crash in
/// between leaves the record, and the next start finishes (`JournalKeys.open`); a failure before it
/// refuses the act alone.
struct RecordSealing {
    private let keys: JournalKeys?
    private let environment: StoreEnvironment
    /// Nil while records are stored as they are.
    var sealer: RecordSealer?
    /// The ring of the prepared file, and the records whose keys it does not have any more.
    private var prepared: (ring: KeyRing, erased: ErasedRecords)?

    init(_ keys: JournalKeys?, _ environment: StoreEnvironment) {
        self.keys = keys
        self.environment = environment
        sealer = keys?.keys.current.map { RecordSealer($0) }
    }

    var isOn: Bool { sealer != nil }

    /// Prepares the file without the keys of these records, or returns why the act is refused. Then
    /// everything is as before.
    mutating func prepare(without records: ErasedRecords) -> StoreRefusal? {
        do throws(JournalError) {
            prepared = try keys?.prepare(without: records).map { ($0, records) }
            if environment.plantedDefect == .destroysKeysEarly {
                var none = ErasedRecords([])
                try install(&none)
            }
            return nil
        } catch {
            environment.warn("keys not destroyed: \(error)")
            return error.refusalOfErasure
        }
    }

    /// Puts the prepared file in its place, after the record is durable, and adds its records to
    /// `erased`. Does nothing without one. Throws `unusable`: then it is unknown whether the keys
    /// are destroyed.
    mutating func install(_ erased: inout ErasedRecords) throws(JournalError) {
        guard let (ring, records) = prepared else { return }
        prepared = nil
        try keys?.install(ring)
        sealer = RecordSealer(ring)
        if environment.plantedDefect != .forgetsErasures { erased.formUnion(records) }
    }

    /// Takes back what was prepared, because the record was not written.
    mutating func discard() {
        guard prepared != nil else { return }
        prepared = nil
        keys?.discard()
    }
}

extension JournalError {
    /// The refusal of an act whose file of keys could not be written. The journal is intact.
    fileprivate var refusalOfErasure: StoreRefusal {
        guard case .unusable(_, _, let error) = self else { return .failed }
        return error == .noSpace || error == .diskQuotaExceeded ? .noSpace : .failed
    }
}
