"""The events and orders of ipnd, typed. Python 3.10 or later, standard library only.

    message = ipnd.Message.read(json.loads(body))       # a webhook
    page = ipnd.EventPage.read(json.loads(answer))      # GET /events
    order = ipnd.Order.read(json.loads(answer))         # GET /orders/{endpoint}/{reference}

Members that this version does not know are skipped, and unknown words of an enumeration stay text.
A missing member or one of another type raises `Malformed`.

Generated from config/openapi.yaml by scripts/generate-clients. Do not edit.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import types
import typing
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T", bound="Value")


class Malformed(ValueError):
    """The input is not of this model: the message names the member."""


class Word(str, enum.Enum):
    """A known word of an enumeration. It is equal to its text."""

    __str__ = str.__str__


class Value:
    """Base of the types below."""

    @classmethod
    def read(cls: type[T], value: Any) -> T:
        """Reads parsed JSON."""
        return _read(cls, value, cls.__name__)

    def write(self) -> dict[str, Any]:
        """Returns what `json.dumps` writes: the members that were read."""
        members = ((each, getattr(self, each.name)) for each in _members(type(self)))
        return {
            each.json: _written(value)
            for each, value in members
            if each.required or value is not None
        }


class _Member(typing.NamedTuple):
    name: str
    json: str
    type: Any
    required: bool


@functools.cache
def _members(kind: type) -> list[_Member]:
    hints = typing.get_type_hints(kind)
    return [
        _Member(
            each.name,
            each.metadata.get("json", each.name),
            hints[each.name],
            each.default is dataclasses.MISSING,
        )
        for each in dataclasses.fields(kind)
    ]


def _read(kind: Any, value: Any, place: str) -> Any:
    choices = typing.get_args(kind)
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        if value is None and type(None) in choices:
            return None
        # A word of an enumeration, or text.
        kind, choices = choices[0], typing.get_args(choices[0])
    if isinstance(kind, type) and issubclass(kind, Word):
        text = _plain(str, value, place)
        return next((word for word in kind if word.value == text), text)
    if isinstance(kind, type) and issubclass(kind, Value):
        return _read_object(kind, value, place)
    if typing.get_origin(kind) is list:
        items = enumerate(_plain(list, value, place))
        return [_read(choices[0], item, f"{place}[{number}]") for number, item in items]
    if typing.get_origin(kind) is dict:
        items = _plain(dict, value, place).items()
        return {key: _read(choices[1], item, f"{place}.{key}") for key, item in items}
    return value if kind is Any else _plain(kind, value, place)


def _read_object(kind: Any, value: Any, place: str) -> Any:
    _plain(dict, value, place)
    found = {}
    for name, key, member, required in _members(kind):
        if key in value:
            found[name] = _read(member, value[key], f"{place}.{key}")
        elif required:
            raise Malformed(f"{place}.{key} is missing")
    return kind(**found)


_NAMES = {dict: "an object", list: "a list", str: "text", int: "an integer", bool: "a boolean"}


def _plain(kind: type, value: Any, place: str) -> Any:
    # `True` is an `int` of Python's, and 42.0 is none.
    if type(value) is not kind or (kind is int and not -(2**63) <= value < 2**63):
        raise Malformed(f"{place} is not {_NAMES[kind]}")
    return value


def _is(value: int, only: int, name: str) -> None:
    if value != only:
        raise Malformed(f"{name} is {value}, not {only}")


def _written(value: Any) -> Any:
    if isinstance(value, Value):
        return value.write()
    if isinstance(value, Word):
        return value.value
    if isinstance(value, list):
        return [_written(item) for item in value]
    return value


@dataclass(frozen=True, kw_only=True)
class Message(Value):
    """The body of a webhook."""

    # `order.` and the order's status after the event; `agreement.` and the event's own status in
    # lower case; `test` in an example.
    type: str
    # Time at which the notification was received.
    timestamp: str
    data: EventRecord


@dataclass(frozen=True, kw_only=True)
class EventRecord(Value):
    """One notification, and its order afterwards. Members without a value are left out; later
    versions only add members.
    """

    schema: int
    # Its number in the journal, from 1, without gaps; 0 in an example.
    sequence: int
    received: str
    # Empty for an act without an endpoint.
    endpoint: str
    provider: str
    # `conflict`: the same identity with other content, or an amount that contradicts the
    # expectation. `ignored`: genuine, but without an order.
    outcome: EventRecordOutcome | str
    # The order's and the notification's.
    flags: list[Flag | str]
    event: Event
    # The endpoint's key or secret that verified it; `unsigned` for an ecommpay chargeback without a
    # signature.
    key: str | None = None
    # The request's place in a trace, as the header `traceparent` of W3C Trace Context writes it;
    # only while ipnd exports traces.
    trace: str | None = None
    # In a correction: the sequence of the record that this one replaces. It has no `request`.
    corrects: int | None = None
    # The event's place in a request that reported several events; left out if it was the only one.
    part: EventRecordPart | None = None
    # The sequence of the first event of this identity.
    conflicts_with: int | None = field(default=None, metadata={"json": "conflictsWith"})
    order: OrderAfter | None = None
    # The request, byte for byte. Left out in corrections, expectations and acts, in records whose
    # `part.of` names the record with the request, and for viewers.
    request: EventRecordRequest | None = None
    # The client's address.
    peer: str | None = None
    # In place of `request`, `inquiry` and `peer` where they were erased: what it was.
    erased: EventRecordErased | str | None = None
    # In place of `request`, `inquiry` and `peer` where they are sealed and were changed since, so
    # that they cannot be opened.
    sealed: EventRecordSealed | None = None

    def __post_init__(self) -> None:
        _is(self.schema, 1, "EventRecord.schema")


@dataclass(frozen=True, kw_only=True)
class EventRecordPart(Value):
    """The event's place in a request that reported several events; left out if it was the only one.
    """

    # Its number in the request, from 1.
    number: int
    # Number of events in the request, including those that were already recorded.
    count: int
    # The sequence of the record that holds `request` and `peer`; left out in that record.
    of: int | None = None


class EventRecordOutcome(Word):
    RECORDED = "recorded"
    CONFLICT = "conflict"
    IGNORED = "ignored"


class Flag(Word):
    """Information beyond the status. **review** marks flags that put the order into `review`."""

    # Reported as succeeded and as failed, canceled or expired. Paid takes precedence, then
    # authorised. Ask the provider which is true.
    CONTRADICTED = "contradicted"
    # Two attempts are paid; `amount` is their sum. Refund one.
    PAID_TWICE = "paid_twice"
    # **review.** The same event was reported with other content, or one payment with two
    # references; `claims` lists differing amounts. Compare with the provider's report.
    CONFLICT = "conflict"
    # **review.** The authorised or captured amount is not the expected one. Compare `expected` with
    # `amount`.
    AMOUNT_UNEXPECTED = "amount_unexpected"
    # The provider sent an undocumented status word. It is kept verbatim and never interpreted as
    # paid.
    UNKNOWN_STATUS = "unknown_status"
    # The provider sent an undocumented kind of notification. It has no effect.
    UNKNOWN_KIND = "unknown_kind"
    # Genuine but not interpretable, such as a payment without a valid amount. If it is about money,
    # its order is in **review**: read the record's body.
    NOT_UNDERSTOOD = "not_understood"
    # The provider reports test mode. A live endpoint never counts it.
    TEST_MODE = "test_mode"
    # **review.** More was refunded than paid, or a refund was reported without a known payment.
    OVER_REFUNDED = "over_refunded"
    # **review.** One payment was reported in two currencies, so its sums cannot be added.
    CURRENCY_MISMATCH = "currency_mismatch"
    # **review.** A negative amount was reported and ignored, or a sum exceeds 64 bits.
    INVALID_AMOUNT = "invalid_amount"
    # One status of one operation was reported with different amounts: `claims`. The lowest counts.
    # **review** if it is an authorised, captured or refunded amount.
    AMOUNTS_DIFFER = "amounts_differ"
    # A payment or refund was reported without an amount.
    AMOUNT_UNKNOWN = "amount_unknown"
    # No reference is known, only ids of the provider.
    UNJOINED = "unjoined"
    # **review.** The notification reports a refund or another sum in members that its signature
    # does not cover. They have no effect: ask the provider.
    UNSIGNED_CLAIM = "unsigned_claim"
    # **review.** A chargeback was reported without a signature, from a network that the endpoint
    # allows: check it at the provider.
    UNVERIFIED_CHARGEBACK = "unverified_chargeback"
    # **review.** The provider's words about refunds allow several sums: `candidates`. Find out
    # which one is true.
    REFUND_AMBIGUOUS = "refund_ambiguous"
    # **review.** A reversal was reported without the operation that it undoes, or without whether
    # money was returned.
    REVERSAL_AMBIGUOUS = "reversal_ambiguous"
    # **review.** Captures do not name their payment, and the captured sum depends on it; `amount`
    # and `captured` are null.
    CAPTURE_AMBIGUOUS = "capture_ambiguous"
    # A capture failed and none succeeded: nothing was captured.
    CAPTURE_FAILED = "capture_failed"
    # Less was captured than authorised or expected: `captured` and `authorized`.
    PARTIALLY_CAPTURED = "partially_captured"
    # More was captured than authorised.
    OVER_CAPTURED = "over_captured"
    # The provider reports success but asks for a manual review. The status is `paid`: decide before
    # you deliver.
    PROVIDER_REVIEW = "provider_review"
    # A notification reports a success that its signature does not prove, and the provider's answer
    # to an inquiry has not confirmed it yet. It changes no status and no sum. **review** with
    # `contradicted`: the same payment was also reported as failed.
    UNCONFIRMED = "unconfirmed"
    # **review.** More was reported than an order holds (`limits.orderFactsMax`). The rest is in the
    # journal only.
    TOO_MANY_EVENTS = "too_many_events"
    # **review.** An order with another reference (`sharedWith`) claims a payment with the same id,
    # although the provider's ids are unique.
    SHARED_ID = "shared_id"
    # A person has resolved the order: `resolution`. The other flags are the reasons.
    RESOLVED = "resolved"
    # **review.** New events were reported after a person had resolved the order: `resolution` has
    # the decision.
    REOPENED = "reopened"
    # Expected, past its `expires`, and still `pending` or `authorized`. In lists and orders, never
    # in records.
    OVERDUE = "overdue"


@dataclass(frozen=True, kw_only=True)
class Event(Value):
    """The notification as ipnd interprets it."""

    # Identity within the endpoint: the same id is the same event.
    id: str
    # `payment`, `capture`, `refund`, `dispute`, `reversal`, `expectation`, `action`; others
    # verbatim.
    kind: str
    # Of an `action`, the act: `retry`, `give_up`, `resend`, `pause`, `resume`, `test`, `inquire`,
    # `resolve`, `correct`, `split`, `erase`.
    status: str
    # Time reported by the provider.
    occurred: str | None = None
    # The merchant's reference in it.
    reference: str | None = None
    # The operation's own reference, if an id names the payment to which it belongs.
    alias: str | None = None
    # Scope of the provider's ids. `anything`: unique in the account, and pointers may name payments
    # and operations. `reference`: unique within the reference. Left out: unique in the account, and
    # pointers name payments.
    ids: EventIds | str | None = None
    # The provider's id of the attempt; in an operation, the id that it refers to.
    transaction: str | None = None
    # The payment method in the provider's word, such as `card`, `VISA` or `GCASH`; left out if not
    # reported.
    method: str | None = None
    # The provider's id of the agreement of which the payment is an instalment; left out if there is
    # none.
    agreement: str | None = None
    effect: Effect | None = None
    # The refunded sum that a payment reports about itself. A lower bound, not a refund.
    refunded_at_least: Money | None = field(default=None, metadata={"json": "refundedAtLeast"})
    reason: Reason | None = None
    flags: list[Flag | str] | None = None
    expectation: Expected | None = None
    action: Act | None = None


class EventIds(Word):
    ANYTHING = "anything"
    REFERENCE = "reference"


@dataclass(frozen=True, kw_only=True)
class Effect(Value):
    """Its effect on the order. Left out without an order."""

    on: EffectOn | str
    status: EffectStatus | str | None = None
    amount: Money | None = None
    id: str | None = None
    of: ReversalKind | str | None = None
    # This refund, or the sum so far.
    refunded: Money | None = None
    # Its time, verbatim, which distinguishes equal refunds of one charge.
    moment: str | None = None


class EffectOn(Word):
    # A claim without effect on sums that puts the order into review; the flags give the reason.
    DOUBT = "doubt"
    # An attempt to pay.
    ATTEMPT = "attempt"
    # A capture, refund or dispute.
    CAPTURE = "capture"
    # A capture, refund or dispute.
    REFUND = "refund"
    # A capture, refund or dispute.
    DISPUTE = "dispute"
    # An operation that undoes the one named by the event's transaction.
    REVERSAL = "reversal"
    # A refund with several possible readings.
    UNCLEAR_REFUND = "unclear_refund"


class EffectStatus(Word):
    PENDING = "pending"
    AUTHORIZED = "authorized"
    EXPIRED = "expired"
    CANCELED = "canceled"
    TRY_FAILED = "try_failed"
    FAILED = "failed"
    PAID = "paid"
    SUCCEEDED = "succeeded"
    OPEN = "open"
    CLOSED = "closed"
    WON = "won"
    LOST = "lost"


@dataclass(frozen=True, kw_only=True)
class Money(Value):
    """An amount in the currency's smallest unit: 4200 MYR are 42.00 MYR, 4200 JPY are 4,200 yen."""

    minor: int
    currency: str


