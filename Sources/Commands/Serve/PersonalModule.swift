import AdminAPI
import Logging
import Platform
import Receiver
import ServerConfiguration

/// Erases the personal data of records that are older than `personal.retainDays`: at the start, and
/// then every hour.
final class PersonalModule: Sendable {
    private let work: Task<Void, Never>

    private static let intervalSeconds = 3600

    /// Begins. Nil where personal data is kept.
    init?(
        _ configuration: Configuration, storage: any StorageModule, delivery: DeliveryModule?,
        rejections: RejectionLog, _ logger: Logger, clock: any Clock
    ) {
        let days = configuration.personal.retainDays
        guard days > 0 else { return nil }
        let erasure = AgeErasure(
            store: storage.store, records: storage.records, keys: storage.keys,
            endpoints: EndpointCatalog([:]), deliveries: delivery?.service,
            rejections: RejectionEraser(rejections), clock: clock)
        let caller = AdminCaller(role: .admin, name: "ipnd", remote: "")
        work = Task(executorPreference: BackgroundExecutor.shared) {
            var time: ErasureClock?
            while !Task.isCancelled {
                do throws(Problem) {
                    if time == nil, let newest = try await erasure.newest() {
                        time = ErasureClock(newest: newest, clock: clock)
                    }
                    let answer = try await erasure.erase(
                        olderThanDays: days, at: time?.now, by: caller,
                        reason: "personal.retainDays")
                    if answer.records > 0 {
                        logger.info(
                            "personal data erased",
                            metadata: [
                                "records": "\(answer.records)", "sequence": "\(answer.sequence)",
                            ])
                    }
                } catch {
                    let sentence = "personal data of \(days) days ago is not erased"
                    logger.warning(
                        "\(sentence): \(error.detail)", metadata: ["reason": "\(error.code)"])
                }
                try? await clock.sleep(seconds: Self.intervalSeconds)
            }
        }
    }

    func stop() async {
        work.cancel()
        await work.value
    }
}
