import Foundation

extension Client {
    /// Reads a chunked body to its end.
    func receiveChunks() throws -> [UInt8] {
        var body: [UInt8] = []
        while let chunk = try receiveChunk() { body += chunk }
        return body
    }

    /// Reads the next chunk; nil for the last one.
    func receiveChunk() throws -> [UInt8]? {
        let size = try receiveLine()
        guard let count = Int(size, radix: 16) else { throw ConnectionClosed() }
        while buffer.count < count + 2 { try fill() }
        let chunk = Array(buffer[..<count])
        buffer.removeFirst(count + 2)
        return count == 0 ? nil : chunk
    }

    /// Reads a line up to its CRLF.
    func receiveLine() throws -> String {
        while true {
            if let end = buffer.firstRange(of: [0x0D, 0x0A]) {
                let line = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
                buffer.removeFirst(end.upperBound)
                return line
            }
            try fill()
        }
    }
}
