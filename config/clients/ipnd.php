<?php

/**
 * The events and orders of ipnd, typed. PHP 8.2 or later, no dependencies.
 *
 *     $message = Ipnd\Message::parse($body);      // a webhook
 *     $page = Ipnd\EventPage::parse($answer);     // GET /events
 *     $order = Ipnd\Order::parse($answer);        // GET /orders/{endpoint}/{reference}
 *
 * Members that this version does not know are skipped, and unknown words of an enumeration stay
 * strings. A missing member or one of another type throws `Ipnd\Malformed`. `json_encode` writes
 * what was read.
 *
 * Generated from config/openapi.yaml by scripts/generate-clients. Do not edit.
 */

declare(strict_types=1);

namespace Ipnd;

/** The input is not of this model: the message names the member. */
final class Malformed extends \UnexpectedValueException
{
}

/** Reads the values of members. */
final class Read
{
    /** Parses JSON. An integer that PHP cannot hold becomes a string, so it is never rounded. */
    public static function json(string $text): mixed
    {
        try {
            return json_decode($text, false, 512, JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
        } catch (\JsonException $error) {
            throw new Malformed($error->getMessage(), 0, $error);
        }
    }

    public static function text(mixed $value, string $place): string
    {
        return is_string($value) ? $value : throw new Malformed("$place is not a string");
    }

    public static function integer(mixed $value, string $place): int
    {
        return is_int($value) ? $value : throw new Malformed("$place is not an integer");
    }

    public static function boolean(mixed $value, string $place): bool
    {
        return is_bool($value) ? $value : throw new Malformed("$place is not a boolean");
    }

    /** An object of JSON, also one that was parsed to an array. */
    public static function anything(mixed $value, string $place): \stdClass
    {
        if (is_array($value) && ($value === [] || !array_is_list($value))) {
            return (object) $value;
        }
        return $value instanceof \stdClass
            ? $value
            : throw new Malformed("$place is not an object");
    }

    /** @param class-string<\BackedEnum> $enum */
    public static function word(string $enum): \Closure
    {
        return static function (mixed $value, string $place) use ($enum): \BackedEnum|string {
            $text = self::text($value, $place);
            return $enum::tryFrom($text) ?? $text;
        };
    }

    public static function constant(int $only): \Closure
    {
        return static fn (mixed $value, string $place): int => $value === $only
            ? $only
            : throw new Malformed("$place is not $only");
    }

    public static function list(\Closure $read): \Closure
    {
        return static function (mixed $value, string $place) use ($read): array {
            if (!is_array($value) || !array_is_list($value)) {
                throw new Malformed("$place is not a list");
            }
            $items = [];
            foreach ($value as $number => $item) {
                $items[] = $read($item, "{$place}[$number]");
            }
            return $items;
        };
    }

    public static function map(\Closure $read): \Closure
    {
        return static function (mixed $value, string $place) use ($read): \stdClass {
            $items = new \stdClass();
            foreach (get_object_vars(self::anything($value, $place)) as $name => $item) {
                $items->{$name} = $read($item, "$place.$name");
            }
            return $items;
        };
    }
}

/** The members of one object of JSON. */
final readonly class Members
{
    private \stdClass $members;

    public function __construct(mixed $value, private string $place)
    {
        $this->members = Read::anything($value, $place);
    }

    public function required(string $name, \Closure $read): mixed
    {
        if (!property_exists($this->members, $name)) {
            throw new Malformed("{$this->place}.$name is missing");
        }
        return $read($this->members->{$name}, "{$this->place}.$name");
    }

    public function nullable(string $name, \Closure $read): mixed
    {
        return $this->required(
            $name,
            static fn (mixed $value, string $at) => $value === null ? null : $read($value, $at),
        );
    }

    public function optional(string $name, \Closure $read): mixed
    {
        return isset($this->members->{$name}) ? $this->required($name, $read) : null;
    }

    /** The members to write: all but those that are null and left out then. */
    public static function written(object $value, string ...$nullable): object
    {
        $isWritten = static fn (mixed $member, string $name): bool =>
            $member !== null || in_array($name, $nullable, true);
        return (object) array_filter(get_object_vars($value), $isWritten, ARRAY_FILTER_USE_BOTH);
    }
}

/** Common to the classes below. */
abstract readonly class Value implements \JsonSerializable
{
    abstract public static function read(mixed $value, string $place = ''): static;

    /** Reads the text of JSON. */
    public static function parse(string $json): static
    {
        return static::read(Read::json($json));
    }
}

/** The body of a webhook. */
final readonly class Message extends Value
{
    public function __construct(
        /**
         * `order.` and the order's status after the event; `agreement.` and the event's own status
         * in lower case; `test` in an example.
         */
        public string $type,
        /** Time at which the notification was received. */
        public string $timestamp,
        public EventRecord $data,
    ) {
    }

    public static function read(mixed $value, string $place = 'Message'): static
    {
        $in = new Members($value, $place);
        return new self(
            type: $in->required('type', Read::text(...)),
            timestamp: $in->required('timestamp', Read::text(...)),
            data: $in->required('data', EventRecord::read(...)),
        );
    }

    public function jsonSerialize(): object
    {
        return Members::written($this);
    }
}

/**
 * One notification, and its order afterwards. Members without a value are left out; later versions
 * only add members.
 */
final readonly class EventRecord extends Value
{
    public function __construct(
        public int $schema,
        /** Its number in the journal, from 1, without gaps; 0 in an example. */
        public int $sequence,
        public string $received,
        /** Empty for an act without an endpoint. */
        public string $endpoint,
        public string $provider,
        /**
         * `conflict`: the same identity with other content, or an amount that contradicts the
         * expectation. `ignored`: genuine, but without an order.
         */
        public EventRecordOutcome|string $outcome,
        /**
         * The order's and the notification's.
         * @var list<Flag|string>
         */
        public array $flags,
        public Event $event,
        /**
         * The endpoint's key or secret that verified it; `unsigned` for an ecommpay chargeback
         * without a signature.
         */
        public ?string $key = null,
        /**
         * The request's place in a trace, as the header `traceparent` of W3C Trace Context writes
         * it; only while ipnd exports traces.
         */
        public ?string $trace = null,
        /**
         * In a correction: the sequence of the record that this one replaces. It has no `request`.
         */
        public ?int $corrects = null,
        /**
         * The event's place in a request that reported several events; left out if it was the only
         * one.
         */
        public ?EventRecordPart $part = null,
        /** The sequence of the first event of this identity. */
        public ?int $conflictsWith = null,
        public ?OrderAfter $order = null,
        /**
         * The request, byte for byte. Left out in corrections, expectations and acts, in records
         * whose `part.of` names the record with the request, and for viewers.
         */
        public ?EventRecordRequest $request = null,
        /** The client's address. */
        public ?string $peer = null,
        /** In place of `request`, `inquiry` and `peer` where they were erased: what it was. */
        public EventRecordErased|string|null $erased = null,
        /**
         * In place of `request`, `inquiry` and `peer` where they are sealed and were changed since,
         * so that they cannot be opened.
         */
        public ?EventRecordSealed $sealed = null,
    ) {
    }

    public static function read(mixed $value, string $place = 'EventRecord'): static
    {
        $in = new Members($value, $place);
        return new self(
            schema: $in->required('schema', Read::constant(1)),
            sequence: $in->required('sequence', Read::integer(...)),
            received: $in->required('received', Read::text(...)),
            endpoint: $in->required('endpoint', Read::text(...)),
            provider: $in->required('provider', Read::text(...)),
            outcome: $in->required('outcome', Read::word(EventRecordOutcome::class)),
            flags: $in->required('flags', Read::list(Read::word(Flag::class))),
            event: $in->required('event', Event::read(...)),
            key: $in->optional('key', Read::text(...)),
            trace: $in->optional('trace', Read::text(...)),
            corrects: $in->optional('corrects', Read::integer(...)),
            part: $in->optional('part', EventRecordPart::read(...)),
            conflictsWith: $in->optional('conflictsWith', Read::integer(...)),
            order: $in->optional('order', OrderAfter::read(...)),
            request: $in->optional('request', EventRecordRequest::read(...)),
            peer: $in->optional('peer', Read::text(...)),
            erased: $in->optional('erased', Read::word(EventRecordErased::class)),
            sealed: $in->optional('sealed', EventRecordSealed::read(...)),
        );
    }

    public function jsonSerialize(): object
    {
        return Members::written($this);
    }
}

/** The event's place in a request that reported several events; left out if it was the only one. */
final readonly class EventRecordPart extends Value
{
    public function __construct(
        /** Its number in the request, from 1. */
        public int $number,
        /** Number of events in the request, including those that were already recorded. */
        public int $count,
        /** The sequence of the record that holds `request` and `peer`; left out in that record. */
        public ?int $of = null,
    ) {
    }

    public static function read(mixed $value, string $place = 'EventRecordPart'): static
    {
        $in = new Members($value, $place);
        return new self(
            number: $in->required('number', Read::integer(...)),
            count: $in->required('count', Read::integer(...)),
            of: $in->optional('of', Read::integer(...)),
        );
    }

    public function jsonSerialize(): object
    {
        return Members::written($this);
    }
}

enum EventRecordOutcome: string
{
    case Recorded = 'recorded';
    case Conflict = 'conflict';
    case Ignored = 'ignored';
}

/** Information beyond the status. **review** marks flags that put the order into `review`. */
enum Flag: string
{
    /**
     * Reported as succeeded and as failed, canceled or expired. Paid takes precedence, then
     * authorised. Ask the provider which is true.
     */
    case Contradicted = 'contradicted';
    /** Two attempts are paid; `amount` is their sum. Refund one. */
    case PaidTwice = 'paid_twice';
    /**
     * **review.** The same event was reported with other content, or one payment with two
     * references; `claims` lists differing amounts. Compare with the provider's report.
     */
    case Conflict = 'conflict';
    /**
     * **review.** The authorised or captured amount is not the expected one. Compare `expected`
     * with `amount`.
     */
    case AmountUnexpected = 'amount_unexpected';
    /**
     * The provider sent an undocumented status word. It is kept verbatim and never interpreted as
     * paid.
     */
    case UnknownStatus = 'unknown_status';
    /** The provider sent an undocumented kind of notification. It has no effect. */
    case UnknownKind = 'unknown_kind';
    /**
     * Genuine but not interpretable, such as a payment without a valid amount. If it is about
     * money, its order is in **review**: read the record's body.
     */
    case NotUnderstood = 'not_understood';
    /** The provider reports test mode. A live endpoint never counts it. */
    case TestMode = 'test_mode';
    /**
     * **review.** More was refunded than paid, or a refund was reported without a known payment.
     */
    case OverRefunded = 'over_refunded';
    /** **review.** One payment was reported in two currencies, so its sums cannot be added. */
    case CurrencyMismatch = 'currency_mismatch';
    /** **review.** A negative amount was reported and ignored, or a sum exceeds 64 bits. */
    case InvalidAmount = 'invalid_amount';
    /**
     * One status of one operation was reported with different amounts: `claims`. The lowest counts.
     * **review** if it is an authorised, captured or refunded amount.
     */
    case AmountsDiffer = 'amounts_differ';
    /** A payment or refund was reported without an amount. */
    case AmountUnknown = 'amount_unknown';
    /** No reference is known, only ids of the provider. */
    case Unjoined = 'unjoined';
    /**
     * **review.** The notification reports a refund or another sum in members that its signature
     * does not cover. They have no effect: ask the provider.
     */
    case UnsignedClaim = 'unsigned_claim';
    /**
     * **review.** A chargeback was reported without a signature, from a network that the endpoint
     * allows: check it at the provider.
     */
    case UnverifiedChargeback = 'unverified_chargeback';
    /**
     * **review.** The provider's words about refunds allow several sums: `candidates`. Find out
     * which one is true.
     */
    case RefundAmbiguous = 'refund_ambiguous';
    /**
     * **review.** A reversal was reported without the operation that it undoes, or without whether
     * money was returned.
     */
    case ReversalAmbiguous = 'reversal_ambiguous';
    /**
     * **review.** Captures do not name their payment, and the captured sum depends on it; `amount`
     * and `captured` are null.
     */
    case CaptureAmbiguous = 'capture_ambiguous';
    /** A capture failed and none succeeded: nothing was captured. */
    case CaptureFailed = 'capture_failed';
    /** Less was captured than authorised or expected: `captured` and `authorized`. */
    case PartiallyCaptured = 'partially_captured';
    /** More was captured than authorised. */
    case OverCaptured = 'over_captured';
    /**
     * The provider reports success but asks for a manual review. The status is `paid`: decide
     * before you deliver.
     */
    case ProviderReview = 'provider_review';
    /**
     * A notification reports a success that its signature does not prove, and the provider's answer
     * to an inquiry has not confirmed it yet. It changes no status and no sum. **review** with
     * `contradicted`: the same payment was also reported as failed.
     */
    case Unconfirmed = 'unconfirmed';
    /**
     * **review.** More was reported than an order holds (`limits.orderFactsMax`). The rest is in
     * the journal only.
     */
    case TooManyEvents = 'too_many_events';
    /**
     * **review.** An order with another reference (`sharedWith`) claims a payment with the same id,
     * although the provider's ids are unique.
     */
    case SharedId = 'shared_id';
    /** A person has resolved the order: `resolution`. The other flags are the reasons. */
    case Resolved = 'resolved';
    /**
     * **review.** New events were reported after a person had resolved the order: `resolution` has
     * the decision.
     */
    case Reopened = 'reopened';
    /**
     * Expected, past its `expires`, and still `pending` or `authorized`. In lists and orders, never
     * in records.
     */
    case Overdue = 'overdue';
}

/** The notification as ipnd interprets it. */
final readonly class Event extends Value
{
    public function __construct(
        /** Identity within the endpoint: the same id is the same event. */
        public string $id,
        /**
         * `payment`, `capture`, `refund`, `dispute`, `reversal`, `expectation`, `action`; others
         * verbatim.
         */
        public string $kind,
        /**
         * Of an `action`, the act: `retry`, `give_up`, `resend`, `pause`, `resume`, `test`,
         * `inquire`, `resolve`, `correct`, `split`, `erase`.
         */
        public string $status,
        /** Time reported by the provider. */
        public ?string $occurred = null,
        /** The merchant's reference in it. */
        public ?string $reference = null,
        /** The operation's own reference, if an id names the payment to which it belongs. */
        public ?string $alias = null,
        /**
         * Scope of the provider's ids. `anything`: unique in the account, and pointers may name
         * payments and operations. `reference`: unique within the reference. Left out: unique in
         * the account, and pointers name payments.
         */
        public EventIds|string|null $ids = null,
        /** The provider's id of the attempt; in an operation, the id that it refers to. */
        public ?string $transaction = null,
        /**
         * The payment method in the provider's word, such as `card`, `VISA` or `GCASH`; left out if
         * not reported.
         */
        public ?string $method = null,
        /**
         * The provider's id of the agreement of which the payment is an instalment; left out if
         * there is none.
         */
        public ?string $agreement = null,
        public ?Effect $effect = null,
        /** The refunded sum that a payment reports about itself. A lower bound, not a refund. */
        public ?Money $refundedAtLeast = null,
        public ?Reason $reason = null,
        /** @var list<Flag|string> */
        public ?array $flags = null,
        public ?Expected $expectation = null,
        public ?Act $action = null,
    ) {
    }

    public static function read(mixed $value, string $place = 'Event'): static
    {
        $in = new Members($value, $place);
        return new self(
            id: $in->required('id', Read::text(...)),
            kind: $in->required('kind', Read::text(...)),
            status: $in->required('status', Read::text(...)),
            occurred: $in->optional('occurred', Read::text(...)),
            reference: $in->optional('reference', Read::text(...)),
            alias: $in->optional('alias', Read::text(...)),
            ids: $in->optional('ids', Read::word(EventIds::class)),
            transaction: $in->optional('transaction', Read::text(...)),
            method: $in->optional('method', Read::text(...)),
            agreement: $in->optional('agreement', Read::text(...)),
            effect: $in->optional('effect', Effect::read(...)),
            refundedAtLeast: $in->optional('refundedAtLeast', Money::read(...)),
            reason: $in->optional('reason', Reason::read(...)),
            flags: $in->optional('flags', Read::list(Read::word(Flag::class))),
            expectation: $in->optional('expectation', Expected::read(...)),
            action: $in->optional('action', Act::read(...)),
        );
    }

    public function jsonSerialize(): object
    {
        return Members::written($this);
    }
}

enum EventIds: string
{
    case Anything = 'anything';
    case Reference = 'reference';
}

/** Its effect on the order. Left out without an order. */
final readonly class Effect extends Value
{
    public function __construct(
        public EffectOn|string $on,
        public EffectStatus|string|null $status = null,
        public ?Money $amount = null,
        public ?string $id = null,
        public ReversalKind|string|null $of = null,
        /** This refund, or the sum so far. */
        public ?Money $refunded = null,
        /** Its time, verbatim, which distinguishes equal refunds of one charge. */
        public ?string $moment = null,
    ) {
    }

    public static function read(mixed $value, string $place = 'Effect'): static
    {
        $in = new Members($value, $place);
        return new self(
            on: $in->required('on', Read::word(EffectOn::class)),
            status: $in->optional('status', Read::word(EffectStatus::class)),
            amount: $in->optional('amount', Money::read(...)),
            id: $in->optional('id', Read::text(...)),
            of: $in->optional('of', Read::word(ReversalKind::class)),
            refunded: $in->optional('refunded', Money::read(...)),
            moment: $in->optional('moment', Read::text(...)),
        );
    }

    public function jsonSerialize(): object
    {
        return Members::written($this);
    }
}

enum EffectOn: string
{
    /**
     * A claim without effect on sums that puts the order into review; the flags give the reason.
     */
    case Doubt = 'doubt';
    /** An attempt to pay. */
    case Attempt = 'attempt';
    /** A capture, refund or dispute. */
    case Capture = 'capture';
    /** A capture, refund or dispute. */
    case Refund = 'refund';
    /** A capture, refund or dispute. */
    case Dispute = 'dispute';
    /** An operation that undoes the one named by the event's transaction. */
    case Reversal = 'reversal';
    /** A refund with several possible readings. */
    case UnclearRefund = 'unclear_refund';
}

enum EffectStatus: string
{
    case Pending = 'pending';
    case Authorized = 'authorized';
    case Expired = 'expired';
    case Canceled = 'canceled';
    case TryFailed = 'try_failed';
    case Failed = 'failed';
    case Paid = 'paid';
    case Succeeded = 'succeeded';
    case Open = 'open';
    case Closed = 'closed';
    case Won = 'won';
    case Lost = 'lost';
}

/** An amount in the currency's smallest unit: 4200 MYR are 42.00 MYR, 4200 JPY are 4,200 yen. */
final readonly class Money extends Value
{
    public function __construct(
        public int $minor,
        public string $currency,
    ) {
    }

    public static function read(mixed $value, string $place = 'Money'): static
    {
        $in = new Members($value, $place);
        return new self(
            minor: $in->required('minor', Read::integer(...)),
            currency: $in->required('currency', Read::text(...)),
        );
    }

    public function jsonSerialize(): object
    {
        return Members::written($this);
    }
}

/**
 * The kind of operation that is undone; `operation`: the one that the id names. `increase`,
 * `total`: an authorisation is raised by the amount, to the amount.
 */
enum ReversalKind: string
{
    case Operation = 'operation';
    case Refund = 'refund';
    case Dispute = 'dispute';
    case Authorization = 'authorization';
    case Increase = 'increase';
    case Total = 'total';
}

/**
 * The cause of a failure, cancellation or expiry in the provider's words; one of the two may be
 * empty.
 */
final readonly class Reason extends Value
{
    public function __construct(
        /** At most 64 bytes. */
        public string $code,
        /** At most 256 bytes. */
        public string $message,
    ) {
    }

    public static function read(mixed $value, string $place = 'Reason'): static
    {
        $in = new Members($value, $place);
        return new self(
            code: $in->required('code', Read::text(...)),
            message: $in->required('message', Read::text(...)),
        );
    }

    public function jsonSerialize(): object
    {
        return Members::written($this);
    }
}

final readonly class Expected extends Value
{
    public function __construct(
        public Money $amount,
        public ?string $expires = null,
        /** In lists and events only. */
        public ?\stdClass $metadata = null,
        /** In events only: the shop's order of which this is a try. */
        public ?string $order = null,
    ) {
    }

    public static function read(mixed $value, string $place = 'Expected'): static
    {
        $in = new Members($value, $place);
        return new self(
            amount: $in->required('amount', Money::read(...)),
            expires: $in->optional('expires', Read::text(...)),
            metadata: $in->optional('metadata', Read::anything(...)),
            order: $in->optional('order', Read::text(...)),
        );
    }

    public function jsonSerialize(): object
    {
        return Members::written($this);
    }
}

/** A person's act through this API, recorded before it is carried out. */
final readonly class Act extends Value
{
    public function __construct(
        /**
         * The person's name; `admin` for the token without a person; `local` if none is required.
         */
        public string $by,
        /** The client's address, or `unix`. */
        public string $remote,
        public ?string $reason = null,
        /** The object of the act, such as the filter of a retry. */
        public ?\stdClass $parameters = null,
        /** The order's state, as long as it has no further facts. */
        public ?ActResolution $resolution = null,
        /** The record whose expectation this one replaces. */
        public ?int $replaces = null,
    ) {
    }

    public static function read(mixed $value, string $place = 'Act'): static
    {
        $in = new Members($value, $place);
        return new self(
            by: $in->required('by', Read::text(...)),
            remote: $in->required('remote', Read::text(...)),
            reason: $in->optional('reason', Read::text(...)),
            parameters: $in->optional('parameters', Read::map(Read::text(...))),
            resolution: $in->optional('resolution', ActResolution::read(...)),
            replaces: $in->optional('replaces', Read::integer(...)),
        );
    }

    public function jsonSerialize(): object
    {
        return Members::written($this);
    }
}

/** The order's state, as long as it has no further facts. */
final readonly class ActResolution extends Value
{
    public function __construct(
        public Status|string $status,
        /** Digest of the facts that the person saw. */
        public string $basis,
        public ?Money $captured = null,
        public ?Money $refunded = null,
    ) {
    }

    public static function read(mixed $value, string $place = 'ActResolution'): static
    {
        $in = new Members($value, $place);
        return new self(
            status: $in->required('status', Read::word(Status::class)),
            basis: $in->required('basis', Read::text(...)),
            captured: $in->optional('captured', Money::read(...)),
            refunded: $in->optional('refunded', Money::read(...)),
        );
    }

    public function jsonSerialize(): object
    {
        return Members::written($this);
    }
}

enum Status: string
{
    case Pending = 'pending';
    case Authorized = 'authorized';
    case Paid = 'paid';
    case PartiallyRefunded = 'partially_refunded';
    case Refunded = 'refunded';
    case Failed = 'failed';
    case Canceled = 'canceled';
    case Expired = 'expired';
    case Disputed = 'disputed';
    case ChargedBack = 'charged_back';
    case Review = 'review';
}

/** The order after the event. Sums and reasons as in Order; unknown ones are left out. */
final readonly class OrderAfter extends Value
{
    public function __construct(
        public Status|string $status,
        /** Left out while only aliases and provider ids are known. */
        public ?string $reference = null,
        /** Left out in the first event of this order. */
        public Status|string|null $previous = null,
        /** The id in the event; without a reference, the id that identifies the order. */
        public ?string $transaction = null,
        /**
         * The payment method in the provider's word, such as `card`, `VISA` or `GCASH`; left out if
         * not reported.
         */
        public ?string $method = null,
        /**
         * The provider's id of the agreement of which the payment is an instalment; left out if
         * there is none.
         */
        public ?string $agreement = null,
        public ?Money $amount = null,
        public ?Money $refunded = null,
        public ?Money $authorized = null,
        public ?Money $captured = null,
        /**
         * The differing amounts of one operation, ascending; left out if they agree. The lowest
         * counts.
         * @var list<Money>
         */
        public ?array $claims = null,
        /** @var list<Money> */
        public ?array $candidates = null,
        public ?Reason $reason = null,
        /**
         * References of other orders that this one now contains. Delete their rows.
         * @var list<string>
         */
        public ?array $absorbed = null,
        /**
         * References of other orders that claim a payment with the same id, the first few in order;
         * they are also in `review`.
         * @var list<string>
         */
        public ?array $sharedWith = null,
        /**
         * Other orders that the record changed.
         * @var list<OrderAfterTouched>
         */
        public ?array $touched = null,
        /**
         * The `transaction` of orders without a reference that this one now contains. Delete their
         * rows.
         * @var list<string>
         */
        public ?array $absorbedIDs = null,
    ) {
    }

    public static function read(mixed $value, string $place = 'OrderAfter'): static
    {
        $in = new Members($value, $place);
        return new self(
            status: $in->required('status', Read::word(Status::class)),
            reference: $in->optional('reference', Read::text(...)),
            previous: $in->optional('previous', Read::word(Status::class)),
            transaction: $in->optional('transaction', Read::text(...)),
            method: $in->optional('method', Read::text(...)),
            agreement: $in->optional('agreement', Read::text(...)),
            amount: $in->optional('amount', Money::read(...)),
            refunded: $in->optional('refunded', Money::read(...)),
            authorized: $in->optional('authorized', Money::read(...)),
            captured: $in->optional('captured', Money::read(...)),
            claims: $in->optional('claims', Read::list(Money::read(...))),
            candidates: $in->optional('candidates', Read::list(Money::read(...))),
            reason: $in->optional('reason', Reason::read(...)),
            absorbed: $in->optional('absorbed', Read::list(Read::text(...))),
            sharedWith: $in->optional('sharedWith', Read::list(Read::text(...))),
            touched: $in->optional('touched', Read::list(OrderAfterTouched::read(...))),
            absorbedIDs: $in->optional('absorbedIDs', Read::list(Read::text(...))),
        );
    }

    public function jsonSerialize(): object
    {
        return Members::written($this);
    }
}

final readonly class OrderAfterTouched extends Value
{
    public function __construct(
        public ?string $reference = null,
        /** Identifies an order without a reference. */
        public ?string $id = null,
        /** Its first record, if the order is new. */
        public ?int $first = null,
    ) {
    }

    public static function read(mixed $value, string $place = 'OrderAfterTouched'): static
    {
        $in = new Members($value, $place);
        return new self(
            reference: $in->optional('reference', Read::text(...)),
            id: $in->optional('id', Read::text(...)),
            first: $in->optional('first', Read::integer(...)),
        );
    }

    public function jsonSerialize(): object
    {
        return Members::written($this);
    }
}

/**
 * The request, byte for byte. Left out in corrections, expectations and acts, in records whose
 * `part.of` names the record with the request, and for viewers.
 */
final readonly class EventRecordRequest extends Value
{
    public function __construct(
        public string $method,
        /** Each byte as the code point of the same number (ISO 8859-1). */
        public string $target,
        /** @var list<list<string>> */
        public array $headers,
        /** The exact text, if the bytes are UTF-8. */
        public ?string $body = null,
        /** The bytes, if they are not UTF-8. */
        public ?string $bodyBase64 = null,
        /**
         * What was removed before it was stored: members of `redact`, full card numbers, security
         * codes.
         */
        public ?EventRecordRequestRedacted $redacted = null,
    ) {
    }

    public static function read(mixed $value, string $place = 'EventRecordRequest'): static
    {
        $in = new Members($value, $place);
        return new self(
            method: $in->required('method', Read::text(...)),
            target: $in->required('target', Read::text(...)),
            headers: $in->required('headers', Read::list(Read::list(Read::text(...)))),
            body: $in->optional('body', Read::text(...)),
            bodyBase64: $in->optional('bodyBase64', Read::text(...)),
            redacted: $in->optional('redacted', EventRecordRequestRedacted::read(...)),
        );
    }

    public function jsonSerialize(): object
    {
        return Members::written($this);
    }
}

/**
 * What was removed before it was stored: members of `redact`, full card numbers, security codes.
 */
final readonly class EventRecordRequestRedacted extends Value
{
    public function __construct(
        public int $values,
        public int $cards,
        public int $codes,
        /** SHA-256 of the body as received, hexadecimal. */
        public string $bodySHA256,
    ) {
    }

    public static function read(mixed $value, string $place = 'EventRecordRequestRedacted'): static
    {
        $in = new Members($value, $place);
        return new self(
            values: $in->required('values', Read::integer(...)),
            cards: $in->required('cards', Read::integer(...)),
            codes: $in->required('codes', Read::integer(...)),
            bodySHA256: $in->required('bodySHA256', Read::text(...)),
        );
    }

    public function jsonSerialize(): object
    {
        return Members::written($this);
    }
}

enum EventRecordErased: string
{
    case Request = 'request';
    case Inquiry = 'inquiry';
    case Peer = 'peer';
}

/**
 * In place of `request`, `inquiry` and `peer` where they are sealed and were changed since, so that
 * they cannot be opened.
 */
final readonly class EventRecordSealed extends Value
{
    public function __construct(
        public EventRecordSealedOf|string $of,
        public string $bytes,
    ) {
    }

    public static function read(mixed $value, string $place = 'EventRecordSealed'): static
    {
        $in = new Members($value, $place);
        return new self(
            of: $in->required('of', Read::word(EventRecordSealedOf::class)),
            bytes: $in->required('bytes', Read::text(...)),
        );
    }

    public function jsonSerialize(): object
    {
        return Members::written($this);
    }
}

enum EventRecordSealedOf: string
{
    case Request = 'request';
    case Inquiry = 'inquiry';
    case Peer = 'peer';
}

final readonly class EventPage extends Value
{
    public function __construct(
        /** Identity of the journal or database. */
        public string $store,
        /**
         * Records of the journal, schema 1.
         * @var list<EventRecord>
         */
        public array $events,
        /** `after` of the next page. */
        public int $next,
        /** Requested records that retention has deleted; left out if there are none. */
        public ?EventPageGap $gap = null,
    ) {
    }

    public static function read(mixed $value, string $place = 'EventPage'): static
    {
        $in = new Members($value, $place);
        return new self(
            store: $in->required('store', Read::text(...)),
            events: $in->required('events', Read::list(EventRecord::read(...))),
            next: $in->required('next', Read::integer(...)),
            gap: $in->optional('gap', EventPageGap::read(...)),
        );
    }

    public function jsonSerialize(): object
    {
        return Members::written($this);
    }
}

/** Requested records that retention has deleted; left out if there are none. */
final readonly class EventPageGap extends Value
{
    public function __construct(
        public int $from,
        public int $to,
    ) {
    }

    public static function read(mixed $value, string $place = 'EventPageGap'): static
    {
        $in = new Members($value, $place);
        return new self(
            from: $in->required('from', Read::integer(...)),
            to: $in->required('to', Read::integer(...)),
        );
    }

    public function jsonSerialize(): object
    {
        return Members::written($this);
    }
}

/** One order, with everything that was reported. */
final readonly class Order extends Value
{
    public function __construct(
        public Status|string $status,
        /**
         * The amount paid; while nothing is paid, the amount to be paid by the provider's word. The
         * lowest of several claims; null if unknown.
         */
        public ?Money $amount,
        /**
         * The amount authorised, or captured at once; null if there is none or it was not reported.
         */
        public ?Money $authorized,
        /** The amount captured; zero if there is none; null if its currency or sum is unknown. */
        public ?Money $captured,
        /**
         * The amount refunded; zero if there is none; null if its sum or currency is unknown, as
         * with candidates.
         */
        public ?Money $refunded,
        /** @var list<Flag|string> */
        public array $flags,
        public string $endpoint,
        /** Null while only aliases and provider ids are known. */
        public ?string $reference,
        /** @var list<Attempt> */
        public array $attempts,
        /**
         * Including failed and pending ones.
         * @var list<Action>
         */
        public array $refunds,
        /** @var list<Action> */
        public array $disputes,
        /** Its newest record. A decision about the order must name it. */
        public int $last,
        /**
         * Its records, the newest 1000; with `too_many_events`, those before the limit.
         * @var list<int>
         */
        public array $sequences,
        public ?Reason $reason = null,
        /**
         * The payment method in the provider's word, such as `card`, `VISA` or `GCASH`; left out if
         * not reported.
         */
        public ?string $method = null,
        /**
         * The provider's id of the agreement of which the payment is an instalment; left out if
         * there is none.
         */
        public ?string $agreement = null,
        /**
         * References of other orders that claim a payment with the same id, the first few in order;
         * left out if there are none.
         * @var list<string>
         */
        public ?array $sharedWith = null,
        /**
         * Other references of the order, such as that of a refund; left out if there are none.
         * @var list<string>
         */
        public ?array $aliases = null,
        /**
         * References of the payments that are tries of this order, as registered with `order`; left
         * out if there are none.
         * @var list<string>
         */
        public ?array $tries = null,
        /**
         * The differing amounts of one operation, ascending; left out if they agree. The lowest
         * counts.
         * @var list<Money>
         */
        public ?array $claims = null,
        /**
         * The possible refunded sums, ascending, if the provider's words allow several.
         * @var list<Money>
         */
        public ?array $candidates = null,
        public ?Expected $expected = null,
        /**
         * Left out when there are none.
         * @var list<RefundClaim>
         */
        public ?array $refundClaims = null,
        /**
         * Left out when there are none.
         * @var list<Reversal>
         */
        public ?array $reversals = null,
        /** Lengths of the lists, if one has more than 100 elements. */
        public ?\stdClass $counts = null,
        public ?Resolution $resolution = null,
        /** The records since `too_many_events`, which are not added up; they are in `/events`. */
        public ?OrderLater $later = null,
        /**
         * Its repeated notifications, on request. Repetitions are not recorded: each process counts
         * those that it received, in memory, for at least the 8,192 most recently repeated records.
         */
        public ?OrderRepetitions $repetitions = null,
        /**
         * Only in the answer to an expectation, if `outcome` is configured: for the shopper's app,
         * see `/outcome/{token}`.
         */
        public ?string $outcomeToken = null,
    ) {
    }

    public static function read(mixed $value, string $place = 'Order'): static
    {
        $in = new Members($value, $place);
        return new self(
            status: $in->required('status', Read::word(Status::class)),
            amount: $in->nullable('amount', Money::read(...)),
            authorized: $in->nullable('authorized', Money::read(...)),
            captured: $in->nullable('captured', Money::read(...)),
            refunded: $in->nullable('refunded', Money::read(...)),
            flags: $in->required('flags', Read::list(Read::word(Flag::class))),
            endpoint: $in->required('endpoint', Read::text(...)),
            reference: $in->nullable('reference', Read::text(...)),
            attempts: $in->required('attempts', Read::list(Attempt::read(...))),
            refunds: $in->required('refunds', Read::list(Action::read(...))),
            disputes: $in->required('disputes', Read::list(Action::read(...))),
            last: $in->required('last', Read::integer(...)),
            sequences: $in->required('sequences', Read::list(Read::integer(...))),
            reason: $in->optional('reason', Reason::read(...)),
            method: $in->optional('method', Read::text(...)),
            agreement: $in->optional('agreement', Read::text(...)),
            sharedWith: $in->optional('sharedWith', Read::list(Read::text(...))),
            aliases: $in->optional('aliases', Read::list(Read::text(...))),
            tries: $in->optional('tries', Read::list(Read::text(...))),
            claims: $in->optional('claims', Read::list(Money::read(...))),
            candidates: $in->optional('candidates', Read::list(Money::read(...))),
            expected: $in->optional('expected', Expected::read(...)),
            refundClaims: $in->optional('refundClaims', Read::list(RefundClaim::read(...))),
            reversals: $in->optional('reversals', Read::list(Reversal::read(...))),
            counts: $in->optional('counts', Read::map(Read::integer(...))),
            resolution: $in->optional('resolution', Resolution::read(...)),
            later: $in->optional('later', OrderLater::read(...)),
            repetitions: $in->optional('repetitions', OrderRepetitions::read(...)),
            outcomeToken: $in->optional('outcomeToken', Read::text(...)),
        );
    }

    public function jsonSerialize(): object
    {
        return Members::written($this, 'amount', 'authorized', 'captured', 'refunded', 'reference');
    }
}

/** An attempt to pay. */
final readonly class Attempt extends Value
{
    public function __construct(
        /** Empty if the notification named none. */
        public string $transaction,
        /** Null if only an unsuccessful capture has named it. */
        public AttemptStatus|string|null $status,
        /** The sum of its successful captures; without captures, the reported amount. */
        public ?Money $amount,
        /** The authorised amount, or the amount captured at once. */
        public ?Money $authorized,
        /** @var list<Action> */
        public array $captures,
        /**
         * The payment method in the provider's word, such as `card`, `VISA` or `GCASH`; left out if
         * not reported.
         */
        public ?string $method = null,
        /**
         * The provider's id of the agreement of which the payment is an instalment; left out if
         * there is none.
         */
        public ?string $agreement = null,
        public ?Reason $reason = null,
        /**
         * The differing amounts of one operation, ascending; left out if they agree. The lowest
         * counts.
         * @var list<Money>
         */
        public ?array $claims = null,
    ) {
    }

    public static function read(mixed $value, string $place = 'Attempt'): static
    {
        $in = new Members($value, $place);
        return new self(
            transaction: $in->required('transaction', Read::text(...)),
            status: $in->nullable('status', Read::word(AttemptStatus::class)),
            amount: $in->nullable('amount', Money::read(...)),
            authorized: $in->nullable('authorized', Money::read(...)),
            captures: $in->required('captures', Read::list(Action::read(...))),
            method: $in->optional('method', Read::text(...)),
            agreement: $in->optional('agreement', Read::text(...)),
            reason: $in->optional('reason', Reason::read(...)),
            claims: $in->optional('claims', Read::list(Money::read(...))),
        );
    }

    public function jsonSerialize(): object
    {
        return Members::written($this, 'status', 'amount', 'authorized');
    }
}

enum AttemptStatus: string
{
    case Pending = 'pending';
    case Authorized = 'authorized';
    case Expired = 'expired';
    case Canceled = 'canceled';
    case TryFailed = 'try_failed';
    case Failed = 'failed';
    case Paid = 'paid';
}

/** A capture, refund or dispute. */
final readonly class Action extends Value
{
    public function __construct(
        public string $id,
        /** Captures and refunds: pending, succeeded, failed; disputes: open, closed, won, lost. */
        public ?string $status,
        public ?Money $amount,
        /** The provider's id of the payment, capture or refund that it is about, if reported. */
        public ?string $transaction = null,
        public ?Reason $reason = null,
        /**
         * The differing amounts of one operation, ascending; left out if they agree. The lowest
         * counts.
         * @var list<Money>
         */
        public ?array $claims = null,
    ) {
    }

    public static function read(mixed $value, string $place = 'Action'): static
    {
        $in = new Members($value, $place);
        return new self(
            id: $in->required('id', Read::text(...)),
            status: $in->nullable('status', Read::text(...)),
            amount: $in->nullable('amount', Money::read(...)),
            transaction: $in->optional('transaction', Read::text(...)),
            reason: $in->optional('reason', Reason::read(...)),
            claims: $in->optional('claims', Read::list(Money::read(...))),
        );
    }

    public function jsonSerialize(): object
    {
        return Members::written($this, 'status', 'amount');
    }
}

/** A refund with several possible readings (Citcon), as reported. */
final readonly class RefundClaim extends Value
{
    public function __construct(
        /** The refund's own, or the charge's. */
        public string $id,
        public RefundClaimStatus|string $status,
        public ?Money $amount,
        public ?Money $amountRefunded,
    ) {
    }

    public static function read(mixed $value, string $place = 'RefundClaim'): static
    {
        $in = new Members($value, $place);
        return new self(
            id: $in->required('id', Read::text(...)),
            status: $in->required('status', Read::word(RefundClaimStatus::class)),
            amount: $in->nullable('amount', Money::read(...)),
            amountRefunded: $in->nullable('amountRefunded', Money::read(...)),
        );
    }

    public function jsonSerialize(): object
    {
        return Members::written($this, 'amount', 'amountRefunded');
    }
}

enum RefundClaimStatus: string
{
    case Pending = 'pending';
    case Succeeded = 'succeeded';
    case Failed = 'failed';
}

/** An operation that undoes the one named by `transaction`, or raises an authorisation. */
final readonly class Reversal extends Value
{
    public function __construct(
        public string $id,
        public ReversalKind|string $of,
        public ReversalStatus|string|null $status,
        public ?Money $amount,
        public ?string $transaction = null,
        public ?Reason $reason = null,
        /**
         * The differing amounts of one operation, ascending; left out if they agree. The lowest
         * counts.
         * @var list<Money>
         */
        public ?array $claims = null,
    ) {
    }

    public static function read(mixed $value, string $place = 'Reversal'): static
    {
        $in = new Members($value, $place);
        return new self(
            id: $in->required('id', Read::text(...)),
            of: $in->required('of', Read::word(ReversalKind::class)),
            status: $in->nullable('status', Read::word(ReversalStatus::class)),
            amount: $in->nullable('amount', Money::read(...)),
            transaction: $in->optional('transaction', Read::text(...)),
            reason: $in->optional('reason', Reason::read(...)),
            claims: $in->optional('claims', Read::list(Money::read(...))),
        );
    }

    public function jsonSerialize(): object
    {
        return Members::written($this, 'status', 'amount');
    }
}

enum ReversalStatus: string
{
    case Pending = 'pending';
    case Succeeded = 'succeeded';
    case Failed = 'failed';
}

/** A person's decision about the order in `review`. */
final readonly class Resolution extends Value
{
    public function __construct(
        /**
         * The person's name; `admin` for the token without a person; `local` if none is required.
         */
        public string $by,
        public string $resolved,
        public string $reason,
        public Status|string $status,
        public ?Money $captured,
        public ?Money $refunded,
        /** The record of the act. */
        public int $sequence,
        /**
         * False if it no longer decides the status: new events were reported, or the facts no
         * longer need a decision.
         */
        public bool $stands,
    ) {
    }

    public static function read(mixed $value, string $place = 'Resolution'): static
    {
        $in = new Members($value, $place);
        return new self(
            by: $in->required('by', Read::text(...)),
            resolved: $in->required('resolved', Read::text(...)),
            reason: $in->required('reason', Read::text(...)),
            status: $in->required('status', Read::word(Status::class)),
            captured: $in->nullable('captured', Money::read(...)),
            refunded: $in->nullable('refunded', Money::read(...)),
            sequence: $in->required('sequence', Read::integer(...)),
            stands: $in->required('stands', Read::boolean(...)),
        );
    }

    public function jsonSerialize(): object
    {
        return Members::written($this, 'captured', 'refunded');
    }
}

/** The records since `too_many_events`, which are not added up; they are in `/events`. */
final readonly class OrderLater extends Value
{
    public function __construct(
        public int $count,
        public int $last,
    ) {
    }

    public static function read(mixed $value, string $place = 'OrderLater'): static
    {
        $in = new Members($value, $place);
        return new self(
            count: $in->required('count', Read::integer(...)),
            last: $in->required('last', Read::integer(...)),
        );
    }

    public function jsonSerialize(): object
    {
        return Members::written($this);
    }
}

/**
 * Its repeated notifications, on request. Repetitions are not recorded: each process counts those
 * that it received, in memory, for at least the 8,192 most recently repeated records.
 */
final readonly class OrderRepetitions extends Value
{
    public function __construct(
        /** Start of the count. */
        public string $since,
        /** @var list<OrderRepetitionsRecord> */
        public array $records,
    ) {
    }

    public static function read(mixed $value, string $place = 'OrderRepetitions'): static
    {
        $in = new Members($value, $place);
        return new self(
            since: $in->required('since', Read::text(...)),
            records: $in->required('records', Read::list(OrderRepetitionsRecord::read(...))),
        );
    }

    public function jsonSerialize(): object
    {
        return Members::written($this);
    }
}

final readonly class OrderRepetitionsRecord extends Value
{
    public function __construct(
        /** The record of the first occurrence. */
        public int $sequence,
        /** Number of repetitions. */
        public int $times,
        /** Time of the last repetition. */
        public string $last,
    ) {
    }

    public static function read(mixed $value, string $place = 'OrderRepetitionsRecord'): static
    {
        $in = new Members($value, $place);
        return new self(
            sequence: $in->required('sequence', Read::integer(...)),
            times: $in->required('times', Read::integer(...)),
            last: $in->required('last', Read::text(...)),
        );
    }

    public function jsonSerialize(): object
    {
        return Members::written($this);
    }
}
