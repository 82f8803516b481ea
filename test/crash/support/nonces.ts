import Database from 'better-sqlite3';
import { join } from 'node:path';
import type { AccountNonces } from './evm-oracle.ts';

interface Row {
  readonly next: number;
  readonly waiting: number;
}

/** Where the database of a node that was stopped counts other nonces than the chains do, or has one that waits. */
export function nonceFaults(dataDir: string, chains: readonly AccountNonces[]): string[] {
  const db = new Database(join(dataDir, 'sluice.db'), { readonly: true });
  try {
    const read = db.prepare<[string], Row>(
      `SELECT COALESCE(MAX(nonce) + 1, 0) AS next, COALESCE(SUM(state = 'open' AND mined IS NULL), 0) AS waiting
         FROM nonces WHERE network = ?`,
    );
    return chains.flatMap(({ chainId, mined }) => {
      const { next, waiting } = read.get(`evm:${chainId}`) ?? { next: 0, waiting: 0 };
      return next === mined && waiting === 0
        ? []
        : [`chain ${chainId} took ${mined} nonces, the node counts ${next}, of which ${waiting} wait`];
    });
  } finally {
    db.close();
  }
}
