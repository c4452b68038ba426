// Package ipnd has the events and orders of ipnd, typed. Go 1.18, no dependencies.
//
//	var message ipnd.Message                    // a webhook
//	err := json.Unmarshal(body, &message)
//	var page ipnd.EventPage                     // GET /events
//	var order ipnd.Order                        // GET /orders/{endpoint}/{reference}
//
// Members that this version does not know are skipped, and unknown words of an enumeration stay
// text. A missing member or one of another type is a *Malformed. json.Marshal writes what was read.
//
// Generated from config/openapi.yaml by scripts/generate-clients. Do not edit.
package ipnd

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Malformed says that the input is not of this model, and names the member.
type Malformed struct{ Place, Problem string }

func (e *Malformed) Error() string { return e.Place + " " + e.Problem }

// Message: the body of a webhook.
type Message struct {
	// `order.` and the order's status after the event; `agreement.` and the event's own status in
	// lower case; `test` in an example.
	Type string `json:"type"`
	// Time at which the notification was received.
	Timestamp string      `json:"timestamp"`
	Data      EventRecord `json:"data"`
}

// UnmarshalJSON reads the object and checks its members.
func (value *Message) UnmarshalJSON(data []byte) error { return read(data, value) }

// EventRecord: one notification, and its order afterwards. Members without a value are left out;
// later versions only add members.
type EventRecord struct {
	Schema int64 `json:"schema" only:"1"`
	// Its number in the journal, from 1, without gaps; 0 in an example.
	Sequence int64  `json:"sequence"`
	Received string `json:"received"`
	// Empty for an act without an endpoint.
	Endpoint string `json:"endpoint"`
	Provider string `json:"provider"`
	// `conflict`: the same identity with other content, or an amount that contradicts the
	// expectation. `ignored`: genuine, but without an order.
	Outcome EventRecordOutcome `json:"outcome"`
	// The order's and the notification's.
	Flags []Flag `json:"flags"`
	Event Event  `json:"event"`
	// The endpoint's key or secret that verified it; `unsigned` for an ecommpay chargeback without
	// a signature.
	Key *string `json:"key,omitempty"`
	// The request's place in a trace, as the header `traceparent` of W3C Trace Context writes it;
	// only while ipnd exports traces.
	Trace *string `json:"trace,omitempty"`
	// In a correction: the sequence of the record that this one replaces. It has no `request`.
	Corrects *int64 `json:"corrects,omitempty"`
	// The event's place in a request that reported several events; left out if it was the only one.
	Part *EventRecordPart `json:"part,omitempty"`
	// The sequence of the first event of this identity.
	ConflictsWith *int64      `json:"conflictsWith,omitempty"`
	Order         *OrderAfter `json:"order,omitempty"`
	// The request, byte for byte. Left out in corrections, expectations and acts, in records whose
	// `part.of` names the record with the request, and for viewers.
	Request *EventRecordRequest `json:"request,omitempty"`
	// The client's address.
	Peer *string `json:"peer,omitempty"`
	// In place of `request`, `inquiry` and `peer` where they were erased: what it was.
	Erased *EventRecordErased `json:"erased,omitempty"`
	// In place of `request`, `inquiry` and `peer` where they are sealed and were changed since, so
	// that they cannot be opened.
	Sealed *EventRecordSealed `json:"sealed,omitempty"`
}

// UnmarshalJSON reads the object and checks its members.
func (value *EventRecord) UnmarshalJSON(data []byte) error { return read(data, value) }

// EventRecordPart: the event's place in a request that reported several events; left out if it was
// the only one.
type EventRecordPart struct {
	// Its number in the request, from 1.
	Number int64 `json:"number"`
	// Number of events in the request, including those that were already recorded.
	Count int64 `json:"count"`
	// The sequence of the record that holds `request` and `peer`; left out in that record.
	Of *int64 `json:"of,omitempty"`
}

// UnmarshalJSON reads the object and checks its members.
func (value *EventRecordPart) UnmarshalJSON(data []byte) error { return read(data, value) }

type EventRecordOutcome string

const (
	EventRecordOutcomeRecorded EventRecordOutcome = "recorded"
	EventRecordOutcomeConflict EventRecordOutcome = "conflict"
	EventRecordOutcomeIgnored  EventRecordOutcome = "ignored"
)

