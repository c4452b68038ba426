import SystemPackage

/// Turns a prepared file into the journal's next segment: header, sync, name, directory sync. Only
/// then may a frame go in.
struct SegmentStart {
    let directory: String
    let storage: any Storage
    let options: JournalOptions
    let store: StoreIdentity

    struct Begun {
        let segment: OpenSegment
        /// The hash of the header, which the first frame carries.
        let chain: ChainValue
    }

    /// Throws `noSpace` or `needsSegment` when the file did not become a segment (it is removed),
    /// and `fatal` when its name may or may not be durable.
    func begin(
        _ file: any StorageFile, number: UInt64, firstSequence: UInt64, chain: ChainValue
    ) throws(JournalError) -> Begun {
        let header = SegmentHeader(
            number: number, firstSequence: firstSequence, salt: Salt(bits: storage.randomBits()),
            created: storage.wallMicroseconds(), chain: chain, segmentBytes: options.segmentBytes,
            store: store)
        let block = header.encoded()
        let prepared = directory + "/" + Format.preparedName
        let path = directory + "/" + Format.segmentName(firstSequence: firstSequence)
        let segment: OpenSegment
        do throws(Errno) {
            try file.lock()
            segment = try OpenSegment(file, path: path, header: header, block: block)
            try file.syncContent()
            try storage.rename(prepared, to: path)
        } catch {
            try? storage.unlink(prepared)
            throw .lacking(error)
        }
        do { try storage.fsyncDirectory(directory) } catch {
            throw .fatal(operation: "fsync", path: directory, error)
        }
        return Begun(
            segment: segment,
            chain: block.withUnsafeBytes { ChainValue(hashing: $0) })
    }
}
