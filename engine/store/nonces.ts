import type { Database } from 'better-sqlite3';
import type { Network } from '../domain/chain.ts';

/** A place in the order of an account's transactions, of which one can ever be mined. */
export interface Nonce {
  readonly network: Network;
  /** The address whose transactions it orders, as text. */
  readonly account: string;
  readonly nonce: number;
}

/**
 * Nonces of account chains, each promised to one wallet job or act of a swap. Given to two of them one would replace the
 * other's transaction; left out, all later ones would wait for it.
 */
export function noncesTable(db: Database) {
  const insert = db.prepare(
    `INSERT INTO nonces (network, account, nonce, subject, reserved_at) VALUES (?, ?, ?, ?, ?)`,
  );
  const own = db.prepare<[string, string, string], { nonce: number }>(
    `SELECT nonce FROM nonces WHERE network = ? AND account = ? AND subject = ?`,
  );
  const taken = db.prepare<[string, string, number], { nonce: number }>(
    `SELECT nonce FROM nonces WHERE network = ? AND account = ? AND nonce >= ? ORDER BY nonce`,
  );
  const free = db.prepare(
    `DELETE FROM nonces WHERE network = ? AND account = ? AND subject = ? AND NOT EXISTS (
       SELECT 1 FROM transactions AS made
       WHERE made.network = nonces.network AND made.account = nonces.account AND made.nonce = nonces.nonce)`,
  );
  return {
    /** The lowest that nobody has, from the chain's own count on; the same one again for the same subject. */
    reserve(of: { network: Network; account: string; subject: string; from: number }, now: number): Nonce {
      const { network, account, subject, from } = of;
      const before = own.get(network, account, subject);
      if (before !== undefined) return { network, account, nonce: before.nonce };
      let nonce = from;
      for (const one of taken.iterate(network, account, from)) {
        if (one.nonce !== nonce) break;
        nonce += 1;
      }
      insert.run(network, account, nonce, subject, now);
      return { network, account, nonce };
    },
    /** False where a transaction was signed with it, whatever became of that one: it may be mined still. */
    free({ network, account, subject }: { network: Network; account: string; subject: string }): boolean {
      return free.run(network, account, subject).changes === 1;
    },
  };
}