class ReversalKind(Word):
    """The kind of operation that is undone; `operation`: the one that the id names. `increase`,
    `total`: an authorisation is raised by the amount, to the amount.
    """

    OPERATION = "operation"
    REFUND = "refund"
    DISPUTE = "dispute"
    AUTHORIZATION = "authorization"
    INCREASE = "increase"
    TOTAL = "total"


@dataclass(frozen=True, kw_only=True)
class Reason(Value):
    """The cause of a failure, cancellation or expiry in the provider's words; one of the two may be
    empty.
    """

    # At most 64 bytes.
    code: str
    # At most 256 bytes.
    message: str


@dataclass(frozen=True, kw_only=True)
class Expected(Value):
    amount: Money
    expires: str | None = None
    # In lists and events only.
    metadata: dict[str, Any] | None = None
    # In events only: the shop's order of which this is a try.
    order: str | None = None


@dataclass(frozen=True, kw_only=True)
class Act(Value):
    """A person's act through this API, recorded before it is carried out."""

    # The person's name; `admin` for the token without a person; `local` if none is required.
    by: str
    # The client's address, or `unix`.
    remote: str
    reason: str | None = None
    # The object of the act, such as the filter of a retry.
    parameters: dict[str, str] | None = None
    # The order's state, as long as it has no further facts.
    resolution: ActResolution | None = None
    # The record whose expectation this one replaces.
    replaces: int | None = None


