import { randomUUID } from 'node:crypto';
import { outpointKey } from '../../../domain/outpoint.ts';
import type { Journal } from '../journal.ts';
import type { Coin } from './coins.ts';
import { type OperatorError, refusal } from './errors.ts';

/** What a script did wrong in a batch. It is the script that is punished, whoever else may spend its coins. */
export interface Conviction {
  readonly id: string;
  readonly script: string;
  readonly crime: 'nonce' | 'signature';
  readonly cosigner: string;
  readonly roundId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly pardoned: boolean;
}

export interface ConvictionBook {
  byScript(script: string): Conviction[];
  /** Those that count now. */
  standing(script: string, now: number): Conviction[];
  add(conviction: Omit<Conviction, 'id' | 'pardoned'>): void;
  /** Whether there is such a conviction. */
  pardon(id: string): boolean;
}

const table = 'arkade.conviction';

export function openConvictionBook(journal: Journal): ConvictionBook {
  const all = new Map(journal.rows(table).map(([id, row]) => [id, row as Conviction]));

  function put(conviction: Conviction): void {
    journal.put(table, conviction.id, conviction);
    all.set(conviction.id, conviction);
  }
  function byScript(script: string): Conviction[] {
    return [...all.values()].filter((each) => each.script === script).sort((a, b) => a.createdAt - b.createdAt);
  }
  return {
    byScript,
    standing: (script, now) => byScript(script).filter(({ expiresAt, pardoned }) => !pardoned && expiresAt > now),
    add: (conviction) => put({ ...conviction, id: randomUUID(), pardoned: false }),
    pardon(id) {
      const conviction = all.get(id);
      if (conviction !== undefined) put({ ...conviction, pardoned: true });
      return conviction !== undefined;
    },
  };
}

export function reasonOf({ crime, cosigner }: Conviction): string {
  return `missing musig2 ${crime} for cosigner ${cosigner}`;
}

/** arkd prints its own row of the coin, then every conviction. */
export function banned(coin: Coin, convictions: readonly Conviction[]): OperatorError {
  const key = outpointKey(coin);
  const [root = ''] = coin.commitmentTxids;
  const row = {
    Txid: coin.txid,
    VOut: coin.vout,
    Amount: Number(coin.amount),
    PubKey: coin.script.slice(4),
    CommitmentTxids: coin.commitmentTxids,
    RootCommitmentTxid: root,
    SettledBy: coin.settledBy,
    SpentBy: coin.spentBy,
    ArkTxid: coin.arkTxid,
    Spent: coin.spent,
    Unrolled: coin.unrolled,
    Swept: coin.swept,
    Preconfirmed: coin.preconfirmed,
    ExpiresAt: coin.expiresAt,
    CreatedAt: coin.createdAt,
    Depth: coin.depth,
    MarkerIDs: [`${root}:0`],
    Assets: [],
  };
  const list = convictions.map((each) => {
    const until = new Date(each.expiresAt * 1_000).toISOString().replace('.000Z', 'Z');
    const type = each.crime === 'nonce' ? 'Musig2NonceSubmission' : 'Musig2SignatureSubmission';
    return `VtxoScript ${coin.script} banned until ${until}, type: ${type}, reason: ${reasonOf(each)}`;
  });
  return refusal(
    'VTXO_BANNED',
    `script ${JSON.stringify(row, null, 2)} is banned by ${convictions.length} convictions: ${list.join(', ')}`,
    { vtxo_outpoint: key },
  );
}
