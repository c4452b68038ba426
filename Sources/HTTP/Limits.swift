/// Every limit of the server, times included, in one place. The parser enforces the sizes, the
/// server the times and the counts; the configuration sets each by the name that it has here
/// (`Limits.all`).
///
/// The names end with their unit: bytes, seconds, or nothing after the counted thing. `Max` is the
/// last value that is allowed: a request at its limit passes, one beyond it is refused.
package struct Limits: Sendable, Equatable {
    /// Bytes of a request line without its CRLF; beyond it 414. RFC 9112 §3 asks for at least 8000.
    package var requestLineBytesMax = 8192
    /// Bytes of a head, from the method to the empty line, line ends included; beyond it 431.
    package var headBytesMax = 16_384
    /// Field lines of a head, and of a trailer section; beyond it 431 (RFC 6585 §5).
    package var fieldCountMax = 100
    /// Seconds from a head's first byte to its last; beyond it 408.
    package var headSecondsMax = 10
    /// Bytes of a body after chunked is decoded; beyond it 413, before anything of it is read.
    package var bodyBytesMax = 1_048_576
    /// Seconds without any byte of a body; beyond it 408.
    package var bodyIdleSecondsMax = 10
    /// Seconds from a head's end to its body's end; beyond it 408.
    package var bodySecondsMax = 30
    /// Bytes of requests that all connections together hold in memory, counted for those beyond
    /// 16 KiB; beyond it 503. Without it a thousand slow senders of large bodies would take a
    /// gigabyte.
    package var bodiesBytesMax = 268_435_456
    /// Bytes reserved for a body on the word of its `Content-Length` alone. More is allocated only
    /// as bytes come, so that a claim costs its sender as much as the server.
    package var bodyReserveBytesMax = 65_536
    /// Bytes of a chunk's size line with its extensions, without CRLF; beyond it 400.
    package var chunkLineBytesMax = 256
    /// Bytes of chunk extensions and leading zeros in one body; beyond it 400 (RFC 9112 §7.1.1).
    package var chunkOverheadBytesMax = 16_384
    /// Bytes of a trailer section, line ends included; beyond it 431.
    package var trailerBytesMax = 16_384
    /// Seconds that an idle kept-alive connection is held.
    package var keepAliveSecondsMax = 75
    /// Requests on one connection; the last one is answered with `Connection: close`.
    package var requestsPerConnectionMax = 10_000
    /// Seconds that one connection lives; the next answer after that closes it.
    package var connectionSecondsMax = 3600
    /// Open connections of all listeners together.
    package var connectionsMax = 10_000
    /// Open connections of one peer address.
    package var connectionsPerPeerMax = 256
    /// Seconds for a TLS handshake (and a PROXY header before it).
    package var handshakeSecondsMax = 10
    /// TLS handshakes under way at the same time, on all loops together. Beyond it a new one waits,
    /// and the oldest gives way: each takes some 60 KiB until it is done.
    package var handshakesMax = 512
    /// Seconds that a write may make no progress before the connection is dropped.
    package var writeStallSecondsMax = 10
    /// Bytes of answers that all connections together hold for readers who have not taken them,
    /// counted for those beyond 16 KiB, and once where several readers wait for the same bytes;
    /// beyond it whoever has let an answer wait longest is dropped. It must be more than the
    /// largest answer.
    package var answersBytesMax = 67_108_864
    /// Bytes of answers that wait for a slow reader before no further request of it is read.
    package var answerQueueBytesMax = 65_536
    /// Seconds that a closing connection still reads and discards, so that the peer sees the answer
    /// and not a reset (RFC 9112 §9.6).
    package var lingerSecondsMax = 2
    /// Seconds that a stopping server leaves to an idle connection for a request already on its
    /// way.
    package var drainIdleSecondsMax = 1
    /// Seconds that a stopping server waits for requests in progress.
    package var drainSecondsMax = 30

    /// The defaults.
    package init() {}

    /// The same with the sizes that the parser calculates with between 0 and 1 GiB: whatever is set
    /// here in code, no sum of positions overflows and no position leaves 32 bits.
    func bounded() -> Limits {
        var limits = self
        // One by one, and not by key paths: each connection does this.
        limits.requestLineBytesMax = Self.bounded(requestLineBytesMax)
        limits.headBytesMax = Self.bounded(headBytesMax)
        limits.fieldCountMax = Self.bounded(fieldCountMax)
        limits.bodyBytesMax = Self.bounded(bodyBytesMax)
        limits.bodyReserveBytesMax = Self.bounded(bodyReserveBytesMax)
        limits.trailerBytesMax = Self.bounded(trailerBytesMax)
        return limits
    }

    private static func bounded(_ value: Int) -> Int {
        min(max(value, 0), 1 << 30)
    }
}

