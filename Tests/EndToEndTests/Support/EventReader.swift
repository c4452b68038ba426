import Foundation
import Testing

/// Reads `GET /events` as a stream.
final class EventReader {
    private let admin: AdminClient
    private var text = ""

    init(_ instance: Instance, token: String? = nil, lastEventID: Int? = nil) throws {
        admin = try AdminClient(instance, token: token)
        var headers = ["Accept: text/event-stream"]
        if let lastEventID { headers.append("Last-Event-ID: \(lastEventID)") }
        try admin.send("GET", "/events", headers: headers)
        let (head, bodyStart) = try admin.client.receiveHead()
        admin.client.buffer.removeFirst(bodyStart)
        try #require(head.hasPrefix("HTTP/1.1 200"), "\(head)")
        #expect(head.contains("Content-Type: text/event-stream"))
    }

    /// Reads the next block, up to its empty line.
    func next() throws -> String {
        while true {
            if let end = text.range(of: "\n\n") {
                let block = String(text[..<end.lowerBound])
                text.removeSubrange(..<end.upperBound)
                return block
            }
            guard let chunk = try admin.client.receiveChunk() else {
                throw Client.ConnectionClosed()
            }
            text += String(decoding: chunk, as: UTF8.self)
        }
    }

    /// Returns the ids of the next `count` events, and checks that each equals its record's.
    func ids(_ count: Int) throws -> [Int] {
        var ids: [Int] = []
        while ids.count < count {
            let lines = try next().split(separator: "\n")
            guard let id = lines.first(where: { $0.hasPrefix("id: ") }),
                let data = lines.first(where: { $0.hasPrefix("data: ") })
            else { continue }
            let record = try JSONSerialization.jsonObject(with: Data(data.dropFirst(6).utf8))
            let sequence = (record as? [String: Any])?["sequence"] as? Int
            try #require(sequence == Int(id.dropFirst(4)))
            ids.append(sequence ?? 0)
        }
        return ids
    }

    /// Whether the server ended the stream properly.
    func isEnded() -> Bool {
        do {
            while let chunk = try admin.client.receiveChunk() {
                text += String(decoding: chunk, as: UTF8.self)
            }
            return true
        } catch {
            return false
        }
    }
}
