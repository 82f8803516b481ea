import { PortFailure } from '../domain/errors.ts';
import { toHex } from '../domain/hex.ts';
import { createLatest } from '../domain/latest.ts';
import type { Txid } from '../domain/outpoint.ts';
import { bitcoinOf } from '../runtime/ports.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** Transactions that are kept in mind, most of some hundred bytes, and digits of all of them. */
const most = 500;
const mostDigits = 4_000_000;

/** Transactions of the Bitcoin chain as hex, each asked for once at a time: clients want them with every status. */
export function createRaws({ ports, store }: Pick<Runtime, 'ports' | 'store'>) {
  const byTxid = createLatest<Txid, string>(most, mostDigits, (raw) => raw.length);
  const underWay = new Map<Txid, Promise<string | null>>();

  async function bytesOf(txid: Txid): Promise<Uint8Array | null> {
    const own = store.transactions.bytes(txid);
    if (own !== null) return own;
    try {
      // A client asks as often as it likes, and replaces its coin: no block is read for it (facts/faults.md 264).
      return (await bitcoinOf(ports).glance(txid))?.bytes ?? null;
    } catch (cause) {
      if (cause instanceof PortFailure) return null;
      throw cause;
    }
  }

  async function rawOf(txid: Txid): Promise<string | null> {
    const bytes = await bytesOf(txid);
    if (bytes === null) return null;
    const raw = toHex(bytes);
    byTxid.put(txid, raw);
    return raw;
  }

  return {
    /** Null while nobody shows it. */
    async of(txid: Txid): Promise<string | null> {
      const before = byTxid.get(txid);
      if (before !== undefined) return before;
      const raw = underWay.get(txid) ?? rawOf(txid).finally(() => underWay.delete(txid));
      underWay.set(txid, raw);
      return raw;
    },
  };
}

export type Raws = ReturnType<typeof createRaws>;
