import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import type { SubmitAnswer } from '../../engine/legs/arkade/transaction.ts';
import type { Vtxo } from '../../engine/legs/arkade/vtxo.ts';
import type { EffectOf } from '../../engine/runtime/networks/act.ts';
import { spendable } from '../../engine/runtime/networks/arkade/coin.ts';
import type { ArkadeContext } from '../../engine/runtime/networks/arkade/context.ts';
import { prepareExit } from '../../engine/runtime/networks/arkade/exit.ts';
import { answerPrepared } from '../../engine/runtime/networks/arkade/prepared.ts';
import { settle } from '../../engine/runtime/networks/arkade/settle.ts';
import { finalize, submit } from '../../engine/runtime/networks/arkade/submit.ts';
import type { OnchainContext } from '../../engine/runtime/networks/onchain/context.ts';
import { planSpend } from '../../engine/runtime/networks/onchain/htlc-plan.ts';
import { over } from '../../engine/runtime/networks/onchain/over.ts';
import type { Event } from '../../engine/swap/machine.ts';
import { newTx } from '../../engine/legs/psbt.ts';
import { coin, coinPoint, txid, vhtlc, start } from '../swap/cases.ts';
import { ours as ourKey } from './onchain/scene.ts';
import { clientPublic, scriptOf, termsOf } from './onchain/support.ts';

/* Of several coins at one VHTLC each may be taken in turn: whatever is answered says of which. */

const ours = {
  script: coin().script,
  coin: coinPoint,
  terms: vhtlc(start),
  key: { branch: 'swap' as const, index: 1 },
};
const onItsWay = { purpose: 'refund', txid: txid.refund, coin: coinPoint } as const;

/** What a swap is told of one run, with an operator that answers so. */
async function answersOf(
  run: (context: ArkadeContext & OnchainContext) => Promise<unknown>,
  operator: object,
): Promise<readonly (Event & { readonly coin?: Outpoint })[]> {
  const answers: Event[] = [];
  const context = {
    row: { subject: 'swap', attempts: 0 },
    answer: (event: Event) => void answers.push(event),
    together: (act: () => void) => Promise.resolve(act()),
    clock: { now: () => ({ wall: start, bitcoin: { mtp: start + 9_000, height: 900_000 } }) },
    ceilings: () => ({ claimBps: 1_000 }),
    store: {
      transactions: { bytes: () => new Uint8Array(3), byId: () => ({ purpose: 'refund' }), of: () => [] },
      exits: { has: () => false },
      ownCoins: { madeBy: () => [] },
      settings: { get: () => undefined, put: () => undefined },
    },
    ports: { arkade: operator, bitcoin: operator },
  };
  await run(context as unknown as ArkadeContext & OnchainContext);
  return answers;
}

const submitted = (answer: SubmitAnswer) =>
  answersOf((context) => submit({ do: 'vhtlc.submit', ...onItsWay }, context), {
    submit: () => Promise.resolve(answer),
    state: () => Promise.resolve('unseen'),
  });

const refund = { do: 'vhtlc.settle', ...ours, purpose: 'refund' } as EffectOf<'vhtlc.settle'>;
const listed = (change: Partial<Vtxo>) => ({ coinsAt: () => Promise.resolve([coin(change)]) });

const runs: Readonly<Record<string, () => ReturnType<typeof answersOf>>> = {
  prepared: () =>
    answersOf(
      (context) =>
        answerPrepared(context, { purpose: 'refund', coin: coinPoint }, {
          txid: txid.refund,
          output: { txid: txid.refund, vout: 0 },
        } as never),
      {},
    ),
  accepted: () => submitted({ is: 'accepted', bytes: new Uint8Array(3) }),
  'final at once': () => submitted({ is: 'final' }),
  refused: () => submitted({ is: 'refused', reason: 'the operator says no' }),
  'final once finished': () =>
    answersOf((context) => finalize({ do: 'vhtlc.finalize', ...onItsWay }, context), {
      finalize: () => Promise.resolve(),
      state: () => Promise.resolve('final'),
    }),
  'spent before it is signed': () =>
    answersOf((context) => spendable(ours, 'refund', context), listed({ spent: true, spentIn: txid.client })),
  'expired before it is signed': () =>
    answersOf((context) => spendable(ours, 'refund', context), listed({ recoverable: true })),
  'through a batch': () =>
    answersOf((context) => settle(refund, context), {
      ...listed({ recoverable: true }),
      settle: () => Promise.resolve({ commitmentTxid: txid.batch, fee: sats(5) }),
    }),
  'spent before a batch': () =>
    answersOf((context) => settle(refund, context), listed({ spent: true, spentIn: txid.client })),
  'served, and nothing of it on the chain': () =>
    answersOf((context) => prepareExit({ do: 'vhtlc.exit', ...ours, purpose: 'refund', leastRate: 1 }, context), {
      ...listed({}),
      transaction: () => Promise.resolve(null),
    }),
  'beaten on the chain': () =>
    answersOf(
      (context) =>
        over(
          { do: 'onchain.broadcast', leg: 'arkade', txid: txid.refund, spends: coinPoint } as never,
          { txid: txid.client, height: 1 } as never,
          context,
        ),
      {},
    ),
};

test.each(Object.keys(runs))('fault 334, arkade: what is told of a refund names its coin: %s', async (name) => {
  const answers = (await runs[name]?.()) ?? [];
  expect(answers.map(({ coin: named }) => named)).toEqual([coinPoint]);
});

test('fault 360, bitcoin: what is told of a coin that somebody else’s spend took names that coin', async () => {
  const terms = termsOf(ourKey, clientPublic, start);
  const script = scriptOf(terms);
  const made = newTx({ version: 2, lockTime: 0 });
  made.addInput({ txid: txid.client, index: 0 });
  made.addOutput({ script, amount: 50_000n });
  const spent = { txid: made.id, vout: 0 };
  const height = 900_000;
  const effect = {
    purpose: 'claim',
    terms,
    script,
    coin: spent,
    leastRate: 0,
    deadline: terms.refundLocktime,
  } as const;
  const answers = await answersOf(
    (context) => planSpend(effect, { height, mtp: start, hash: '', time: start } as never, context),
    {
      transaction: async () => ({ bytes: made.toBytes(), height: height - 20 }),
      spend: async () => ({ txid: txid.refund, height: height - 10 }),
    },
  );
  expect(answers).toMatchObject([{ is: 'onchain.refused', why: 'spent', coin: spent }]);
});
