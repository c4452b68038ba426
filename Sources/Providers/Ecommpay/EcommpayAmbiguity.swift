/// Refuses callbacks whose signed text has a second reading.
///
/// ecommpay signs `path:value` of every scalar, joined with `;`, and escapes neither character. So
/// several documents have the same signed text. The same secret also signs the parameters with
/// which a shop opens the payment page, and a customer chooses some of these values. With these
/// rules, all that is read depends on the signed text alone:
///
/// 1. No key contains `;`.
/// 2. No value that is read contains `;` or is a boolean, whose text is `1` or `0`. (The free text
///    `operation:message` is cut at a `;`.)
/// 3. If a part of the text, as `;` divides it, begins with a path that is read and `:`, it is the
///    scalar at that path: it is not inside a value, and no other split into path and value has
///    that beginning.
/// 4. No part begins with the name of a payment page parameter and `:`.
/// 5. Only documented names have a plain value at the root, where the parameters of a page are.
///    Other objects may be present, because callbacks can be customised: nothing in them is read.
///
/// Other values, such as a customer's address, may contain `;`: nothing inside them is read.
extension EcommpayLeaves {
    /// - Throws: ``Refusal``, unauthenticated: `signed_key_ambiguous`, `signed_value_ambiguous`,
    ///   `checkout_parameter`, `root_member_unknown`.
    func requireUnambiguous(isAnswer: Bool) throws(Refusal) {
        for leaf in leaves {
            let path = text.span.extracting(leaf.path)
            let place = { String(decoding: self.text[leaf.path], as: UTF8.self) }
            guard path.count(of: Self.separator) == 0 else {
                throw .unauthenticated("signed_key_ambiguous", "a key holds a semicolon")
            }
            let read = Self.readPaths.first { path.spells($0) }
            let isLikeOne = Self.readPaths.contains { begins(leaf.whole, with: $0) }
            guard read != nil ? leaf.kind != .boolean : !isLikeOne else {
                throw .unauthenticated(
                    "signed_value_ambiguous", "\(place()) reads as a field that is read here")
            }
            if Self.checkoutNames.contains(where: { begins(leaf.whole, with: $0) }) {
                throw .unauthenticated(
                    "checkout_parameter", "\(place()) is a parameter of the payment page")
            }
            let isPlain = path.count(of: UInt8(ascii: ":")) == 0
            if !isAnswer, isPlain,
                !Self.rootMembers.contains(where: { begins(leaf.whole, with: $0) })
            {
                throw .unauthenticated(
                    "root_member_unknown", "\(place()) is a plain value of no documented callback")
            }
            try requireUnambiguous(valueOf: leaf, isRead: read != nil, place)
        }
    }

    private func requireUnambiguous(
        valueOf leaf: EcommpayLeaf, isRead: Bool, _ place: () -> String
    ) throws(Refusal) {
        guard text.span.extracting(leaf.value).count(of: Self.separator) > 0 else { return }
        if isRead, !text.span.extracting(leaf.path).spells(Self.message) {
            throw .unauthenticated(
                "signed_value_ambiguous", "the value of \(place()) holds a semicolon")
        }
        var start = leaf.value.lowerBound
        while let end = text[start..<leaf.value.upperBound].firstIndex(of: Self.separator) {
            start = end + 1
            let part = start..<leaf.value.upperBound
            for name in Self.readPaths + Self.readMembers where begins(part, with: name) {
                throw .unauthenticated(
                    "signed_value_ambiguous", "the value of \(place()) holds ;\(name):")
            }
            for name in Self.checkoutNames where begins(part, with: name) {
                throw .unauthenticated(
                    "checkout_parameter", "the value of \(place()) holds ;\(name):")
            }
        }
    }

    /// Whether the text at `range` begins with `name` and a colon.
    private func begins(_ range: Range<Int>, with name: StaticString) -> Bool {
        let end = range.lowerBound + name.utf8CodeUnitCount
        return end < range.upperBound && text[end] == UInt8(ascii: ":")
            && text.span.extracting(range.lowerBound..<end).spells(name)
    }

    /// The byte between the scalars of the signed text.
    static let separator = UInt8(ascii: ";")

    /// The path of the only free text that is read.
    static let message: StaticString = "operation:message"

    /// The paths that are read.
    static let readPaths: [StaticString] = [
        "project_id", "general:project_id", "payment:id", "payment:type", "payment:status",
        "payment:date", "payment:sum:amount", "payment:sum:currency", "operation:id",
        "operation:type", "operation:status", "operation:date", "operation:sum_initial:amount",
        "operation:sum_initial:currency", "operation:code", message, "request:id",
        "request:status", "token_status", "recurring:id", "recurring:status",
    ]

    /// Members of the root that are checked for presence.
    private static let readMembers: [StaticString] = [
        "payment", "operation", "request", "token", "token_status", "redirectData",
    ]

    /// Members of the root in ecommpay's documented callbacks and the samples of its SDKs.
    static let rootMembers: [StaticString] = [
        "payment", "operation", "project_id", "account", "customer", "errors", "general",
        "request", "token", "token_status", "token_created_at", "recurring", "redirectData",
        "redirect_data", "clarification_fields", "avs_result", "avs_data", "avs",
        "provider_extra_fields", "sum_converted", "sum_request", "display_data", "acs",
        "threeds2", "return_url", "transaction", "operations", "chargeback", "wallet",
    ]

    /// Parameters of the payment page, from ecommpay's SDKs and its page "Parameters for opening
    /// payment form". Each mode requires one of `payment_id`, `customer_id` and `mode`.
    static let checkoutNames: [StaticString] = [
        "payment_id", "payment_amount", "payment_currency", "payment_description",
        "payment_extra_param", "payment_merchant_risk", "customer_id", "customer_first_name",
        "customer_last_name", "customer_middle_name", "customer_email", "customer_phone",
        "customer_country", "customer_state", "customer_city", "customer_address",
        "customer_zip", "customer_ssn", "customer_day_of_birth", "customer_birthplace",
        "billing_postal", "billing_country", "billing_region", "billing_city", "billing_address",
        "account_token", "addendum_data", "avs_post_code", "avs_street_address", "baseurl",
        "baseUrl", "best_before", "booking_data", "card_operation_type", "cashier_default_mode",
        "cashier_force_mode", "close_on_missclick", "css_modal_wrap", "force_acs_new_window",
        "force_payment_group", "force_payment_method", "hide", "interface_type",
        "language_code", "list_payment_block", "merchant_callback_url", "merchant_fail_url",
        "merchant_success_url", "mode", "moneysend_data", "operation_type", "receipt_data",
        "recurring_register", "redirect", "redirect_fail_mode", "redirect_fail_url",
        "redirect_on_mobile", "redirect_success_mode", "redirect_success_url",
        "redirect_tokenize_mode", "redirect_tokenize_url", "region_code", "target_element",
        "terminal_id",
    ]
}
