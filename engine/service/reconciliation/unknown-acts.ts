import { isEvm, type EvmNetwork } from '../../domain/chain.ts';
import { PortFailure } from '../../domain/errors.ts';
import type { Sha256 } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import type { SwapStatus } from '../../domain/status.ts';
import { minedFromMemory } from '../../runtime/networks/evm/from-memory.ts';
import { evmOf } from '../../runtime/ports.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Entry } from '../../runtime/working-set.ts';

/** Swaps that are looked at: the newest are what a rollback forgets. */
const mostSwaps = 200;
const toldSpends = 'told-spends';

export interface UnknownAct {
  readonly shown: string;
  /** Call once it was told: what stays to be seen for ever is told once. */
  told?(): void;
}

/** States in which nothing of ours was asked of the Lightning node yet, or nothing that can have an answer. */
const before: ReadonlySet<SwapStatus> = new Set(['pending', 'clientfundingseen', 'clientfunded']);

/**
 * What the wallets and the Lightning node did that this database does not know (facts/faults.md 72), a fact each: a
 * transaction of ours, an invoice, a payment or an address that was shown comes after its row or note on the disk, so
 * none of them is found where the database is the one that made it. A network that does not answer shows nothing.
 */
export async function unknownActs(runtime: Runtime): Promise<readonly UnknownAct[]> {
  const chains = Object.keys(runtime.ports).filter(isEvm);
  const looks = [
    arkadeSpends(runtime),
    lightningActs(runtime),
    bitcoinCoins(runtime),
    ...chains.map((chain) => evmNonces(runtime, chain)),
  ];
  return (await Promise.all(looks.map(ifAnswered))).flat();
}

async function ifAnswered(look: Promise<readonly UnknownAct[]>): Promise<readonly UnknownAct[]> {
  try {
    return await look;
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    return [];
  }
}

/**
 * Of the coins that are on record as the wallet's: those of a transaction that the database knows leave the record when
 * it is final.
 */
async function arkadeSpends({ ports: { arkade }, store }: Runtime): Promise<readonly UnknownAct[]> {
  if (arkade === null) return [];
  const coins = store.ownCoins.all();
  const listed = await arkade.coinsAt(coins.map(({ outpoint }) => outpoint));
  const former = new Set(store.settings.get<readonly string[]>(toldSpends));
  const unknown = listed.flatMap(({ amount, spentIn }) =>
    spentIn === null || former.has(spentIn) || store.transactions.byId(spentIn) !== null ? [] : [{ amount, spentIn }],
  );
  return unknown.map(({ amount, spentIn }) => ({
    shown: `${amount} sats left the Arkade wallet in transaction ${spentIn}`,
    told() {
      const before = store.settings.get<readonly string[]>(toldSpends) ?? [];
      store.settings.put(toldSpends, [...new Set([...before, spentIn])]);
    },
  }));
}

/**
 * Coins of the Bitcoin wallet that a transaction of ours spent which the database does not know, and those that came to
 * a key which it did not give out.
 */
async function bitcoinCoins({ ports: { bitcoin, bitcoinWallet }, store }: Runtime): Promise<readonly UnknownAct[]> {
  if (bitcoin === null || bitcoinWallet === undefined) return [];
  await bitcoinWallet.balance([]);
  const { chainCoins, transactions } = store;
  const { spent, forgotten } = chainCoins.unexplained();
  const acts: UnknownAct[] = forgotten.map((coin) => ({
    shown:
      `${coin.amount} sats came to an address of the Bitcoin wallet that was not given out here, in transaction ` +
      `${coin.outpoint.txid}`,
    told: () => chainCoins.explained([coin]),
  }));
  for (const coin of spent) {
    const spend = await bitcoin.spend(coin.outpoint);
    // In no block it may be gone again, or made up by one source.
    if (spend === null || spend.height === null) continue;
    if (transactions.byId(spend.txid) !== null) chainCoins.explained([coin]);
    else
      acts.push({
        shown: `${coin.amount} sats left the Bitcoin wallet in transaction ${spend.txid}`,
        told: () => chainCoins.explained([coin]),
      });
  }
  return acts;
}

async function lightningActs({ ports: { lightning }, store, workingSet }: Runtime): Promise<readonly UnknownAct[]> {
  if (lightning === null) return [];
  const acts: UnknownAct[] = [];
  for (const id of store.swaps.openIds().slice(-mostSwaps)) {
    const entry = workingSet.readable(id);
    const hash = entry === null ? null : hashIn(entry.row.terms);
    if (entry === null || hash === null || !isBefore(entry)) continue;
    const notes = entry.machine.notes ?? [];
    // Looked up before and after the answer: by then a swap that began meanwhile has its note (facts/faults.md 213),
    // and one that ended has dropped it (facts/faults.md 221).
    const isUnknown = (act: 'invoice' | 'payment') =>
      notes.includes(act) &&
      isBefore(workingSet.readable(id)) &&
      !store.intents.known(act, entry.machine.hash160(entry.row.terms));
    if (isUnknown('payment') && (await lightning.payment(hash)).is !== 'absent' && isUnknown('payment'))
      acts.push({ shown: `the Lightning node has a payment for swap ${id}` });
    if (isUnknown('invoice') && (await lightning.hold(hash)).is !== 'absent' && isUnknown('invoice'))
      acts.push({ shown: `the Lightning node has an invoice for swap ${id}` });
  }
  return acts;
}

function isBefore(entry: Entry | null): boolean {
  return entry !== null && entry.row.open && before.has(entry.row.status);
}

function hashIn(terms: unknown): Sha256 | null {
  const hash = (terms as { hash?: unknown } | null)?.hash;
  return hash instanceof Uint8Array && hash.length === 32 ? (hash as Sha256) : null;
}

/**
 * Transactions of our account that are mined beyond those that the database has; none where it has no transaction of
 * that account at all, nor by the word of one RPC while the others are silent.
 */
async function evmNonces({ ports, store }: Runtime, network: EvmNetwork): Promise<readonly UnknownAct[]> {
  const port = evmOf(ports, network);
  const account = toHex(port.account());
  if (!store.nonces.isUsed({ network, account })) return [];
  const { mined, alone = false } = await port.nonces();
  const name = seenOf(network);
  if (alone || mined === 0 || mined <= store.counters.peek(name)) return [];
  const isKnown = (nonce: number): boolean => store.nonces.next({ network, account, from: nonce }) > nonce;
  let last = mined - 1;
  if (isKnown(last)) return [];
  for (const claimed = await minedFromMemory(store, port, network); claimed.has(last);) last -= 1;
  if (last < 0 || isKnown(last)) return [];
  return [
    {
      shown: `the node's account on ${network} made its transaction ${last}`,
      told() {
        store.atomically(() => store.counters.take(name, mined - 1));
      },
    },
  ];
}

function seenOf(network: EvmNetwork): string {
  return `nonces-seen ${network}`;
}
