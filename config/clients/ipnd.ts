/**
 * The events and orders of ipnd, typed. TypeScript 4.5 or later, no dependencies.
 *
 *     const message = readMessage(JSON.parse(body));     // a webhook
 *     const page = readEventPage(JSON.parse(answer));    // GET /events
 *     const order = readOrder(JSON.parse(answer));       // GET /orders/{endpoint}/{reference}
 *
 * Members that this version does not know are skipped, and unknown words of an enumeration stay
 * text. A missing member, one of another type, and an integer that a number cannot hold exactly
 * throw `Malformed`. `JSON.stringify` writes what was read.
 *
 * Generated from config/openapi.yaml by scripts/generate-clients. Do not edit.
 */

/** The input is not of this model: the message names the member. */
export class Malformed extends Error {}

/** A word that this version does not know. */
export type OtherWord = string & {};

/** The body of a webhook. */
export interface Message {
  /**
   * `order.` and the order's status after the event; `agreement.` and the event's own status in
   * lower case; `test` in an example.
   */
  type: string;
  /** Time at which the notification was received. */
  timestamp: string;
  data: EventRecord;
}

/**
 * One notification, and its order afterwards. Members without a value are left out; later versions
 * only add members.
 */
export interface EventRecord {
  schema: 1;
  /** Its number in the journal, from 1, without gaps; 0 in an example. */
  sequence: number;
  received: string;
  /** Empty for an act without an endpoint. */
  endpoint: string;
  provider: string;
  /**
   * `conflict`: the same identity with other content, or an amount that contradicts the
   * expectation. `ignored`: genuine, but without an order.
   */
  outcome: EventRecordOutcome;
  /** The order's and the notification's. */
  flags: Flag[];
  event: Event;
  /**
   * The endpoint's key or secret that verified it; `unsigned` for an ecommpay chargeback without a
   * signature.
   */
  key?: string;
  /**
   * The request's place in a trace, as the header `traceparent` of W3C Trace Context writes it;
   * only while ipnd exports traces.
   */
  trace?: string;
  /** In a correction: the sequence of the record that this one replaces. It has no `request`. */
  corrects?: number;
  /**
   * The event's place in a request that reported several events; left out if it was the only one.
   */
  part?: EventRecordPart;
  /** The sequence of the first event of this identity. */
  conflictsWith?: number;
  order?: OrderAfter;
  /**
   * The request, byte for byte. Left out in corrections, expectations and acts, in records whose
   * `part.of` names the record with the request, and for viewers.
   */
  request?: EventRecordRequest;
  /** The client's address. */
  peer?: string;
  /** In place of `request`, `inquiry` and `peer` where they were erased: what it was. */
  erased?: EventRecordErased;
  /**
   * In place of `request`, `inquiry` and `peer` where they are sealed and were changed since, so
   * that they cannot be opened.
   */
  sealed?: EventRecordSealed;
}

/** The event's place in a request that reported several events; left out if it was the only one. */
export interface EventRecordPart {
  /** Its number in the request, from 1. */
  number: number;
  /** Number of events in the request, including those that were already recorded. */
  count: number;
  /** The sequence of the record that holds `request` and `peer`; left out in that record. */
  of?: number;
}

export type EventRecordOutcome =
  | "recorded"
  | "conflict"
  | "ignored"
  | OtherWord;