@dataclass(frozen=True, kw_only=True)
class ActResolution(Value):
    """The order's state, as long as it has no further facts."""

    status: Status | str
    # Digest of the facts that the person saw.
    basis: str
    captured: Money | None = None
    refunded: Money | None = None


class Status(Word):
    PENDING = "pending"
    AUTHORIZED = "authorized"
    PAID = "paid"
    PARTIALLY_REFUNDED = "partially_refunded"
    REFUNDED = "refunded"
    FAILED = "failed"
    CANCELED = "canceled"
    EXPIRED = "expired"
    DISPUTED = "disputed"
    CHARGED_BACK = "charged_back"
    REVIEW = "review"


@dataclass(frozen=True, kw_only=True)
class OrderAfter(Value):
    """The order after the event. Sums and reasons as in Order; unknown ones are left out."""

    status: Status | str
    # Left out while only aliases and provider ids are known.
    reference: str | None = None
    # Left out in the first event of this order.
    previous: Status | str | None = None
    # The id in the event; without a reference, the id that identifies the order.
    transaction: str | None = None
    # The payment method in the provider's word, such as `card`, `VISA` or `GCASH`; left out if not
    # reported.
    method: str | None = None
    # The provider's id of the agreement of which the payment is an instalment; left out if there is
    # none.
    agreement: str | None = None
    amount: Money | None = None
    refunded: Money | None = None
    authorized: Money | None = None
    captured: Money | None = None
    # The differing amounts of one operation, ascending; left out if they agree. The lowest counts.
    claims: list[Money] | None = None
    candidates: list[Money] | None = None
    reason: Reason | None = None
    # References of other orders that this one now contains. Delete their rows.
    absorbed: list[str] | None = None
    # References of other orders that claim a payment with the same id, the first few in order; they
    # are also in `review`.
    shared_with: list[str] | None = field(default=None, metadata={"json": "sharedWith"})
    # Other orders that the record changed.
    touched: list[OrderAfterTouched] | None = None
    # The `transaction` of orders without a reference that this one now contains. Delete their rows.
    absorbed_ids: list[str] | None = field(default=None, metadata={"json": "absorbedIDs"})


