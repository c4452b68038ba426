import SystemPackage

/// Copies a torn tail to a file and overwrites it with zeros, so that none of it can be read
/// together with later writes.
struct TornTailCut {
    let directory: String
    let storage: any Storage
    let entry: SegmentEntry
    let file: any StorageFile
    let range: Range<Int>

    /// Writes the copy durably under its name first, then the zeros, synced. After a power cut in
    /// between, it is done again. Without room for the copy the journal still starts: the torn
    /// bytes were never acknowledged.
    func cut(_ window: SegmentWindow) throws(JournalError) -> RecoveryReport.TornTail {
        let bytes = try JournalError.naming("read", entry.path) { () throws(Errno) in
            [UInt8](try window.bytes(at: range.lowerBound, needed: range.count)[..<range.count])
        }
        let name = Format.tornName(
            firstSequence: entry.header.firstSequence, offset: range.lowerBound)
        var copy: String? = name
        do { try keep(bytes, as: name) } catch {
            guard error.isLackOfSpace else {
                throw .unusable(operation: "keep the torn tail in", path: path(name), error)
            }
            copy = nil
        }
        let zeros = [UInt8](repeating: 0, count: range.count)
        try JournalError.naming("cut the torn tail of", entry.path) { () throws(Errno) in
            try file.writeAll(zeros, at: range.lowerBound)
            try file.syncContent()
        }
        window.forget()
        return RecoveryReport.TornTail(
            file: entry.name, offset: range.lowerBound, bytes: range.count, copy: copy)
    }

    private func keep(_ bytes: [UInt8], as name: String) throws(Errno) {
        let temporary = path(name + Format.temporarySuffix)
        do throws(Errno) {
            let copy = try storage.open(temporary, for: .creating)
            try copy.writeAll(bytes, at: 0)
            try copy.fsync()
            try storage.rename(temporary, to: path(name))
            try storage.fsyncDirectory(directory)
        } catch {
            // A leftover is removed at the next opening.
            try? storage.unlink(temporary)
            throw error
        }
    }

    private func path(_ name: String) -> String { directory + "/" + name }
}
