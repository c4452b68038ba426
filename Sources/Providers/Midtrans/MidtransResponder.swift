import Bytes
import JSON
import Payments

/// Midtrans' side of a question about a status.
package struct MidtransResponder: Responder {
    private let credentials: String
    private let merchantID: String
    private let secret: [UInt8]

    /// - Throws: ``SettingsError`` without the server key of either side.
    package init(settings: EndpointSettings) throws(SettingsError) {
        credentials = MidtransInquirer.credentials(
            try settings.headerText(Midtrans.serverKey))
        merchantID = settings[Midtrans.merchantID] ?? "G000000001"
        secret = Array(try settings.senderSecret().trimmingWhiteSpace)
    }

    package func serves(_ request: InquiryRequest) -> Bool { id(request) != nil }

    /// An answer has one status. Refunds are listed while it is that of the last one.
    package func reports(_ event: SampleEvent, of life: SampleLife) -> Bool {
        guard isLatest(event, of: life), let last = life.events.last(where: { $0.kind != "other" })
        else { return false }
        return event.kind == "payment" || event.kind == last.kind
    }

    package func answer(
        _ request: InquiryRequest, at moment: ResponderMoment,
        find: (InquiryQuestion.Name, String) -> SampleLife?
    ) -> InquiryAnswer {
        guard request.isAuthorized(by: credentials) else {
            let body = #"{"status_code":"401","status_message":"Unknown Merchant server_key/id"}"#
            return InquiryAnswer(status: 401, Array(body.utf8), at: moment)
        }
        let id = id(request) ?? ""
        let life = find(.transaction, id) ?? find(.reference, id)
        let payment = life?.payments.last { $0.transaction == id } ?? life?.payments.last
        let refunds = payment?.operations("refund") ?? []
        guard
            let event = life?.events.last(where: {
                $0.transaction == payment?.transaction && $0.kind != "other"
            }),
            let body = try? MidtransSender.body(event, merchantID, secret, refunds: refunds)
        else {
            let body = #"{"status_code":"404","status_message":"Transaction doesn't exist."}"#
            return InquiryAnswer(Array(body.utf8), at: moment)
        }
        return InquiryAnswer(body, at: moment)
    }

    /// The id in the path; nil for another path.
    private func id(_ request: InquiryRequest) -> String? {
        let path = MidtransInquirer.path
        guard request.path.utf8.starts(with: path.start.utf8), request.path.hasSuffix(path.end),
            request.path.utf8.count > path.start.utf8.count + path.end.utf8.count
        else { return nil }
        let name = request.path.dropFirst(path.start.count).dropLast(path.end.count)
        return PercentEncoding.decode(Array(name.utf8)[...]).flatMap {
            String(validating: $0, as: UTF8.self)
        }
    }
}