// Flag: information beyond the status. **review** marks flags that put the order into `review`.
type Flag string

const (
	// Reported as succeeded and as failed, canceled or expired. Paid takes precedence, then
	// authorised. Ask the provider which is true.
	FlagContradicted Flag = "contradicted"
	// Two attempts are paid; `amount` is their sum. Refund one.
	FlagPaidTwice Flag = "paid_twice"
	// **review.** The same event was reported with other content, or one payment with two
	// references; `claims` lists differing amounts. Compare with the provider's report.
	FlagConflict Flag = "conflict"
	// **review.** The authorised or captured amount is not the expected one. Compare `expected`
	// with `amount`.
	FlagAmountUnexpected Flag = "amount_unexpected"
	// The provider sent an undocumented status word. It is kept verbatim and never interpreted as
	// paid.
	FlagUnknownStatus Flag = "unknown_status"
	// The provider sent an undocumented kind of notification. It has no effect.
	FlagUnknownKind Flag = "unknown_kind"
	// Genuine but not interpretable, such as a payment without a valid amount. If it is about
	// money, its order is in **review**: read the record's body.
	FlagNotUnderstood Flag = "not_understood"
	// The provider reports test mode. A live endpoint never counts it.
	FlagTestMode Flag = "test_mode"
	// **review.** More was refunded than paid, or a refund was reported without a known payment.
	FlagOverRefunded Flag = "over_refunded"
	// **review.** One payment was reported in two currencies, so its sums cannot be added.
	FlagCurrencyMismatch Flag = "currency_mismatch"
	// **review.** A negative amount was reported and ignored, or a sum exceeds 64 bits.
	FlagInvalidAmount Flag = "invalid_amount"
	// One status of one operation was reported with different amounts: `claims`. The lowest counts.
	// **review** if it is an authorised, captured or refunded amount.
	FlagAmountsDiffer Flag = "amounts_differ"
	// A payment or refund was reported without an amount.
	FlagAmountUnknown Flag = "amount_unknown"
	// No reference is known, only ids of the provider.
	FlagUnjoined Flag = "unjoined"
	// **review.** The notification reports a refund or another sum in members that its signature
	// does not cover. They have no effect: ask the provider.
	FlagUnsignedClaim Flag = "unsigned_claim"
	// **review.** A chargeback was reported without a signature, from a network that the endpoint
	// allows: check it at the provider.
	FlagUnverifiedChargeback Flag = "unverified_chargeback"
	// **review.** The provider's words about refunds allow several sums: `candidates`. Find out
	// which one is true.
	FlagRefundAmbiguous Flag = "refund_ambiguous"
	// **review.** A reversal was reported without the operation that it undoes, or without whether
	// money was returned.
	FlagReversalAmbiguous Flag = "reversal_ambiguous"
	// **review.** Captures do not name their payment, and the captured sum depends on it; `amount`
	// and `captured` are null.
	FlagCaptureAmbiguous Flag = "capture_ambiguous"
	// A capture failed and none succeeded: nothing was captured.
	FlagCaptureFailed Flag = "capture_failed"
	// Less was captured than authorised or expected: `captured` and `authorized`.
	FlagPartiallyCaptured Flag = "partially_captured"
	// More was captured than authorised.
	FlagOverCaptured Flag = "over_captured"
	// The provider reports success but asks for a manual review. The status is `paid`: decide
	// before you deliver.
	FlagProviderReview Flag = "provider_review"
	// A notification reports a success that its signature does not prove, and the provider's answer
	// to an inquiry has not confirmed it yet. It changes no status and no sum. **review** with
	// `contradicted`: the same payment was also reported as failed.
	FlagUnconfirmed Flag = "unconfirmed"
	// **review.** More was reported than an order holds (`limits.orderFactsMax`). The rest is in
	// the journal only.
	FlagTooManyEvents Flag = "too_many_events"
	// **review.** An order with another reference (`sharedWith`) claims a payment with the same id,
	// although the provider's ids are unique.
	FlagSharedId Flag = "shared_id"
	// A person has resolved the order: `resolution`. The other flags are the reasons.
	FlagResolved Flag = "resolved"
	// **review.** New events were reported after a person had resolved the order: `resolution` has
	// the decision.
	FlagReopened Flag = "reopened"
	// Expected, past its `expires`, and still `pending` or `authorized`. In lists and orders, never
	// in records.
	FlagOverdue Flag = "overdue"
)

