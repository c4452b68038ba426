import Bytes
import JSON
import Payments
import Providers
import ServerConfiguration
import TestSupport
import Testing

@testable import Commands

/// What ipnd signs as a provider, the provider's own library verifies; what that library signs,
/// ipnd accepts.
@Suite(.ownThreads) struct OfficialLibraryTests {
    /// The libraries that are installed, of providers that ipnd has.
    private static let libraries = OfficialLibrary.all.filter {
        ProviderCatalog.shipped[$0.provider] != nil && $0.isInstalled
    }

    private static let notice: Comment = "scripts/test installs them, if PyPI is there"

    @Test(.enabled(if: !libraries.isEmpty, notice), arguments: libraries)
    func `the provider's own library verifies what is sent`(_ library: OfficialLibrary) throws {
        let descriptor = try #require(ProviderCatalog.shipped[library.provider])
        let settings = try Self.settings(library, descriptor)
        let sender = try descriptor.makeSender(settings)
        var types: [EventType] = []
        var cases: [String] = []
        for type in EventType.allCases {
            let event = SampleEvent(
                type: type, reference: "R-1",
                money: Money(minor: 4200, currency: try #require(Currency("EUR"))),
                occurred: Timestamp(microseconds: 1_790_000_000_000_000))
            guard let request = try? sender.sign(event, path: "/ipn/\(library.provider)") else {
                continue
            }
            types.append(type)
            for sent in [request, request.damaged(reference: "R-1")] {
                cases.append(Self.json(sent.body, headers: sent.headers))
            }
        }
        #expect(types.count >= 5)
        let results = try library.judge(library.verifies, printing: "right", cases)
        let verdicts = try JSONDocument(parsing: Array(results.utf8)).root.elements.map(\.bool)
        #expect(verdicts == types.flatMap { _ in [true, false] }, "\(types)")
    }

    @Test(
        .enabled(if: !libraries.isEmpty, notice), arguments: libraries.filter { $0.signs != nil })
    func `what the provider's own library signs is accepted`(_ library: OfficialLibrary) throws {
        let descriptor = try #require(ProviderCatalog.shipped[library.provider])
        let provider = try descriptor.make(Self.settings(library, descriptor))
        let file = try VectorFile.read(
            SourceTree.url("Tests/ProvidersTests/Vectors/\(library.provider).json").path)
        let entries = file.genuine.prefix(5)
        let results = try library.judge(
            try #require(library.signs), printing: "signed", entries.map { Self.json($0.body) })
        let signed = try JSONDocument(parsing: Array(results.utf8)).root.elements
        for (entry, request) in zip(entries, signed) {
            let parts = Array(request.elements)
            let headers = parts[0].elements.map { pair in
                let texts = pair.elements.compactMap(\.string)
                return Header(texts[0], texts[1])
            }
            var delivery = entry.delivery
            delivery.headers = headers
            delivery.body = Array(try #require(parts[1].string).utf8)
            delivery.received = Timestamp(microseconds: 1_790_000_000_000_000)
            #expect(provider.refusal(delivery)?.reason == nil, "\(entry.id)")
        }
    }

    private static func settings(
        _ library: OfficialLibrary, _ descriptor: ProviderDescriptor
    ) throws -> EndpointSettings {
        try VectorSettings(descriptor: descriptor).settings(
            JSONDocument(parsing: Array(library.config.utf8)).root)
    }

    private static func json(
        _ body: [UInt8], headers: [Header] = []
    ) -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("body", String(decoding: body, as: UTF8.self))
            json.key("headers")
            json.beginArray()
            for header in headers {
                json.beginArray()
                json.string(String(decoding: header.name, as: UTF8.self))
                json.string(String(decoding: header.value, as: UTF8.self))
                json.endArray()
            }
            json.endArray()
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension Provider {
    /// Why a request is refused; nil where it verifies.
    fileprivate func refusal(_ delivery: SignedRequest) -> Refusal? {
        do throws(Refusal) {
            _ = try verify(delivery)
            return nil
        } catch {
            return error
        }
    }
}
