import Bytes
import Foundation
import HTTP
import HTTPServer
import Platform
import Providers
import Sealing
import TestSupport
import Testing

@testable import Receiver

/// Anyone who can reach the port can add entries, so they must cost little and never fill the disk.
@Suite struct RejectionLogTests {
    private static let bounds = RejectionLog.Bounds(
        countMax: 10_000, bytesMax: 64 << 20, perSecondMax: 20)

    private let temporary = TemporaryFolder()
    private var folder: String { temporary.file("rejections") }

    /// - Parameter first: The number of the first entry, which came after as many seconds.
    private func add(
        _ count: Int, to log: RejectionLog, secondsApart: UInt64, body: String = "{}",
        at first: Int = 0
    ) throws -> [String] {
        let descriptor = try #require(ProviderRegistry.all["citcon-upi"])
        let endpoint = Endpoint(
            name: "citcon", path: "/ipn/citcon", publicPath: nil, providerName: "citcon-upi",
            provider: try descriptor.make(
                EndpointSettings(name: "citcon", ["secrets": .secrets([Array("secret".utf8)])])),
            allow: [], counters: Metrics().counters(of: "citcon"))
        let target = Array("/ipn/citcon".utf8)[...]
        let request = Request(
            method: .post, target: target, path: target, query: nil, version: .http11,
            fields: [Header("Host", "shop")], body: Array(body.utf8), keepAlive: true)
        let context = RequestContext(
            peer: .unix(path: ""), client: nil, isTLS: false, clientCertificate: nil)
        return (0..<count).compactMap { number in
            let arrival = Arrival(
                received: .init(microseconds: Int64(first + number) * 1_000_000),
                monotonic: MonotonicTime(
                    nanoseconds: 1_000_000_000 * (1 + UInt64(first + number) * secondsApart)))
            return log.add(
                .unauthenticated("signature_mismatch", "no"), request, at: endpoint, context,
                arrival)
        }
    }

    private func lines(_ name: String) -> Int {
        let text = (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").count
    }

    @Test func `entries beyond the rate are not kept`() throws {
        var bounds = Self.bounds
        bounds.perSecondMax = 3
        let log = RejectionLog(directory: folder, bounds: bounds)
        #expect(try add(10, to: log, secondsApart: 0).count == 3)
        #expect(lines(RejectionLog.fileName) == 3)
    }

    @Test func `the number of entries is bounded, and the newest stay`() throws {
        var bounds = Self.bounds
        bounds.countMax = 10
        let log = RejectionLog(directory: folder, bounds: bounds)
        let ids = try add(33, to: log, secondsApart: 1)
        #expect(ids.count == 33 && Set(ids).count == 33)
        let kept = lines(RejectionLog.fileName) + lines(RejectionLog.previousName)
        #expect((5...10).contains(kept))
        let newest = try String(
            contentsOfFile: "\(folder)/\(RejectionLog.fileName)", encoding: .utf8)
        #expect(newest.contains("\"id\":\"\(ids[32])\""))
    }

    @Test(arguments: [[], [MasterKey(name: "a", key: [UInt8](repeating: 1, count: 32))!]])
    func `requests that name an order are erased, and nothing else`(
        _ masters: [MasterKey]
    ) throws {
        let log = RejectionLog(
            directory: folder, bounds: Self.bounds, seal: .rejections(masters))
        let bodies = [
            #"{"order":"R-1"}"#, #"{"order":"R-12"}"#, "order=R-1&x=1", #"{"order":"R\/2"}"#,
            "a=M%C3%BCller", "XR-1",
        ]
        for (number, body) in bodies.enumerated() {
            #expect(try add(1, to: log, secondsApart: 1, body: body, at: number).count == 1)
        }
        #expect(try log.erase(naming: ["R-1", "Müller"]) == 3)
        #expect(try log.erase(naming: ["R-1", "Müller"]) == 0)
        let text = try String(
            contentsOfFile: "\(folder)/\(RejectionLog.fileName)", encoding: .utf8)
        let lines = text.split(separator: "\n")
        #expect(lines.count == 6)
        let erased = lines.indices.filter { lines[$0].hasSuffix(#","erased":true}"#) }
        #expect(erased == [0, 2, 4])
        #expect(lines[0].contains("signature_mismatch") && !lines[0].contains("request"))
        // It goes on in the new file.
        #expect(try add(1, to: log, secondsApart: 1, body: "R-1", at: 7).count == 1)
        #expect(self.lines(RejectionLog.fileName) == 7)
        #expect(try log.erase(before: .init(microseconds: 7_000_000)) == 3)
        #expect(try log.erase(before: .init(microseconds: 8_000_000)) == 1)
    }

    @Test func `without a log nothing is erased`() throws {
        let log = RejectionLog(directory: folder, bounds: Self.bounds)
        try FileManager.default.removeItem(atPath: "\(folder)/\(RejectionLog.fileName)")
        #expect(try log.erase(naming: ["R-1"]) == 0)
    }

    /// The cause that keeps the log from being opened may pass; the server runs meanwhile.
    @Test func `a log that cannot be opened is tried again`() throws {
        try Data().write(to: URL(filePath: folder))
        let log = RejectionLog(directory: folder, bounds: Self.bounds)
        #expect(log.openingError == .notDirectory)
        #expect(try add(1, to: log, secondsApart: 1).isEmpty)
        try FileManager.default.removeItem(atPath: folder)
        // One second later.
        #expect(try add(2, to: log, secondsApart: 1).count == 1)
        #expect(lines(RejectionLog.fileName) == 1)
    }

    @Test func `the size is bounded`() throws {
        var bounds = Self.bounds
        bounds.bytesMax = 2000
        let log = RejectionLog(directory: folder, bounds: bounds)
        _ = try add(40, to: log, secondsApart: 1)
        for name in [RejectionLog.fileName, RejectionLog.previousName] {
            let size = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.size]
            #expect((size as? Int ?? 0) <= 1000)
        }
    }
}