@dataclass(frozen=True, kw_only=True)
class OrderAfterTouched(Value):
    reference: str | None = None
    # Identifies an order without a reference.
    id: str | None = None
    # Its first record, if the order is new.
    first: int | None = None


@dataclass(frozen=True, kw_only=True)
class EventRecordRequest(Value):
    """The request, byte for byte. Left out in corrections, expectations and acts, in records whose
    `part.of` names the record with the request, and for viewers.
    """

    method: str
    # Each byte as the code point of the same number (ISO 8859-1).
    target: str
    headers: list[list[str]]
    # The exact text, if the bytes are UTF-8.
    body: str | None = None
    # The bytes, if they are not UTF-8.
    body_base64: str | None = field(default=None, metadata={"json": "bodyBase64"})
    # What was removed before it was stored: members of `redact`, full card numbers, security codes.
    redacted: EventRecordRequestRedacted | None = None


@dataclass(frozen=True, kw_only=True)
class EventRecordRequestRedacted(Value):
    """What was removed before it was stored: members of `redact`, full card numbers, security
    codes.
    """

    values: int
    cards: int
    codes: int
    # SHA-256 of the body as received, hexadecimal.
    body_sha_256: str = field(metadata={"json": "bodySHA256"})


class EventRecordErased(Word):
    REQUEST = "request"
    INQUIRY = "inquiry"
    PEER = "peer"


