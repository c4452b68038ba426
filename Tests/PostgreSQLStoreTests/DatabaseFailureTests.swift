import PostgreSQL
import Testing

@testable import PostgreSQLStore

@Suite struct DatabaseFailureTests {
    @Test(arguments: [
        (PostgresError.refused(.wrongPassword, "x"), true, "password"),
        (.refused(.missingDatabase, "x"), true, "create it"),
        (.refused(.notAuthorized, "x"), true, "pg_hba.conf"),
        (.refused(.notReady, "x"), false, "later"),
        (.settings("x"), true, "database.connection"),
        (.pooled("x"), true, "own host"),
        (.readOnly("x"), false, "all hosts"),
        (.unreachable("x"), false, "the way to it"),
        (.statement(.missingTable, "x"), true, "database init"),
        (.statement(.missingPrivilege, "x"), true, "GRANT ipnd_writer"),
        (.statement(.diskFull, "x"), false, "server"),
    ])
    func eachFailureHasItsRemedyInOneLine(
        error: PostgresError, isMistake: Bool, words: String
    ) {
        let failure = DatabaseFailure(error, schema: "ipnd")
        #expect(failure.isMistake == isMistake)
        #expect(failure.remedy.contains(words))
        #expect(!failure.description.contains("\n"))
    }
}