/** Information beyond the status. **review** marks flags that put the order into `review`. */
export type Flag =
  /**
   * Reported as succeeded and as failed, canceled or expired. Paid takes precedence, then
   * authorised. Ask the provider which is true.
   */
  | "contradicted"
  /** Two attempts are paid; `amount` is their sum. Refund one. */
  | "paid_twice"
  /**
   * **review.** The same event was reported with other content, or one payment with two references;
   * `claims` lists differing amounts. Compare with the provider's report.
   */
  | "conflict"
  /**
   * **review.** The authorised or captured amount is not the expected one. Compare `expected` with
   * `amount`.
   */
  | "amount_unexpected"
  /**
   * The provider sent an undocumented status word. It is kept verbatim and never interpreted as
   * paid.
   */
  | "unknown_status"
  /** The provider sent an undocumented kind of notification. It has no effect. */
  | "unknown_kind"
  /**
   * Genuine but not interpretable, such as a payment without a valid amount. If it is about money,
   * its order is in **review**: read the record's body.
   */
  | "not_understood"
  /** The provider reports test mode. A live endpoint never counts it. */
  | "test_mode"
  /** **review.** More was refunded than paid, or a refund was reported without a known payment. */
  | "over_refunded"
  /** **review.** One payment was reported in two currencies, so its sums cannot be added. */
  | "currency_mismatch"
  /** **review.** A negative amount was reported and ignored, or a sum exceeds 64 bits. */
  | "invalid_amount"
  /**
   * One status of one operation was reported with different amounts: `claims`. The lowest counts.
   * **review** if it is an authorised, captured or refunded amount.
   */
  | "amounts_differ"
  /** A payment or refund was reported without an amount. */
  | "amount_unknown"
  /** No reference is known, only ids of the provider. */
  | "unjoined"
  /**
   * **review.** The notification reports a refund or another sum in members that its signature does
   * not cover. They have no effect: ask the provider.
   */
  | "unsigned_claim"
  /**
   * **review.** A chargeback was reported without a signature, from a network that the endpoint
   * allows: check it at the provider.
   */
  | "unverified_chargeback"
  /**
   * **review.** The provider's words about refunds allow several sums: `candidates`. Find out which
   * one is true.
   */
  | "refund_ambiguous"
  /**
   * **review.** A reversal was reported without the operation that it undoes, or without whether
   * money was returned.
   */
  | "reversal_ambiguous"
  /**
   * **review.** Captures do not name their payment, and the captured sum depends on it; `amount`
   * and `captured` are null.
   */
  | "capture_ambiguous"
  /** A capture failed and none succeeded: nothing was captured. */
  | "capture_failed"
  /** Less was captured than authorised or expected: `captured` and `authorized`. */
  | "partially_captured"
  /** More was captured than authorised. */
  | "over_captured"
  /**
   * The provider reports success but asks for a manual review. The status is `paid`: decide before
   * you deliver.
   */
  | "provider_review"
  /**
   * A notification reports a success that its signature does not prove, and the provider's answer
   * to an inquiry has not confirmed it yet. It changes no status and no sum. **review** with
   * `contradicted`: the same payment was also reported as failed.
   */
  | "unconfirmed"
  /**
   * **review.** More was reported than an order holds (`limits.orderFactsMax`). The rest is in the
   * journal only.
   */
  | "too_many_events"
  /**
   * **review.** An order with another reference (`sharedWith`) claims a payment with the same id,
   * although the provider's ids are unique.
   */
  | "shared_id"
  /** A person has resolved the order: `resolution`. The other flags are the reasons. */
  | "resolved"
  /**
   * **review.** New events were reported after a person had resolved the order: `resolution` has
   * the decision.
   */
  | "reopened"
  /**
   * Expected, past its `expires`, and still `pending` or `authorized`. In lists and orders, never
   * in records.
   */
  | "overdue"
  | OtherWord;

/** The notification as ipnd interprets it. */
export interface Event {
  /** Identity within the endpoint: the same id is the same event. */
  id: string;
  /**
   * `payment`, `capture`, `refund`, `dispute`, `reversal`, `expectation`, `action`; others
   * verbatim.
   */
  kind: string;
  /**
   * Of an `action`, the act: `retry`, `give_up`, `resend`, `pause`, `resume`, `test`, `inquire`,
   * `resolve`, `correct`, `split`, `erase`.
   */
  status: string;
  /** Time reported by the provider. */
  occurred?: string;
  /** The merchant's reference in it. */
  reference?: string;
  /** The operation's own reference, if an id names the payment to which it belongs. */
  alias?: string;
  /**
   * Scope of the provider's ids. `anything`: unique in the account, and pointers may name payments
   * and operations. `reference`: unique within the reference. Left out: unique in the account, and
   * pointers name payments.
   */
  ids?: EventIds;
  /** The provider's id of the attempt; in an operation, the id that it refers to. */
  transaction?: string;
  /**
   * The payment method in the provider's word, such as `card`, `VISA` or `GCASH`; left out if not
   * reported.
   */
  method?: string;
  /**
   * The provider's id of the agreement of which the payment is an instalment; left out if there is
   * none.
   */
  agreement?: string;
  effect?: Effect;
  /** The refunded sum that a payment reports about itself. A lower bound, not a refund. */
  refundedAtLeast?: Money;
  reason?: Reason;
  flags?: Flag[];
  expectation?: Expected;
  action?: Act;
}

