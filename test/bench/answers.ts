import { quantiles, type Quantiles } from './trace.ts';

/** A request of the node to a network, with the machine's clock in milliseconds. */
export interface Answer {
  readonly network: string;
  readonly what: string;
  readonly begun: number;
  /** Null while it is open. */
  readonly ended: number | null;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Those since they were taken last. */
export async function takeAnswers(url: string): Promise<readonly Answer[]> {
  return (await (await fetch(`${url}/answers`)).json()) as Answer[];
}

/** What was asked for and answered within a span: streams begin before or end after it. */
function within({ from, to }: Span, answers: readonly Answer[]): readonly Answer[] {
  return answers.filter(({ begun, ended }) => begun >= from && ended !== null && ended <= to);
}

export function nameOf({ network, what }: Answer): string {
  return `${network} ${what}`;
}

/** Milliseconds in which at least one answer was waited for. */
function waitedFor(answers: readonly Answer[]): number {
  let [sum, until] = [0, 0];
  for (const { begun, ended } of answers.toSorted((a, b) => a.begun - b.begun)) {
    const to = ended ?? begun;
    sum += Math.max(0, to - Math.max(begun, until));
    until = Math.max(until, to);
  }
  return sum;
}

/** How long each span was beyond the answers that it waited for, and these beside it. */
interface Shares {
  readonly share: Quantiles;
  readonly ports: { readonly p50: number; readonly p99: number; readonly calls: readonly string[] };
}

/** The whole of each span, and our own share of it. */
export function latencyOf(spans: readonly Span[], answers: readonly Answer[]): Quantiles & Shares {
  return { ...quantiles(spans.map(({ from, to }) => to - from)), ...sharesOf(spans, answers) };
}

/** What at least half of the spans ask for is theirs; the rest is asked for meanwhile, and nobody waits for it. */
function sharesOf(spans: readonly Span[], answers: readonly Answer[]): Shares {
  const each = spans.map((span) => within(span, answers));
  const counts = new Map<string, number>();
  for (const name of each.flatMap((some) => [...new Set(some.map(nameOf))]))
    counts.set(name, (counts.get(name) ?? 0) + 1);
  const own = [...counts].filter(([, count]) => count * 2 >= spans.length).map(([name]) => name);
  const waited = each.map((some) => waitedFor(some.filter((one) => own.includes(nameOf(one)))));
  const { p50, p99 } = quantiles(waited);
  return {
    share: quantiles(spans.map(({ from, to }, i) => to - from - (waited[i] ?? 0))),
    ports: { p50, p99, calls: own },
  };
}
