import { afterEach, expect, test } from 'vitest';
import type { Withdrawal } from '../../engine/contract/owner/wallets.ts';
import type { Network } from '../../engine/domain/chain.ts';
import { connectionFailure } from '../../engine/domain/errors.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { tokenAmount } from '../../engine/domain/money.ts';
import { accepted, deposit, inMempool, payee } from '../support/bitcoin-wallet.ts';
import { openClient } from '../support/client.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

/** The call by which each network gets what is signed. */
const sends = new Set(['bitcoin.broadcast', 'ark.submitTx', 'lightning.pay']);
const amount = 60_000;

let scene: Scene;
/** Whether the networks take anything now. */
let away: boolean;
afterEach(() => scene.end());

async function open(): Promise<void> {
  away = false;
  scene = await openScene({
    bitcoinWallet: true,
    pollMs: 25,
    onBoundary(what, moment) {
      if (away && moment === 'before' && sends.has(what)) throw connectionFailure('not-connected', 'nobody answers');
    },
  });
  await deposit(scene, 200_000, 200_000);
  away = true;
}

function withdrawn(network: Network, address: string): Promise<Withdrawal> {
  const request = { address, amount: tokenAmount(amount), asset: null };
  return Promise.resolve(scene.node.service.owner.withdraw(network, request)).then(accepted);
}

/** Asks for one on each network; which of them was answered is in `answered`. */
async function begun() {
  const { bolt11, hash } = scene.world.invoice(BigInt(amount));
  const elsewhere = await openClient(scene.world, 77);
  const answered: string[] = [];
  const answerOn = (network: Network, address: string): Promise<Withdrawal> =>
    withdrawn(network, address).finally(() => answered.push(network));
  const answers = Promise.all([
    answerOn('bitcoin', payee),
    answerOn('arkade', elsewhere.address),
    answerOn('lightning', bolt11),
  ] as const);
  await eventually(
    () => ['bitcoin', 'arkade'].every((network) => signed(network).length > 0),
    'both transactions are signed',
  );
  return { answers, answered, names: [...signed('bitcoin'), ...signed('arkade'), toHex(hash)] };
}

/** By the withdrawals that are open. */
function signed(network: string): readonly string[] {
  const { runtime } = scene.node;
  return [...runtime.workingSet.all()].flatMap(({ row }) =>
    row.machine === `withdraw-${network}` ? transactionsOf(row.id) : [],
  );
}

function transactionsOf(id: string): readonly string[] {
  return scene.node.store.transactions.of(id).map(({ txid }) => txid);
}

test('fault 79, bitcoin: a withdrawal is answered once its network has it, and by its name there', async () => {
  await open();
  const { answers, answered, names } = await begun();
  expect(answered).toEqual([]);
  away = false;
  const all = await answers;
  expect(all).toMatchObject(names.map((transaction) => ({ sent: true, transaction })));
  const [onBitcoin, onArkade] = all;
  expect(inMempool(scene)).toEqual([onBitcoin.transaction]);
  expect(scene.node.store.transactions.byId(onArkade.transaction)?.state).toBe('final');
});

test('fault 79, arkade: one that no network takes is told as not sent yet, and is sent once by itself', async () => {
  await open();
  const { answers, names } = await begun();
  const all = await answers;
  expect(all.map(({ sent, transaction }) => [sent, transaction])).toEqual(all.map(() => [false, '']));
  expect(inMempool(scene)).toEqual([]);
  away = false;
  const [onBitcoin, onArkade, overLightning] = all;
  await eventually(() => inMempool(scene).length > 0, 'it is in the mempool');
  await scene.world.mine(6);
  await scene.node.until(onBitcoin.id, 'sent');
  await scene.node.until(onArkade.id, 'sent');
  await scene.node.until(overLightning.id, 'paid');
  expect([transactionsOf(onBitcoin.id), transactionsOf(onArkade.id), inMempool(scene)]).toEqual([
    [names[0]],
    [names[1]],
    [],
  ]);
});