export type EventIds =
  | "anything"
  | "reference"
  | OtherWord;

/** Its effect on the order. Left out without an order. */
export interface Effect {
  on: EffectOn;
  status?: EffectStatus;
  amount?: Money;
  id?: string;
  of?: ReversalKind;
  /** This refund, or the sum so far. */
  refunded?: Money;
  /** Its time, verbatim, which distinguishes equal refunds of one charge. */
  moment?: string;
}

export type EffectOn =
  /** A claim without effect on sums that puts the order into review; the flags give the reason. */
  | "doubt"
  /** An attempt to pay. */
  | "attempt"
  /** A capture, refund or dispute. */
  | "capture"
  /** A capture, refund or dispute. */
  | "refund"
  /** A capture, refund or dispute. */
  | "dispute"
  /** An operation that undoes the one named by the event's transaction. */
  | "reversal"
  /** A refund with several possible readings. */
  | "unclear_refund"
  | OtherWord;

export type EffectStatus =
  | "pending"
  | "authorized"
  | "expired"
  | "canceled"
  | "try_failed"
  | "failed"
  | "paid"
  | "succeeded"
  | "open"
  | "closed"
  | "won"
  | "lost"
  | OtherWord;

/** An amount in the currency's smallest unit: 4200 MYR are 42.00 MYR, 4200 JPY are 4,200 yen. */
export interface Money {
  minor: number;
  currency: string;
}

/**
 * The kind of operation that is undone; `operation`: the one that the id names. `increase`,
 * `total`: an authorisation is raised by the amount, to the amount.
 */
export type ReversalKind =
  | "operation"
  | "refund"
  | "dispute"
  | "authorization"
  | "increase"
  | "total"
  | OtherWord;

/**
 * The cause of a failure, cancellation or expiry in the provider's words; one of the two may be
 * empty.
 */
export interface Reason {
  /** At most 64 bytes. */
  code: string;
  /** At most 256 bytes. */
  message: string;
}

export interface Expected {
  amount: Money;
  expires?: string;
  /** In lists and events only. */
  metadata?: { [name: string]: unknown };
  /** In events only: the shop's order of which this is a try. */
  order?: string;
}

/** A person's act through this API, recorded before it is carried out. */
export interface Act {
  /** The person's name; `admin` for the token without a person; `local` if none is required. */
  by: string;
  /** The client's address, or `unix`. */
  remote: string;
  reason?: string;
  /** The object of the act, such as the filter of a retry. */
  parameters?: { [name: string]: string };
  /** The order's state, as long as it has no further facts. */
  resolution?: ActResolution;
  /** The record whose expectation this one replaces. */
  replaces?: number;
}

/** The order's state, as long as it has no further facts. */
export interface ActResolution {
  status: Status;
  /** Digest of the facts that the person saw. */
  basis: string;
  captured?: Money;
  refunded?: Money;
}

export type Status =
  | "pending"
  | "authorized"
  | "paid"
  | "partially_refunded"
  | "refunded"
  | "failed"
  | "canceled"
  | "expired"
  | "disputed"
  | "charged_back"
  | "review"
  | OtherWord;

/** The order after the event. Sums and reasons as in Order; unknown ones are left out. */
export interface OrderAfter {
  status: Status;
  /** Left out while only aliases and provider ids are known. */
  reference?: string;
  /** Left out in the first event of this order. */
  previous?: Status;
  /** The id in the event; without a reference, the id that identifies the order. */
  transaction?: string;
  /**
   * The payment method in the provider's word, such as `card`, `VISA` or `GCASH`; left out if not
   * reported.
   */
  method?: string;
  /**
   * The provider's id of the agreement of which the payment is an instalment; left out if there is
   * none.
   */
  agreement?: string;
  amount?: Money;
  refunded?: Money;
  authorized?: Money;
  captured?: Money;
  /**
   * The differing amounts of one operation, ascending; left out if they agree. The lowest counts.
   */
  claims?: Money[];
  candidates?: Money[];
  reason?: Reason;
  /** References of other orders that this one now contains. Delete their rows. */
  absorbed?: string[];
  /**
   * References of other orders that claim a payment with the same id, the first few in order; they
   * are also in `review`.
   */
  sharedWith?: string[];
  /** Other orders that the record changed. */
  touched?: OrderAfterTouched[];
  /**
   * The `transaction` of orders without a reference that this one now contains. Delete their rows.
   */
  absorbedIDs?: string[];
}

