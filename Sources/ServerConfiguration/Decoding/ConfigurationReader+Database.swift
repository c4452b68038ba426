import HTTP
import PostgreSQL

extension ConfigurationReader {
    /// Reads `journal` or `database`; exactly one of them must be given.
    func storage(_ limits: Limits) -> StorageConfiguration? {
        switch (root.optional("journal"), root.optional("database")) {
        case (let journal?, nil): return self.journal(journal, limits).map { .journal($0) }
        case (nil, let database?): return self.database(database).map { .database($0) }
        case (nil, nil):
            root.requireOne(
                of: ["journal", "database"],
                "write `journal: {directory: journal}`, or `database:` for a record that several "
                    + "machines share")
        case (_?, let database?):
            database.mistake(
                "there is a journal, too, and the record can only be in one place",
                "keep `journal` or `database`")
        }
        return nil
    }

    private func database(_ value: ValueReader) -> DatabaseConfiguration? {
        guard let section = value.mapping() else { return nil }
        let place = section.required(
            "connection", "write `connection: {env: IPND_DATABASE}` with a libpq connection string")
        let connection = place.flatMap { connectionString($0) }
        var session = SessionSettings(schema: "ipnd")
        section.optional("schema").flatMap { schema($0) }.map { session.schema = $0 }
        section.optional("synchronousCommit")?.choice().map { session.synchronousCommit = $0 }
        var numbers: [(any WritableKeyPath<DatabaseConfiguration, Int> & Sendable, Int)] = []
        for name in DatabaseNumberName.all {
            guard let number = section.optional(name.name)?.integer(in: name.range) else {
                continue
            }
            numbers.append((name.path, number))
        }
        section.finish()
        guard let connection else { return nil }
        var database = DatabaseConfiguration(
            connection: connection.string, source: connection.source, session: session)
        for (path, number) in numbers { database[keyPath: path] = number }
        check(section, database)
        return database
    }

    /// Requires a request to wait at least as long as a batch may take. A request that still waits
    /// when a batch is given up needs time left for the next batch.
    private func check(_ section: MappingReader, _ database: DatabaseConfiguration) {
        guard database.requestSecondsMax < database.batchSecondsMax else { return }
        section.mistake(
            section.contains("requestSecondsMax") ? "requestSecondsMax" : "batchSecondsMax",
            "a request may wait \(database.requestSecondsMax) s, and one batch takes up to "
                + "\(database.batchSecondsMax) s",
            "let requestSecondsMax be at least batchSecondsMax")
    }

    /// Reads the connection string. The messages quote no part of it, because any part may be a
    /// password.
    private func connectionString(
        _ value: ValueReader
    ) -> (string: ConnectionString, source: SecretSource)? {
        guard let referenced = value.reference(.secret) else { return nil }
        guard let text = String(validating: referenced.bytes, as: UTF8.self) else {
            value.mistake("the connection string is not UTF-8 text", "save it as UTF-8")
            return nil
        }
        do throws(ConnectionString.Mistake) {
            return (try ConnectionString(text), referenced.source)
        } catch {
            let form =
                "write `host=… user=… dbname=…` or postgresql://user@host/dbname; values "
                + "with spaces need single quotes, and special characters in a URI need %XX"
            guard case .unknownOption(let name) = error,
                let nearest = Suggestion.nearest(to: name, among: ConnectionString.knownOptions)
            else {
                value.mistake("it is not a connection string that libpq reads", form)
                return nil
            }
            value.mistake(
                "an option of the connection string is unknown", "did you mean `\(nearest)`?")
            return nil
        }
    }

    /// Reads the name of a schema. Only names that need no quotes in SQL are accepted.
    private func schema(_ value: ValueReader) -> String? {
        guard let name = value.filledText() else { return nil }
        let isLetter = { (byte: UInt8) in (0x61...0x7A).contains(byte) || byte == 0x5F }
        let isPlain = name.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) }
        guard isPlain, name.utf8.first.map(isLetter) == true, name.utf8.count <= 63,
            !name.hasPrefix("pg_")
        else {
            value.mistake(
                "\(quoted(name)) is not a schema's name",
                "write lower-case letters, digits and _, at most 63, not beginning with a digit "
                    + "or pg_")
            return nil
        }
        return name
    }
}
