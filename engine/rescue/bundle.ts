import { z } from 'zod';
import type { BitcoinNetwork } from '../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import { outpointKey } from '../domain/outpoint.ts';
import type { Unix } from '../domain/time.ts';
import type { WalletTerms } from '../legs/arkade/vtxo.ts';
import { rescueEntry, type RescueEntry } from '../legs/rescue.ts';
import { exactly, unix, xOnly } from '../legs/shape.ts';
import { decode, encode } from '../store/codec.ts';
import { newWriter, openSegments, sealFile, type SealingKey } from './segments.ts';
import { troubleShape, type Trouble } from './troubles.ts';
import { exitPathsShape, type ExitPaths } from './exit-paths.ts';

/** What brings open swaps home without the database, as all segments of its file together have it. */
export interface Bundle {
  readonly written: Unix;
  readonly swaps: readonly RescueEntry[];
  /** Below these, keys of the branches were used. */
  readonly counters: { readonly swap: number; readonly deposit: number; readonly change: number };
  /** Signers and delays under which the Arkade wallet has coins. */
  readonly walletTerms: readonly WalletTerms[];
  /** What brings coins at the operator to the chain when it is gone. */
  readonly exitPaths: ExitPaths;
  /** What the command found wanting of the operator; a node writes none. */
  readonly troubles: readonly Trouble[];
}

/** What is not listed, and written whole where any of it changes. */
export type Rest = Pick<Bundle, 'counters' | 'walletTerms' | 'troubles'>;

export interface OpenBundle extends Bundle {
  /** Bytes at the end of the file that are no whole segment: what was written last may not be in the bundle. */
  readonly lost: number;
}

/** Of each, every one has a key by which it is changed and goes. */
export const listNames = ['swaps', 'coins', 'roots', 'transactions'] as const;
export type ListName = (typeof listNames)[number];

/** Of one list: what is put under a key, encoded, and the keys of what is over. */
export interface Changed {
  readonly put: readonly (readonly [key: string, text: string])[];
  readonly gone: readonly string[];
}

const counter = z.number();
const content = exactly<Bundle>()(
  z.strictObject({
    written: unix,
    swaps: z.array(rescueEntry),
    counters: z.strictObject({ swap: counter, deposit: counter, change: counter }),
    walletTerms: z.array(z.strictObject({ signer: xOnly, exitDelay: z.number() })),
    exitPaths: exitPathsShape,
    troubles: z.array(troubleShape),
  }),
);

const changed = z.strictObject({ put: z.array(z.tuple([z.string(), z.unknown()])), gone: z.array(z.string()) });
const segment = z.strictObject({
  written: unix,
  rest: z.record(z.string(), z.unknown()).optional(),
  swaps: changed.optional(),
  coins: changed.optional(),
  roots: changed.optional(),
  transactions: changed.optional(),
});

/** What a segment says, of parts that are encoded already: most of a bundle stays, and is not encoded again. */
export function segmentText(
  written: Unix,
  rest: string | null,
  lists: { readonly [L in ListName]?: Changed | undefined },
): string {
  const parts = listNames.flatMap((name) => {
    const list = lists[name];
    if (list === undefined || list.put.length + list.gone.length === 0) return [];
    const put = list.put.map(([key, text]) => `[${JSON.stringify(key)},${text}]`).join(',');
    return [`,"${name}":{"put":[${put}],"gone":${JSON.stringify(list.gone)}}`];
  });
  return `{"written":${written}${rest === null ? '' : `,"rest":${rest}`}${parts.join('')}}`;
}

/** All of it in one segment. */
export function sealBundle(bundle: Bundle, network: BitcoinNetwork, keys: SealingKey): Uint8Array {
  const { written, counters, walletTerms, troubles, swaps, exitPaths } = bundle;
  const list = <T>(all: readonly T[], keyOf: (one: T, index: number) => string): Changed => ({
    put: all.map((one, index) => [keyOf(one, index), encode(one)]),
    gone: [],
  });
  const text = segmentText(written, encode({ counters, walletTerms, troubles } satisfies Rest), {
    swaps: list(swaps, ({ id }) => id),
    coins: list(exitPaths.coins, ({ outpoint }) => outpointKey(outpoint)),
    roots: list(exitPaths.roots, ({ outpoint }) => outpointKey(outpoint)),
    transactions: list(exitPaths.transactions, (_, index) => String(index)),
  });
  return sealFile(text, { network, writer: newWriter(), rewriting: 0 }, keys).bytes;
}

/** The content, or one sentence that says what is wrong with the file and what to do. `name` is what to call it. */
export function openBundle(
  name: string,
  bytes: Uint8Array,
  network: BitcoinNetwork,
  keys: SealingKey,
): OpenBundle | Refusal {
  const segments = openSegments(name, bytes, network, keys);
  if (isRefusal(segments)) return segments;
  const whole = content.safeParse(together(segments.texts));
  return whole.success
    ? { ...whole.data, lost: segments.lost }
    : refuse('invalid', `${name} holds what this build does not read: use the Sluice that wrote it.`);
}

/** As it stands after the last segment; null where one cannot be read. */
function together(texts: readonly string[]): object | null {
  const newList = () => new Map<string, unknown>();
  const all = { swaps: newList(), coins: newList(), roots: newList(), transactions: newList() };
  let rest: object = {};
  let written: Unix | null = null;
  for (const text of texts) {
    const read = segment.safeParse(decode(text));
    if (!read.success) return null;
    for (const list of listNames) apply(all[list], read.data[list]);
    rest = read.data.rest ?? rest;
    ({ written } = read.data);
  }
  const [swaps, coins, roots, transactions] = listNames.map((list) => [...all[list].values()]);
  return { ...rest, written, swaps, exitPaths: { coins, roots, transactions } };
}

function apply(all: Map<string, unknown>, list: z.output<typeof changed> | undefined): void {
  for (const key of list?.gone ?? []) all.delete(key);
  for (const [key, one] of list?.put ?? []) all.set(key, one);
}