// Event: the notification as ipnd interprets it.
type Event struct {
	// Identity within the endpoint: the same id is the same event.
	ID string `json:"id"`
	// `payment`, `capture`, `refund`, `dispute`, `reversal`, `expectation`, `action`; others
	// verbatim.
	Kind string `json:"kind"`
	// Of an `action`, the act: `retry`, `give_up`, `resend`, `pause`, `resume`, `test`, `inquire`,
	// `resolve`, `correct`, `split`, `erase`.
	Status string `json:"status"`
	// Time reported by the provider.
	Occurred *string `json:"occurred,omitempty"`
	// The merchant's reference in it.
	Reference *string `json:"reference,omitempty"`
	// The operation's own reference, if an id names the payment to which it belongs.
	Alias *string `json:"alias,omitempty"`
	// Scope of the provider's ids. `anything`: unique in the account, and pointers may name
	// payments and operations. `reference`: unique within the reference. Left out: unique in the
	// account, and pointers name payments.
	IDs *EventIds `json:"ids,omitempty"`
	// The provider's id of the attempt; in an operation, the id that it refers to.
	Transaction *string `json:"transaction,omitempty"`
	// The payment method in the provider's word, such as `card`, `VISA` or `GCASH`; left out if not
	// reported.
	Method *string `json:"method,omitempty"`
	// The provider's id of the agreement of which the payment is an instalment; left out if there
	// is none.
	Agreement *string `json:"agreement,omitempty"`
	Effect    *Effect `json:"effect,omitempty"`
	// The refunded sum that a payment reports about itself. A lower bound, not a refund.
	RefundedAtLeast *Money    `json:"refundedAtLeast,omitempty"`
	Reason          *Reason   `json:"reason,omitempty"`
	Flags           []Flag    `json:"flags,omitempty"`
	Expectation     *Expected `json:"expectation,omitempty"`
	Action          *Act      `json:"action,omitempty"`
}

// UnmarshalJSON reads the object and checks its members.
func (value *Event) UnmarshalJSON(data []byte) error { return read(data, value) }

type EventIds string

const (
	EventIdsAnything  EventIds = "anything"
	EventIdsReference EventIds = "reference"
)

// Effect: its effect on the order. Left out without an order.
type Effect struct {
	On     EffectOn      `json:"on"`
	Status *EffectStatus `json:"status,omitempty"`
	Amount *Money        `json:"amount,omitempty"`
	ID     *string       `json:"id,omitempty"`
	Of     *ReversalKind `json:"of,omitempty"`
	// This refund, or the sum so far.
	Refunded *Money `json:"refunded,omitempty"`
	// Its time, verbatim, which distinguishes equal refunds of one charge.
	Moment *string `json:"moment,omitempty"`
}

// UnmarshalJSON reads the object and checks its members.
func (value *Effect) UnmarshalJSON(data []byte) error { return read(data, value) }

type EffectOn string

const (
	// A claim without effect on sums that puts the order into review; the flags give the reason.
	EffectOnDoubt EffectOn = "doubt"
	// An attempt to pay.
	EffectOnAttempt EffectOn = "attempt"
	// A capture, refund or dispute.
	EffectOnCapture EffectOn = "capture"
	// A capture, refund or dispute.
	EffectOnRefund EffectOn = "refund"
	// A capture, refund or dispute.
	EffectOnDispute EffectOn = "dispute"
	// An operation that undoes the one named by the event's transaction.
	EffectOnReversal EffectOn = "reversal"
	// A refund with several possible readings.
	EffectOnUnclearRefund EffectOn = "unclear_refund"
)

type EffectStatus string

const (
	EffectStatusPending    EffectStatus = "pending"
	EffectStatusAuthorized EffectStatus = "authorized"
	EffectStatusExpired    EffectStatus = "expired"
	EffectStatusCanceled   EffectStatus = "canceled"
	EffectStatusTryFailed  EffectStatus = "try_failed"
	EffectStatusFailed     EffectStatus = "failed"
	EffectStatusPaid       EffectStatus = "paid"
	EffectStatusSucceeded  EffectStatus = "succeeded"
	EffectStatusOpen       EffectStatus = "open"
	EffectStatusClosed     EffectStatus = "closed"
	EffectStatusWon        EffectStatus = "won"
	EffectStatusLost       EffectStatus = "lost"
)

