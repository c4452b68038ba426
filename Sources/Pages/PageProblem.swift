import AdminAPI

/// The problems of the pages themselves; those of the API have its codes and sentences.
extension Problem {
    static let pageUnknown = Problem(404, "unknown_path", "There is no such page.")
    static let notText = Problem(
        400, "parameter_encoding", "The query or the form is not percent-encoded UTF-8.")
    static let formTooLong = Problem(
        413, "form_too_long", "The form is longer than any form of these pages.")
    static let otherSite = Problem(
        403, "cross_site", "The request did not come from one of these pages.")
    static let otherHost = Problem(
        421, "host_unknown",
        "Without a token, only localhost, IP addresses and names in admin.hosts are answered.")
    static let auditUnavailable = Problem(
        503, "audit_unavailable",
        "The audit trail cannot be written, so personal data is not shown. The log says why.")
    static let viewerMayNotAct = Problem(
        403, "role_may_not_act", "You are signed in as a viewer. Viewers cannot act.")
}
