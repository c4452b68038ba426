import Bytes
import Cryptography
import JSON
import Payments

/// Asks ecommpay: `POST /v2/payment/status`, signed with the project's secret like a callback.
///
/// The page of this call documents a signature only for some answers. A signature that is present
/// must be right; an answer without one is authenticated only by TLS.
package struct EcommpayInquirer: Inquirer {
    private let ecommpay: Ecommpay
    private let secret: [UInt8]
    private let projectID: Int64

    /// - Throws: ``SettingsError`` without a secret, or without the project's number, which every
    ///   question carries.
    package init(settings: EndpointSettings) throws(SettingsError) {
        ecommpay = try Ecommpay(settings: settings)
        // During a rotation, the first secret is the new one.
        secret = try settings.requiredSecrets()[0]
        guard let id = settings[Ecommpay.projectID].flatMap({ Int64($0) }) else {
            throw Ecommpay.projectID.error("the project's number is needed to ask ecommpay")
        }
        projectID = id
    }

    package func next(
        _ conversation: InquiryConversation, now: Timestamp
    ) throws(InquiryError) -> InquiryStep {
        guard let exchange = conversation.exchanges.last else {
            return .ask(try request(conversation.question))
        }
        do throws(NoAnswer) {
            let (answer, key) = try proved(exchange.answer, to: conversation.question)
            return .found(
                InquiryFinding(
                    try answer.facts.map {
                        InquiryFact(notification: $0, exchange: 0, key: key ?? "tls")
                    }, trust: answer.trust))
        } catch {
            return .found(InquiryFinding(error))
        }
    }

    // MARK: Request

    private func request(_ question: InquiryQuestion) throws(InquiryError) -> InquiryRequest {
        switch (question.subject, question.name) {
        case (.payment, .reference), (.payment, .request): break
        default: throw .unsupported(question)
        }
        let unsigned = body(question, signature: nil)
        guard let document = try? JSONDocument(parsing: unsigned),
            let leaves = try? EcommpayLeaves(of: document.root)
        else { throw .signingFailed }
        let text = EcommpayText.text(leaves, order: .natural)
        let signature = Base64.encode(HMAC.code(.sha512, key: secret, message: text))
        return InquiryRequest(
            method: "POST",
            target: "/v2/payment/status" + (question.name == .request ? "/request" : ""),
            headers: [
                Header("content-type", "application/json"), Header("accept", "application/json"),
            ],
            body: body(question, signature: signature))
    }

    private func body(_ question: InquiryQuestion, signature: String?) -> [UInt8] {
        func write(_ json: inout JSONWriter, _ name: String) {
            json.member("project_id", projectID)
            json.member(name, question.value)
            if let signature { json.member("signature", signature) }
        }
        var json = JSONWriter(reserving: 256)
        json.object { json in
            if question.name == .request {
                write(&json, "request_id")
            } else {
                json.object("general") { write(&$0, "payment_id") }
            }
        }
        return json.bytes
    }

    // MARK: Answer

    private func proved(
        _ answer: InquiryAnswer, to question: InquiryQuestion
    ) throws(NoAnswer) -> (EcommpayAnswer, key: String?) {
        let root = try JSONDocument.parse(answer: answer.body)
        var key: String?
        // An empty signature counts as present, and wrong.
        if root["signature"] != nil || root["general"]?["signature"] != nil {
            let delivery = SignedRequest(
                path: [], headers: [], body: answer.body, received: answer.received)
            do throws(Refusal) {
                var work = VerificationWork(receivedBytes: answer.body.count)
                key = try ecommpay.verify(delivery, isAnswer: true, work: &work).key
            } catch {
                let isOurs = error.reason != "project_id_mismatch"
                throw NoAnswer(
                    .untrusted, isOurs ? .none : .signature, error.reason, error.detail)
            }
        }
        let trust: InquiryTrust = key == nil ? .tls : .signature
        let project = root["project_id"] ?? root["general"]?["project_id"]
        guard project.map({ $0.wordOrNumber == String(projectID) }) ?? true else {
            throw .mismatch("project", trust)
        }
        return (
            try EcommpayAnswer(root, status: answer.status, to: question, trust, projectID), key
        )
    }
}
