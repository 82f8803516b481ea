declare const unix_: unique symbol;
declare const seconds_: unique symbol;

/** A moment: whole seconds since 1970-01-01T00:00:00Z. */
export type Unix = number & { readonly [unix_]: true };

/** A span of whole seconds. */
export type Seconds = number & { readonly [seconds_]: true };

export function unix(value: number): Unix {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not a unix time in whole seconds: ${value}`);
  return value as Unix;
}

export function seconds(value: number): Seconds {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not a span in whole seconds: ${value}`);
  return value as Seconds;
}

export function after(moment: Unix, span: Seconds): Unix {
  return unix(moment + span);
}

/** Seconds from `from` until `to`; zero once `to` is past. */
export function until(from: Unix, to: Unix): Seconds {
  return seconds(Math.max(0, to - from));
}

export const minute = seconds(60);
export const hour = seconds(3_600);
export const day = seconds(86_400);

/**
 * What every decision about a timelock is taken on. `wall` is the machine's clock (the sandbox's clock in sandbox
 * mode); `mtp` is the median time past of the Bitcoin tip and `height` its height, null until a first reading: an
 * unread clock keeps every timelock closed.
 */
export interface Clocks {
  readonly wall: Unix;
  readonly mtp: Unix | null;
  readonly height: number | null;
}
