import Foundation
import Providers
import TestSupport
import Testing

@testable import ServerConfiguration

@Suite struct ProviderMemoryFilesTests {
    private let folder = TemporaryFolder()
    private var files: ProviderMemoryFiles { ProviderMemoryFiles(directory: folder.file("memory")) }

    private func admits(_ memory: TransmissionMemory, _ body: String, _ id: String) -> Bool {
        memory.admits(Array(body.utf8), under: [Array(id.utf8)])
    }

    @Test func `certificates are there after a restart, the last one of a URL`() {
        let pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        files.keep(pem, at: "https://a.example/1")
        files.keep(pem.replacing("AAAA", with: "BBBB"), at: "https://a.example/2")
        files.keep(pem.replacing("AAAA", with: "CCCC"), at: "https://a.example/1")
        let cache = CertificateCache()
        files.load(into: cache)
        #expect(cache.certificate(at: "https://a.example/1")?.contains("CCCC") == true)
        #expect(
            cache.certificate(at: "https://a.example/2") == pem.replacing("AAAA", with: "BBBB"))
    }

    @Test func `transmissions are known after a restart`() {
        for round in 0..<3 {
            let memory = TransmissionMemory(generationMax: 2)
            files.connect(memory) { Issue.record("\($0)") }
            #expect(admits(memory, "body", "id \(round)"))
            if round > 0 { #expect(!admits(memory, "other", "id \(round - 1)")) }
        }
    }

    @Test func `a torn entry is dropped`() throws {
        let memory = TransmissionMemory()
        files.connect(memory) { Issue.record("\($0)") }
        #expect(admits(memory, "body", "1"))
        let path = folder.file("memory/transmissions")
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(count: 7))
        let next = TransmissionMemory()
        files.connect(next) { Issue.record("\($0)") }
        #expect(admits(next, "body", "2"))
        let last = TransmissionMemory()
        files.connect(last) { Issue.record("\($0)") }
        #expect(!admits(last, "other", "1") && !admits(last, "other", "2"))
    }

    @Test func `it is told once that nothing can be kept`() throws {
        try folder.write("memory", "a file in its place")
        let memory = TransmissionMemory()
        files.connect(memory) { #expect($0 == .notDirectory) }
        #expect(admits(memory, "body", "1") && !admits(memory, "other", "1"))
    }
}
