extension Antom {
    /// The fixed success form of Antom's page; it need not be signed.
    static let success = answer(
        200, #"{"result":{"resultCode":"SUCCESS","resultStatus":"S","resultMessage":"success"}}"#)

    static let refused = answer(
        401,
        #"{"result":{"resultCode":"INVALID_SIGNATURE","resultStatus":"F","#
            + #""resultMessage":"The signature is invalid."}}"#)

    static let malformed = answer(
        400,
        #"{"result":{"resultCode":"PARAM_ILLEGAL","resultStatus":"F","#
            + #""resultMessage":"The request is malformed."}}"#)

    static let unavailable = answer(
        503,
        #"{"result":{"resultCode":"UNKNOWN_EXCEPTION","resultStatus":"U","#
            + #""resultMessage":"The notification could not be stored."}}"#)

    private static func answer(_ status: Int, _ body: String) -> Answer {
        Answer(status: status, contentType: "application/json", body: Array(body.utf8))
    }
}
