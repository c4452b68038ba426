/// Captures that were told without a transaction id, and whose they are.
///
/// ecommpay never names the payment of a capture but by the merchant's reference, and others may
/// leave the id out. What a capture says outranks a report of `paid`, so it matters whose it is:
///
/// | captures without an id | named attempts that they may be of | they are |
/// |---|---|---|
/// | none | – | – |
/// | some | none | of an attempt of their own |
/// | some | one | of that one |
/// | some | several, one of them authorised, the others instalments that were paid | of that one |
/// | some | several, each of them authorised or with captures | of their own: the sum is the same |
/// | some | several, one paid without captures, or pending beside it | not known (`isAmbiguous`) |
///
/// They may be of an attempt that has one of them, that has other captures, or that is pending,
/// authorised or paid. A capture that a named attempt has, too, is that attempt's.
struct CapturePlaces {
    /// The order with its captures where they belong.
    let order: Order
    /// Captures without an id are left, and several attempts that they may be of: which of these
    /// are taken in full is not known.
    var areLoose = false
    /// The sum that was taken depends on whose the captures are.
    var isAmbiguous = false

    init(_ order: Order) {
        // Nearly every order has one attempt.
        guard order.attempts.count > 1 else {
            self.order = order
            return
        }
        isAmbiguous = Self.hasRivals(order.attempts)
        // Sorted by id: what has none is the first.
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
        // A debit of an agreement is taken at once: a capture is of what was set aside beside it.
        let held = possible.filter { order.attempts[$0].isHeld }
        if held.count == 1, owners.isSubset(of: held),
            possible.allSatisfy({ held.contains($0) || order.attempts[$0].isDebit })
        {
            possible = held
        }
        if possible.count == 1 {
            let place = possible[0]
            placed.attempts[place].captures.join(contentsOf: nameless.captures)
            // What else was reported without an id may be of that attempt, too: where it is `paid`,
            // the captures outrank it.
            placed.attempts[0].captures = placed.attempts[place].captures
        } else if possible.count > 1, !loose.isEmpty {
            areLoose = true
            let isPaidWithout = possible.contains { placed.attempts[$0].isPaidWithoutCaptures }
            isAmbiguous = isAmbiguous || isPaidWithout
        }
        self.order = placed
    }

    /// True when two named attempts have one capture that succeeded: it was taken of one of them.
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
    /// Whether a capture may be of this attempt: not where all that was reported is that it came to
    /// nothing.
    fileprivate var mayHaveCaptures: Bool {
        !captures.isEmpty || reports.contains(.authorized) || reports.contains(.paid)
            || reports.status == .pending
    }

    /// Told as set aside and not as paid.
    fileprivate var isHeld: Bool { reports.contains(.authorized) && !reports.contains(.paid) }

    /// An instalment, told as paid and never as set aside.
    fileprivate var isDebit: Bool {
        agreement != nil && captures.isEmpty && reports.contains(.paid)
            && !reports.contains(.authorized)
    }

    fileprivate var isPaidWithoutCaptures: Bool {
        captures.isEmpty && reports.contains(.paid)
    }
}
