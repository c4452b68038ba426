import SystemPackage

/// The names of a journal's segments, live and archived, as a reader sees them while a writer may
/// add some and retention may move some.
struct SegmentCatalog {
    let directory: String
    let storage: any Storage
    /// First sequences in order, each once.
    private(set) var numbers: [UInt64] = []

    init(_ directory: String, storage: any Storage) throws(JournalError) {
        self.directory = directory
        self.storage = storage
        try refresh()
    }

    /// Reads the directories again. The archive is read last, so that a segment that is moved
    /// meanwhile is seen in one of them.
    mutating func refresh() throws(JournalError) {
        let live = try JournalError.naming("list", directory) { () throws(Errno) in
            try storage.list(directory)
        }
        let archived = (try? storage.list(directory + "/" + Format.archiveName)) ?? []
        let found = (live + archived).compactMap {
            Format.number(in: $0, suffix: Format.segmentSuffix)
        }
        numbers = Set(found).sorted()
    }

    /// Whether the segment that begins with `number` exists.
    func exists(_ number: UInt64) throws(JournalError) -> Bool {
        try firstExisting(number) != nil
    }

    /// Opens the segment that begins with `number` and checks its header; nil if it does not exist.
    func open(_ number: UInt64) throws(JournalError) -> SegmentEntry? {
        guard let name = try firstExisting(number) else { return nil }
        return try SegmentEntry.read(name, number: number, directory: directory, storage: storage)
    }

    /// Returns the path in the directory, else in the archive: retention creates the second name
    /// before it removes the first.
    private func firstExisting(_ number: UInt64) throws(JournalError) -> String? {
        let name = Format.segmentName(firstSequence: number)
        for candidate in [name, Format.archiveName + "/" + name] {
            do throws(Errno) {
                _ = try storage.open(directory + "/" + candidate, for: .reading)
                return candidate
            } catch {
                if error == .noSuchFileOrDirectory || error == .notDirectory { continue }
                throw .unusable(operation: "open", path: directory + "/" + candidate, error)
            }
        }
        return nil
    }
}
