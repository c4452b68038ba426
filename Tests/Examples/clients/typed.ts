// What a shop may rely on: compiled with --strict, and never run.
import { EventRecord, Flag, Malformed, Order, Status, readEventPage, readMessage, readOrder } from "./ipnd";

export function isPaid(body: string): string | undefined {
  const event: EventRecord = readMessage(JSON.parse(body)).data;
  if (event.order === undefined || event.order.status !== "paid") return undefined;
  const minor: number | undefined = event.order.amount?.minor;
  return minor === undefined ? undefined : `${minor} ${event.order.amount?.currency}`;
}

export function statuses(answer: string): Status[] {
  return readEventPage(JSON.parse(answer)).events.flatMap((event) => event.order?.status ?? []);
}

export function flags(answer: string): Flag[] {
  const order: Order = readOrder(JSON.parse(answer));
  // @ts-expect-error: a sum that may be unknown is not used without a check.
  order.amount.minor;
  // @ts-expect-error: amounts are whole numbers of the smallest unit, and no text.
  const text: string = order.attempts[0].amount?.minor;
  return text ? order.flags : [];
}

export const problem: Error = new Malformed("x");
