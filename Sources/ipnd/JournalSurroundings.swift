import Journal
import Store

#if !PLANTED_DEFECTS
/// What the journal runs on: the real file system, the real clock.
enum JournalSurroundings {
    static let storage: any Storage = PosixStorage()
    static let environment = StoreEnvironment()
}
#endif
