/// The rights of a caller of the admin listener.
///
/// | role | sees orders and figures | acts | sees personal data and the audit trail, erases |
/// |---|---|---|---|
/// | `admin` | yes | yes | yes |
/// | `operator` | yes | yes | no |
/// | `viewer` | yes | no | no |
package enum AdminRole: String, Sendable, CaseIterable {
    case admin, `operator`, viewer

    /// Whether the caller may retry, decide, pause and the like.
    package var mayAct: Bool { self != .viewer }

    /// Whether personal data is shown: requests as they were received, addresses of clients, and
    /// the metadata of an expectation. Requests hold names, addresses and parts of card numbers.
    package var seesPersonalData: Bool { self == .admin }

    /// Whether the caller may destroy personal data.
    package var mayErase: Bool { self == .admin }

    /// Whether the audit trail is shown.
    package var seesAudit: Bool { self == .admin }
}

/// The caller of a request, as the record of an act names it.
package struct AdminCaller: Sendable, Equatable {
    package let role: AdminRole
    /// A name of `admin.people` or of the identity that a proxy names; `admin` or `viewer` for the
    /// tokens without a person; `local` where the configuration requires none.
    package let name: String
    /// The client's address, or `unix`.
    package let remote: String

    package init(role: AdminRole, name: String, remote: String) {
        self.role = role
        self.name = name
        self.remote = remote
    }

    var seesPersonalData: Bool { role.seesPersonalData }

    /// Throws `role_insufficient` unless the caller may act.
    func checkMayAct() throws(Problem) {
        guard role.mayAct else { throw .roleInsufficient }
    }

    /// Throws `role_insufficient` unless the caller may erase.
    func checkMayErase() throws(Problem) {
        guard role.mayErase else { throw .erasureForAdmins }
    }

    /// Throws `role_insufficient` unless the caller may read the audit trail.
    func checkSeesAudit() throws(Problem) {
        guard role.seesAudit else { throw .auditForAdmins }
    }
}

/// A person who uses the admin listener.
package struct AdminPerson: Sendable, Equatable {
    package var name: String
    package var role: AdminRole
    /// Nil for a person whom only a proxy authenticates.
    package var token: [UInt8]?

    package init(name: String, role: AdminRole, token: [UInt8]?) {
        self.name = name
        self.role = role
        self.token = token
    }
}
