import SystemPackage

/// Creates a journal from a backup, in a directory that holds none.
package struct JournalRestore {
    private let backup: String
    private let directory: String
    private let storage: any Storage
    private let segments: SegmentCopy
    private let options: JournalOptions

    package init(
        of backup: String, to directory: String, storage: any Storage = PosixStorage(),
        options: JournalOptions = .init()
    ) {
        self.backup = backup
        self.directory = directory
        self.storage = storage
        self.options = options
        segments = SegmentCopy(
            storage: storage, window: SegmentWindow(bytes: options.windowBytes))
    }

    /// Verifies the backup, copies it, and verifies each copy. The files get their names last, the
    /// first segment at the very end, so that an interrupted restore does not open. Returns the
    /// verification of the backup.
    ///
    /// Throws `absent` if there is no backup, `damaged`, `copyRefused` if the directory is not
    /// empty, `locked` and `unusable`.
    package func run() throws(JournalError) -> (note: JournalNote, verification: Verification) {
        guard let note = try JournalNote.find(backup, storage: storage) else {
            throw .absent(directory: backup)
        }
        let verification = try verify()
        try JournalDirectory.make(directory, storage)
        let lock = try JournalDirectory.lock(directory, storage)
        defer { lock.unlock() }
        guard try JournalDirectory.isEmpty(directory, storage) else {
            throw .copyRefused("\(directory) is not empty; move its content away, then restore")
        }
        let catalog = try SegmentCatalog(backup, storage: storage)
        for number in catalog.numbers {
            guard let entry = try catalog.open(number) else { throw .absent(directory: backup) }
            try segments.copy(
                entry, to: try segments.end(of: entry).whole,
                at: path(number) + Format.temporarySuffix)
        }
        if let snapshot = try SnapshotFile.newestGood(directory: backup, storage: storage) {
            try SnapshotFile.copy(snapshot, from: backup, to: directory, storage: storage)
        }
        if let keys = try KeysFile.read(in: backup, storage: storage) {
            try KeysFile.write(keys, in: directory, storage: storage)
        }
        try JournalError.naming("write", directory) { () throws(Errno) in
            try note.write(Format.identityName, in: directory, storage: storage)
            for number in catalog.numbers.reversed() {
                try storage.rename(path(number) + Format.temporarySuffix, to: path(number))
                try storage.fsyncDirectory(directory)
            }
        }
        return (note, verification)
    }

    private func path(_ number: UInt64) -> String {
        directory + "/" + Format.segmentName(firstSequence: number)
    }

    private func verify() throws(JournalError) -> Verification {
        var verifier = JournalVerifier(directory: backup, storage: storage, options: options)
        let result: Result<Verification, JournalError> = Result {
            try verifier.run()
        }.mapError { $0 as? JournalError ?? .absent(directory: backup) }
        let verification = try result.get()
        if let damage = verification.damage { throw .damaged(damage) }
        return verification
    }
}