export interface OrderAfterTouched {
  reference?: string;
  /** Identifies an order without a reference. */
  id?: string;
  /** Its first record, if the order is new. */
  first?: number;
}

/**
 * The request, byte for byte. Left out in corrections, expectations and acts, in records whose
 * `part.of` names the record with the request, and for viewers.
 */
export interface EventRecordRequest {
  method: string;
  /** Each byte as the code point of the same number (ISO 8859-1). */
  target: string;
  headers: string[][];
  /** The exact text, if the bytes are UTF-8. */
  body?: string;
  /** The bytes, if they are not UTF-8. */
  bodyBase64?: string;
  /**
   * What was removed before it was stored: members of `redact`, full card numbers, security codes.
   */
  redacted?: EventRecordRequestRedacted;
}

/**
 * What was removed before it was stored: members of `redact`, full card numbers, security codes.
 */
export interface EventRecordRequestRedacted {
  values: number;
  cards: number;
  codes: number;
  /** SHA-256 of the body as received, hexadecimal. */
  bodySHA256: string;
}

export type EventRecordErased =
  | "request"
  | "inquiry"
  | "peer"
  | OtherWord;

/**
 * In place of `request`, `inquiry` and `peer` where they are sealed and were changed since, so that
 * they cannot be opened.
 */
export interface EventRecordSealed {
  of: EventRecordSealedOf;
  bytes: string;
}

export type EventRecordSealedOf =
  | "request"
  | "inquiry"
  | "peer"
  | OtherWord;

export interface EventPage {
  /** Identity of the journal or database. */
  store: string;
  /** Records of the journal, schema 1. */
  events: EventRecord[];
  /** `after` of the next page. */
  next: number;
  /** Requested records that retention has deleted; left out if there are none. */
  gap?: EventPageGap;
}

/** Requested records that retention has deleted; left out if there are none. */
export interface EventPageGap {
  from: number;
  to: number;
}

/** One order, with everything that was reported. */
export interface Order {
  status: Status;
  /**
   * The amount paid; while nothing is paid, the amount to be paid by the provider's word. The
   * lowest of several claims; null if unknown.
   */
  amount: Money | null;
  /** The amount authorised, or captured at once; null if there is none or it was not reported. */
  authorized: Money | null;
  /** The amount captured; zero if there is none; null if its currency or sum is unknown. */
  captured: Money | null;
  /**
   * The amount refunded; zero if there is none; null if its sum or currency is unknown, as with
   * candidates.
   */
  refunded: Money | null;
  flags: Flag[];
  endpoint: string;
  /** Null while only aliases and provider ids are known. */
  reference: string | null;
  attempts: Attempt[];
  /** Including failed and pending ones. */
  refunds: Action[];
  disputes: Action[];
  /** Its newest record. A decision about the order must name it. */
  last: number;
  /** Its records, the newest 1000; with `too_many_events`, those before the limit. */
  sequences: number[];
  reason?: Reason;
  /**
   * The payment method in the provider's word, such as `card`, `VISA` or `GCASH`; left out if not
   * reported.
   */
  method?: string;
  /**
   * The provider's id of the agreement of which the payment is an instalment; left out if there is
   * none.
   */
  agreement?: string;
  /**
   * References of other orders that claim a payment with the same id, the first few in order; left
   * out if there are none.
   */
  sharedWith?: string[];
  /** Other references of the order, such as that of a refund; left out if there are none. */
  aliases?: string[];
  /**
   * References of the payments that are tries of this order, as registered with `order`; left out
   * if there are none.
   */
  tries?: string[];
  /**
   * The differing amounts of one operation, ascending; left out if they agree. The lowest counts.
   */
  claims?: Money[];
  /** The possible refunded sums, ascending, if the provider's words allow several. */
  candidates?: Money[];
  expected?: Expected;
  /** Left out when there are none. */
  refundClaims?: RefundClaim[];
  /** Left out when there are none. */
  reversals?: Reversal[];
  /** Lengths of the lists, if one has more than 100 elements. */
  counts?: { [name: string]: number };
  resolution?: Resolution;
  /** The records since `too_many_events`, which are not added up; they are in `/events`. */
  later?: OrderLater;
  /**
   * Its repeated notifications, on request. Repetitions are not recorded: each process counts those
   * that it received, in memory, for at least the 8,192 most recently repeated records.
   */
  repetitions?: OrderRepetitions;
  /**
   * Only in the answer to an expectation, if `outcome` is configured: for the shopper's app, see
   * `/outcome/{token}`.
   */
  outcomeToken?: string;
}

