/**
 * What the networks saw, with the machine's clock in milliseconds: a look-up, a payment of the node that settled, ...
 */
export interface Traced {
  readonly what: 'look' | 'paid' | 'settle' | 'submit' | 'public' | 'send' | 'log' | 'call' | 'sent' | 'read' | 'mined';
  /** A payment hash, a script, a transaction id, or of an EVM chain the signed bytes or the method of a call. */
  readonly key: string;
  readonly at: number;
}

export async function takeTrace(url: string): Promise<Traced[]> {
  return (await (await fetch(`${url}/trace`)).json()) as Traced[];
}

/** When something was noted first; not a number where it never was. */
export function firstOf(trace: readonly Traced[], what: Traced['what'], key: string): number {
  return trace.find((one) => one.what === what && one.key === key)?.at ?? Number.NaN;
}

/** Keeps every payment on its way until they are released. */
export async function holdPayments(url: string): Promise<void> {
  await fetch(`${url}/hold`, { method: 'POST' });
}

export async function paymentsHeld(url: string): Promise<number> {
  return (await (await fetch(`${url}/held`)).json()) as number;
}

/** Lets one arrive, or all that are held at once; answers when. */
export async function releasePayments(url: string, which: 'one' | 'all'): Promise<number> {
  const reply = await fetch(url + (which === 'one' ? '/release-one' : '/release'), { method: 'POST' });
  return ((await reply.json()) as { at: number }).at;
}

export interface Quantiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly worst: number;
  readonly samples: number;
}

/** Of milliseconds, rounded to microseconds. */
export function quantiles(samples: readonly number[]): Quantiles {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (share: number) =>
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN) * 1_000) / 1_000;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), worst: at(1), samples: sorted.length };
}
