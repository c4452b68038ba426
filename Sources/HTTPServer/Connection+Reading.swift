import HTTP
import Platform

/// From bytes to the next request.
extension Connection {
    /// The next request; nil when the client has none or the server drains.
    func readRequest() async throws(ConnectionEnd) -> Request? {
        clock = RequestClock(now: loop.now, limits: limits)
        isIdle = true
        idleSince = loop.now
        isReceiving = true
        defer { isReceiving = false }
        while true {
            switch try readOn() {
            case .complete: return parser.takeRequest()
            case .ended: return nil
            case .expectsContinue: try await write(ResponseEncoder.continueBytes)
            case .turnIsOver: await loop.yield()
            case .wantsRead: try end(after: await channel.awaitReadable(until: clock.deadline))
            case .wantsWrite: try end(after: await channel.awaitWritable(until: clock.deadline))
            }
        }
    }

    /// How far reading went without waiting for anything.
    private enum Progress {
        case complete, ended, expectsContinue, turnIsOver, wantsRead, wantsWrite
    }

    /// Reads and parses what is there. Not `async`: whatever such a function keeps over a wait, an
    /// idle connection keeps in memory.
    private func readOn() throws(ConnectionEnd) -> Progress {
        if !pending.isEmpty {
            try feedPending()
            if parser.status != .needsBytes { return progress }
        }
        while true {
            if !parser.hasBegun && drainIsOver { return .ended }
            guard transport.mayRead else { return .wantsRead }
            switch transport.read(into: loop.scratch) {
            case .bytes(let count):
                let input = UnsafeRawBufferPointer(rebasing: loop.scratch[..<count])
                try feed(input.bindMemory(to: UInt8.self).span)
                if parser.status != .needsBytes { return progress }
                // Bytes that are always there must not carry a request past its deadline.
                if loop.now >= clock.deadline { throw endOfTime }
                if mustYield() { return .turnIsOver }
            case .wantsRead: return .wantsRead
            // TLS answers something of its own, a key update for one.
            case .wantsWrite: return .wantsWrite
            case .end where !parser.hasBegun: return .ended
            case .end: throw .refused(HTTPError(.requestIncomplete))
            case .failed(let fault): throw .broken(fault)
            }
        }
    }

    private var progress: Progress {
        parser.status == .complete ? .complete : .expectsContinue
    }

    /// Gives `bytes` to the parser, and what the parser does not want to `pending`.
    private func feed(_ bytes: Span<UInt8>) throws(ConnectionEnd) {
        let consumed = try parse(bytes)
        if consumed < bytes.count {
            pending = bytes.extracting(droppingFirst: consumed).withUnsafeBufferPointer(Array.init)
            pendingStart = 0
        }
        try hold(parser.heldBytes + pending.count)
    }

    private func feedPending() throws(ConnectionEnd) {
        let bytes = pending
        pendingStart += try parse(bytes.span.extracting(droppingFirst: pendingStart))
        if pendingStart == bytes.count { pending = [] }
        try hold(parser.heldBytes + pending.count)
    }

    private func parse(_ bytes: Span<UInt8>) throws(ConnectionEnd) -> Int {
        do throws(HTTPError) {
            let consumed = try parser.feed(bytes)
            if parser.hasBegun { isIdle = false }
            clock.advance(hasBegun: parser.hasBegun, isInBody: parser.isInBody, now: loop.now)
            return consumed
        } catch {
            throw .refused(error)
        }
    }

    private func hold(_ bytes: Int) throws(ConnectionEnd) {
        guard memory.hold(bytes) else { throw .refused(HTTPError(.bodiesTooLarge)) }
    }

    private func end(after wake: Channel.Wake) throws(ConnectionEnd) {
        if case .deadline = wake { throw endOfTime }
        // What lay in the socket meanwhile is not asked for: the place is promised.
        if isDisplaced, !isIdle { throw .refused(HTTPError(.requestDisplaced)) }
    }

    /// What the passing of the clock's deadline means.
    private var endOfTime: ConnectionEnd {
        clock.phase == .idle ? .closed : .refused(clock.timeout)
    }
}