// Money: an amount in the currency's smallest unit: 4200 MYR are 42.00 MYR, 4200 JPY are 4,200 yen.
type Money struct {
	Minor    int64  `json:"minor"`
	Currency string `json:"currency"`
}

// UnmarshalJSON reads the object and checks its members.
func (value *Money) UnmarshalJSON(data []byte) error { return read(data, value) }

// ReversalKind: the kind of operation that is undone; `operation`: the one that the id names.
// `increase`, `total`: an authorisation is raised by the amount, to the amount.
type ReversalKind string

const (
	ReversalKindOperation     ReversalKind = "operation"
	ReversalKindRefund        ReversalKind = "refund"
	ReversalKindDispute       ReversalKind = "dispute"
	ReversalKindAuthorization ReversalKind = "authorization"
	ReversalKindIncrease      ReversalKind = "increase"
	ReversalKindTotal         ReversalKind = "total"
)

// Reason: the cause of a failure, cancellation or expiry in the provider's words; one of the two
// may be empty.
type Reason struct {
	// At most 64 bytes.
	Code string `json:"code"`
	// At most 256 bytes.
	Message string `json:"message"`
}

// UnmarshalJSON reads the object and checks its members.
func (value *Reason) UnmarshalJSON(data []byte) error { return read(data, value) }

type Expected struct {
	Amount  Money   `json:"amount"`
	Expires *string `json:"expires,omitempty"`
	// In lists and events only.
	Metadata json.RawMessage `json:"metadata,omitempty"`
	// In events only: the shop's order of which this is a try.
	Order *string `json:"order,omitempty"`
}

// UnmarshalJSON reads the object and checks its members.
func (value *Expected) UnmarshalJSON(data []byte) error { return read(data, value) }

// Act: a person's act through this API, recorded before it is carried out.
type Act struct {
	// The person's name; `admin` for the token without a person; `local` if none is required.
	By string `json:"by"`
	// The client's address, or `unix`.
	Remote string  `json:"remote"`
	Reason *string `json:"reason,omitempty"`
	// The object of the act, such as the filter of a retry.
	Parameters map[string]string `json:"parameters,omitempty"`
	// The order's state, as long as it has no further facts.
	Resolution *ActResolution `json:"resolution,omitempty"`
	// The record whose expectation this one replaces.
	Replaces *int64 `json:"replaces,omitempty"`
}

// UnmarshalJSON reads the object and checks its members.
func (value *Act) UnmarshalJSON(data []byte) error { return read(data, value) }

// ActResolution: the order's state, as long as it has no further facts.
type ActResolution struct {
	Status Status `json:"status"`
	// Digest of the facts that the person saw.
	Basis    string `json:"basis"`
	Captured *Money `json:"captured,omitempty"`
	Refunded *Money `json:"refunded,omitempty"`
}

// UnmarshalJSON reads the object and checks its members.
func (value *ActResolution) UnmarshalJSON(data []byte) error { return read(data, value) }

type Status string

const (
	StatusPending           Status = "pending"
	StatusAuthorized        Status = "authorized"
	StatusPaid              Status = "paid"
	StatusPartiallyRefunded Status = "partially_refunded"
	StatusRefunded          Status = "refunded"
	StatusFailed            Status = "failed"
	StatusCanceled          Status = "canceled"
	StatusExpired           Status = "expired"
	StatusDisputed          Status = "disputed"
	StatusChargedBack       Status = "charged_back"
	StatusReview            Status = "review"
)

