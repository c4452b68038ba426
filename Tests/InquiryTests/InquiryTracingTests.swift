import Foundation
import Payments
import Store
import Telemetry
import TestSupport
import Testing

@testable import Inquiry

/// An inquiry is a span, and its records have its place.
@Suite struct InquiryTracingTests {
    private let queue = SpanQueue(spansMax: 10, batchMax: 10)

    private func service(_ merchant: Merchant, _ provider: ScriptedProvider) -> InquiryService {
        InquiryService(
            [merchant.target], store: merchant.store, transport: provider, clock: merchant.clock,
            tracing: WorkTracing(SpanTracer(queue), clock: merchant.clock))
    }

    @Test func `an inquiry with its records`() async throws {
        let merchant = try Merchant()
        let service = service(merchant, ScriptedProvider(Merchant.paid()))
        _ = try await service.ask(merchant.name)
        await merchant.store.close()
        let span = try #require(queue.take().first)
        #expect(span.name == "inquiry e" && span.kind == .client && span.status == nil)
        #expect(span.attributes.get("ipnd.reference") == "R-1")
        #expect(span.attributes.get("ipnd.verdict") == "answered")
        #expect(span.attributes.get("ipnd.records") == 1)
        let segment = "\(merchant.folder.path)/journal/0000000001.segment"
        let text = String(decoding: try Data(contentsOf: URL(filePath: segment)), as: UTF8.self)
        #expect(text.contains("\"trace\":\"\(span.place.own.text)\""))
    }

    @Test func `an inquiry without an answer has failed`() async throws {
        let merchant = try Merchant()
        let provider = ScriptedProvider([
            .failure(InquiryFailure(reason: "timeout", detail: ""))
        ])
        _ = try await service(merchant, provider).ask(merchant.name)
        #expect(queue.take().map(\.status?.message) == ["timeout"])
        await merchant.store.close()
    }
}
