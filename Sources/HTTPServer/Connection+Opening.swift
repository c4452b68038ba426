import HTTP
import Platform

/// What comes before the first request: who is there, and TLS.
extension Connection {
    func readProxyHeader() async throws(ConnectionEnd) {
        guard proxy.isProxy(peer) else { throw .broken(.proxyHeaderUntrusted) }
        var decoder = ProxyProtocolDecoder()
        let deadline = opened.advanced(seconds: limits.headSecondsMax)
        while true {
            // The header is read byte-exact from the socket, before TLS: what follows it is not
            // ours.
            switch decoder.read(from: channel.descriptor) {
            case .address(let source):
                if let source { peer = source }
                return
            case .needsBytes:
                // A peek tells no end of the stream as long as bytes lie before it.
                if drainIsOver || channel.peerClosed { throw .closed }
                channel.beginRead()
                if case .deadline = await channel.awaitReadable(until: deadline) {
                    throw .broken(.proxyHeaderTimeout)
                }
            case .invalid(let fault):
                throw .broken(.proxyHeader(fault))
            case .end:
                throw .closed
            }
        }
    }

    func handshake() async throws(ConnectionEnd) {
        guard transport.isTLS else { return }
        let deadline = opened.advanced(seconds: limits.handshakeSecondsMax)
        try await waitForHello(until: deadline)
        defer { worker.handshakes.end(self) }
        while let retry = worker.handshakes.begin(self, now: loop.now) {
            // The client's end is not looked for here: the handshake meets it.
            _ = await channel.awaitInterrupt(until: min(retry, deadline))
            try check(loop.now >= deadline ? .deadline : .interrupted)
        }
        transport.beginTLS()
        while true {
            let wake: Channel.Wake
            switch transport.handshake() {
            case .bytes:
                server.handshakes.add(isResumed: transport.isResumed)
                return
            case .wantsRead: wake = await channel.awaitReadable(until: deadline)
            case .wantsWrite: wake = await channel.awaitWritable(until: deadline)
            case .end: throw .closed
            case .failed(let fault): throw .broken(fault)
            }
            try check(wake)
            guard worker.handshakes.holds(self) else { throw .broken(.tlsHandshakeDisplaced) }
        }
    }

    private func waitForHello(until deadline: MonotonicTime) async throws(ConnectionEnd) {
        while true {
            switch transport.peekHello() {
            case .bytes: return
            case .end: throw .closed
            case .failed(let fault): throw .broken(fault)
            case .wantsRead, .wantsWrite:
                // A peek tells no end of the stream as long as bytes lie before it.
                if channel.peerClosed { throw .broken(.tls(.unexpectedEOF)) }
                try check(await channel.awaitReadable(until: deadline))
            }
        }
    }

    /// How a wait within the handshake goes on.
    private func check(_ wake: Channel.Wake) throws(ConnectionEnd) {
        if drainIsOver { throw .closed }
        if case .deadline = wake { throw .broken(.tlsHandshakeTimeout) }
    }

    /// Who sent `request`.
    func context(for request: Request) -> RequestContext {
        // Where no header tells of another client, all requests are the peer's own.
        if proxy.header == nil, let lastContext { return lastContext }
        let client = ForwardedAddress.client(of: request, peer: peer, proxy: proxy)
        if let lastContext, lastContext.client == client { return lastContext }
        let context = RequestContext(
            peer: peer, client: client, isTLS: transport.isTLS,
            clientCertificate: transport.clientCertificate, presence: clientPresence())
        lastContext = context
        return context
    }

    /// Who is there, where no request says more.
    var anonymousContext: RequestContext {
        var client: IPAddress?
        if case .ip(let address, _) = peer { client = address }
        return RequestContext(
            peer: peer, client: client, isTLS: transport.isTLS, clientCertificate: nil)
    }

    /// One for the connection. A handler that never asks costs neither it nor the kernel's word.
    private func clientPresence() -> ClientPresence {
        guard worker.handler.watchesClients else { return .unwatched }
        if let presence { return presence }
        let made = ClientPresence()
        presence = made
        channel.onPeerClosed = { made.end() }
        if channel.peerClosed { made.end() } else { channel.watch() }
        return made
    }
}
