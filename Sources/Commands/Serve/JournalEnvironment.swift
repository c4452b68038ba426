import Journal
import JournalStore
import Platform

#if !PLANTED_DEFECTS
/// What the journal runs on: the real file system, the real clock.
enum JournalEnvironment {
    static let storage: any Storage = PosixStorage()
    static let environment: StoreEnvironment = {
        var environment = StoreEnvironment()
        environment.giveMemoryBack = Memory.giveBack
        return environment
    }()
}
#endif
