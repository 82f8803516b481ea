import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ArkadeLightningRecord } from '../../engine/contract/directions/arkade-lightning.ts';
import { outpointKey, type Outpoint } from '../../engine/domain/outpoint.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import { readTx, witnessItems } from '../../engine/legs/psbt.ts';
import { vhtlcScript } from '../../engine/legs/arkade/script.ts';
import type { VhtlcTerms } from '../../engine/legs/arkade/terms.ts';
import { lockLightningArkade, payArkadeLightning, vhtlcTerms } from '../support/openings.ts';
import { eventually, openScene, price, type Scene } from '../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.end());

function termsOf({ id }: { id: string }): VhtlcTerms {
  return vhtlcTerms(scene.node, id);
}

/** Its owner shows it to the chain, with everything that it came from. */
async function unroll(coin: Outpoint): Promise<void> {
  scene.world.operator.faults.unroll(outpointKey(coin));
  await scene.world.mine(1);
}

/** The transaction that spends a coin on the chain now, in the mempool or in a block. */
function spender(coin: Outpoint) {
  const spend = scene.world.bitcoin.spend(coin);
  const bytes = spend && scene.world.bitcoin.transaction(spend.txid)?.tx.bytes;
  const tx = bytes && readTx(bytes);
  return spend && tx
    ? {
        txid: spend.txid,
        height: spend.height,
        script: witnessItems(tx, 0).at(-2),
        paid: tx.getOutput(0).amount ?? 0n,
        to: tx.getOutput(0).script ?? new Uint8Array(),
      }
    : null;
}

async function spent(coin: Outpoint, ms = 15_000) {
  await eventually(() => spender(coin) !== null, 'the coin is spent on the chain', ms);
  return spender(coin) as NonNullable<ReturnType<typeof spender>>;
}

function ledger(id: string): Record<string, bigint> {
  return Object.fromEntries(scene.node.store.ledger.of(id).map(({ kind, amount }) => [kind, amount]));
}

describe('the coin that we must claim', () => {
  /** Paid for, and on the chain before we could claim it. */
  async function paidAndUnrolled(): Promise<{ record: ArkadeLightningRecord; coin: Outpoint }> {
    const { record, coin, release } = await payArkadeLightning(scene);
    await unroll(coin);
    release('settles');
    await scene.node.until(record.id, 'claiming');
    return { record, coin };
  }

  test('is claimed by the leaf that needs no operator, once its delay is over, and counts when it is buried', async () => {
    const { record, coin } = await paidAndUnrolled();
    const terms = termsOf(record);
    await eventually(
      () => scene.node.store.transactions.of(record.id).length === 1,
      'the claim is saved before its delay is over',
    );
    expect(spender(coin)).toBeNull();
    await scene.world.advance(terms.claimDelay + 600);
    const claim = await spent(coin);
    await scene.world.mine(5);
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    const shallow = scene.node.at(record.id);
    await scene.world.mine(1);
    await scene.node.until(record.id, 'claimed');
    const { fee_sats, network_fee_sats } = record;
    expect({
      script: claim.script,
      shallow,
      txs: scene.node.store.transactions.of(record.id).map(({ txid, state }) => [txid, state]),
      status: scene.node.status(record.id),
      ledger: ledger(record.id),
    }).toEqual({
      script: vhtlcScript(terms).leaf['unilateral-claim'].script,
      shallow: 'claiming',
      txs: [[claim.txid, 'final']],
      status: 'serverredeemed',
      ledger: expect.objectContaining({
        'protocol-fee': BigInt(fee_sats) * 1_000n,
        'network-fee-charged': BigInt(network_fee_sats) * 1_000n,
        'network-fee-paid': (claim.paid - price) * 1_000n,
      }),
    });
  });

  test('pays more when the chain asks for more, comes back when a block loses it, and a restart finds it', async () => {
    const { record, coin } = await paidAndUnrolled();
    await scene.world.advance(termsOf(record).claimDelay + 600);
    const first = await spent(coin);
    scene.world.bitcoin.setFeeRate(25);
    await eventually(() => spender(coin)?.txid !== first.txid, 'a dearer claim replaces the first');
    const second = await spent(coin);
    await scene.world.mine(1);
    await scene.restart();
    scene.world.bitcoin.reorg(1, [second.txid]);
    const again = await spent(coin);
    await scene.world.mine(6);
    await scene.node.until(record.id, 'claimed');
    const rows = scene.node.store.transactions.of(record.id).map(({ txid, state }) => [txid, state]);
    expect({
      dearer: second.paid < first.paid,
      again: again.txid,
      rows: new Map(rows as [string, string][]),
      ledger: ledger(record.id)['network-fee-paid'],
    }).toEqual({
      dearer: true,
      again: second.txid,
      rows: new Map([
        [first.txid, 'dead'],
        [second.txid, 'final'],
      ]),
      ledger: (second.paid - price) * 1_000n,
    });
  });
});

