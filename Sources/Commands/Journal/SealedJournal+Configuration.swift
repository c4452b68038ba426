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
}