/** An attempt to pay. */
export interface Attempt {
  /** Empty if the notification named none. */
  transaction: string;
  /** Null if only an unsuccessful capture has named it. */
  status: AttemptStatus | null;
  /** The sum of its successful captures; without captures, the reported amount. */
  amount: Money | null;
  /** The authorised amount, or the amount captured at once. */
  authorized: Money | null;
  captures: Action[];
  /**
   * The payment method in the provider's word, such as `card`, `VISA` or `GCASH`; left out if not
   * reported.
   */
  method?: string;
  /**
   * The provider's id of the agreement of which the payment is an instalment; left out if there is
   * none.
   */
  agreement?: string;
  reason?: Reason;
  /**
   * The differing amounts of one operation, ascending; left out if they agree. The lowest counts.
   */
  claims?: Money[];
}

export type AttemptStatus =
  | "pending"
  | "authorized"
  | "expired"
  | "canceled"
  | "try_failed"
  | "failed"
  | "paid"
  | OtherWord;

/** A capture, refund or dispute. */
export interface Action {
  id: string;
  /** Captures and refunds: pending, succeeded, failed; disputes: open, closed, won, lost. */
  status: string | null;
  amount: Money | null;
  /** The provider's id of the payment, capture or refund that it is about, if reported. */
  transaction?: string;
  reason?: Reason;
  /**
   * The differing amounts of one operation, ascending; left out if they agree. The lowest counts.
   */
  claims?: Money[];
}

/** A refund with several possible readings (Citcon), as reported. */
export interface RefundClaim {
  /** The refund's own, or the charge's. */
  id: string;
  status: RefundClaimStatus;
  amount: Money | null;
  amountRefunded: Money | null;
}

export type RefundClaimStatus =
  | "pending"
  | "succeeded"
  | "failed"
  | OtherWord;

/** An operation that undoes the one named by `transaction`, or raises an authorisation. */
export interface Reversal {
  id: string;
  of: ReversalKind;
  status: ReversalStatus | null;
  amount: Money | null;
  transaction?: string;
  reason?: Reason;
  /**
   * The differing amounts of one operation, ascending; left out if they agree. The lowest counts.
   */
  claims?: Money[];
}

export type ReversalStatus =
  | "pending"
  | "succeeded"
  | "failed"
  | OtherWord;

/** A person's decision about the order in `review`. */
export interface Resolution {
  /** The person's name; `admin` for the token without a person; `local` if none is required. */
  by: string;
  resolved: string;
  reason: string;
  status: Status;
  captured: Money | null;
  refunded: Money | null;
  /** The record of the act. */
  sequence: number;
  /**
   * False if it no longer decides the status: new events were reported, or the facts no longer need
   * a decision.
   */
  stands: boolean;
}

/** The records since `too_many_events`, which are not added up; they are in `/events`. */
export interface OrderLater {
  count: number;
  last: number;
}

/**
 * Its repeated notifications, on request. Repetitions are not recorded: each process counts those
 * that it received, in memory, for at least the 8,192 most recently repeated records.
 */
export interface OrderRepetitions {
  /** Start of the count. */
  since: string;
  records: OrderRepetitionsRecord[];
}

