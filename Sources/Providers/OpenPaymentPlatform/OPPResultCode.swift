/// A result code of the Open Payment Platform, such as `000.100.110`, and the platform's groups of
/// codes.
struct OPPResultCode: Sendable, Equatable {
    let text: String

    /// The meaning of a code for the money. Groups overlap, so their order here is the order in
    /// which they are tried: pending before rejections (`100.400.500` is in both), and checks
    /// before success (`000.310.100` is in both).
    enum Meaning: Sendable, Equatable {
        case pending
        /// The transaction took place. The platform asks for a review of some of these, but the
        /// money has moved.
        case success
        /// A success without a transfer: an authentication, a risk check, an account update.
        case checkOnly
        case chargeback
        /// The customer canceled (`100.396.101`).
        case canceled
        /// The time to pay expired (`100.396.103`).
        case expired
        case rejected
        case unknown
    }

    var meaning: Meaning {
        if isIn("pending-session") || isIn("pending-days") { return .pending }
        if Self.checks.contains(where: { $0.matches(text) }) { return .checkOnly }
        if isIn("success") || isIn("success-review") { return .success }
        if isIn("chargeback") { return .chargeback }
        if text == "100.396.101" { return .canceled }
        if text == "100.396.103" { return .expired }
        return Self.groups.contains { $0.patterns.contains { $0.matches(text) } }
            ? .rejected : .unknown
    }

    /// Whether it is "Request successfully processed" in one of the three test modes, which moves
    /// no money.
    var isTestMode: Bool {
        ["000.100.110", "000.100.111", "000.100.112"].contains(text)
    }

    /// Whether it is a success with "please review manually": suspected fraud, an address or a
    /// security code that does not match, a late answer.
    var asksForReview: Bool { isIn("success-review") }

    /// The documented groups that contain this code.
    var groupNames: [String] {
        Self.groups.filter { $0.patterns.contains { $0.matches(text) } }.map(\.name)
    }

    private func isIn(_ name: String) -> Bool {
        Self.groups.first { $0.name == name }?.patterns.contains { $0.matches(text) } ?? false
    }

    /// Checks within the group "success": authenticated (`000.400.110`, `.120`), risk check passed
    /// (`000.300.1`), account updated (`000.310`).
    private static let checks: [OPPCodePattern] = ["000.400.[1][12]0", "000.300.1", "000.310."]
}

extension OPPResultCode {
    /// A documented group; its patterns are the alternatives of the documented regular expression.
    struct Group: Sendable {
        let name: String
        let patterns: [OPPCodePattern]
    }

    /// The documented groups, in the documented order.
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

/// A prefix of a result code, in the subset of regular expressions that the documentation uses:
/// characters, and sets of them (`[123]`, `[0-9]`, `[^3]`).
struct OPPCodePattern: Sendable, ExpressibleByStringLiteral {
    private enum Step: Sendable {
        case one(of: [UInt8])
        case none(of: [UInt8])
    }

    private let steps: [Step]

    init(stringLiteral pattern: String) {
        var steps: [Step] = []
        var rest = Array(pattern.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "["), let end = rest.firstIndex(of: UInt8(ascii: "]")) else {
                steps.append(.one(of: [byte]))
                continue
            }
            let isNegated = rest.first == UInt8(ascii: "^")
            let set = Self.expand(rest[(rest.startIndex + (isNegated ? 1 : 0))..<end])
            steps.append(isNegated ? .none(of: set) : .one(of: set))
            rest = rest[(end + 1)...]
        }
        self.steps = steps
    }

    /// Whether `code` begins with this pattern.
    func matches(_ code: String) -> Bool {
        var bytes = code.utf8.makeIterator()
        for step in steps {
            guard let byte = bytes.next() else { return false }
            switch step {
            case .one(let set): guard set.contains(byte) else { return false }
            case .none(let set): guard !set.contains(byte) else { return false }
            }
        }
        return true
    }

    /// Expands `0-9` into the ten digits.
    private static func expand(_ set: ArraySlice<UInt8>) -> [UInt8] {
        let bytes = Array(set)
        guard bytes.count == 3, bytes[1] == UInt8(ascii: "-") else { return bytes }
        return Array(bytes[0]...bytes[2])
    }
}
