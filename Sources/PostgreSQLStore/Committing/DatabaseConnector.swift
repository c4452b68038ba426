import Platform
import PostgreSQL
import Sealing
import Synchronization

/// Opens sessions on a separate thread, because a name lookup has no deadline: meanwhile the
/// committer refuses tasks whose time is up.
final class DatabaseConnector: Sendable {
    /// - Proof of `@unchecked Sendable`: the thread that created the session hands it over under
    ///   the mutex and keeps no reference to it; from then on only the thread that took it uses it.
    private struct Handover: @unchecked Sendable {
        let session: WriterSession
    }

    private enum State: Sendable {
        case idle
        case connecting
        case done(Handover)
        case failed(DatabaseFailure)
    }

    /// The result of an attempt.
    enum Outcome {
        case pending
        case session(WriterSession)
        case failure(DatabaseFailure)
    }

    private let state = Mutex(State.idle)
    private let source: LinkSource
    private let masters: [MasterKey]
    private let environment: DatabaseEnvironment
    private let whenDone: @Sendable () -> Void

    /// - Parameter whenDone: Called on the other thread when an attempt has ended.
    init(
        _ source: LinkSource, _ masters: [MasterKey], _ environment: DatabaseEnvironment,
        whenDone: @escaping @Sendable () -> Void
    ) {
        self.source = source
        self.masters = masters
        self.environment = environment
        self.whenDone = whenDone
    }

    /// Whether an attempt is under way; `whenDone` is called at its end.
    var isConnecting: Bool {
        state.withLock { state in
            if case .connecting = state { return true }
            return false
        }
    }

    /// Begins an attempt unless one is under way.
    func begin() {
        let begins = state.withLock { state in
            guard case .idle = state else { return false }
            state = .connecting
            return true
        }
        guard begins else { return }
        environment.start { [self] in
            let result = attempt()
            state.withLock { $0 = result }
            whenDone()
        }
    }

    /// Takes the outcome of the attempt, so that another may begin.
    func take() -> Outcome {
        state.withLock { state in
            switch state {
            case .idle, .connecting: return .pending
            case .done(let handover):
                state = .idle
                return .session(handover.session)
            case .failed(let failure):
                state = .idle
                return .failure(failure)
            }
        }
    }

    private func attempt() -> State {
        do throws(DatabaseFailure) {
            return .done(Handover(session: try open()))
        } catch {
            return .failed(error)
        }
    }

    private func open() throws(DatabaseFailure) -> WriterSession {
        let settings = source.settings
        let link: any DatabaseLink
        do throws(PostgresError) {
            link = try source.open()
        } catch {
            throw DatabaseFailure(error, schema: settings.schema)
        }
        let deadline = environment.now().advanced(seconds: settings.statementSecondsMax)
        var session = try WriterSession(link, schema: settings.schema, until: deadline)
        try session.openKeys(masters, schema: settings.schema, until: deadline)
        return session
    }
}
