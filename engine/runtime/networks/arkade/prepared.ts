import { btcOn } from '../../../domain/money.ts';
import type { Outpoint } from '../../../domain/outpoint.ts';
import type { Purpose } from '../../../legs/arkade/effects.ts';
import type { PreparedArkTx } from '../../../legs/arkade/transaction.ts';
import type { KeyRef } from '../../../legs/signer.ts';
import { NotYet } from '../../not-yet.ts';
import type { CommonContext } from '../context.ts';
import { isTaken } from '../reserved.ts';

/** What a transaction is for: `coin` of the VHTLC is the one that it takes; left out of a lock. */
interface Aim {
  readonly purpose: Purpose;
  readonly coin?: Outpoint;
}

/** Resolves once it is saved. */
export async function answerPrepared(context: CommonContext, aim: Aim, prepared: PreparedArkTx): Promise<void> {
  try {
    await context.together(() => commitPrepared(context, aim, prepared));
  } catch (cause) {
    if (!isTaken(cause)) throw cause;
    throw new NotYet(null, 'a coin of the transaction was promised to another one: it is prepared again');
  }
}

function commitPrepared({ row, answer }: CommonContext, aim: Aim, prepared: PreparedArkTx): void {
  const { purpose } = aim;
  answer(
    {
      is: 'vhtlc.prepared',
      ...aim,
      txid: prepared.txid,
      output: { txid: prepared.output.txid, vout: prepared.output.vout },
    },
    {
      prepared: (store, now) => {
        // A later try of the same claim gives the same transaction, whose coins are reserved for it already.
        if (store.transactions.byId(prepared.txid)?.state !== 'prepared') {
          store.transactions.insert(
            {
              ...btcOn('arkade'),
              txid: prepared.txid,
              subject: row.subject,
              leg: 'arkade',
              purpose,
              bytes: prepared.bytes,
              inputs: prepared.inputs,
            },
            now,
          );
        }
        // Change may leave for the chain before anybody lists it, with the output that it shares a transaction with.
        for (const coin of prepared.own) store.ownCoins.keep(coin, now);
      },
    },
  );
}

/**
 * The taker reserves nothing: the coin of its swap is no wallet coin, and where the provider is this very node it has
 * the same one in hand. Which of the two gets it is settled by the script, not by our table.
 */
export function forOwner(key: KeyRef, prepared: PreparedArkTx): PreparedArkTx {
  return key.branch === 'taker' ? { ...prepared, inputs: [] } : prepared;
}
