import HTTP
import Platform

/// The way out: an answer's bytes, and the end of the connection.
extension Connection {
    /// Answers `request`; false when that was this connection's last answer.
    func write(_ response: Response, to request: Request) async throws(ConnectionEnd)
        -> Bool
    {
        // A large body is sent from where it lies.
        let isApart = response.status == 200 && response.body.count > AnswerMemory.freeBytes
        let omitsBody = isApart || request.method == .head
        let isLast = encode(response, to: request, omitBody: omitsBody)
        if isApart, request.method != .head {
            try await writer.write([output, response.body])
        } else {
            try await writer.write(output, isLast: isLast && response.stream == nil)
        }
        if let stream = response.stream, request.method != .head {
            try await send(stream, inChunks: request.version == .http11)
        }
        return !isLast
    }

    /// Puts the answer into `output`; true when it is this connection's last one.
    private func encode(_ response: Response, to request: Request, omitBody: Bool) -> Bool {
        requestsServed += 1
        // Without chunks, only the end of the connection ends a streamed body.
        let endsBody = response.stream != nil && request.version == .http10
        let isLast =
            !request.keepAlive || endsBody || server.drain.isDraining
            || requestsServed >= limits.requestsPerConnectionMax
            || loop.now >= opened.advanced(seconds: limits.connectionSecondsMax)
        output.removeAll(keepingCapacity: true)
        ResponseEncoder.encode(
            response, omitBody: omitBody, close: isLast,
            date: worker.date(), version: request.version, into: &output)
        return isLast
    }

    private func send(
        _ stream: @Sendable (any BodyWriter) async throws -> Void, inChunks: Bool
    ) async throws(ConnectionEnd) {
        let writer = StreamWriter(inChunks: inChunks) { pieces throws(ConnectionEnd) in
            try await self.writer.write(pieces)
        }
        do { try await stream(writer) } catch { throw .closed }
        if inChunks { try await write(ResponseEncoder.lastChunk) }
    }

    func write(_ bytes: [UInt8]) async throws(ConnectionEnd) {
        try await writer.write(bytes)
    }

    func finish(_ end: ConnectionEnd) async {
        switch end {
        case .closed:
            transport.shutdownWrite()
        case .broken(let fault) where isIdle && fault.isPeersEnd:
            worker.handler.closedIdle(fault.reason, in: anonymousContext)
        case .broken(let fault):
            worker.handler.refused(fault.reason, status: nil, in: anonymousContext)
        case .refused(let error):
            worker.handler.refused(error.reason, status: error.status, in: anonymousContext)
            output.removeAll(keepingCapacity: true)
            var answer = worker.handler.answer(to: error, path: parser.path)
            if error.status == 503 { answer.fields.append(("Retry-After", "1")) }
            ResponseEncoder.encode(
                answer, omitBody: parser.method == .head, close: true, date: worker.date(),
                into: &output)
            do throws(ConnectionEnd) {
                try await write(output)
                await linger()
            } catch {
                // The client does not take the answer; there is nobody left to tell.
            }
        }
    }

    /// Reads on for a while after the last answer: closing a socket with unread bytes resets the
    /// connection, and the reset overtakes the answer (RFC 9112 §9.6).
    func linger() async {
        pending = []
        transport.shutdownWrite()
        let deadline = loop.now.advanced(seconds: limits.lingerSecondsMax)
        while loop.now < deadline, !drainIsOver {
            switch transport.read(into: loop.scratch) {
            case .bytes: if mustYield() { await loop.yield() }
            case .wantsRead:
                guard case .ready = await channel.awaitReadable(until: deadline) else { return }
            case .wantsWrite, .end, .failed: return
            }
        }
    }
}