/// One limit as the configuration and its help see it.
package struct LimitName: Sendable {
    /// What the number counts.
    package enum Unit: String, Sendable { case bytes, seconds, count }

    /// The name in the configuration's `limits` section, the same as the property's.
    package let name: String
    package let unit: Unit
    /// What the limit is about, in one line without a full stop.
    package let summary: String
    /// Reads and sets the limit in a `Limits`.
    package let path: any WritableKeyPath<Limits, Int> & Sendable
    /// The values that make sense. Zero would switch the server off rather than limit it, and the
    /// upper end keeps sums of limits far from overflow.
    package let range: ClosedRange<Int>

    /// The value when the configuration is silent.
    package var defaultValue: Int { Limits()[keyPath: path] }
}

extension Limits {
    /// Every limit by name, in the order in which documentation lists them.
    package static let all: [LimitName] = headLimits + bodyLimits + connectionLimits

    /// The limit of this name, or nil.
    package static func named(_ name: String) -> LimitName? {
        all.first { $0.name == name }
    }

    private static let headLimits: [LimitName] = [
        bytes("requestLineBytesMax", \.requestLineBytesMax, "request line without CRLF, else 414"),
        bytes("headBytesMax", \.headBytesMax, "request line and header fields together, else 431"),
        count("fieldCountMax", \.fieldCountMax, "field lines of a head or a trailer, else 431"),
        seconds("headSecondsMax", \.headSecondsMax, "first to last byte of a head, else 408"),
    ]

    private static let bodyLimits: [LimitName] = [
        bytes("bodyBytesMax", \.bodyBytesMax, "decoded body, else 413"),
        seconds("bodyIdleSecondsMax", \.bodyIdleSecondsMax, "pause within a body, else 408"),
        seconds("bodySecondsMax", \.bodySecondsMax, "whole body, else 408"),
        bytes("bodiesBytesMax", \.bodiesBytesMax, "large bodies of all connections, else 503"),
        bytes("bodyReserveBytesMax", \.bodyReserveBytesMax, "memory reserved before a body comes"),
        bytes("chunkLineBytesMax", \.chunkLineBytesMax, "chunk size and extensions, else 400"),
        bytes(
            "chunkOverheadBytesMax", \.chunkOverheadBytesMax,
            "chunk extensions of one body together, else 400"),
        bytes("trailerBytesMax", \.trailerBytesMax, "trailer section, else 431"),
    ]

    private static let connectionLimits: [LimitName] = [
        seconds("keepAliveSecondsMax", \.keepAliveSecondsMax, "idle time between two requests"),
        count("requestsPerConnectionMax", \.requestsPerConnectionMax, "requests on a connection"),
        seconds("connectionSecondsMax", \.connectionSecondsMax, "age of a connection"),
        count("connectionsMax", \.connectionsMax, "open connections altogether"),
        count("connectionsPerPeerMax", \.connectionsPerPeerMax, "open connections of one address"),
        seconds("handshakeSecondsMax", \.handshakeSecondsMax, "TLS handshake"),
        count("handshakesMax", \.handshakesMax, "TLS handshakes at the same time"),
        seconds("writeStallSecondsMax", \.writeStallSecondsMax, "write without progress"),
        bytes(
            "answersBytesMax", \.answersBytesMax, "answers of all slow readers, else one is dropped"
        ),
        bytes("answerQueueBytesMax", \.answerQueueBytesMax, "answers a slow reader has not taken"),
        seconds("lingerSecondsMax", \.lingerSecondsMax, "reading on after the last answer"),
        seconds("drainIdleSecondsMax", \.drainIdleSecondsMax, "idle connections at shutdown"),
        seconds("drainSecondsMax", \.drainSecondsMax, "requests in progress at shutdown"),
    ]

    private typealias Path = WritableKeyPath<Limits, Int> & Sendable

    private static func bytes(_ name: String, _ path: any Path, _ summary: String) -> LimitName {
        LimitName(name: name, unit: .bytes, summary: summary, path: path, range: 1...(1 << 30))
    }

    private static func seconds(_ name: String, _ path: any Path, _ summary: String) -> LimitName {
        LimitName(name: name, unit: .seconds, summary: summary, path: path, range: 1...86_400)
    }

    private static func count(_ name: String, _ path: any Path, _ summary: String) -> LimitName {
        LimitName(name: name, unit: .count, summary: summary, path: path, range: 1...10_000_000)
    }
}
