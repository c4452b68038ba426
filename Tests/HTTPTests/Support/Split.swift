import TestSupport

/// A way to divide a stream of bytes before it is fed.
enum Split: Sendable, CustomStringConvertible {
    case whole
    case everyByte
    /// Pieces of random length, mostly short.
    case random(seed: UInt64)
    /// Two pieces, divided after the first empty line, as from a client that waits for `100
    /// Continue`.
    case afterHead

    static let all: [Split] = [
        .whole, .everyByte, .afterHead, .random(seed: 1), .random(seed: 2), .random(seed: 3),
    ]

    var description: String {
        switch self {
        case .whole: "whole"
        case .everyByte: "one byte at a time"
        case .random(let seed): "random pieces \(seed)"
        case .afterHead: "head, then the rest"
        }
    }

    func pieces(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        switch self {
        case .whole:
            return [bytes[...]]
        case .everyByte:
            return bytes.indices.map { bytes[$0...$0] }
        case .afterHead:
            let end = Array("\r\n\r\n".utf8)
            let cut =
                bytes.indices.first { bytes[$0...].starts(with: end) }.map { $0 + 4 } ?? bytes.count
            return [bytes[..<cut], bytes[cut...]]
        case .random(let seed):
            var generator = SeededGenerator(seed: seed &+ UInt64(bytes.count) << 8)
            var pieces: [ArraySlice<UInt8>] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let longest = Bool.random(using: &generator) ? 4 : max(1, bytes.count / 3)
                let piece = rest.prefix(Int.random(in: 1...longest, using: &generator))
                pieces.append(piece)
                rest = rest.dropFirst(piece.count)
            }
            return pieces
        }
    }
}
