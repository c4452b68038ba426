import Testing

@testable import ServerConfiguration

private func admin(_ settings: String) -> String {
    """
    listeners: [{address: 127.0.0.1:1}]
    admin: {\(settings)}
    journal: {directory: journal}
    endpoints: [{name: a, path: /a, provider: citcon-upi, secrets: [{env: CITCON}]}]

    """
}

/// Mistakes in `admin.people` and `admin.identity`.
@Suite struct PeopleMistakeTests {
    @Test(arguments: [
        Mistake(
            "people without a token",
            admin("address: 127.0.0.1:2, people: [{name: al, role: admin}]"), at: 2, 39,
            "admin.people", "without `token`"),
        Mistake(
            "a person with the admin token",
            admin(
                "address: 127.0.0.1:2, token: {env: CITCON}, "
                    + "people: [{name: al, role: viewer, token: {env: CITCON}}]"),
            at: 2, 94, "admin.people[0].token", "could not be told apart"),
        Mistake(
            "a person named as a role",
            admin(
                "address: 127.0.0.1:2, token: {env: CITCON}, people: [{name: viewer, role: viewer}]"
            ),
            at: 2, 69, "admin.people[0].name", "without a person"),
        Mistake(
            "a person's name with a space",
            admin(
                "address: 127.0.0.1:2, token: {env: CITCON}, people: [{name: a b, role: viewer}]"),
            at: 2, 69, "admin.people[0].name", "not a person's name"),
        Mistake(
            "a person twice",
            admin(
                "address: 127.0.0.1:2, token: {env: CITCON}, "
                    + "people: [{name: al, role: viewer}, {name: al, role: admin}]"),
            at: 2, 88, "admin.people[1]", "listed twice"),
        Mistake(
            "an unknown role",
            admin(
                "address: 127.0.0.1:2, token: {env: CITCON}, people: [{name: al, role: boss}]"),
            at: 2, 79, "admin.people[0].role", "boss"),
        Mistake(
            "an identity in the header of tokens",
            admin(
                "address: 127.0.0.1:2, token: {env: CITCON}, "
                    + "identity: {header: Authorization, trusted: [127.0.0.1]}"),
            at: 2, 72, "admin.identity.header", "not a header in which"),
        Mistake(
            "an identity from everybody",
            admin("address: 127.0.0.1:2, token: {env: CITCON}, identity: {header: x-user}"),
            at: 2, 63, "admin.identity.trusted", "missing"),
    ])
    func `a mistake is reported with its place and a remedy`(_ mistake: Mistake) throws {
        try mistake.expectOnly(environment: ["CITCON": "0123456789abcdef0123456789abcdef"])
    }
}
