import Bytes
import Foundation
import JSON
import Payments
import ProviderFixtures
import TestSupport
import Testing

@testable import Providers

/// Braintree's own library for Python asks our responder: its questions are ours, and it reads the
/// answers.
@Suite struct BraintreeSDKTests {
    /// The Python that has the library, which scripts/test installs.
    private static let python: String? = {
        let program = SourceTree.url(".build/python/bin/python3").path
        let tried = try? run(program, ["-c", "import braintree"])
        return tried?.status == 0 ? program : nil
    }()

    /// `http_do` records what the library asks, and gives the answers in turn.
    private static let script = """
        import braintree, json, sys
        work = json.load(sys.stdin)
        asked, answers = [], list(work["answers"])
        class Strategy:
            def __init__(self, config, environment): pass
            def http_do(self, method, path, headers, body):
                name = headers["Authorization"].decode()
                version = headers["X-ApiVersion"]
                asked.append([method, path, name, version, headers["Accept"], body])
                return [200, answers.pop(0)]
            def handle_exception(self, error): raise error
        gateway = braintree.BraintreeGateway(braintree.Configuration(
            braintree.Environment.Sandbox, "merchant", work["publicKey"], work["privateKey"],
            http_strategy=Strategy))
        def read(found):
            return [found.id, found.type, found.status, str(found.amount), found.order_id,
                found.currency_iso_code, getattr(found, "refunded_transaction_id", None),
                list(found.refund_ids or []) if hasattr(found, "refund_ids") else []]
        read_ = [read(gateway.transaction.find(work["transaction"]))]
        for found in gateway.transaction.search(
                braintree.TransactionSearch.order_id == work["reference"]):
            read_.append(read(found))
        print(json.dumps({"asked": asked, "read": read_}))
        """

    /// Our questions with the responder's answers.
    private func conversation(
        _ question: InquiryQuestion, _ life: SampleLife
    ) throws -> [InquiryExchange] {
        let settings = ProviderFixture.braintree.endpoint.settings
        let inquirer = try BraintreeInquirer(settings: settings)
        let responder = try BraintreeResponder(settings: settings)
        let now = Timestamp(microseconds: 1_790_000_000_000_000)
        var conversation = InquiryConversation(question)
        while case .ask(let request) = try inquirer.next(conversation, now: now) {
            let answer = responder.answer(request, at: ResponderMoment(now: now)) { _, _ in life }
            conversation.append(InquiryExchange(request, answer))
        }
        return conversation.exchanges
    }

    @Test(.enabled(if: python != nil, "scripts/test installs the library, if PyPI is there"))
    func `the library asks as ipnd does, and reads what the responder answers`() throws {
        let reference = "Größe & <1>"
        var life = SampleLife(reference: reference)
        for (number, type) in [EventType.paid, .refunded].enumerated() {
            life.append(.sample(type, reference: reference, number: number + 1))
        }
        let transaction = life.events[0].transaction
        let byID = try conversation(InquiryQuestion(by: .transaction, transaction), life)
        let byReference = try conversation(InquiryQuestion(by: .reference, reference), life)
        // The library asks for no refunds by itself.
        let exchanges = [byID[0]] + byReference
        var json = JSONWriter(reserving: 1 << 16)
        json.object { json in
            json.member("publicKey", "firstpublickey")
            json.member("privateKey", "private key of first")
            json.member("transaction", transaction)
            json.member("reference", reference)
            json.key("answers")
            json.beginArray()
            for exchange in exchanges {
                json.string(String(decoding: exchange.answer.body, as: UTF8.self))
            }
            json.endArray()
        }
        let python = try #require(Self.python)
        let finished = try run(
            python, ["-c", Self.script], input: String(decoding: json.bytes, as: UTF8.self))
        try #require(finished.status == 0, "\(finished.errors)")
        let result = try JSONDocument(parsing: Array(finished.output.utf8)).root
        let asked = try #require(result["asked"]).elements.map {
            $0.elements.map { $0.string ?? "" }
        }
        #expect(asked.count == 3 && exchanges.count == 3)
        for (theirs, ours) in zip(asked, exchanges.map(\.request)) {
            let header = { (name: String) in
                ours.headers.first { $0.isNamed(name) }.map {
                    String(decoding: $0.value, as: UTF8.self)
                }
            }
            #expect(theirs[0] == ours.method && theirs[1].hasSuffix(ours.target))
            #expect(theirs[2] == header("authorization") && theirs[3] == header("x-apiversion"))
            #expect(theirs[4] == header("accept"))
            #expect(
                BraintreeXML.parse(Array(theirs[5].utf8)) == BraintreeXML.parse(ours.body),
                "\(theirs[5])")
        }
        let read = try #require(result["read"]).elements.map { $0.elements.map { $0.string } }
        let refund = life.events[1]
        let money = life.events[0].money
        let sale = [
            transaction, "sale", "settled", money.decimal, reference, money.currency.code, nil, nil,
        ]
        #expect(read.first == sale && read.contains(sale), "\(finished.output)")
        #expect(
            read.contains {
                $0[0] == refund.actionID && $0[1] == "credit" && $0[6] == transaction
            }, "\(finished.output)")
        let whole = try #require(result["read"]?.elements.first { _ in true })
        let refunds = whole.elements.flatMap { $0.elements.compactMap(\.string) }
        #expect(refunds == [refund.actionID])
    }
}
