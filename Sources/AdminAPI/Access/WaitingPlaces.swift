import Synchronization

/// Limits requests that stay open: streams and long polls. Each role has its own places, and one
/// person gets only some of them, so that viewers cannot take those of administrators.
package final class WaitingPlaces: Sendable {
    private struct Taken {
        var roles: [AdminRole: Int] = [:]
        var persons: [String: Int] = [:]
    }

    private let perRoleMax: Int
    private let perPersonMax: Int
    private let taken = Mutex(Taken())

    package init(perRoleMax: Int, perPersonMax: Int) {
        self.perRoleMax = perRoleMax
        self.perPersonMax = perPersonMax
    }

    /// A place that is taken while the returned value lives; nil where the role or the person has
    /// no place left.
    ///
    /// - Parameter person: A session, or an address together with a role.
    package func take(_ role: AdminRole, _ person: String) -> WaitingPlace? {
        let isFree = taken.withLock { taken in
            guard taken.roles[role, default: 0] < perRoleMax,
                taken.persons[person, default: 0] < perPersonMax
            else { return false }
            taken.roles[role, default: 0] += 1
            taken.persons[person, default: 0] += 1
            return true
        }
        guard isFree else { return nil }
        return WaitingPlace { [self] in
            taken.withLock { taken in
                taken.roles[role, default: 0] -= 1
                let left = taken.persons[person, default: 0] - 1
                taken.persons[person] = left > 0 ? left : nil
            }
        }
    }

    var personCount: Int { taken.withLock { $0.persons.count } }
}

/// A place of ``WaitingPlaces``. It is returned once, even if the answer was never sent.
package final class WaitingPlace: Sendable {
    private let action: Mutex<(@Sendable () -> Void)?>

    init(_ action: @escaping @Sendable () -> Void) { self.action = Mutex(action) }

    deinit { leave() }

    package func leave() {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}
