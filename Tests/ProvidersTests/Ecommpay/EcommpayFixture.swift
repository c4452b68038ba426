import Bytes
import Cryptography
import JSON
import Payments

@testable import Providers

enum EcommpayFixture {
    static let secret = Array("secret".utf8)

    /// Settings with a secret that is not empty are always accepted.
    // swift-format-ignore: NeverUseForceTry
    static let provider = try! Ecommpay(
        settings: EndpointSettings(
            name: "e", ["secrets": .secrets([secret]), "projectID": .text("115")]))

    /// The same without `projectID`, for callbacks that name no project.
    // swift-format-ignore: NeverUseForceTry
    static let anyProject = try! Ecommpay(
        settings: EndpointSettings(name: "e", ["secrets": .secrets([secret])]))

    /// An object with `members` (JSON text without braces) and their signature.
    static func body(_ members: String, order: EcommpayText.Order = .natural) throws -> String {
        let root = try JSONDocument(parsing: Array("{\(members)}".utf8)).root
        let text = EcommpayText.text(try EcommpayLeaves(of: root), order: order)
        let signature = Base64.encode(HMAC.code(.sha512, key: secret, message: text))
        return "{\(members)\(members.isEmpty ? "" : ",")\"signature\":\"\(signature)\"}"
    }

    /// All texts that are tried for a body.
    static func candidates(_ root: JSONValue) throws -> [String] {
        var work = VerificationWork(receivedBytes: root.rawBytes.count)
        var candidates = EcommpayCandidates(try EcommpayLeaves(of: root))
        var texts: [String] = []
        while let text = try candidates.next(work: &work) {
            texts.append(String(decoding: text, as: UTF8.self))
        }
        return texts
    }

    static func read(_ members: String) throws -> Notification {
        try anyProject.receive(SignedRequest(body: body(members)))
    }

    /// A callback with this operation and payment; nil leaves the member out.
    static func members(
        type: String?, operation: String?, payment: String?, paymentType: String? = "purchase",
        sum: String? = #"{"amount":4200,"currency":"EUR"}"#
    ) -> String {
        func member(_ name: String, _ value: String?) -> String {
            value.map { "\"\(name)\":\"\($0)\"," } ?? ""
        }
        let sums = sum.map { ",\"sum_initial\":\($0)" } ?? ""
        let paymentSum = sum.map { ",\"sum\":\($0)" } ?? ""
        let operationPart =
            type == nil && operation == nil
            ? ""
            : ",\"operation\":{\(member("type", type))\(member("status", operation))"
                + "\"id\":77,\"date\":\"2023-03-10T12:26:17+0000\"\(sums)}"
        return "\"project_id\":115,\"payment\":{\(member("status", payment))"
            + "\(member("type", paymentType))\"id\":\"ORD-1\"\(paymentSum)}\(operationPart)"
    }
}
