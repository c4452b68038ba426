import HTTP

/// A connection's side of a streamed body. Lives in the connection's task.
final class StreamWriter: BodyWriter {
    private let inChunks: Bool
    private let send: ([[UInt8]]) async throws(ConnectionEnd) -> Void

    init(inChunks: Bool, send: @escaping ([[UInt8]]) async throws(ConnectionEnd) -> Void) {
        self.inChunks = inChunks
        self.send = send
    }

    func write(_ pieces: [[UInt8]]) async throws(BodyWriterError) {
        let count = pieces.reduce(0) { $0 + $1.count }
        guard count > 0 else { return }
        let output = inChunks ? Self.chunk(pieces, count) : pieces
        do throws(ConnectionEnd) { try await send(output) } catch { throw .clientGone }
    }

    /// One chunk of all pieces. Few bytes go into one array, and so into one packet.
    private static func chunk(_ pieces: [[UInt8]], _ count: Int) -> [[UInt8]] {
        let (start, end) = ResponseEncoder.chunkFrame(count)
        if count <= AnswerMemory.freeBytes { return [start + pieces.joined() + end] }
        return [start] + pieces + [end]
    }
}
