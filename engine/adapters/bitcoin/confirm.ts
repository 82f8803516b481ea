import { PortFailure } from '../../domain/errors.ts';
import { createLatest } from '../../domain/latest.ts';
import { outpointKey, type Outpoint, type Txid } from '../../domain/outpoint.ts';
import type { HeaderChain } from './header-chain.ts';
import { merkleRootOf } from './merkle.ts';
import type { RawTransaction } from '../../legs/raw-tx.ts';
import { readTransaction } from './raw.ts';
import type { SourceState } from './source-state.ts';

/** How long the block at a height is taken for the one that was told, in milliseconds. */
const blockKnownMs = 2_000;
/** Of transactions and of blocks that were looked at, so many are remembered. */
const remembered = 1_000;
/** Bytes of those transactions: strangers pay to our scripts with as large ones as they like (facts/faults.md 177). */
const rememberedBytes = 4_000_000;
/**
 * Of outputs and of confirmations, which are small: fewer than strangers make would be asked for at every look
 * (facts/faults.md 107).
 */
const rememberedFacts = 20_000;

type Output = RawTransaction['outputs'][number];

/** What proofs go by, and what was proven. */
interface Proving {
  readonly chain: HeaderChain;
  readonly authority: readonly SourceState[];
  readonly ready: (state: SourceState) => Promise<SourceState['source']['port']>;
  readonly caught: (state: SourceState, sentence: string) => void;
  readonly proven: Map<string, { readonly height: number; readonly hash: string }>;
  readonly blocks: Map<number, { readonly at: number; readonly hash: Promise<string | null> }>;
}

/**
 * What a source says of a transaction, held against the bytes: a spend by the spender's own, a confirmation by the way
 * from the transaction to the root of a block that every source which decides has on its best chain. One honest proof
 * beats any number of words, and one that decides and is silent confirms nothing (DECISIONS.md, "Bitcoin's sources
 * prove what they say").
 */
export function confirmations({
  chain,
  authority,
  ready,
  caught,
}: {
  readonly chain: HeaderChain;
  readonly authority: readonly SourceState[];
  readonly ready: (state: SourceState) => Promise<SourceState['source']['port']>;
  readonly caught: (state: SourceState, sentence: string) => void;
}) {
  const own: Proving = { chain, authority, ready, caught, proven: new Map(), blocks: new Map() };

  const outputs = new Map<string, Output>();
  const transactions = createLatest<Txid, RawTransaction>(remembered, rememberedBytes, ({ bytes }) => bytes.length);

  return {
    /** Of the block that holds it; null as long as only this source says so. */
    async height(state: SourceState, txid: Txid, claimedHeight: number | null): Promise<number | null> {
      if (claimedHeight === null || (authority.length === 1 && authority[0] === state)) return claimedHeight;
      try {
        return await prove(own, state, txid);
      } catch (cause) {
        if (cause instanceof PortFailure) return null;
        throw cause;
      }
    },

    /** What lies at an outpoint, by the bytes that made it: it never changes, whoever shows it. */
    async output(state: SourceState, outpoint: Outpoint): Promise<Output | null> {
      const key = outpointKey(outpoint);
      const before = outputs.get(key);
      const made = before ?? (await this.shown(state, outpoint.txid))?.outputs[outpoint.vout];
      if (made === undefined) return null;
      // Its own bytes alone: a part of the transaction's would hold all of them.
      const output = before ?? { ...made, script: Uint8Array.from(made.script) };
      remember(outputs, key, output, rememberedFacts);
      return output;
    },

    /** The transaction by its own bytes; null where the source does not show it, or shows another one. */
    async shown(state: SourceState, txid: Txid): Promise<RawTransaction | null> {
      const cached = transactions.get(txid);
      if (cached !== undefined) return cached;
      const tx = await state.source.port.transaction(txid);
      return tx === null ? null : this.read(state, txid, tx.bytes);
    },

    read(state: SourceState, txid: Txid, bytes: Uint8Array): RawTransaction | null {
      try {
        const transaction = readTransaction(bytes);
        if (transaction.txid === txid) {
          transactions.put(txid, transaction);
          return transaction;
        }
      } catch (cause) {
        if (!(cause instanceof RangeError)) throw cause;
      }
      caught(state, `shows other bytes than those of the transaction ${txid}`);
      return null;
    },

    /** Whether that transaction spends this coin, by what the source shows of it. */
    async spends(state: SourceState, txid: Txid, outpoint: Outpoint): Promise<boolean> {
      if (state.source.kind === 'node') return true;
      const transaction = await this.shown(state, txid);
      if (transaction === null) return false;
      const key = outpointKey(outpoint);
      if (transaction.inputs.some((input) => outpointKey(input) === key)) return true;
      caught(state, `says that ${txid} spends ${key}, which it does not`);
      return false;
    },
  };
}

/** What was used last leaves last. */
function remember<K, V>(map: Map<K, V>, key: K, value: V, most = remembered): void {
  map.delete(key);
  const [oldest] = map.keys();
  if (map.size >= most && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}

/** The block that all who decide have there; null where they differ, or one of them says nothing. */
async function askBlock({ authority, ready }: Proving, height: number): Promise<string | null> {
  try {
    const hashes = await Promise.all(authority.map(async (state) => (await ready(state)).hashAt(height)));
    return new Set(hashes).size === 1 ? (hashes[0] ?? null) : null;
  } catch (cause) {
    if (cause instanceof PortFailure) return null;
    throw cause;
  }
}

function blockAt(own: Proving, height: number): Promise<string | null> {
  const { blocks } = own;
  const entry = blocks.get(height);
  if (entry !== undefined && performance.now() - entry.at < blockKnownMs) return entry.hash;
  const hash = askBlock(own, height);
  remember(blocks, height, { at: performance.now(), hash });
  return hash;
}

async function rootOf({ chain, authority }: Proving, hash: string, height: number): Promise<string | null> {
  const header = chain.find(hash);
  if (header !== null) return header.merkleRoot;
  for (const state of authority) {
    const [header] = await state.source.port.headers(hash, height);
    if (header?.hash === hash) return header.merkleRoot;
  }
  return null;
}

/** Throws nothing that a source can cause: what cannot be proven now is not proven. */
async function prove(own: Proving, state: SourceState, txid: Txid): Promise<number | null> {
  const { caught, proven } = own;
  const before = proven.get(txid);
  if (before !== undefined && (await blockAt(own, before.height)) === before.hash) {
    remember(proven, txid, before, rememberedFacts);
    return before.height;
  }
  const proof = await state.source.port.proof(txid);
  if (proof === null) return null;
  const hash = await blockAt(own, proof.height);
  if (hash === null) return null;
  if ((await rootOf(own, hash, proof.height)) !== merkleRootOf(txid, proof)) {
    if ((await state.source.port.hashAt(proof.height)) === hash)
      caught(state, `says that ${txid} is in block ${proof.height}, which it is not`);
    return null;
  }
  remember(proven, txid, { height: proof.height, hash }, rememberedFacts);
  return proof.height;
}