test.each([
  ['arkade.prepareExit', 'before'],
  ['arkade.prepareExit', 'after'],
  ['bitcoin.broadcast', 'before'],
  ['bitcoin.broadcast', 'after'],
] as const)(
  'a node that is killed at %s, %s it, claims the coin once after its next start',
  async (call, when) => {
    let killed = false;
    let armed = false;
    await scene.restart({
      onBoundary(what, moment) {
        if (!armed || killed || what !== call || moment !== when) return;
        killed = true;
        void scene.node.kill();
      },
    });
    const { world } = scene;
    const { record, coin, release } = await payArkadeLightning(scene);
    await unroll(coin);
    const delay = termsOf(record).claimDelay + 600;
    armed = call === 'arkade.prepareExit';
    release('settles');
    if (!armed) {
      await eventually(() => scene.node.store.transactions.of(record.id).length === 1, 'the claim is saved');
      await world.advance(delay);
      armed = true;
    }
    await eventually(() => killed, 'the node is killed');
    await scene.restart({});
    if (call === 'arkade.prepareExit') await world.advance(delay);
    const claim = await spent(coin);
    await world.mine(6);
    await scene.node.until(record.id, 'claimed');
    expect({
      paidOut: [...world.bitcoin.coinsOf(claim.to)].length,
      fee: ledger(record.id)['network-fee-paid'],
    }).toEqual({ paidOut: 1, fee: (claim.paid - price) * 1_000n });
  },
  60_000,
);

test('a claim that the operator accepted and then could not finish is made on the chain', async () => {
  let coin: Outpoint | null = null;
  await scene.restart({
    onBoundary(what, moment) {
      if (what !== 'ark.finalizeTx' || moment !== 'before' || coin === null) return;
      scene.world.operator.faults.unroll(outpointKey(coin));
      coin = null;
    },
  });
  const { world, client, node } = scene;
  const record = await client.createArkadeLightning(node, world.invoice(100_000n).bolt11, 100_000n);
  const funded = world.faucet(record.arkade_vhtlc_address, price);
  coin = funded;
  await node.until(record.id, 'claiming');
  await eventually(() => coin === null, 'the claim was accepted, and the coin left for the chain');
  await world.mine(1);
  await world.advance(termsOf(record).claimDelay + 600);
  const { script } = await spent(funded, 30_000);
  expect({ at: node.at(record.id), script }).toEqual({
    at: 'claiming',
    script: vhtlcScript(termsOf(record)).leaf['unilateral-claim'].script,
  });
  await world.mine(6);
  await node.until(record.id, 'claimed');
});