// OrderAfter: the order after the event. Sums and reasons as in Order; unknown ones are left out.
type OrderAfter struct {
	Status Status `json:"status"`
	// Left out while only aliases and provider ids are known.
	Reference *string `json:"reference,omitempty"`
	// Left out in the first event of this order.
	Previous *Status `json:"previous,omitempty"`
	// The id in the event; without a reference, the id that identifies the order.
	Transaction *string `json:"transaction,omitempty"`
	// The payment method in the provider's word, such as `card`, `VISA` or `GCASH`; left out if not
	// reported.
	Method *string `json:"method,omitempty"`
	// The provider's id of the agreement of which the payment is an instalment; left out if there
	// is none.
	Agreement  *string `json:"agreement,omitempty"`
	Amount     *Money  `json:"amount,omitempty"`
	Refunded   *Money  `json:"refunded,omitempty"`
	Authorized *Money  `json:"authorized,omitempty"`
	Captured   *Money  `json:"captured,omitempty"`
	// The differing amounts of one operation, ascending; left out if they agree. The lowest counts.
	Claims     []Money `json:"claims,omitempty"`
	Candidates []Money `json:"candidates,omitempty"`
	Reason     *Reason `json:"reason,omitempty"`
	// References of other orders that this one now contains. Delete their rows.
	Absorbed []string `json:"absorbed,omitempty"`
	// References of other orders that claim a payment with the same id, the first few in order;
	// they are also in `review`.
	SharedWith []string `json:"sharedWith,omitempty"`
	// Other orders that the record changed.
	Touched []OrderAfterTouched `json:"touched,omitempty"`
	// The `transaction` of orders without a reference that this one now contains. Delete their
	// rows.
	AbsorbedIDs []string `json:"absorbedIDs,omitempty"`
}

// UnmarshalJSON reads the object and checks its members.
func (value *OrderAfter) UnmarshalJSON(data []byte) error { return read(data, value) }

type OrderAfterTouched struct {
	Reference *string `json:"reference,omitempty"`
	// Identifies an order without a reference.
	ID *string `json:"id,omitempty"`
	// Its first record, if the order is new.
	First *int64 `json:"first,omitempty"`
}

// UnmarshalJSON reads the object and checks its members.
func (value *OrderAfterTouched) UnmarshalJSON(data []byte) error { return read(data, value) }

// EventRecordRequest: the request, byte for byte. Left out in corrections, expectations and acts,
// in records whose `part.of` names the record with the request, and for viewers.
type EventRecordRequest struct {
	Method string `json:"method"`
	// Each byte as the code point of the same number (ISO 8859-1).
	Target  string     `json:"target"`
	Headers [][]string `json:"headers"`
	// The exact text, if the bytes are UTF-8.
	Body *string `json:"body,omitempty"`
	// The bytes, if they are not UTF-8.
	BodyBase64 *string `json:"bodyBase64,omitempty"`
	// What was removed before it was stored: members of `redact`, full card numbers, security
	// codes.
	Redacted *EventRecordRequestRedacted `json:"redacted,omitempty"`
}

// UnmarshalJSON reads the object and checks its members.
func (value *EventRecordRequest) UnmarshalJSON(data []byte) error { return read(data, value) }

// EventRecordRequestRedacted: what was removed before it was stored: members of `redact`, full card
// numbers, security codes.
type EventRecordRequestRedacted struct {
	Values int64 `json:"values"`
	Cards  int64 `json:"cards"`
	Codes  int64 `json:"codes"`
	// SHA-256 of the body as received, hexadecimal.
	BodySha256 string `json:"bodySHA256"`
}

// UnmarshalJSON reads the object and checks its members.
func (value *EventRecordRequestRedacted) UnmarshalJSON(data []byte) error { return read(data, value) }

type EventRecordErased string

const (
	EventRecordErasedRequest EventRecordErased = "request"
	EventRecordErasedInquiry EventRecordErased = "inquiry"
	EventRecordErasedPeer    EventRecordErased = "peer"
)

// EventRecordSealed: in place of `request`, `inquiry` and `peer` where they are sealed and were
// changed since, so that they cannot be opened.
type EventRecordSealed struct {
	Of    EventRecordSealedOf `json:"of"`
	Bytes string              `json:"bytes"`
}

// UnmarshalJSON reads the object and checks its members.
func (value *EventRecordSealed) UnmarshalJSON(data []byte) error { return read(data, value) }

type EventRecordSealedOf string

const (
	EventRecordSealedOfRequest EventRecordSealedOf = "request"
	EventRecordSealedOfInquiry EventRecordSealedOf = "inquiry"
	EventRecordSealedOfPeer    EventRecordSealedOf = "peer"
)