@dataclass(frozen=True, kw_only=True)
class EventRecordSealed(Value):
    """In place of `request`, `inquiry` and `peer` where they are sealed and were changed since, so
    that they cannot be opened.
    """

    of: EventRecordSealedOf | str
    bytes: str


class EventRecordSealedOf(Word):
    REQUEST = "request"
    INQUIRY = "inquiry"
    PEER = "peer"


@dataclass(frozen=True, kw_only=True)
class EventPage(Value):
    # Identity of the journal or database.
    store: str
    # Records of the journal, schema 1.
    events: list[EventRecord]
    # `after` of the next page.
    next: int
    # Requested records that retention has deleted; left out if there are none.
    gap: EventPageGap | None = None


@dataclass(frozen=True, kw_only=True)
class EventPageGap(Value):
    """Requested records that retention has deleted; left out if there are none."""

    from_: int = field(metadata={"json": "from"})
    to: int


@dataclass(frozen=True, kw_only=True)
class Order(Value):
    """One order, with everything that was reported."""

    status: Status | str
    # The amount paid; while nothing is paid, the amount to be paid by the provider's word. The
    # lowest of several claims; null if unknown.
    amount: Money | None
    # The amount authorised, or captured at once; null if there is none or it was not reported.
    authorized: Money | None
    # The amount captured; zero if there is none; null if its currency or sum is unknown.
    captured: Money | None
    # The amount refunded; zero if there is none; null if its sum or currency is unknown, as with
    # candidates.
    refunded: Money | None
    flags: list[Flag | str]
    endpoint: str
    # Null while only aliases and provider ids are known.
    reference: str | None
    attempts: list[Attempt]
    # Including failed and pending ones.
    refunds: list[Action]
    disputes: list[Action]
    # Its newest record. A decision about the order must name it.
    last: int
    # Its records, the newest 1000; with `too_many_events`, those before the limit.
    sequences: list[int]
    reason: Reason | None = None
    # The payment method in the provider's word, such as `card`, `VISA` or `GCASH`; left out if not
    # reported.
    method: str | None = None
    # The provider's id of the agreement of which the payment is an instalment; left out if there is
    # none.
    agreement: str | None = None
    # References of other orders that claim a payment with the same id, the first few in order; left
    # out if there are none.
    shared_with: list[str] | None = field(default=None, metadata={"json": "sharedWith"})
    # Other references of the order, such as that of a refund; left out if there are none.
    aliases: list[str] | None = None
    # References of the payments that are tries of this order, as registered with `order`; left out
    # if there are none.
    tries: list[str] | None = None
    # The differing amounts of one operation, ascending; left out if they agree. The lowest counts.
    claims: list[Money] | None = None
    # The possible refunded sums, ascending, if the provider's words allow several.
    candidates: list[Money] | None = None
    expected: Expected | None = None
    # Left out when there are none.
    refund_claims: list[RefundClaim] | None = field(default=None, metadata={"json": "refundClaims"})
    # Left out when there are none.
    reversals: list[Reversal] | None = None
    # Lengths of the lists, if one has more than 100 elements.
    counts: dict[str, int] | None = None
    resolution: Resolution | None = None
    # The records since `too_many_events`, which are not added up; they are in `/events`.
    later: OrderLater | None = None
    # Its repeated notifications, on request. Repetitions are not recorded: each process counts
    # those that it received, in memory, for at least the 8,192 most recently repeated records.
    repetitions: OrderRepetitions | None = None
    # Only in the answer to an expectation, if `outcome` is configured: for the shopper's app, see
    # `/outcome/{token}`.
    outcome_token: str | None = field(default=None, metadata={"json": "outcomeToken"})


