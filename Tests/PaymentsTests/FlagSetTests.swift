import Payments
import Testing

@Suite struct FlagSetTests {
    @Test func `every flag has a bit of its own`() {
        var bits = Set<UInt32>()
        for flag in Flag.allCases {
            let set = FlagSet([flag])
            #expect(set.list == [flag])
            #expect(set.bits.nonzeroBitCount == 1)
            #expect(bits.insert(set.bits).inserted)
            #expect(FlagSet(bits: set.bits) == set)
        }
    }

    @Test func `the bits on disk never change`() {
        let inOrderOfBits: [Flag] = [
            .contradicted, .paidTwice, .conflict, .unknownStatus, .unknownKind, .notUnderstood,
            .testMode, .overRefunded, .currencyMismatch, .invalidAmount, .amountsDiffer,
            .amountUnknown, .unjoined, .unsignedClaim, .unverifiedChargeback, .refundAmbiguous,
            .reversalAmbiguous, .captureFailed, .partiallyCaptured, .providerReview,
            .tooManyEvents, .captureAmbiguous, .resolved, .reopened, .overCaptured,
            .amountUnexpected,
        ]
        for (place, flag) in inOrderOfBits.enumerated() {
            #expect(FlagSet([flag]).bits == 1 << place)
        }
        #expect(FlagSet([.sharedID]).bits == 1 << 28)
        #expect(FlagSet([.unconfirmed]).bits == 1 << 29)
        #expect(inOrderOfBits.count + 2 == Flag.allCases.count)
    }

    @Test func `a bit without a flag is damage`() {
        #expect(FlagSet(bits: FlagSet.knownBits) != nil)
        #expect(FlagSet(bits: FlagSet.knownBits + 1) == nil)
        #expect(FlagSet(bits: 1 << 31) == nil)
    }

    @Test func `a union holds what either holds in the order of declaration`() {
        var set = FlagSet([.testMode])
        set.formUnion(FlagSet([.conflict, .testMode]))
        #expect(set.list == [.conflict, .testMode])
        #expect(FlagSet().isEmpty)
    }

    @Test func `the words of flags and statuses are those of the records`() {
        #expect(
            Flag.allCases.map(\.rawValue) == [
                "contradicted", "paid_twice", "conflict", "amount_unexpected", "unknown_status",
                "unknown_kind", "not_understood", "test_mode", "over_refunded", "currency_mismatch",
                "invalid_amount", "amounts_differ", "amount_unknown", "unjoined",
                "unsigned_claim", "unverified_chargeback", "refund_ambiguous",
                "reversal_ambiguous", "capture_ambiguous", "capture_failed", "partially_captured",
                "over_captured", "provider_review", "unconfirmed", "too_many_events", "shared_id",
                "resolved", "reopened",
            ])
        #expect(
            OrderStatus.allCases.map(\.rawValue) == [
                "pending", "authorized", "paid", "partially_refunded", "refunded", "failed",
                "canceled", "expired", "disputed", "charged_back", "review",
            ])
    }
}