type EventPage struct {
	// Identity of the journal or database.
	Store string `json:"store"`
	// Records of the journal, schema 1.
	Events []EventRecord `json:"events"`
	// `after` of the next page.
	Next int64 `json:"next"`
	// Requested records that retention has deleted; left out if there are none.
	Gap *EventPageGap `json:"gap,omitempty"`
}

// UnmarshalJSON reads the object and checks its members.
func (value *EventPage) UnmarshalJSON(data []byte) error { return read(data, value) }

// EventPageGap: requested records that retention has deleted; left out if there are none.
type EventPageGap struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// UnmarshalJSON reads the object and checks its members.
func (value *EventPageGap) UnmarshalJSON(data []byte) error { return read(data, value) }

// Order: one order, with everything that was reported.
type Order struct {
	Status Status `json:"status"`
	// The amount paid; while nothing is paid, the amount to be paid by the provider's word. The
	// lowest of several claims; null if unknown.
	Amount *Money `json:"amount"`
	// The amount authorised, or captured at once; null if there is none or it was not reported.
	Authorized *Money `json:"authorized"`
	// The amount captured; zero if there is none; null if its currency or sum is unknown.
	Captured *Money `json:"captured"`
	// The amount refunded; zero if there is none; null if its sum or currency is unknown, as with
	// candidates.
	Refunded *Money `json:"refunded"`
	Flags    []Flag `json:"flags"`
	Endpoint string `json:"endpoint"`
	// Null while only aliases and provider ids are known.
	Reference *string   `json:"reference"`
	Attempts  []Attempt `json:"attempts"`
	// Including failed and pending ones.
	Refunds  []Action `json:"refunds"`
	Disputes []Action `json:"disputes"`
	// Its newest record. A decision about the order must name it.
	Last int64 `json:"last"`
	// Its records, the newest 1000; with `too_many_events`, those before the limit.
	Sequences []int64 `json:"sequences"`
	Reason    *Reason `json:"reason,omitempty"`
	// The payment method in the provider's word, such as `card`, `VISA` or `GCASH`; left out if not
	// reported.
	Method *string `json:"method,omitempty"`
	// The provider's id of the agreement of which the payment is an instalment; left out if there
	// is none.
	Agreement *string `json:"agreement,omitempty"`
	// References of other orders that claim a payment with the same id, the first few in order;
	// left out if there are none.
	SharedWith []string `json:"sharedWith,omitempty"`
	// Other references of the order, such as that of a refund; left out if there are none.
	Aliases []string `json:"aliases,omitempty"`
	// References of the payments that are tries of this order, as registered with `order`; left out
	// if there are none.
	Tries []string `json:"tries,omitempty"`
	// The differing amounts of one operation, ascending; left out if they agree. The lowest counts.
	Claims []Money `json:"claims,omitempty"`
	// The possible refunded sums, ascending, if the provider's words allow several.
	Candidates []Money   `json:"candidates,omitempty"`
	Expected   *Expected `json:"expected,omitempty"`
	// Left out when there are none.
	RefundClaims []RefundClaim `json:"refundClaims,omitempty"`
	// Left out when there are none.
	Reversals []Reversal `json:"reversals,omitempty"`
	// Lengths of the lists, if one has more than 100 elements.
	Counts     map[string]int64 `json:"counts,omitempty"`
	Resolution *Resolution      `json:"resolution,omitempty"`
	// The records since `too_many_events`, which are not added up; they are in `/events`.
	Later *OrderLater `json:"later,omitempty"`
	// Its repeated notifications, on request. Repetitions are not recorded: each process counts
	// those that it received, in memory, for at least the 8,192 most recently repeated records.
	Repetitions *OrderRepetitions `json:"repetitions,omitempty"`
	// Only in the answer to an expectation, if `outcome` is configured: for the shopper's app, see
	// `/outcome/{token}`.
	OutcomeToken *string `json:"outcomeToken,omitempty"`
}

// UnmarshalJSON reads the object and checks its members.
func (value *Order) UnmarshalJSON(data []byte) error { return read(data, value) }

