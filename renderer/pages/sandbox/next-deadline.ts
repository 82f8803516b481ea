type Moment = number | null;

/** What of a swap says when something changes for it. */
interface Waiting {
  readonly open: boolean;
  readonly turn: { readonly until: Moment };
  readonly refund: { readonly from: Moment };
  readonly times: {
    readonly pay_until: Moment;
    readonly normal_until: Moment;
    readonly refund_signed_from: Moment;
    readonly refund_alone_from: Moment;
    readonly danger_from: Moment;
    readonly last: Moment;
  };
}

/** The first moment after `now` at which something changes for an open swap; null where nothing waits. Unix seconds. */
export function nextDeadline(swaps: readonly Waiting[], now: number): Moment {
  const moments = swaps
    .filter(({ open }) => open)
    .flatMap(({ times, turn, refund }) => [
      turn.until,
      refund.from,
      times.pay_until,
      times.normal_until,
      times.refund_signed_from,
      times.refund_alone_from,
      times.danger_from,
      times.last,
    ])
    .filter((moment) => moment !== null && moment > now);
  return moments.length === 0 ? null : Math.min(...moments.map(Number));
}
