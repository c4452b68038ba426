import Journal
import JournalStore
import Records
import ServerConfiguration

extension SealedJournal {
    /// Returns an opener for the records of a journal, by the master keys of a configuration; nil
    /// when none is given or needed.
    static func opener(_ directory: String, config: String?) throws -> RecordOpener? {
        guard let config else { return nil }
        var option = ConfigurationOption()
        option.config = config
        return try opener(directory, option.load().personal.masterKeys)
    }

    /// The cause, in the journal's keys, for which a start of the configuration would be refused.
    static func findings(_ configuration: Configuration) -> [Finding] {
        guard let journal = configuration.journal else { return [] }
        do throws(JournalError) {
            try check(journal.directory, configuration.personal.masterKeys)
            return []
        } catch {
            // A file that only the service may read is not judged.
            guard case .keys(let reason, let detail) = error else { return [] }
            return [
                Finding(
                    .mistake, file: configuration.file, key: "personal.masterKeys",
                    problem: "\(reason): \(detail)", remedy: "see config/privacy.md, Encryption")
            ]
        }
    }
}
