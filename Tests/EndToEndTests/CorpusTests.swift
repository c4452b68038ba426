import Foundation
import TLS
import TestSupport
import Testing

/// Sends the corpus of raw requests over sockets to the real binary.
@Suite(.ownThreads, .serialized) struct CorpusTests {
    private static let lanes = 24

    static let ways = [
        CorpusExchange.Way(usesTLS: false, isSplit: false),
        CorpusExchange.Way(usesTLS: false, isSplit: true),
        CorpusExchange.Way(usesTLS: true, isSplit: false),
        CorpusExchange.Way(usesTLS: true, isSplit: true),
    ]

    @Test(arguments: ways)
    func `every case is judged as the index says`(_ way: CorpusExchange.Way) throws {
        let entries = CorpusCase.all
        #expect(entries.count == 298)
        let certificate = try TestCertificate()
        let target = try EchoTarget(
            way.usesTLS ? ["--certificate", certificate.certificate, "--key", certificate.key] : [])
        let client = way.usesTLS ? try TLSClient(trust: .file(certificate.certificate)) : nil
        let port = target.port
        let complaints = Box<[String]>([])
        let finished = DispatchGroup()
        for lane in 0..<Self.lanes {
            finished.enter()
            Thread.detachNewThread {
                defer { finished.leave() }
                for entry in stride(from: lane, to: entries.count, by: Self.lanes).map({
                    entries[$0]
                }) {
                    let exchange = CorpusExchange(entry: entry, way: way, port: port)
                    let complaint = Result { try exchange.run(client) }
                    switch complaint {
                    case .success(nil): break
                    case .success(let text?):
                        complaints.update { $0.append("\(entry.name): \(text)") }
                    case .failure(let error):
                        complaints.update { $0.append("\(entry.name): \(error)") }
                    }
                }
            }
        }
        finished.wait()
        #expect(complaints.get() == [])
        #expect(target.process.isRunning)
    }

    @Test func `a server that accepts what it must refuse is seen`() throws {
        let entry = try #require(CorpusCase.all.first { $0.name == "cl-negative" })
        let lenient = AnswerStream(
            Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8), heads: [], isEnded: false)
        #expect(entry.complaint(about: lenient, isClosed: false) == "answered 200")
    }
}
