import HTTPServer
import Inquiry
import Platform
import Store

/// Waits for a change of an order, and asks its provider meanwhile: the notification may be lost.
struct OrderWait: Sendable {
    let store: any Store
    /// Nil where no provider can be asked.
    let inquiries: InquiryService?
    let clock: any Clock

    /// Waits until `isFound`, or for `seconds`. Returns the order then, or as it was seen last; nil
    /// if there is none of this name.
    ///
    /// - Parameter asks: Whether the provider may be asked.
    func order(
        _ name: OrderName, seconds: Double, _ presence: ClientPresence, asks: Bool,
        until isFound: (OrderView) -> Bool
    ) async throws(Problem) -> OrderView? {
        // The order may be known under another name than the one that it is asked for by.
        let name = try await view(name).map { $0.isKnown(as: name) ? $0.name : name } ?? name
        var last: OrderView?
        func look() async throws(Problem) -> OrderView? {
            guard let view = try await view(name) else { return nil }
            last = view
            return isFound(view) ? view : nil
        }
        // The watch begins before the first look, so that no change is missed between the two.
        let watch = store.commitFeed.watchOrder(name)
        let asker = asks ? asking(name, seconds: seconds) : nil
        defer { asker?.cancel() }
        let found = try await LongPoll.wait(watch, seconds: seconds, clock, presence, until: look)
        return found ?? last
    }

    /// Asks again and again until it is cancelled. The first question comes after the provider's
    /// pause between two questions about an order, in which most notifications arrive, or halfway
    /// through a shorter wait.
    private func asking(_ name: OrderName, seconds: Double) -> Task<Void, Never>? {
        guard seconds > 0, let inquiries, let pause = inquiries.pauseSeconds(of: name.endpoint)
        else { return nil }
        return Task(executorPreference: WorkerPool.shared) { [clock] in
            var left: Double? = min(pause, seconds / 2)
            while let seconds = left {
                do { try await clock.sleep(microseconds: Int64(seconds * 1e6)) } catch { return }
                // A question goes on when the client leaves, because its result is recorded.
                left = await Task.detached(executorPreference: WorkerPool.shared) {
                    await inquiries.ask(forClientOf: name)
                }.value
                if Task.isCancelled { return }
            }
        }
    }

    func view(_ name: OrderName) async throws(Problem) -> OrderView? {
        do throws(ReadFailure) {
            return try await store.order(name)
        } catch {
            throw Problem(error)
        }
    }
}

extension OrderView {
    /// Whether the name is the order's own, or an id of the provider's; false for an alias.
    func isKnown(as name: OrderName) -> Bool {
        order.reference == nil || order.isNamed(name.reference)
            || name.providerID.map { order.holds($0) } ?? false
    }
}
