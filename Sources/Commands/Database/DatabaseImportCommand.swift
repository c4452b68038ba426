import ArgumentParser
import Configuration
import Glibc
import Journal
import PostgreSQL
import PostgreSQLStore
import Records

/// `ipnd database import DIR`
struct DatabaseImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Bring a journal's records into the database.",
        discussion: """
            Every record keeps its bytes and its sequence, and the record keeps its identity, so \
            that the positions of consumers stay valid. Run it as the owner of the tables, which \
            must be empty or hold the beginning of the same journal. It can be ended at any time \
            and run again: it goes on where it was, and changes nothing when all is there.

            A server may still write to the journal. Then what it has made durable is imported, \
            and the database stays closed to servers: stop that server and run the import again. \
            Never serve from the journal again afterwards.

            Exit status 0: all that is there was imported. 72: the journal is damaged. 66: there \
            is no journal. 78: the database holds something else, or cannot be used. 69: it is \
            away; try again.
            """)

    @Argument(help: "The journal's directory.", completion: .directory) var directory: String
    @OptionGroup var file: ConfigurationOption

    func run() throws {
        guard try absentJournal() == nil else { throw ExitCode(EX_NOINPUT) }
        let (connection, database) = try DatabaseSession.open(file)
        let progress = ProgressBar("import")
        do {
            var move = try JournalImport(
                directory, into: connection, schema: database.session.schema,
                factsMax: try file.load().queue.orderFactsMax)
            let outcome = try move.run { progress.show($0, of: $1) }
            progress.finish()
            report(outcome)
        } catch let failure as DatabaseFailure {
            progress.finish()
            throw DatabaseSession.exit(failure)
        } catch {
            progress.finish()
            throw JournalFailure.exit(error)
        }
    }

    /// Before anybody asks the database.
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
