import Bytes
import Journal
import JournalStore
import Payments
import Providers
import Records
import Store
import TestSupport
import Testing

@testable import Inquiry

@Suite struct InquiryServiceTests {
    @Test func anAnswerIsRecordedOnceAndMakesTheOrderPaid() async throws {
        let merchant = try Merchant()
        let provider = ScriptedProvider(Merchant.paid(), Merchant.paid())
        let service = merchant.service(provider)
        let first = try await service.ask(merchant.name)
        #expect(first.verdict == .answered && first.trust == .tls)
        #expect(first.recorded == [1] && first.facts == 1 && first.conflicts == 0)
        let second = try await service.ask(merchant.name)
        #expect(second.verdict == .answered && second.recorded.isEmpty && second.facts == 1)
        #expect(await merchant.order()?.status == .paid)
        await merchant.store.close()
        // A start finds the same.
        let again = try Merchant.open(merchant.folder)
        let order = await again.order(endpoint: "e", reference: "R-1")?.order
        #expect(order?.status == .paid && order?.amount == .eur(4200))
        await again.close()
    }

    /// Silence is never failure.
    @Test(
        arguments: [
            .success((200, "{}")), .success((500, "")), .success((401, "{}")),
            .success((200, "<html>")), .success((200, #"{"id":"T","reference":"OTHER"}"#)),
            .failure(InquiryFailure(reason: "timeout", detail: "")),
        ] as [ScriptedProvider.Answer])
    func silenceChangesNothing(_ answer: ScriptedProvider.Answer) async throws {
        let merchant = try Merchant()
        let provider = ScriptedProvider([answer])
        let report = try await merchant.service(provider).ask(merchant.name)
        #expect(report.verdict != .answered && report.recorded.isEmpty)
        #expect(await merchant.order() == nil)
        #expect(provider.requests.count == 1)
        await merchant.store.close()
    }

    @Test func whatNoAnswerCameForSaysWhy() async throws {
        let merchant = try Merchant()
        let provider = ScriptedProvider([
            .failure(InquiryFailure(reason: "tls_unverified", detail: "wrong name"))
        ])
        let report = try await merchant.service(provider).ask(merchant.name)
        #expect(report.verdict == .retry && report.reason == "tls_unverified")
        #expect(report.trust == .none && report.detail == "wrong name")
        await merchant.store.close()
    }

    @Test func aContradictionIsAConflictAndTheOrderIsInReview() async throws {
        let merchant = try Merchant()
        let service = merchant.service(
            ScriptedProvider(Merchant.paid(), Merchant.paid(amount: 4100)))
        _ = try await service.ask(merchant.name)
        let report = try await service.ask(merchant.name)
        #expect(report.conflicts == 1)
        let order = try #require(await merchant.order())
        #expect(order.status == .review && order.amount == .eur(4100))
        await merchant.store.close()
    }

    /// The record holds both sides, and nothing that could be used to ask, charge or refund.
    @Test func noCredentialIsInTheRecord() async throws {
        for (system, answers) in [
            ("citcon-pay", [Merchant.paid()]),
            (
                "citcon-upi",
                [
                    #"{"status":"success","data":{"access_token":"UPI-token","#
                        + #""expiry":1999999999}}"#,
                    #"{"status":"success","data":{"object":"charge","id":"T-1","reference":"R-1","#
                        + #""amount":4200,"currency":"EUR","status":"succeeded"}}"#,
                ]
            ),
            (
                "opp",
                [
                    #"{"result":{"code":"000.000.100"},"payments":[{"id":"T-1","#
                        + #""paymentType":"DB","amount":"42.00","currency":"EUR","#
                        + #""merchantTransactionId":"R-1","result":{"code":"000.000.000"}}]}"#
                ]
            ),
        ] {
            let merchant = try Merchant(system)
            let provider = ScriptedProvider(answers.map { .success((200, $0)) })
            let report = try await merchant.service(provider).ask(merchant.name)
            #expect(report.recorded == [1], "\(report)")
            await merchant.store.close()
            let record = try Self.firstRecord(merchant)
            let text = String(decoding: record, as: UTF8.self)
            for secret in ["a-secret-token", "sk-private", "UPI-token", "authorization"] {
                #expect(!text.contains(secret), "\(system)")
            }
            let (request, inquiry) = try RecordDecoder.inquiry(record)
            #expect(request.target == Array(provider.requests.last?.target.utf8 ?? "".utf8)[...])
            #expect(inquiry.body == Array((answers.last ?? "").utf8) && inquiry.trust == "tls")
            #expect(try RecordDecoder.event(record).notification.kind == "inquiry")
        }
    }

    private static func firstRecord(_ merchant: Merchant) throws -> [UInt8] {
        var found: [UInt8] = []
        var reader = try JournalReader(directory: "\(merchant.folder.path)/journal")
        let count = try reader.read { _, record in
            if found.isEmpty { found = [UInt8](record) }
        }
        #expect(count == 1)
        return found
    }

    @Test func aTokenServesTheNextQuestion() async throws {
        let merchant = try Merchant("citcon-upi")
        let token = #"{"status":"success","data":{"access_token":"t","expiry":9999999999}}"#
        let charge =
            #"{"status":"success","data":{"object":"charge","id":"T-1","reference":"R-1","#
            + #""amount":1,"currency":"EUR","status":"pending"}}"#
        let provider = ScriptedProvider(token, charge, charge)
        let service = merchant.service(provider)
        _ = try await service.ask(merchant.name)
        _ = try await service.ask(merchant.name)
        #expect(
            provider.requests.map(\.target) == [
                "/v1/access-tokens", "/v1/transactions/R-1?type=reference", "/v1/transactions/T-1",
            ])
        await merchant.store.close()
    }

    @Test func anOrderIsNotAskedAboutTwiceWithinItsPause() async throws {
        let merchant = try Merchant(pauseSeconds: 86_400)
        let provider = ScriptedProvider(Merchant.paid(), Merchant.paid())
        let service = merchant.service(provider)
        _ = try await service.ask(merchant.name)
        do throws(InquiryRefusal) {
            _ = try await service.ask(merchant.name)
            Issue.record("asked again")
        } catch {
            guard case .tooSoon(let seconds) = error else {
                Issue.record("\(error)")
                return
            }
            #expect((80_000...86_400).contains(seconds))
        }
        #expect(provider.requests.count == 1)
        await merchant.store.close()
    }

    @Test func anEndpointWithoutInquiryIsRefused() async throws {
        let merchant = try Merchant()
        let service = merchant.service(ScriptedProvider())
        await #expect(throws: InquiryRefusal.notConfigured) {
            _ = try await service.ask(OrderName(endpoint: "other", reference: "R-1"))
        }
        await merchant.store.close()
    }

    @Test func anAnswerThatCannotBeStoredIsNotReportedAsOne() async throws {
        let merchant = try Merchant()
        let service = merchant.service(ScriptedProvider(Merchant.paid()))
        await merchant.store.close()
        await #expect(throws: InquiryRefusal.notStored(.shuttingDown)) {
            _ = try await service.ask(merchant.name)
        }
    }
}

extension Money {
    static func eur(_ minor: Int64) -> Money? {
        Currency("EUR").map { Money(minor: minor, currency: $0) }
    }
}