// Attempt: an attempt to pay.
type Attempt struct {
	// Empty if the notification named none.
	Transaction string `json:"transaction"`
	// Null if only an unsuccessful capture has named it.
	Status *AttemptStatus `json:"status"`
	// The sum of its successful captures; without captures, the reported amount.
	Amount *Money `json:"amount"`
	// The authorised amount, or the amount captured at once.
	Authorized *Money   `json:"authorized"`
	Captures   []Action `json:"captures"`
	// The payment method in the provider's word, such as `card`, `VISA` or `GCASH`; left out if not
	// reported.
	Method *string `json:"method,omitempty"`
	// The provider's id of the agreement of which the payment is an instalment; left out if there
	// is none.
	Agreement *string `json:"agreement,omitempty"`
	Reason    *Reason `json:"reason,omitempty"`
	// The differing amounts of one operation, ascending; left out if they agree. The lowest counts.
	Claims []Money `json:"claims,omitempty"`
}

// UnmarshalJSON reads the object and checks its members.
func (value *Attempt) UnmarshalJSON(data []byte) error { return read(data, value) }

type AttemptStatus string

const (
	AttemptStatusPending    AttemptStatus = "pending"
	AttemptStatusAuthorized AttemptStatus = "authorized"
	AttemptStatusExpired    AttemptStatus = "expired"
	AttemptStatusCanceled   AttemptStatus = "canceled"
	AttemptStatusTryFailed  AttemptStatus = "try_failed"
	AttemptStatusFailed     AttemptStatus = "failed"
	AttemptStatusPaid       AttemptStatus = "paid"
)

// Action: a capture, refund or dispute.
type Action struct {
	ID string `json:"id"`
	// Captures and refunds: pending, succeeded, failed; disputes: open, closed, won, lost.
	Status *string `json:"status"`
	Amount *Money  `json:"amount"`
	// The provider's id of the payment, capture or refund that it is about, if reported.
	Transaction *string `json:"transaction,omitempty"`
	Reason      *Reason `json:"reason,omitempty"`
	// The differing amounts of one operation, ascending; left out if they agree. The lowest counts.
	Claims []Money `json:"claims,omitempty"`
}

// UnmarshalJSON reads the object and checks its members.
func (value *Action) UnmarshalJSON(data []byte) error { return read(data, value) }

// RefundClaim: a refund with several possible readings (Citcon), as reported.
type RefundClaim struct {
	// The refund's own, or the charge's.
	ID             string            `json:"id"`
	Status         RefundClaimStatus `json:"status"`
	Amount         *Money            `json:"amount"`
	AmountRefunded *Money            `json:"amountRefunded"`
}

// UnmarshalJSON reads the object and checks its members.
func (value *RefundClaim) UnmarshalJSON(data []byte) error { return read(data, value) }

type RefundClaimStatus string

const (
	RefundClaimStatusPending   RefundClaimStatus = "pending"
	RefundClaimStatusSucceeded RefundClaimStatus = "succeeded"
	RefundClaimStatusFailed    RefundClaimStatus = "failed"
)

// Reversal: an operation that undoes the one named by `transaction`, or raises an authorisation.
type Reversal struct {
	ID          string          `json:"id"`
	Of          ReversalKind    `json:"of"`
	Status      *ReversalStatus `json:"status"`
	Amount      *Money          `json:"amount"`
	Transaction *string         `json:"transaction,omitempty"`
	Reason      *Reason         `json:"reason,omitempty"`
	// The differing amounts of one operation, ascending; left out if they agree. The lowest counts.
	Claims []Money `json:"claims,omitempty"`
}

// UnmarshalJSON reads the object and checks its members.
func (value *Reversal) UnmarshalJSON(data []byte) error { return read(data, value) }

type ReversalStatus string

const (
	ReversalStatusPending   ReversalStatus = "pending"
	ReversalStatusSucceeded ReversalStatus = "succeeded"
	ReversalStatusFailed    ReversalStatus = "failed"
)

// Resolution: a person's decision about the order in `review`.
type Resolution struct {
	// The person's name; `admin` for the token without a person; `local` if none is required.
	By       string `json:"by"`
	Resolved string `json:"resolved"`
	Reason   string `json:"reason"`
	Status   Status `json:"status"`
	Captured *Money `json:"captured"`
	Refunded *Money `json:"refunded"`
	// The record of the act.
	Sequence int64 `json:"sequence"`
	// False if it no longer decides the status: new events were reported, or the facts no longer
	// need a decision.
	Stands bool `json:"stands"`
}

