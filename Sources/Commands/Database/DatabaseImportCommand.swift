import ArgumentParser
import Console
import Glibc
import Journal
import PostgreSQL
import PostgreSQLStore
import Records
import ServerConfiguration

/// `ipnd database import DIR`
struct DatabaseImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Copy a journal's records into the database.",
        discussion: """
            Every record keeps its bytes and its sequence, and the record keeps its identity, so \
            that the positions of consumers stay valid. Run it as the owner of the tables, which \
            must be empty or hold the beginning of the same journal. An interrupted import \
            continues when it is run again; a complete one changes nothing.

            A server may still write to the journal. Its durable records are then imported, and \
            the database stays closed to servers: stop that server and run the import again. Do \
            not serve from the journal afterwards.

            Exit status 0: all records were imported. 72: the journal is damaged. 66: there is no \
            journal. 78: the database has other contents, or cannot be used. 69: it is \
            unreachable; try again.

            Example: ipnd database import /var/lib/ipnd/journal --config /etc/ipnd/ipnd.yaml
            """)

    @Argument(help: "The journal's directory.", completion: .directory) var directory: String
    @OptionGroup var file: ConfigurationOption

    func run() throws {
        guard try absentJournal() == nil else { throw ExitCode(EX_NOINPUT) }
        let (connection, database) = try DatabaseConnection.open(file)
        let progress = ProgressBar("import")
        do {
            let configuration = try file.load()
            var move = try JournalImport(
                directory, into: connection, schema: database.session.schema,
                factsMax: configuration.queue.orderFactsMax,
                masters: configuration.personal.masterKeys)
            let outcome = try move.run { progress.show($0, of: $1) }
            progress.finish()
            report(outcome)
        } catch let failure as DatabaseFailure {
            progress.finish()
            throw DatabaseConnection.exit(failure)
        } catch {
            progress.finish()
            throw JournalFailure.exit(error)
        }
    }

    /// Checks the journal before the database is connected to.
    private func absentJournal() throws -> JournalError? {
        do throws(JournalError) {
            if try JournalNote.find(directory) != nil { return nil }
        } catch {
            throw JournalFailure.exit(error)
        }
        let error = JournalError.absent(directory: directory)
        StandardError.print("ipnd: \(error)")
        return error
    }

    private func report(_ outcome: JournalImport.Outcome) {
        StandardOutput.print(
            """
            store        \(outcome.store)
            imported     \(counted(outcome.imported, "record"))
            sequences    up to \(outcome.last)
            """)
        if outcome.isFinished {
            StandardOutput.print("complete")
        } else {
            StandardOutput.print(
                "unfinished   a server still writes to the journal: stop it and run this again; "
                    + "until then no server may use the database")
        }
    }
}
