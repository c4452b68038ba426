import Commands
import DatabaseDefects
import Glibc

/// ipnd with the planted defect that the environment variable `IPND_DEFECT` names. Every check of
/// durability must detect each of them (`scripts/planted-defects`).
@main
enum DefectiveProgram {
    static func main() async {
        let defect = getenv("IPND_DEFECT").map { String(cString: $0) } ?? ""
        await ServiceEnvironment.$current.withValue(environment(defect)) { await Program.run() }
    }

    private static func environment(_ defect: String) -> ServiceEnvironment {
        var environment = ServiceEnvironment()
        switch defect {
        case "never-sync": environment.storage = ForgetfulStorage(syncsFiles: false)
        case "skip-directory-sync": environment.storage = ForgetfulStorage(syncsDirectories: false)
        case "answer-before-sync": environment.store.plantedDefect = .answersBeforeSync
        case "pending-is-durable": environment.store.plantedDefect = .treatsPendingAsDurable
        case "destroy-keys-early": environment.store.plantedDefect = .destroysKeysEarly
        default:
            guard let planted = DatabaseDefect(rawValue: defect) else { break }
            let links = environment.links
            environment.links = { planted.planted(in: links($0)) }
        }
        return environment
    }
}