// UnmarshalJSON reads the object and checks its members.
func (value *Resolution) UnmarshalJSON(data []byte) error { return read(data, value) }

// OrderLater: the records since `too_many_events`, which are not added up; they are in `/events`.
type OrderLater struct {
	Count int64 `json:"count"`
	Last  int64 `json:"last"`
}

// UnmarshalJSON reads the object and checks its members.
func (value *OrderLater) UnmarshalJSON(data []byte) error { return read(data, value) }

// OrderRepetitions: its repeated notifications, on request. Repetitions are not recorded: each
// process counts those that it received, in memory, for at least the 8,192 most recently repeated
// records.
type OrderRepetitions struct {
	// Start of the count.
	Since   string                   `json:"since"`
	Records []OrderRepetitionsRecord `json:"records"`
}

// UnmarshalJSON reads the object and checks its members.
func (value *OrderRepetitions) UnmarshalJSON(data []byte) error { return read(data, value) }

type OrderRepetitionsRecord struct {
	// The record of the first occurrence.
	Sequence int64 `json:"sequence"`
	// Number of repetitions.
	Times int64 `json:"times"`
	// Time of the last repetition.
	Last string `json:"last"`
}

// UnmarshalJSON reads the object and checks its members.
func (value *OrderRepetitionsRecord) UnmarshalJSON(data []byte) error { return read(data, value) }

// read decodes a struct like encoding/json, but a member without omitempty must be there, only a
// pointer may be null, and a name must have the exact case.
func read(data []byte, to any) error {
	value := reflect.ValueOf(to).Elem()
	return decode(data, value, value.Type().Name())
}

func decode(data []byte, to reflect.Value, place string) error {
	if to.Type() == reflect.TypeOf(json.RawMessage{}) {
		var object map[string]json.RawMessage
		if err := plain(data, &object, place); err != nil {
			return err
		}
		to.SetBytes(append([]byte{}, data...))
		return nil
	}
	switch to.Kind() {
	case reflect.Pointer:
		if string(data) == "null" {
			return nil
		}
		to.Set(reflect.New(to.Type().Elem()))
		return decode(data, to.Elem(), place)
	case reflect.Struct:
		return decodeStruct(data, to, place)
	case reflect.Slice:
		var items []json.RawMessage
		if err := plain(data, &items, place); err != nil {
			return err
		}
		to.Set(reflect.MakeSlice(to.Type(), len(items), len(items)))
		for i, item := range items {
			if err := decode(item, to.Index(i), fmt.Sprintf("%s[%d]", place, i)); err != nil {
				return err
			}
		}
		return nil
	case reflect.Map:
		var items map[string]json.RawMessage
		if err := plain(data, &items, place); err != nil {
			return err
		}
		to.Set(reflect.MakeMap(to.Type()))
		for name, item := range items {
			value := reflect.New(to.Type().Elem()).Elem()
			if err := decode(item, value, place+"."+name); err != nil {
				return err
			}
			to.SetMapIndex(reflect.ValueOf(name), value)
		}
		return nil
	}
	return plain(data, to.Addr().Interface(), place)
}

func decodeStruct(data []byte, to reflect.Value, place string) error {
	var members map[string]json.RawMessage
	if err := plain(data, &members, place); err != nil {
		return err
	}
	to.Set(reflect.Zero(to.Type()))
	for i := 0; i < to.NumField(); i++ {
		field := to.Type().Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		member, isGiven := members[name]
		isOptional := options == "omitempty"
		if isOptional && (!isGiven || string(member) == "null") {
			continue
		}
		if !isGiven {
			return &Malformed{place + "." + name, "is missing"}
		}
		if err := decode(member, to.Field(i), place+"."+name); err != nil {
			return err
		}
		only := field.Tag.Get("only")
		if only != "" && fmt.Sprint(to.Field(i).Interface()) != only {
			return &Malformed{place + "." + name, "is not " + only}
		}
	}
	return nil
}

func plain(data []byte, to any, place string) error {
	if string(data) == "null" {
		return &Malformed{place, "is null"}
	}
	if err := json.Unmarshal(data, to); err != nil {
		return &Malformed{place, fmt.Sprintf("is not of its type: %v", err)}
	}
	return nil
}
