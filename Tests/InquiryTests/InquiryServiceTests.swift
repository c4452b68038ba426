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
    @Test func `an answer is recorded once and makes the order paid`() async throws {
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
        // A restart restores the same.
        let again = try Merchant.open(merchant.folder)
        let order = await again.order(endpoint: "e", reference: "R-1")?.order
        #expect(order?.status == .paid && order?.amount == .eur(4200))
        await again.close()
    }

    /// No answer never makes an order fail.
    @Test(
        arguments: [
            .success((200, "{}")), .success((500, "")), .success((401, "{}")),
            .success((200, "<html>")), .success((200, #"{"id":"T","reference":"OTHER"}"#)),
            .failure(InquiryFailure(reason: "timeout", detail: "")),
        ] as [ScriptedProvider.Answer])
    func `silence changes nothing`(_ answer: ScriptedProvider.Answer) async throws {
        let merchant = try Merchant()
        let provider = ScriptedProvider([answer])
        let report = try await merchant.service(provider).ask(merchant.name)
        #expect(report.verdict != .answered && report.recorded.isEmpty)
        #expect(await merchant.order() == nil)
        #expect(provider.requests.count == 1)
        await merchant.store.close()
    }

    @Test func `a question without an answer gives its reason`() async throws {
        let merchant = try Merchant()
        let provider = ScriptedProvider([
            .failure(InquiryFailure(reason: "tls_unverified", detail: "wrong name"))
        ])
        let report = try await merchant.service(provider).ask(merchant.name)
        #expect(report.verdict == .retry && report.reason == "tls_unverified")
        #expect(report.trust == .none && report.detail == "wrong name")
        await merchant.store.close()
    }

    @Test func `a contradiction is a conflict, and the order is in review`() async throws {
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

    /// The record has the request and the answer, but nothing with which one could ask, charge or
    /// refund.
    @Test func `no credential is in the record`() async throws {
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

    @Test func `an access token serves the next question`() async throws {
        let merchant = try Merchant("citcon-upi")
        let token = #"{"status":"success","data":{"access_token":"t","expiry":9999999999}}"#
        let charge =
            #"{"status":"success","data":{"object":"charge","id":"T-1","reference":"R-1","#
            + #""amount":1,"currency":"EUR","status":"pending"}}"#
        let provider = ScriptedProvider(token, charge, charge, charge)
        let service = merchant.service(provider)
        _ = try await service.ask(merchant.name)
        _ = try await service.ask(merchant.name)
        #expect(
            provider.requests.map(\.target) == [
                "/v1/access-tokens", "/v1/transactions/R-1?type=reference", "/v1/transactions/T-1",
                // While none is paid, there may be another payment.
                "/v1/transactions/R-1?type=reference",
            ])
        await merchant.store.close()
    }

    /// The first attempt has failed, and the notification of the second was lost.
    @Test func `a second payment is found by the reference`() async throws {
        let merchant = try Merchant()
        let provider = ScriptedProvider(
            Merchant.paid("failed"), Merchant.paid("failed"), Merchant.paid(id: "T-2"),
            Merchant.paid(id: "T-2"))
        let service = merchant.service(provider)
        _ = try await service.ask(merchant.name)
        #expect(await merchant.order()?.status == .failed)
        let report = try await service.ask(merchant.name)
        #expect(report.verdict == .answered && report.recorded.count == 1)
        #expect(await merchant.order()?.status == .paid)
        #expect(
            provider.requests.map { String(decoding: $0.body, as: UTF8.self) } == [
                "reference=R-1&inquire_method=real", "transaction_id=T-1&inquire_method=real",
                "reference=R-1&currency=EUR&inquire_method=real",
            ])
        await merchant.store.close()
    }

    /// A second payment may succeed until the expectation expires, and its notification be lost.
    @Test func `a failed order is open until it expires`() {
        let now = Timestamp(microseconds: 100)
        for status in OrderStatus.allCases {
            let isAlwaysOpen = OpenOrder.statuses.contains(status)
            for (expires, isRetried) in [(nil, false), (100, false), (101, true)]
                as [(Int64?, Bool)]
            {
                func isOpen(_ flags: [Flag]) -> Bool {
                    OpenOrder.isOpen(
                        status, flags: flags, expires: expires.map { Timestamp(microseconds: $0) },
                        now: now)
                }
                #expect(isOpen([]) == (isAlwaysOpen || (status == .failed && isRetried)))
                // A payment of it was neither confirmed nor denied, or has no sum.
                #expect(isOpen([.testMode, .unconfirmed]) && isOpen([.amountUnknown]))
            }
        }
    }

    @Test func `a settled or unknown order is not asked about by schedule`() async throws {
        let merchant = try Merchant()
        let provider = ScriptedProvider(Merchant.paid("pending"), Merchant.paid(), Merchant.paid())
        let service = merchant.service(provider)
        #expect(try await service.askIfOpen(merchant.name) == nil && provider.requests.isEmpty)
        _ = try await service.ask(merchant.name)
        #expect(try await service.askIfOpen(merchant.name)?.verdict == .answered)
        let count = provider.requests.count
        #expect(await merchant.order()?.status == .paid)
        #expect(try await service.askIfOpen(merchant.name) == nil)
        #expect(provider.requests.count == count)
        await merchant.store.close()
    }

    /// Notifications reported the refunds ambiguously; the answer lists them.
    @Test func `an answer that lists the refunds settles the doubt`() async throws {
        let merchant = try Merchant("citcon-upi")
        func tell(_ id: String, _ effect: Effect) async {
            let notification = Notification(
                id: id, kind: "payment", status: "x", reference: "R-1", transaction: "T-1",
                effect: effect)
            _ = await merchant.store.record(
                Submission(
                    endpoint: "e", provider: "citcon-upi", key: "1", notification: notification,
                    request: RecordedRequest(
                        method: "POST", target: Array("/ipn".utf8)[...], headers: [], body: []),
                    peer: "", received: Timestamp(microseconds: 1)))
        }
        await tell("E-1", .attempt(.paid, .eur(1000)))
        for (id, sum) in [("A", Int64(300)), ("B", 500)] {
            let claim = RefundClaim(amount: .eur(1000), refunded: .eur(sum), moment: id)
            await tell("E-\(id)", .unclearRefund(id: id, .succeeded, claim))
        }
        let doubt = try #require(await merchant.order())
        #expect(doubt.flags.contains(.refundAmbiguous) && doubt.status == .review)
        func refund(_ id: String, _ sum: Int) -> String {
            #"{"id":"\#(id)","object":"refund","amount":\#(sum),"amount_refunded":\#(sum),"#
                + #""currency":"EUR","status":"succeeded"}"#
        }
        let answer =
            #"{"status":"success","data":{"object":"charge","id":"T-1","reference":"R-1","#
            + #""amount":1000,"amount_captured":1000,"amount_refunded":500,"currency":"EUR","#
            + #""status":"succeeded","refunds":{"data":["#
            + "\(refund("A", 300)),\(refund("B", 200))]}}}"
        let service = merchant.service(
            ScriptedProvider(
                #"{"status":"success","data":{"access_token":"t","expiry":9999999999}}"#, answer))
        let report = try #require(try await service.askIfOpen(merchant.name))
        #expect(report.verdict == .answered && report.facts == 3, "\(report)")
        let settled = try #require(await merchant.order())
        #expect(settled.flags.isEmpty && settled.status == .partiallyRefunded)
        #expect(settled.refunded == .eur(500))
        #expect(try await service.askIfOpen(merchant.name) == nil, "nothing is open any more")
        await merchant.store.close()
    }

    @Test func `clients that wait have the limits of the schedule`() async throws {
        let merchant = try Merchant(pauseSeconds: 60, secondsPerQuestion: 3600)
        let provider = ScriptedProvider("{}", Merchant.paid())
        let service = merchant.service(provider)
        // Nobody has named the order yet: the client may have made it up.
        #expect(await service.ask(forClientOf: merchant.name) == 60)
        #expect(provider.requests.isEmpty)
        for reference in ["R-1", "R-2"] { await merchant.expect(reference) }
        #expect(await service.ask(forClientOf: merchant.name) == 60)
        #expect(provider.requests.count == 1)
        #expect(service.counters["e"]?.verdicts == [.absent: 1])
        // Nor is this one asked about twice within its pause, or another one while the endpoint's
        // limit is used up.
        #expect(await service.ask(forClientOf: merchant.name) == 60)
        let other = OrderName(endpoint: "e", reference: "R-2")
        #expect(await service.ask(forClientOf: other) == 3600)
        #expect(await service.ask(forClientOf: OrderName(endpoint: "f", reference: "R")) == nil)
        #expect(provider.requests.count == 1)
        await merchant.store.close()
    }

    /// PayPal knows no references, and this order has no id yet.
    @Test func `an order that cannot be asked about is not said to have been`() async throws {
        let merchant = try Merchant()
        let provider = ScriptedProvider()
        let service = InquiryService(
            [try Merchant.target("paypal", 60, InquirySchedule())], store: merchant.store,
            transport: provider, clock: merchant.clock)
        await merchant.expect("R-1")
        #expect(try await service.askIfOpen(merchant.name) == nil)
        #expect(await service.ask(forClientOf: merchant.name) == nil)
        let report = try await service.ask(service.permit(merchant.name))
        #expect(report.reason == "not_asked" && provider.requests.isEmpty)
        await merchant.store.close()
    }

    @Test func `an order is not asked about twice within its pause`() async throws {
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
            #expect(seconds == 86_400)
        }
        #expect(provider.requests.count == 1)
        merchant.clock.advance(seconds: 86_400)
        _ = try await service.ask(merchant.name)
        #expect(provider.requests.count == 2)
        await merchant.store.close()
    }

    /// Seconds until a sweep may ask about the order; nil if it may now.
    private func pause(_ service: InquiryService, _ reference: String) throws -> Double {
        do throws(InquiryRefusal) {
            _ = try service.permit(
                OrderName(endpoint: "e", reference: reference), isPatient: true)
            return 0
        } catch {
            guard case .tooSoon(let seconds) = error else { throw error }
            return seconds
        }
    }

    /// The schedule and a sweep share one limit; a person may exceed it.
    @Test func `a sweep keeps the endpoint's limit`() async throws {
        let merchant = try Merchant(secondsPerQuestion: 1000)
        let service = merchant.service(ScriptedProvider(Merchant.paid(), Merchant.paid()))
        _ = try await service.ask(merchant.name, isPatient: true)
        #expect(try pause(service, "R-2") == 1000)
        #expect(service.takeToken("e") == 1000)
        _ = try await service.ask(merchant.name)
        // The tokens that the person borrowed are missing afterwards.
        #expect(try pause(service, "R-2") == 2000)
        merchant.clock.advance(seconds: 2000)
        #expect(try pause(service, "R-2") == 0)
        // A refusal for the order's own pause takes no token.
        let slow = try Merchant(pauseSeconds: 86_400, secondsPerQuestion: 1000)
        let other = slow.service(ScriptedProvider(Merchant.paid()))
        _ = try await other.ask(slow.name, isPatient: true)
        for _ in 1...3 { #expect(try pause(other, "R-1") == 86_400) }
        #expect(try pause(other, "R-2") == 1000)
        await merchant.store.close()
        await slow.store.close()
    }

    /// A pause that the provider asks for counts for all except a person, within its bound, and
    /// survives a reload of the configuration.
    @Test func `a pause that the provider asks for is kept`() async throws {
        let merchant = try Merchant(secondsPerQuestion: 0.001)
        let service = merchant.service(
            ScriptedProvider([.success((429, "")), .success((200, Merchant.paid()))]))
        let report = try await service.ask(merchant.name)
        #expect(report.verdict == .retry && report.retryAfterSeconds == 60)
        service.replace([merchant.target])
        #expect(service.takeToken("e") == 60)
        #expect(try pause(service, "R-2") == 60)
        #expect(try await service.ask(merchant.name).verdict == .answered)
        let bounded = try Merchant(secondsPerQuestion: 0.001, retryAfterSecondsMax: 7)
        let other = bounded.service(ScriptedProvider([.success((429, ""))]))
        #expect(try await other.ask(bounded.name).retryAfterSeconds == 7)
        #expect(other.takeToken("e") == 7)
        bounded.clock.advance(seconds: 7)
        #expect(other.takeToken("e") == nil)
        await merchant.store.close()
        await bounded.store.close()
    }

    @Test func `an endpoint without inquiry is refused`() async throws {
        let merchant = try Merchant()
        let service = merchant.service(ScriptedProvider())
        await #expect(throws: InquiryRefusal.notConfigured) {
            _ = try await service.ask(OrderName(endpoint: "other", reference: "R-1"))
        }
        await merchant.store.close()
    }

    @Test func `an answer that cannot be stored is not reported`() async throws {
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
