import ArgumentParser
import Console
import Glibc
import Platform
import PostgreSQL
import PostgreSQLStore
import ServerConfiguration

/// `ipnd database …`: commands for a database that is used instead of a journal.
struct DatabaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "database", abstract: "Create, check and measure the tables of a database.",
        discussion: """
            For configurations with a database instead of a journal. Exit status 78: something \
            has to be corrected. 69: the database is unreachable or too slow; try again.
            """,
        subcommands: [
            DatabaseInitCommand.self, DatabaseCheckCommand.self, DatabaseStatCommand.self,
            DatabaseVerifyCommand.self, DatabaseImportCommand.self, DatabaseExportCommand.self,
            DatabaseRereadCommand.self,
        ])
}

/// The database connection of a command, and its failures.
enum DatabaseConnection {
    static func open(_ file: ConfigurationOption) throws -> (
        connection: PostgresConnection, database: DatabaseConfiguration
    ) {
        let configuration = try file.load()
        guard var database = configuration.database else {
            StandardError.print(
                "ipnd: \(file.config) names a journal, not a database; add `database:` in its place"
            )
            throw ExitCode(EX_CONFIG)
        }
        database.session.applicationName = "ipnd database"
        do throws(PostgresError) {
            return (
                try PostgresConnection.connect(
                    database.connection, database.session, clock: SystemClock()), database
            )
        } catch {
            throw exit(DatabaseFailure(error, schema: database.session.schema))
        }
    }

    /// Prints the failure in one line.
    static func exit(_ failure: DatabaseFailure) -> ExitCode {
        StandardError.print("ipnd: \(failure)")
        return ExitCode(failure.isMistake ? EX_CONFIG : EX_UNAVAILABLE)
    }
}

/// `ipnd database init`
struct DatabaseInitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Create the tables.",
        discussion: """
            Run it as the owner of the schema. It is idempotent and may run concurrently. Creates \
            the roles ipnd_writer (grant it to the server's user) and ipnd_reader (for your own \
            SQL on the views orders and event_heads) if they are missing.

            Example: ipnd database init --config /etc/ipnd/ipnd.yaml
            """)

    @OptionGroup var file: ConfigurationOption
    @Option(
        help: """
            Events per partition of the table event; retention drops whole partitions. At least \
            1000, default 1000000. It cannot be changed later.
            """)
    var partitionEvents: Int?

    func validate() throws {
        let range = SchemaInstaller.partitionEventsRange
        if let partitionEvents, !range.contains(partitionEvents) {
            throw ValidationError(
                "--partition-events must be from \(range.lowerBound) to \(range.upperBound)")
        }
    }

    func run() throws {
        let (connection, database) = try DatabaseConnection.open(file)
        let schema = database.session.schema
        let installer = SchemaInstaller(
            connection, schema: schema, partitionEvents: partitionEvents)
        do throws(DatabaseFailure) {
            switch try installer.run() {
            case .created:
                StandardOutput.print("made version \(SchemaVersion.current) in \(schema)")
            case .unchanged:
                StandardOutput.print("\(schema) has version \(SchemaVersion.current) already")
            }
        } catch {
            throw DatabaseConnection.exit(error)
        }
    }
}

/// `ipnd database check`
struct DatabaseCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check that the database can be used and keeps what it acknowledges.",
        discussion: """
            Checks version, privileges, fsync, full_page_writes and synchronous standbys, and \
            changes nothing. Exit status 0, or 78 with a line for each mistake.

            Example: ipnd database check --config /etc/ipnd/ipnd.yaml
            """)

    @OptionGroup var file: ConfigurationOption

    func run() throws {
        let (connection, database) = try DatabaseConnection.open(file)
        do throws(PostgresError) {
            let check = try DatabaseCheck(connection, database.session)
            for finding in check.findings { StandardError.print("\(finding)") }
            StandardOutput.print(check.report.joined(separator: "\n"))
            if check.passes { return }
        } catch {
            throw DatabaseConnection.exit(DatabaseFailure(error, schema: database.session.schema))
        }
        throw ExitCode(EX_CONFIG)
    }
}
