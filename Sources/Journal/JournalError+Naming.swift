import SystemPackage

extension JournalError {
    /// Runs `call`; its `Errno` becomes `unusable`, with the operation and the path.
    static func naming<Value>(
        _ operation: String, _ path: String, _ call: () throws(Errno) -> Value
    ) throws(JournalError) -> Value {
        do { return try call() } catch {
            throw .unusable(operation: operation, path: path, error)
        }
    }

    /// Why there is no next segment.
    static func lacking(_ error: Errno) -> JournalError {
        error.isLackOfSpace ? .noSpace(error) : .needsSegment(error)
    }
}
