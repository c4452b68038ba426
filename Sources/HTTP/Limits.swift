/// All limits of the server, including timeouts. The parser enforces the sizes, the server the
/// times and counts; the configuration sets each by its name here (`Limits.all`).
///
/// A name ends with its unit: bytes, seconds, or nothing after the counted thing. `Max` is the
/// largest allowed value: a request at its limit passes, one beyond it is refused.
package struct Limits: Sendable, Equatable {
    /// Bytes of a request line without its CRLF; more is a 414. RFC 9112 §3 recommends at least
    /// 8000.
    package var requestLineBytesMax = 8192
    /// Bytes of a head, from the method to the empty line, including line ends; more is a 431.
    package var headBytesMax = 16_384
    /// Field lines of a head, and of a trailer section; more is a 431 (RFC 6585 §5).
    package var fieldCountMax = 100
    /// Seconds from a head's first byte to its last; longer is a 408.
    package var headSecondsMax = 10
    /// Bytes of a decoded body; more is a 413, before any of it is read.
    package var bodyBytesMax = 1_048_576
    /// Seconds without a byte of a body; longer is a 408.
    package var bodyIdleSecondsMax = 10
    /// Seconds from a head's end to its body's end; longer is a 408.
    package var bodySecondsMax = 30
    /// Bytes of requests that all connections together hold in memory, counting only what exceeds
    /// 16 KiB per connection; more is a 503. Without this limit a thousand slow senders of large
    /// bodies would take a gigabyte.
    package var bodiesBytesMax = 268_435_456
    /// Bytes reserved for a body because of its `Content-Length` alone. More is allocated only as
    /// bytes arrive, so that a claim costs its sender as much as the server.
    package var bodyReserveBytesMax = 65_536
    /// Bytes of a chunk's size line with its extensions, without CRLF; more is a 400.
    package var chunkLineBytesMax = 256
    /// Bytes of chunk extensions and leading zeros in one body; more is a 400 (RFC 9112 §7.1.1).
    package var chunkOverheadBytesMax = 16_384
    /// Bytes of a trailer section, including line ends; more is a 431.
    package var trailerBytesMax = 16_384
    /// Events that one request may report; more is a 400, before any is recorded. The largest
    /// documented batch has 250 (GoCardless).
    package var eventsPerRequestMax = 256
    /// Seconds that an idle connection is kept open.
    package var keepAliveSecondsMax = 75
    /// Requests on one connection; the last one is answered with `Connection: close`.
    package var requestsPerConnectionMax = 10_000
    /// Seconds that a connection may live; the next answer after that closes it.
    package var connectionSecondsMax = 3600
    /// Open connections of all listeners together.
    package var connectionsMax = 10_000
    /// Open connections per peer address.
    package var connectionsPerPeerMax = 256
    /// Seconds for a TLS handshake (and a preceding PROXY header).
    package var handshakeSecondsMax = 10
    /// TLS handshakes in progress on all loops together. Beyond this, a new one waits and the
    /// oldest is ended: each takes some 60 KiB until it completes.
    package var handshakesMax = 512
    /// Seconds that a write may make no progress before the connection is dropped.
    package var writeStallSecondsMax = 10
    /// Bytes of answers that all connections together hold for slow readers, counting only what
    /// exceeds 16 KiB per connection, and bytes that several readers wait for once. Beyond this,
    /// the client that has left its answer unread the longest is dropped. Must be larger than the
    /// largest answer.
    package var answersBytesMax = 67_108_864
    /// Bytes of answers that a slow reader may leave unread before its further requests are not
    /// read.
    package var answerQueueBytesMax = 65_536
    /// Seconds that a closing connection still reads and discards, so that the peer receives the
    /// answer and not a reset (RFC 9112 §9.6).
    package var lingerSecondsMax = 2
    /// Seconds that a stopping server leaves an idle connection open for a request that is already
    /// on its way.
    package var drainIdleSecondsMax = 1
    /// Seconds that a stopping server waits for requests in progress.
    package var drainSecondsMax = 30

    /// The defaults.
    package init() {}

    /// The same limits with the parser's sizes clamped to 0 to 1 GiB, so that no sum of offsets
    /// overflows and no offset exceeds 32 bits, whatever is set in code.
    func bounded() -> Limits {
        var limits = self
        // One by one rather than by key paths, because each connection does this.
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

/// One limit as shown in the configuration and its help.
package struct LimitName: Sendable {
    /// The unit of the number.
    package enum Unit: String, Sendable { case bytes, seconds, count }

    /// The name in the configuration's `limits` section, the same as the property's.
    package let name: String
    package let unit: Unit
    /// One-line description without a full stop.
    package let summary: String
    /// Reads and sets the limit in a `Limits`.
    package let path: any WritableKeyPath<Limits, Int> & Sendable
    /// The allowed values. Zero would disable the server rather than limit it, and the upper end
    /// keeps sums of limits far from overflow.
    package let range: ClosedRange<Int>

    /// The value if the configuration sets none.
    package var defaultValue: Int { Limits()[keyPath: path] }
}

extension Limits {
    /// All limits, in the order of the documentation.
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
        LimitName(
            name: "eventsPerRequestMax", unit: .count, summary: "events of one request, else 400",
            path: \.eventsPerRequestMax, range: 1...4096),
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