@dataclass(frozen=True, kw_only=True)
class Attempt(Value):
    """An attempt to pay."""

    # Empty if the notification named none.
    transaction: str
    # Null if only an unsuccessful capture has named it.
    status: AttemptStatus | str | None
    # The sum of its successful captures; without captures, the reported amount.
    amount: Money | None
    # The authorised amount, or the amount captured at once.
    authorized: Money | None
    captures: list[Action]
    # The payment method in the provider's word, such as `card`, `VISA` or `GCASH`; left out if not
    # reported.
    method: str | None = None
    # The provider's id of the agreement of which the payment is an instalment; left out if there is
    # none.
    agreement: str | None = None
    reason: Reason | None = None
    # The differing amounts of one operation, ascending; left out if they agree. The lowest counts.
    claims: list[Money] | None = None


class AttemptStatus(Word):
    PENDING = "pending"
    AUTHORIZED = "authorized"
    EXPIRED = "expired"
    CANCELED = "canceled"
    TRY_FAILED = "try_failed"
    FAILED = "failed"
    PAID = "paid"


@dataclass(frozen=True, kw_only=True)
class Action(Value):
    """A capture, refund or dispute."""

    id: str
    # Captures and refunds: pending, succeeded, failed; disputes: open, closed, won, lost.
    status: str | None
    amount: Money | None
    # The provider's id of the payment, capture or refund that it is about, if reported.
    transaction: str | None = None
    reason: Reason | None = None
    # The differing amounts of one operation, ascending; left out if they agree. The lowest counts.
    claims: list[Money] | None = None


@dataclass(frozen=True, kw_only=True)
class RefundClaim(Value):
    """A refund with several possible readings (Citcon), as reported."""

    # The refund's own, or the charge's.
    id: str
    status: RefundClaimStatus | str
    amount: Money | None
    amount_refunded: Money | None = field(metadata={"json": "amountRefunded"})


class RefundClaimStatus(Word):
    PENDING = "pending"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


@dataclass(frozen=True, kw_only=True)
class Reversal(Value):
    """An operation that undoes the one named by `transaction`, or raises an authorisation."""

    id: str
    of: ReversalKind | str
    status: ReversalStatus | str | None
    amount: Money | None
    transaction: str | None = None
    reason: Reason | None = None
    # The differing amounts of one operation, ascending; left out if they agree. The lowest counts.
    claims: list[Money] | None = None


class ReversalStatus(Word):
    PENDING = "pending"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


@dataclass(frozen=True, kw_only=True)
class Resolution(Value):
    """A person's decision about the order in `review`."""

    # The person's name; `admin` for the token without a person; `local` if none is required.
    by: str
    resolved: str
    reason: str
    status: Status | str
    captured: Money | None
    refunded: Money | None
    # The record of the act.
    sequence: int
    # False if it no longer decides the status: new events were reported, or the facts no longer
    # need a decision.
    stands: bool


@dataclass(frozen=True, kw_only=True)
class OrderLater(Value):
    """The records since `too_many_events`, which are not added up; they are in `/events`."""

    count: int
    last: int


@dataclass(frozen=True, kw_only=True)
class OrderRepetitions(Value):
    """Its repeated notifications, on request. Repetitions are not recorded: each process counts
    those that it received, in memory, for at least the 8,192 most recently repeated records.
    """

    # Start of the count.
    since: str
    records: list[OrderRepetitionsRecord]


@dataclass(frozen=True, kw_only=True)
class OrderRepetitionsRecord(Value):
    # The record of the first occurrence.
    sequence: int
    # Number of repetitions.
    times: int
    # Time of the last repetition.
    last: str