export interface OrderRepetitionsRecord {
  /** The record of the first occurrence. */
  sequence: number;
  /** Number of repetitions. */
  times: number;
  /** Time of the last repetition. */
  last: string;
}

/** Reads a parsed Message. */
export function readMessage(value: unknown): Message {
  return message(value, "Message");
}

/** Reads a parsed EventPage. */
export function readEventPage(value: unknown): EventPage {
  return eventPage(value, "EventPage");
}

/** Reads a parsed Order. */
export function readOrder(value: unknown): Order {
  return order(value, "Order");
}

/** Reads a parsed EventRecord. */
export function readEventRecord(value: unknown): EventRecord {
  return eventRecord(value, "EventRecord");
}

type Reader<T> = (value: unknown, place: string) => T;
type Readers<T> = { [K in keyof T]-?: Reader<T[K]> };

function plain<T>(name: string, isOne: (value: unknown) => boolean): Reader<T> {
  return (value, place) => {
    if (value === undefined) throw new Malformed(`${place} is missing`);
    if (!isOne(value)) throw new Malformed(`${place} is not ${name}`);
    return value as T;
  };
}

const text = plain<string>("text", (value) => typeof value === "string");
const boolean = plain<boolean>("a boolean", (value) => typeof value === "boolean");
const integer = plain<number>("an exact integer", Number.isSafeInteger);
const array = plain<unknown[]>("a list", Array.isArray);
const anything = plain<{ [name: string]: unknown }>(
  "an object",
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
);

function constant<T extends number>(only: T): Reader<T> {
  return plain<T>(`${only}`, (value) => value === only);
}

function optional<T>(read: Reader<T>): Reader<T | undefined> {
  return (value, place) =>
    value === undefined || value === null ? undefined : read(value, place);
}

function nullable<T>(read: Reader<T>): Reader<T | null> {
  return (value, place) => (value === null ? null : read(value, place));
}

function list<T>(read: Reader<T>): Reader<T[]> {
  return (value, place) =>
    array(value, place).map((item, number) => read(item, `${place}[${number}]`));
}

function map<T>(read: Reader<T>): Reader<{ [name: string]: T }> {
  return (value, place) => {
    const items = Object.entries(anything(value, place));
    return Object.fromEntries(items.map(([name, item]) => [name, read(item, `${place}.${name}`)]));
  };
}

function object<T extends object>(readers: Readers<T>): Reader<T> {
  return (value, place) => {
    const given = anything(value, place);
    const found: Partial<T> = {};
    for (const name of Object.keys(readers) as (keyof T & string)[]) {
      const isGiven = Object.prototype.hasOwnProperty.call(given, name);
      const member = readers[name](isGiven ? given[name] : undefined, `${place}.${name}`);
      if (member !== undefined) found[name] = member;
    }
    return found as T;
  };
}

const money = object<Money>({
  minor: integer,
  currency: text,
});

const effect = object<Effect>({
  on: text,
  status: optional(text),
  amount: optional(money),
  id: optional(text),
  of: optional(text),
  refunded: optional(money),
  moment: optional(text),
});

const reason = object<Reason>({
  code: text,
  message: text,
});

const expected = object<Expected>({
  amount: money,
  expires: optional(text),
  metadata: optional(anything),
  order: optional(text),
});

const actResolution = object<ActResolution>({
  status: text,
  basis: text,
  captured: optional(money),
  refunded: optional(money),
});

const act = object<Act>({
  by: text,
  remote: text,
  reason: optional(text),
  parameters: optional(map(text)),
  resolution: optional(actResolution),
  replaces: optional(integer),
});

const event = object<Event>({
  id: text,
  kind: text,
  status: text,
  occurred: optional(text),
  reference: optional(text),
  alias: optional(text),
  ids: optional(text),
  transaction: optional(text),
  method: optional(text),
  agreement: optional(text),
  effect: optional(effect),
  refundedAtLeast: optional(money),
  reason: optional(reason),
  flags: optional(list(text)),
  expectation: optional(expected),
  action: optional(act),
});

const eventRecordPart = object<EventRecordPart>({
  number: integer,
  count: integer,
  of: optional(integer),
});

const orderAfterTouched = object<OrderAfterTouched>({
  reference: optional(text),
  id: optional(text),
  first: optional(integer),
});

