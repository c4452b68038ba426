/// Assigns captures that were reported without a transaction id to attempts.
///
/// Some providers name the payment of a capture only by the merchant's reference, and others may
/// leave the id out. A capture outranks a report of `paid`, so its attempt matters:
///
/// | captures without an id | named attempts they may belong to | they belong to |
/// |---|---|---|
/// | none | – | – |
/// | some | none | a separate attempt |
/// | some | one | that one |
/// | some | several: one authorised, the others paid instalments | the authorised one |
/// | some | several, none paid without captures | a separate one: the sum is the same |
/// | some | several, one paid without captures | unknown (`isAmbiguous`) |
///
/// They may belong to an attempt that has one of them, has other captures, or is pending,
/// authorised or paid. A capture that a named attempt also has belongs to that attempt.
struct CapturePlaces {
    /// The order with its captures assigned.
    let order: Order
    /// Whether captures without an id may belong to several attempts, so that it is unknown which
    /// of these are captured in full.
    var areLoose = false
    /// Whether the captured sum depends on the attempt that the captures belong to.
    var isAmbiguous = false

    init(_ order: Order) {
        // Nearly every order has one attempt.
        guard order.attempts.count > 1 else {
            self.order = order
            return
        }
        isAmbiguous = Self.hasRivals(order.attempts)
        // Attempts are sorted by id, so the one without an id is first.
        guard order.attempts[0].transaction.isEmpty, !order.attempts[0].captures.isEmpty else {
            self.order = order
            return
        }
        var placed = order
        let nameless = order.attempts[0]
        var loose: [Capture] = []
        var owners: Set<Int> = []
        for capture in nameless.captures {
            let places = order.attempts.indices.dropFirst()
                .filter { order.attempts[$0].captures.index(id: capture.id) != nil }
            for place in places { placed.attempts[place].captures.join(capture) }
            if places.isEmpty { loose.append(capture) }
            owners.formUnion(places)
        }
        var possible = order.attempts.indices.dropFirst().filter { place in
            owners.contains(place) || (!loose.isEmpty && order.attempts[place].mayHaveCaptures)
        }
        // An instalment is captured at once, so the captures belong to the authorised attempt.
        let held = possible.filter { order.attempts[$0].isHeld }
        if held.count == 1, owners.isSubset(of: held),
            possible.allSatisfy({ held.contains($0) || order.attempts[$0].isDebit })
        {
            possible = held
        }
        if possible.count == 1 {
            let place = possible[0]
            placed.attempts[place].captures.join(contentsOf: nameless.captures)
            // Other reports without an id may belong to that attempt too; the captures outrank a
            // report of `paid` among them.
            placed.attempts[0].captures = placed.attempts[place].captures
        } else if possible.count > 1, !loose.isEmpty {
            areLoose = true
            let isPaidWithout = possible.contains { placed.attempts[$0].isPaidWithoutCaptures }
            isAmbiguous = isAmbiguous || isPaidWithout
        }
        self.order = placed
    }

    /// Whether two named attempts have the same successful capture, which belongs to one of them.
    private static func hasRivals(_ attempts: [Attempt]) -> Bool {
        var seen: Set<ExactText> = []
        for attempt in attempts where !attempt.transaction.isEmpty {
            for capture in attempt.captures where capture.status == .succeeded {
                if !seen.insert(ExactText(capture.id)).inserted { return true }
            }
        }
        return false
    }
}

extension Attempt {
    /// Whether a capture may belong to this attempt. Not if it was only reported as failed,
    /// canceled or expired.
    fileprivate var mayHaveCaptures: Bool {
        !captures.isEmpty || reports.contains(.authorized) || reports.contains(.paid)
            || reports.status == .pending || reports.contains(.unconfirmed)
    }

    /// Whether the attempt was reported as authorised and not as paid.
    fileprivate var isHeld: Bool { reports.contains(.authorized) && !reports.contains(.paid) }

    /// Whether this is an instalment that was reported as paid and never as authorised.
    fileprivate var isDebit: Bool {
        agreement != nil && captures.isEmpty && reports.contains(.paid)
            && !reports.contains(.authorized)
    }

    fileprivate var isPaidWithoutCaptures: Bool {
        captures.isEmpty && reports.contains(.paid)
    }
}
