import TestSupport
import Testing

@testable import ServerConfiguration

private let endpoints =
    "endpoints: [{name: citcon, path: /ipn/citcon, provider: citcon-upi, secrets: "
    + "[{file: secrets/citcon}]}]\n"

/// A configuration with a database, whose value begins in line 2, column 11.
private func database(_ settings: String) -> String {
    "listeners: [{address: 127.0.0.1:1}]\ndatabase: {\(settings)}\n" + endpoints
}

private let environment = [
    "DATABASE": "host=db1 dbname=pay password=two",
    "TYPO": "host=db1 pasword=hunter2", "SPACE": "host=db1 password=hunter2 hunter3",
]

struct DatabaseMistakeTests {
    /// Exactly this error is reported, without any part of a password.
    @Test(arguments: databases)
    func `a mistake in the database is told with its place and a remedy`(
        _ mistake: Mistake
    ) throws {
        try mistake.expectOnly(environment: environment)
    }

    @Test func `what would run is told without the password`() throws {
        let folder = try TemporaryFolder.filled()
        let configuration = try folder.load(
            database(
                "connection: {env: DATABASE}, lockSecondsMax: 3, retainDays: 90, "
                    + "dedupRetainDays: 100"), environment: environment
        ).get()
        let told = configuration.describe()
        #expect(told.contains("database       db1/pay, schema ipnd, from variable DATABASE"))
        #expect(!told.contains("two"))
        #expect(configuration.database?.session.lockSecondsMax == 3)
        #expect(told.contains("events kept 90 days, then dropped"))
        #expect(configuration.database?.retainDays == 90)
        #expect(configuration.database?.dedupRetainDays == 100)
        #expect(configuration.journal == nil)
        #expect(configuration.rejections.directory == "\(folder.path)/rejections")
    }
}

private let databases = [
    Mistake(
        "journal and database",
        "journal: {directory: j}\n" + database("connection: {env: DATABASE}"), at: 3, 11,
        "database", "only be in one place", "keep `journal` or `database`"),
    Mistake(
        "misspelt database is one mistake",
        "listeners: [{address: 127.0.0.1:1}]\ndatabse: {}\n" + endpoints, at: 2, 1, "databse",
        "did you mean `database`?"),
    Mistake(
        "dedup memory shorter than a provider's retries",
        database("connection: {env: DATABASE}, dedupRetainDays: 7"), at: 2, 58,
        "database.dedupRetainDays", "from 30 to"),
    Mistake("no connection", database("schema: x"), at: 2, 11, "database.connection", "missing"),
    Mistake(
        "the connection in place", database("connection: host=a"), at: 2, 24,
        "database.connection", "must not be written in the configuration"),
    Mistake(
        "a misspelt option", database("connection: {env: TYPO}"), at: 2, 24,
        "database.connection", "did you mean `password`?"),
    Mistake(
        "a password without quotes", database("connection: {env: SPACE}"), at: 2, 24,
        "database.connection", "single quotes"),
    Mistake(
        "a schema that needs quotes", database("connection: {env: DATABASE}, schema: Ipnd"), at: 2,
        49, "database.schema", "lower-case"),
    Mistake(
        "a reserved schema", database("connection: {env: DATABASE}, schema: pg_x"), at: 2, 49,
        "database.schema", "lower-case"),
    Mistake(
        "a commit that is not replicated",
        database("connection: {env: DATABASE}, synchronousCommit: local"), at: 2, 60,
        "database.synchronousCommit", "on"),
    Mistake(
        "no time at all", database("connection: {env: DATABASE}, lockSecondsMax: 0"), at: 2, 57,
        "database.lockSecondsMax", "from 1 to"),
    Mistake(
        "less time for a request than for a batch",
        database("connection: {env: DATABASE}, requestSecondsMax: 2"), at: 2, 41,
        "database.requestSecondsMax", "at least batchSecondsMax"),
    Mistake(
        "an unknown key", database("connection: {env: DATABASE}, lockSeconds: 2"), at: 2, 41,
        "database.lockSeconds", "did you mean `lockSecondsMax`?"),
    Mistake(
        "an index beside a database",
        database("connection: {env: DATABASE}") + "index: {directory: i}\n", at: 4, 1, "index",
        "remove"),
    Mistake(
        "a lease that is over before it can be renewed",
        database("connection: {env: DATABASE}, leaseSeconds: 1"), at: 2, 55,
        "database.leaseSeconds", "from 2 to 300"),
]
