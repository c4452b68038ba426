import COpenSSL
import Foundation

@testable import TLS

/// A client and a server joined by a socket pair, driven in turn on one thread.
final class TLSPair {
    var client: TLSSession
    var server: TLSSession
    private(set) var clientDescriptor: Int32
    let serverDescriptor: Int32

    /// - Parameter adjust: Changes the client's OpenSSL context, so that it offers what a correct
    ///   client would not.
    init(
        _ context: TLSContext, _ client: TLSClient, host: String = "pay.example",
        adjust: (OpaquePointer) -> Void = { _ in }
    ) {
        (clientDescriptor, serverDescriptor) = Self.socketPair()
        adjust(client.context.pointer)
        self.client = TLSSession(connecting: client, descriptor: clientDescriptor, host: host)
        server = TLSSession(accepting: context, descriptor: serverDescriptor)
    }

    deinit {
        closeClient()
        close(serverDescriptor)
    }

    /// Two joined, non-blocking stream sockets.
    static func socketPair() -> (Int32, Int32) {
        var descriptors: [Int32] = [-1, -1]
        let type =
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            | Int32(SOCK_CLOEXEC.rawValue)
        precondition(socketpair(AF_UNIX, type, 0, &descriptors) == 0)
        return (descriptors[0], descriptors[1])
    }

    /// Ends the stream and closes the descriptor. Closing alone would not end it while a child
    /// process of another test, which is just being started, still holds a copy of the descriptor.
    static func end(_ descriptor: Int32) {
        Glibc.shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    func closeClient() {
        guard clientDescriptor >= 0 else { return }
        Self.end(clientDescriptor)
        clientDescriptor = -1
    }

    /// Drives both handshakes until each has ended or neither can continue.
    func handshake() -> (client: TLSSession.Step, server: TLSSession.Step) {
        var ends: (client: TLSSession.Step, server: TLSSession.Step) = (.wantsRead, .wantsRead)
        for _ in 0..<20 {
            if ends.client.isWaiting { ends.client = client.handshake() }
            if ends.server.isWaiting { ends.server = server.handshake() }
        }
        return ends
    }

    /// Whether both sides completed the handshake.
    func connect() -> Bool {
        let ends = handshake()
        return ends.client == .done(0) && ends.server == .done(0)
    }
}

extension TLSSession.Step {
    var isWaiting: Bool { self == .wantsRead || self == .wantsWrite }

    var error: TLSError? {
        guard case .failed(let error) = self else { return nil }
        return error
    }
}

extension TLSSession {
    mutating func write(_ text: String) -> Step {
        Array(text.utf8).withUnsafeBytes { write($0) }
    }

    /// Reads once and returns the step and the bytes as text.
    mutating func readText() -> (step: Step, text: String) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let step = buffer.withUnsafeMutableBytes { read(into: $0) }
        guard case .done(let count) = step else { return (step, "") }
        return (step, String(decoding: buffer[..<count], as: UTF8.self))
    }
}