const orderAfter = object<OrderAfter>({
  status: text,
  reference: optional(text),
  previous: optional(text),
  transaction: optional(text),
  method: optional(text),
  agreement: optional(text),
  amount: optional(money),
  refunded: optional(money),
  authorized: optional(money),
  captured: optional(money),
  claims: optional(list(money)),
  candidates: optional(list(money)),
  reason: optional(reason),
  absorbed: optional(list(text)),
  sharedWith: optional(list(text)),
  touched: optional(list(orderAfterTouched)),
  absorbedIDs: optional(list(text)),
});

const eventRecordRequestRedacted = object<EventRecordRequestRedacted>({
  values: integer,
  cards: integer,
  codes: integer,
  bodySHA256: text,
});

const eventRecordRequest = object<EventRecordRequest>({
  method: text,
  target: text,
  headers: list(list(text)),
  body: optional(text),
  bodyBase64: optional(text),
  redacted: optional(eventRecordRequestRedacted),
});

const eventRecordSealed = object<EventRecordSealed>({
  of: text,
  bytes: text,
});

const eventRecord = object<EventRecord>({
  schema: constant(1),
  sequence: integer,
  received: text,
  endpoint: text,
  provider: text,
  outcome: text,
  flags: list(text),
  event: event,
  key: optional(text),
  trace: optional(text),
  corrects: optional(integer),
  part: optional(eventRecordPart),
  conflictsWith: optional(integer),
  order: optional(orderAfter),
  request: optional(eventRecordRequest),
  peer: optional(text),
  erased: optional(text),
  sealed: optional(eventRecordSealed),
});

const message = object<Message>({
  type: text,
  timestamp: text,
  data: eventRecord,
});

const eventPageGap = object<EventPageGap>({
  from: integer,
  to: integer,
});

const eventPage = object<EventPage>({
  store: text,
  events: list(eventRecord),
  next: integer,
  gap: optional(eventPageGap),
});

const action = object<Action>({
  id: text,
  status: nullable(text),
  amount: nullable(money),
  transaction: optional(text),
  reason: optional(reason),
  claims: optional(list(money)),
});

const attempt = object<Attempt>({
  transaction: text,
  status: nullable(text),
  amount: nullable(money),
  authorized: nullable(money),
  captures: list(action),
  method: optional(text),
  agreement: optional(text),
  reason: optional(reason),
  claims: optional(list(money)),
});

const refundClaim = object<RefundClaim>({
  id: text,
  status: text,
  amount: nullable(money),
  amountRefunded: nullable(money),
});

const reversal = object<Reversal>({
  id: text,
  of: text,
  status: nullable(text),
  amount: nullable(money),
  transaction: optional(text),
  reason: optional(reason),
  claims: optional(list(money)),
});

const resolution = object<Resolution>({
  by: text,
  resolved: text,
  reason: text,
  status: text,
  captured: nullable(money),
  refunded: nullable(money),
  sequence: integer,
  stands: boolean,
});

const orderLater = object<OrderLater>({
  count: integer,
  last: integer,
});

const orderRepetitionsRecord = object<OrderRepetitionsRecord>({
  sequence: integer,
  times: integer,
  last: text,
});

const orderRepetitions = object<OrderRepetitions>({
  since: text,
  records: list(orderRepetitionsRecord),
});

const order = object<Order>({
  status: text,
  amount: nullable(money),
  authorized: nullable(money),
  captured: nullable(money),
  refunded: nullable(money),
  flags: list(text),
  endpoint: text,
  reference: nullable(text),
  attempts: list(attempt),
  refunds: list(action),
  disputes: list(action),
  last: integer,
  sequences: list(integer),
  reason: optional(reason),
  method: optional(text),
  agreement: optional(text),
  sharedWith: optional(list(text)),
  aliases: optional(list(text)),
  tries: optional(list(text)),
  claims: optional(list(money)),
  candidates: optional(list(money)),
  expected: optional(expected),
  refundClaims: optional(list(refundClaim)),
  reversals: optional(list(reversal)),
  counts: optional(map(integer)),
  resolution: optional(resolution),
  later: optional(orderLater),
  repetitions: optional(orderRepetitions),
  outcomeToken: optional(text),
});
