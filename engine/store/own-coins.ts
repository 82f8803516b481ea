import type { Database } from 'better-sqlite3';
import { asXOnly, type XOnly } from '../domain/hash.ts';
import { sats, type Sats } from '../domain/money.ts';
import { outpointKey, type Outpoint, type Txid } from '../domain/outpoint.ts';
import type { Unix } from '../domain/time.ts';

/** A coin of the node's own Arkade wallet, with what its script is made of beside our key. */
export interface OwnCoin {
  readonly outpoint: Outpoint;
  readonly amount: Sats;
  readonly signer: XOnly;
  readonly exitDelay: number;
}

export interface OwnCoinRow extends OwnCoin {
  readonly seenAt: Unix;
  /** It left the operator for the chain. */
  readonly unrolled: boolean;
  /** Median time past and height of the tip when it was first seen in a block; null before. */
  readonly mined: { readonly mtp: Unix; readonly height: number } | null;
}

interface Raw {
  outpoint: string;
  amount: string;
  signer: Uint8Array;
  exit_delay: number;
  seen_at: number;
  unrolled: number;
  mined_mtp: number | null;
  height: number | null;
}

function fromRaw(raw: Raw): OwnCoinRow {
  return {
    outpoint: { txid: raw.outpoint.slice(0, 64), vout: Number(raw.outpoint.slice(65)) },
    amount: sats(BigInt(raw.amount)),
    signer: asXOnly(new Uint8Array(raw.signer)),
    exitDelay: raw.exit_delay,
    seenAt: raw.seen_at as Unix,
    unrolled: raw.unrolled === 1,
    mined: raw.mined_mtp === null || raw.height === null ? null : { mtp: raw.mined_mtp as Unix, height: raw.height },
  };
}

export function ownCoinsTable(db: Database) {
  const insert = db.prepare(
    'INSERT INTO own_coins (outpoint, amount, signer, exit_delay, seen_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO ' +
      'NOTHING',
  );
  const all = db.prepare<[], Raw>(`SELECT * FROM own_coins ORDER BY outpoint`);
  const terms = db.prepare<[], Pick<Raw, 'signer' | 'exit_delay'>>(`SELECT DISTINCT signer, exit_delay FROM own_coins`);
  const unrolled = db.prepare(`UPDATE own_coins SET unrolled = 1 WHERE outpoint = ?`);
  const mined = db.prepare(`UPDATE own_coins SET mined_mtp = ?, height = ? WHERE outpoint = ?`);
  const madeBy = db.prepare<[string, string], Raw>(`SELECT * FROM own_coins WHERE outpoint > ? AND outpoint < ?`);
  const forget = db.prepare(`DELETE FROM own_coins WHERE outpoint = ?`);
  return {
    /** Says nothing of one that is known. */
    keep({ outpoint, amount, signer, exitDelay }: OwnCoin, now: number): void {
      insert.run(outpointKey(outpoint), amount.toString(), signer, exitDelay, now);
    },
    all(): OwnCoinRow[] {
      return all.all().map(fromRaw);
    },
    /** Those that a transaction made. */
    madeBy: (txid: Txid): OwnCoinRow[] => madeBy.all(`${txid}:`, `${txid};`).map(fromRaw),
    /** What the scripts of these coins are made of, each once. */
    terms(): Pick<OwnCoin, 'signer' | 'exitDelay'>[] {
      return terms
        .all()
        .map(({ signer, exit_delay: exitDelay }) => ({ signer: asXOnly(new Uint8Array(signer)), exitDelay }));
    },
    unrolled(outpoint: Outpoint): void {
      unrolled.run(outpointKey(outpoint));
    },
    mined(outpoint: Outpoint, at: { readonly mtp: Unix; readonly height: number }): void {
      mined.run(at.mtp, at.height, outpointKey(outpoint));
    },
    forget(outpoint: Outpoint): void {
      forget.run(outpointKey(outpoint));
    },
  };
}
