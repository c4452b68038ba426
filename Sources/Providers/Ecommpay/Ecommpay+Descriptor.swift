extension Ecommpay {
    static let projectID = Setting<String>(
        "projectID", .text,
        help: "the project whose callbacks belong here; any that has the secret "
            + "where it is left out"
    ) {
        $0.prompt = "Project id"
        $0.sandbox = .fixed("115")
        $0.summary = { if case .text(let id) = $0 { "project \(id)" } else { nil } }
        $0.account = AccountHint(
            code: "project_id", sentence: "it is for another project", pointer: "/project_id")
    }

    /// The networks from which chargeback callbacks are accepted. ecommpay never signs these.
    static let unsignedChargebacks = Setting<[String]>(
        "unsignedChargebacks", .networks,
        help:
            "`{allow: […]}`: the networks from which chargeback callbacks, which are never signed, "
            + "are taken"
    ) {
        $0.summary = { value in
            guard case .texts(let networks) = value, !networks.isEmpty else { return nil }
            return "unsigned chargebacks from \(networks.joined(separator: ", ")): they put an "
                + "order into review"
        }
    }
}

extension ProviderDescriptor {
    static let ecommpay: ProviderDescriptor = {
        var descriptor = ProviderDescriptor(
            name: "ecommpay", title: "ecommpay",
            settings: [
                SettingRow.secrets.row, Ecommpay.projectID.row, Ecommpay.unsignedChargebacks.row,
            ],
            // The signature is a member of the root or of `general`.
            marks: Marks(fields: [
                ["payment", "signature"], ["operation", "signature"], ["payment", "general"],
                ["operation", "general"],
            ]),
            urlPlace: "the callback URL of the project",
            make: Ecommpay.init, makeSender: EcommpaySender.init,
            inquiry: InquiryDescriptor(
                defaultURL: { _ in "https://api.ecommpay.com" }, pauseSeconds: 10,
                make: EcommpayInquirer.init, makeResponder: EcommpayResponder.init))
        descriptor.problem = { settings in
            // A payment's id is unique only within its project, and each project has its own
            // secret.
            guard settings[Ecommpay.projectID] == nil, settings.secrets.count > 1 else {
                return nil
            }
            return SettingsError(
                key: "secrets",
                message: "several secrets may be those of several projects, which would share "
                    + "orders",
                remedy: "say `projectID`, and give each project a separate endpoint")
        }
        descriptor.warnings = [
            ProviderWarning(
                problem:
                    "ecommpay signs its payment page with the secret and the algorithm of "
                    + "callbacks: a back end that signs whatever its app sends lets the app forge "
                    + "payments",
                remedy:
                    "sign only fields of your own order (config/going-live.md, ecommpay), and "
                    + "limit the senders with `allow`", isSettledByAllow: true)
        ]
        return descriptor
    }()
}
