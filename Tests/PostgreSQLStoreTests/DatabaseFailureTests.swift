import PostgreSQL
import Testing

@testable import PostgreSQLStore

@Suite struct DatabaseFailureTests {
    @Test(arguments: [
        (PostgresError.refused(.wrongPassword, "x"), true, "password"),
        (.refused(.missingDatabase, "x"), true, "create it"),
        (.refused(.notAuthorized, "x"), true, "pg_hba.conf"),
        (.refused(.notReady, "x"), false, "later"),
        (.refused(.diskFull, "x"), false, "free space"),
        (.refused(.missingPrivilege, "x"), true, "GRANT CONNECT"),
        (.refused(.other("55000"), "x"), true, "server's log"),
        (.settings("x"), true, "database.connection"),
        (.pooled("x"), true, "own host"),
        (.readOnly("x"), false, "all hosts"),
        (.unreachable("x"), false, "the network"),
        (.statement(.missingTable, "x"), true, "database init"),
        (.statement(.missingPrivilege, "x"), true, "GRANT ipnd_writer"),
        (.statement(.diskFull, "x"), false, "free space"),
    ])
    func `each failure has its remedy in one line`(
        error: PostgresError, isMistake: Bool, words: String
    ) {
        let failure = DatabaseFailure(error, schema: "ipnd")
        #expect(failure.isMistake == isMistake)
        #expect(failure.remedy.contains(words))
        #expect(!failure.description.contains("\n"))
    }

    /// A backend without space for its own files ends before it has a session.
    @Test func `a full disk has one reason wherever it is met`() {
        for error in [PostgresError.refused(.diskFull, "x"), .statement(.diskFull, "x")] {
            #expect(error.reason == "database_full")
            #expect(DatabaseFailure(error, schema: "ipnd").reason == "database_full")
        }
    }
}
