import SystemPackage

/// Has the next segment ready before it is needed, on a thread of its own or, in a simulation, when
/// it is asked for.
struct SegmentPreparer {
    private let path: String
    private let storage: any Storage
    private let options: JournalOptions
    private var state = State.idle

    private enum State {
        case idle
        case running(PreparationThread)
        case failed(Errno, at: Int64)
    }

    init(directory: String, storage: any Storage, options: JournalOptions) {
        path = directory + "/" + Format.preparedName
        self.storage = storage
        self.options = options
    }

    /// Starts to prepare, if a thread does that and it is not at it already.
    mutating func begin() {
        guard options.preparesInBackground, case .idle = state else { return }
        let thread = PreparationThread(path: path, storage: storage, options: options)
        state = thread.map { .running($0) } ?? .idle
    }

    /// The prepared file, which now belongs to the caller. Waits for an attempt that is under way,
    /// and makes one if the last failed. That it failed too is thrown, and thrown again at once
    /// until `preparationRetrySeconds` have passed: so a full disk makes refusals quick and cheap,
    /// and room is found by itself.
    mutating func take() throws(Errno) -> any StorageFile {
        guard options.preparesInBackground else {
            return try SegmentPreparation.prepare(path, storage: storage, options)
        }
        if case .failed(let error, let time) = state {
            let retrySeconds = Int64(options.preparationRetrySeconds)
            if now - time < retrySeconds * 1_000_000 { throw error }
            state = .idle
        }
        // A failure found by a thread that ended long ago says nothing about now.
        if failure != nil { end() }
        begin()
        guard case .running(let thread) = state else { throw .resourceTemporarilyUnavailable }
        switch thread.join() {
        case .success(let file):
            state = .idle
            return file
        case .failure(let error):
            state = .failed(error, at: now)
            throw error
        }
    }

    /// Why the last attempt failed, if it did.
    var failure: Errno? {
        switch state {
        case .idle: nil
        case .running(let thread): thread.failure
        case .failed(let error, _): error
        }
    }

    /// Waits for a thread that is under way, so that nothing is written after the journal is
    /// closed.
    mutating func end() {
        if case .running(let thread) = state { _ = thread.join() }
        state = .idle
    }

    private var now: Int64 { storage.monotonicMicroseconds() }
}
