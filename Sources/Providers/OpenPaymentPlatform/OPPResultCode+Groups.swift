extension OPPResultCode {
    /// One documented group: its patterns are the alternatives of the documented regular
    /// expression.
    struct Group: Sendable {
        let name: String
        let patterns: [OPPCodePattern]
    }

    /// As documented, in the documented order.
    static let groups: [Group] = [
        Group(
            name: "success", patterns: ["000.000.", "000.100.1", "000.[36]", "000.400.[1][12]0"]),
        Group(name: "success-review", patterns: ["000.400.0[^3]", "000.400.100"]),
        Group(name: "pending-session", patterns: ["000.200"]),
        Group(name: "pending-days", patterns: ["800.400.5", "100.400.500"]),
        Group(name: "rej-3ds-intercard", patterns: ["000.400.[1][0-9][1-9]", "000.400.2"]),
        Group(name: "rej-bank", patterns: ["800.[17]00", "800.800.[123]"]),
        Group(name: "communication", patterns: ["900.[1234]00", "000.400.030"]),
        Group(name: "system", patterns: ["800.[56]", "999.", "600.1", "800.800.[84]"]),
        Group(name: "async-workflow", patterns: ["100.39[765]"]),
        Group(name: "ext-risk", patterns: ["100.400", "100.38", "100.370.100", "100.370.11"]),
        Group(name: "avs", patterns: ["800.400.1"]),
        Group(name: "3ds", patterns: ["800.400.2", "100.380.4", "100.390"]),
        Group(name: "blacklist", patterns: ["100.100.701", "800.[32]"]),
        Group(name: "risk-validation", patterns: ["800.1[123456]0"]),
        Group(name: "config", patterns: ["600.[23]", "500.[12]", "800.121"]),
        Group(name: "registration", patterns: ["100.[13]50"]),
        Group(name: "reference", patterns: ["700.[1345][05]0"]),
        Group(
            name: "format", patterns: ["200.[123]", "100.[53][07]", "800.900", "100.[69]00.500"]),
        Group(name: "address", patterns: ["100.800"]),
        Group(name: "contact", patterns: ["100.[97]00"]),
        Group(name: "account", patterns: ["100.100", "100.2[01]"]),
        Group(name: "amount", patterns: ["100.55"]),
        Group(name: "risk-mgmt", patterns: ["100.380.[23]", "100.380.101"]),
        Group(name: "chargeback", patterns: ["000.100.2"]),
    ]
}
