import HTTP

/// A connection's side of a streamed body. Lives in the connection's task.
final class StreamWriter: BodyWriter {
    private let inChunks: Bool
    private let send: ([UInt8]) async throws(ConnectionEnd) -> Void

    init(inChunks: Bool, send: @escaping ([UInt8]) async throws(ConnectionEnd) -> Void) {
        self.inChunks = inChunks
        self.send = send
    }

    func write(_ bytes: [UInt8]) async throws(BodyWriterError) {
        guard !bytes.isEmpty else { return }
        var output = bytes
        if inChunks {
            output = []
            ResponseEncoder.encode(chunk: bytes, into: &output)
        }
        do throws(ConnectionEnd) { try await send(output) } catch { throw .clientGone }
    }
}
