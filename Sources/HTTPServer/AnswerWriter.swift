import HTTP
import Platform

/// Writes a connection's answers and waits for a client that reads them slowly. Used by the
/// connection's task.
final class AnswerWriter {
    private let transport: Transport
    private let worker: ServerLoop
    private let memory: AnswerMemory
    private let stallSecondsMax: Int
    private var channel: Channel { transport.channel }
    private var loop: EventLoop { transport.channel.loop }
    /// Number in `memory` of the current wait for a slow reader, 0 if none.
    private var present: UInt64 = 0
    private var isDropped = false
    /// The connection that owns this writer.
    var owner: ObjectIdentifier?

    init(
        _ transport: Transport, worker: ServerLoop, memory: AnswerMemory, stallSecondsMax: Int
    ) {
        self.transport = transport
        self.worker = worker
        self.memory = memory
        self.stallSecondsMax = stallSecondsMax
    }

    /// Forwards the number of a wait to `drop`, on the loop.
    private var onDrop: @Sendable (UInt64) -> Void {
        { [worker, owner] wait in
            Task(executorPreference: worker.loop) {
                if let owner { worker.dropReader(owner, of: wait) }
            }
        }
    }

    /// Drops the client if it still waits under this number: its memory is needed.
    func drop(_ wait: UInt64) {
        guard wait == present, wait > 0 else { return }
        isDropped = true
        channel.interrupt()
    }

    /// - Parameter isLast: The connection ends right after these bytes.
    func write(_ bytes: [UInt8], isLast: Bool = false) async throws(ConnectionEnd) {
        if let step = writeAtOnce(bytes, isLast: isLast) { try await write([bytes], after: step) }
    }

    /// Writes the bytes of all pieces in order.
    func write(_ pieces: [[UInt8]]) async throws(ConnectionEnd) {
        for index in pieces.indices {
            guard let step = writeAtOnce(pieces[index]) else { continue }
            return try await write(pieces[index...], after: step)
        }
    }

    /// Writes the bytes that the socket did not take at once, counted as held for a slow reader
    /// meanwhile.
    private func write(
        _ pieces: ArraySlice<[UInt8]>, after first: Transport.Step
    ) async throws(ConnectionEnd) {
        guard let wait = memory.hold(pieces, drop: onDrop) else {
            channel.resetOnClose()
            throw .broken(.answersLimit)
        }
        present = wait
        defer {
            present = 0
            memory.release(wait)
            // Keeps the arrays' addresses valid until here.
            withExtendedLifetime(pieces) {}
        }
        var step: Transport.Step? = first
        for piece in pieces {
            if let step = step ?? writeAtOnce(piece) { try await write(piece, after: step) }
            step = nil
        }
    }

    /// Returns nil if the socket takes all of the bytes at once, as it nearly always does,
    /// otherwise the step that was reached.
    private func writeAtOnce(_ bytes: [UInt8], isLast: Bool = false) -> Transport.Step? {
        let step = unsafe bytes.withUnsafeBytes { unsafe transport.write($0, isLast: isLast) }
        if case .bytes(bytes.count) = step { return nil }
        return step
    }

    private func write(_ bytes: [UInt8], after first: Transport.Step) async throws(ConnectionEnd) {
        var step = first
        var sent = 0
        var deadline = loop.now.advanced(seconds: stallSecondsMax)
        while true {
            var wake = Channel.Wake.ready
            switch step {
            case .bytes(let count):
                sent += count
                deadline = loop.now.advanced(seconds: stallSecondsMax)
            case .wantsWrite: wake = await channel.awaitWritable(until: deadline)
            case .wantsRead: wake = await channel.awaitReadable(until: deadline)
            case .end: throw .closed
            case .failed(let fault): throw .broken(fault)
            }
            if case .deadline = wake {
                channel.resetOnClose()
                throw .broken(.writeStalled)
            }
            if isDropped {
                channel.resetOnClose()
                throw .broken(.readerDropped)
            }
            if sent == bytes.count { return }
            step = unsafe bytes.withUnsafeBytes {
                unsafe transport.write(.init(rebasing: $0[sent...]))
            }
        }
    }
}

/// Sends a streamed body over a connection. Used by the connection's task.
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

    /// Frames all pieces as one chunk. Small pieces are joined into one array, and so into one
    /// packet.
    private static func chunk(_ pieces: [[UInt8]], _ count: Int) -> [[UInt8]] {
        let (start, end) = ResponseEncoder.chunkFrame(count)
        if count <= AnswerMemory.freeBytes { return [start + pieces.joined() + end] }
        return [start] + pieces + [end]
    }
}
