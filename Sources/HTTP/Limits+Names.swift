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