describe('the coin that we locked', () => {
  async function lockedAndUnrolled() {
    const { node } = scene;
    const before = await node.ports.arkade!.balance([]);
    const { record, secret, coin } = await lockLightningArkade(scene);
    const locked = await node.ports.arkade!.balance([]);
    await unroll(coin.outpoint);
    return { record, secret, coin, before, locked };
  }

  /** What the owner reads: available and pending on Arkade. */
  async function owned(): Promise<{ available: bigint; pending: bigint }> {
    const answer = await scene.node.service.owner.balances();
    if ('refusal' in answer) throw new Error(answer.sentence);
    const row = answer.balances.find(({ network }) => network === 'arkade');
    return { available: BigInt(row?.available ?? -1), pending: BigInt(row?.pending ?? -1) };
  }

  test('fault 56: takes our change with it, which stays pending, after a restart too', async () => {
    const { record, locked } = await lockedAndUnrolled();
    await eventually(
      () =>
        scene.node.runtime.workingSet.find(record.id)?.row.flag?.includes('our change of that transaction') === true,
      'the owner is told',
    );
    await eventually(async () => (await owned()).pending > 0n, 'the change is pending');
    const before = await owned();
    await scene.restart();
    await eventually(async () => (await owned()).available > 0n, 'the node reads its balance');
    expect({ whole: before.available + before.pending, after: await owned(), at: scene.node.at(record.id) }).toEqual({
      whole: locked.available,
      after: before,
      at: 'locked',
    });
  });

  test('fault 56: is found with its change although nobody listed that before it left', async () => {
    const { world, client, node } = scene;
    const secret = client.secret();
    const record = await client.createLightningArkade(node, 100_000n, secret);
    const before = (await owned()).available;
    // Nothing is read between the lock and its unrolling: the operator is away for everybody who asks for balances.
    await node.networks.stop();
    world.pay(record.bolt11_invoice);
    await node.until(record.id, 'locked');
    const [coin] = await client.coins(record);
    if (coin === undefined) throw new Error('there is no lock');
    await unroll(coin.outpoint);
    await scene.restart();
    await eventually(async () => (await owned()).pending > 0n, 'the change is pending');
    const { available, pending } = await owned();
    // What the lock took was promised to its swap before.
    expect(available + pending).toBe(before);
  });

  test.each([
    ['without a restart', false],
    ['after a restart from a database that knows nothing of it', true],
  ])(
    'fault 56: gives us its change back on the chain once that is ours alone, %s',
    async (_, forgets) => {
      await scene.end();
      scene = await openScene({ bitcoinWallet: true });
      const { record, locked } = await lockedAndUnrolled();
      await eventually(async () => (await owned()).pending > 0n, 'the change is pending');
      const { available, pending } = await owned();
      expect(available + pending).toBe(locked.available);
      if (forgets) {
        scene.node.store.ownCoins.all().forEach(({ outpoint }) => scene.node.store.ownCoins.forget(outpoint));
        await scene.restart();
      }
      await eventually(
        () => scene.node.store.ownCoins.all().some(({ unrolled, mined }) => unrolled && mined !== null),
        'the change is seen in a block',
      );
      const jobs = () =>
        [...scene.node.runtime.workingSet.all()]
          .filter(({ machine }) => machine.name === 'exit-arkade')
          .map(({ row }) => row.id);
      expect(jobs()).toEqual([]);
      await scene.world.advance((await scene.node.ports.arkade!.info()).exitDelay + 600);
      await eventually(() => jobs().length === 1, 'the node takes its coins home');
      const [job = ''] = jobs();
      await scene.node.until(job, 'sending');
      const [change] = scene.node.store.ownCoins.all().filter(({ unrolled }) => unrolled);
      if (change === undefined) throw new Error('the change is not on record');
      await spent(change.outpoint);
      await scene.world.mine(7);
      await scene.node.until(job, 'sent');
      await eventually(async () => (await owned()).pending === 0n, 'nothing is pending any more');
      const home = (await scene.node.runtime.ports.bitcoinWallet!.balance([])).available;
      const fee =
        -(scene.node.store.ledger.of(job).find(({ kind }) => kind === 'network-fee-paid')?.amount ?? 0n) / 1_000n;
      expect({
        home: home + fee,
        cheap: fee > 0n && fee < 5_000n,
        known: scene.node.store.ownCoins.all().filter(({ unrolled }) => unrolled),
        at: scene.node.at(record.id),
      }).toEqual({ home: pending, cheap: true, known: [], at: 'locked' });
    },
    60_000,
  );

  test('settles the payment at the first sight of its claim in the mempool', async () => {
    const { world, client, node } = scene;
    const { record, secret, coin } = await lockedAndUnrolled();
    const terms = termsOf(record);
    await world.advance(terms.claimDelay + 600);
    const claim = await client.port.prepareExit({
      terms,
      key: { branch: 'taker', index: 0 },
      coin: { ...coin.outpoint, amount: coin.amount },
      purpose: 'claim',
      preimage: secret,
      feeRate: 2,
    });
    world.bitcoin.submit(claim.bytes);
    await node.until(record.id, 'claimed');
    expect({ payment: world.paid(sha256Of(secret)), claim: spender(coin.outpoint)?.height }).toEqual({
      payment: 'settled',
      claim: null,
    });
  });

  test('comes back by our last leaf, and the held payment goes back only when that is buried', async () => {
    const { world, node } = scene;
    const { record, secret, coin } = await lockedAndUnrolled();
    const terms = termsOf(record);
    await world.advance(terms.refundLocktime - world.now() + 60);
    await node.until(record.id, 'refunding');
    await eventually(
      () => node.store.transactions.of(record.id).some(({ purpose }) => purpose === 'refund'),
      'the refund is saved',
    );
    const early = spender(coin.outpoint);
    await world.advance(terms.refundWithoutReceiverDelay - (world.now() - coin.createdAt) + 600);
    const refund = await spent(coin.outpoint);
    await world.mine(5);
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    const shallow = [node.at(record.id), world.paid(sha256Of(secret))];
    await world.mine(1);
    await node.until(record.id, 'refunded');
    expect({
      early,
      script: refund.script,
      shallow,
      payment: world.paid(sha256Of(secret)),
      fee: ledger(record.id)['network-fee-paid'],
    }).toEqual({
      early: null,
      script: vhtlcScript(terms).leaf['unilateral-refund-without-receiver'].script,
      shallow: ['refunding', 'in-flight'],
      payment: 'failed',
      fee: (refund.paid - coin.amount) * 1_000n,
    });
  });

  test('is given up for nobody: a claim that replaces our refund in the mempool settles the payment', async () => {
    const { world, client, node } = scene;
    const { record, secret, coin } = await lockedAndUnrolled();
    const terms = termsOf(record);
    await world.advance(terms.refundLocktime - world.now() + 60);
    await node.until(record.id, 'refunding');
    await world.advance(terms.refundWithoutReceiverDelay - (world.now() - coin.createdAt) + 600);
    const refund = await spent(coin.outpoint, 30_000);
    const claim = await client.port.prepareExit({
      terms,
      key: { branch: 'taker', index: 0 },
      coin: { ...coin.outpoint, amount: coin.amount },
      purpose: 'claim',
      preimage: secret,
      feeRate: 30,
    });
    world.bitcoin.submit(claim.bytes);
    await node.until(record.id, 'claimed');
    await world.mine(7);
    expect({
      replaced: refund.txid !== claim.txid,
      spender: spender(coin.outpoint)?.txid,
      payment: world.paid(sha256Of(secret)),
    }).toEqual({ replaced: true, spender: claim.txid, payment: 'settled' });
  });
});
