import Bytes
import Payments

/// Braintree's side of a question about transactions.
package struct BraintreeResponder: Responder {
    private let path: String
    private let credentials: String

    /// - Throws: ``SettingsError`` without an API key and the merchant's id.
    package init(settings: EndpointSettings) throws(SettingsError) {
        path = BraintreeInquirer.path(try settings.headerText(Braintree.merchantID))
        credentials = try BraintreeInquirer.credentials(settings)
    }

    package func serves(_ request: InquiryRequest) -> Bool {
        request.path.utf8.starts(with: "\(path)/".utf8)
    }

    package func reports(_ event: SampleEvent, of life: SampleLife) -> Bool { true }

    package func answer(
        _ request: InquiryRequest, at moment: ResponderMoment,
        find: (InquiryQuestion.Name, String) -> SampleLife?
    ) -> InquiryAnswer {
        guard request.isAuthorized(by: credentials) else { return Self.answer(401, "", moment) }
        let place = request.path.utf8.dropFirst(path.utf8.count + 1)
        let search = BraintreeXML.parse(request.body)
        switch String(place) {
        case "advanced_search_ids":
            let reference =
                search?.word("order_id", "is") ?? search?.word("order-id", "is") ?? ""
            let ids = find(.reference, reference).map(Self.transactions)?.map(\.id) ?? []
            let items = ids.map { "<item>\(BraintreeSender.escaped($0))</item>" }.joined()
            return Self.answer(
                200,
                """
                <search-results><page-size type="integer">50</page-size>
                <ids type="array">\(items)</ids></search-results>
                """, moment)
        case "advanced_search":
            let ids = search?["ids"]?.children.compactMap { $0.word() } ?? []
            let found = ids.compactMap { Self.transaction($0, find) }.joined()
            return Self.answer(
                200,
                """
                <credit-card-transactions type="collection">
                <current-page-number type="integer">1</current-page-number>\(found)
                </credit-card-transactions>
                """, moment)
        default:
            guard let id = PercentEncoding.decode(Array(place)[...]),
                let found = Self.transaction(String(decoding: id, as: UTF8.self), find)
            else { return Self.answer(404, "", moment) }
            return Self.answer(200, found, moment)
        }
    }

    // MARK: Transactions

    private static func transaction(
        _ id: String, _ find: (InquiryQuestion.Name, String) -> SampleLife?
    ) -> String? {
        find(.transaction, id).map(transactions)?.first { $0.id == id }?.xml
    }

    /// The payments and refunds of a life.
    private static func transactions(_ life: SampleLife) -> [(id: String, xml: String)] {
        life.payments.flatMap { payment in
            let refunds = payment.operations("refund")
            var all = refunds.compactMap { refund in
                BraintreeSender.words(refund.type).map {
                    (refund.actionID, BraintreeSender.transaction(refund, $0))
                }
            }
            if let event = payment.event(life.reference),
                let words = BraintreeSender.words(event.type)
            {
                let ids = refunds.map { "<item>\(BraintreeSender.escaped($0.actionID))</item>" }
                let disputes = payment.operations("dispute").compactMap(BraintreeSender.dispute)
                let more = """
                    <refund-ids type="array">\(ids.joined())</refund-ids>
                    <disputes type="array">\(disputes.joined())</disputes>
                    """
                all.append((event.transaction, BraintreeSender.transaction(event, words, more)))
            }
            return all
        }
    }

    private static func answer(
        _ status: Int, _ body: String, _ moment: ResponderMoment
    ) -> InquiryAnswer {
        InquiryAnswer(
            status: status, headers: [Header("content-type", "application/xml; charset=utf-8")],
            body: Array(body.utf8), received: moment.now)
    }
}
