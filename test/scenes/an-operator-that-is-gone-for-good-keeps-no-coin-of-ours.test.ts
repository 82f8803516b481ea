import { ConditionWitness, setArkPsbtField, Transaction } from '@arkade-os/sdk';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { base64 } from '../../engine/adapters/arkade/base64.ts';
import { unpackPrepared } from '../../engine/adapters/arkade/prepared.ts';
import type { ArkadeLightningRecord } from '../../engine/contract/directions/arkade-lightning.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { outpointKey, sameOutpoint, type Outpoint } from '../../engine/domain/outpoint.ts';
import { vhtlcScript } from '../../engine/legs/arkade/script.ts';
import { OperatorError } from '../../engine/sandbox/world/arkade/errors.ts';
import type { VhtlcTerms } from '../../engine/legs/arkade/terms.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import { readTx, witnessItems } from '../../engine/legs/psbt.ts';
import { alertName } from '../../engine/runtime/alert-names.ts';
import type { NodeOptions } from '../support/node.ts';
import { tampered } from '../sandbox/bitcoin-support.ts';
import { accepted, deposit } from '../support/bitcoin-wallet.ts';
import { lockLightningArkade, payArkadeLightning, vhtlcTerms } from '../support/openings.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

const options: NodeOptions = { bitcoinWallet: true, coins: { count: 3, sats: 2_500_000n } };

let scene: Scene;
beforeEach(async () => {
  scene = await openScene(options);
  await deposit(scene, 60_000, 60_000, 60_000, 60_000);
});
afterEach(() => scene.end());

/** The node looks at the ways to the chain of everything that it has. */
async function look(): Promise<void> {
  await scene.node.networks.refresh();
  await scene.node.exits.look();
  await scene.node.unilateralExits.look();
}

/** The operator answers nobody any more, and the node looks for so long. */
async function goneFor(hours: number): Promise<void> {
  scene.world.operator.faults.away();
  for (let minutes = 0; minutes <= hours * 60; minutes += 10) {
    await scene.world.pass(600);
    await look();
  }
}

function jobs(): { id: string; at: string; coin: string }[] {
  return [...scene.node.runtime.workingSet.all()]
    .filter(({ machine }) => machine.name === 'unroll-arkade')
    .map(({ row }) => ({
      id: row.id,
      at: row.progress.at,
      coin: outpointKey((row.terms as { coin: Outpoint }).coin),
    }));
}

/** The job that brought, or brings, a coin to the chain. */
function jobOf(coin: Outpoint): string {
  const { swaps } = scene.node.store;
  const heads = swaps.page({ machine: 'unroll-arkade', limit: 100 });
  const head = heads.find(
    ({ id }) => outpointKey((swaps.byId(id)?.terms as { coin: Outpoint }).coin) === outpointKey(coin),
  );
  if (head === undefined) throw new Error('no job is about this coin');
  return head.id;
}

/** Blocks come one by one until the coin lies on the chain, for the node hands over one transaction after the other. */
async function brought(coin: Outpoint): Promise<void> {
  await eventually(async () => {
    await scene.world.mine(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    return (scene.world.bitcoin.transaction(coin.txid)?.height ?? null) !== null;
  }, 'the coin comes to the chain');
}

/** The leaf by which a coin is spent on the chain. */
function leafOf(coin: Outpoint): Uint8Array | null {
  const spend = scene.world.bitcoin.spend(coin);
  const bytes = spend && scene.world.bitcoin.transaction(spend.txid)?.tx.bytes;
  const tx = bytes && readTx(bytes);
  return tx ? (witnessItems(tx, 0).at(-2) ?? null) : null;
}

describe('the coin that we must claim', () => {
  async function claiming() {
    const { record, coin, release } = await payArkadeLightning(scene);
    await scene.world.mine(1);
    await look();
    const saved = scene.node.store.exits.has(coin);
    scene.world.operator.faults.away();
    release('settles');
    await scene.node.until(record.id, 'claiming');
    return { record, coin, saved, terms: vhtlcTerms(scene.node, record.id) };
  }

  test('is brought to the chain by ourselves, and claimed there by the leaf that needs no operator', async () => {
    const { record, coin, saved, terms } = await claiming();
    await goneFor(12.2);
    await brought(coin);
    await scene.world.advance(terms.claimDelay + 600);
    await eventually(() => leafOf(coin) !== null, 'the claim is sent');
    await scene.world.mine(6);
    await scene.node.until(record.id, 'claimed');
    expect({ saved, leaf: leafOf(coin), status: scene.node.status(record.id) }).toEqual({
      saved: true,
      leaf: vhtlcScript(terms).leaf['unilateral-claim'].script,
      status: 'serverredeemed',
    });
  }, 120_000);

  test('fault 68: is brought there too when the last word of its operator was that it is spent', async () => {
    const { coin, record, release } = await payArkadeLightning(scene);
    await scene.world.mine(1);
    await look();
    // By a transaction that it shows to nobody.
    scene.world.operator.faults.callSpent(outpointKey(coin), 'ab'.repeat(32));
    release('settles');
    await eventually(
      () => 'halted' in (scene.node.runtime.workingSet.find(record.id)?.row.progress ?? {}),
      'the claim waits for another look',
    );
    await goneFor(12.2);
    expect(jobs().map((job) => job.coin)).toContain(outpointKey(coin));
  }, 120_000);

  /** The operator says that it was brought to the chain, which is not so, just as we come for it. */
  async function calledUnrolled() {
    const { coin, record, release } = await payArkadeLightning(scene);
    await scene.world.mine(1);
    await look();
    scene.world.operator.faults.callUnrolled(outpointKey(coin), true);
    release('settles');
    const progress = () => scene.node.runtime.workingSet.find(record.id)?.row.progress ?? {};
    await eventually(() => 'halted' in progress() || 'exit' in progress(), 'it cannot be claimed now');
    return { coin, record };
  }

  test('fault 347, arkade: is brought there too when its operator said that it lies there already', async () => {
    const { coin } = await calledUnrolled();
    await goneFor(12.2);
    expect(jobs().map((job) => job.coin)).toContain(outpointKey(coin));
  }, 120_000);

  test('fault 347, arkade: is claimed at the operator once that takes back that it lies there', async () => {
    const { coin, record } = await calledUnrolled();
    scene.world.operator.faults.callUnrolled(outpointKey(coin), false);
    await scene.node.until(record.id, 'claimed');
    expect(jobs()).toEqual([]);
  }, 60_000);

  /** The operator answers all but our claims, and says of no coin that it lies on the chain. */
  function refuseClaims(code: number): void {
    const { operator } = scene.world;
    const { coins } = operator.indexer;
    Object.assign(operator, {
      submit() {
        throw new OperatorError(3, 'no', { code, name: 'NO', metadata: {} });
      },
    });
    Object.assign(operator.indexer, {
      coins: (query: Parameters<typeof coins>[0]) => coins(query).map((coin) => ({ ...coin, unrolled: false })),
    });
  }

  async function servedFor(hours: number): Promise<void> {
    for (let minutes = 0; minutes <= hours * 60; minutes += 10) {
      await scene.world.pass(600);
      await look();
    }
  }

  test.each([
    ['refuses', 10],
    ['puts off', 29],
  ])(
    'fault 352, arkade: leaves an operator that serves and %s its claim alone',
    async (_, code) => {
      const { record, coin, release } = await payArkadeLightning(scene);
      await scene.world.mine(1);
      await look();
      const terms = vhtlcTerms(scene.node, record.id);
      refuseClaims(code);
      release('settles');
      await scene.node.until(record.id, 'claiming');
      await servedFor(1.2);
      const early = jobs();
      // Six hours, the delay and the way to the chain are left.
      await scene.world.advance(terms.refundLocktime - scene.world.now() - 6 * 3_600 - terms.claimDelay - 3_600);
      await servedFor(1.2);
      expect([early, jobs().map((job) => job.coin)]).toEqual([[], [outpointKey(coin)]]);
      await brought(coin);
      await scene.world.advance(terms.claimDelay + 600);
      await eventually(() => leafOf(coin) !== null, 'the claim is sent');
      expect(leafOf(coin)).toEqual(vhtlcScript(terms).leaf['unilateral-claim'].script);
    },
    120_000,
  );

  test('fault 352, arkade: leaves it after half a day though there is time, and the node started anew', async () => {
    const { record, coin, release } = await payArkadeLightning(scene);
    await scene.world.mine(1);
    await look();
    refuseClaims(10);
    release('settles');
    await scene.node.until(record.id, 'claiming');
    await servedFor(6.1);
    const early = jobs();
    await scene.restart(options);
    await servedFor(6.1);
    expect([early, jobs().map((job) => job.coin)]).toEqual([[], [outpointKey(coin)]]);
  }, 120_000);

  test('stays where it is while an operator is away for less than an hour', async () => {
    const { record } = await claiming();
    await goneFor(0.7);
    const before = jobs();
    scene.world.operator.faults.back();
    await scene.node.until(record.id, 'claimed');
    await look();
    expect([before, jobs()]).toEqual([[], []]);
  });
});

test('the coin that we locked comes back by the leaf that is ours alone, through three transactions', async () => {
  const { record, coin } = await lockLightningArkade(scene);
  const terms = vhtlcTerms(scene.node, record.id);
  await scene.world.mine(1);
  await look();
  const way = scene.node.store.exits.path(coin.outpoint)?.transactions.length;
  scene.world.operator.faults.away();
  await scene.world.advance(terms.refundLocktime - scene.world.now() + 60);
  await scene.node.until(record.id, 'refunding');
  await goneFor(12.2);
  await brought(coin.outpoint);
  await scene.world.advance(terms.refundWithoutReceiverDelay + 600);
  await eventually(() => leafOf(coin.outpoint) !== null, 'the refund is sent');
  await scene.world.mine(6);
  await scene.node.until(record.id, 'refunded');
  await eventually(() => jobs().length === 0, 'the job ends');
  const children = scene.node.store.transactions.of(jobOf(coin.outpoint)).map(({ purpose, state }) => [purpose, state]);
  expect({ way, leaf: leafOf(coin.outpoint), children }).toEqual({
    way: 3,
    leaf: vhtlcScript(terms).leaf['unilateral-refund-without-receiver'].script,
    children: Array.from({ length: 3 }, () => ['unroll', 'final']),
  });
}, 120_000);

test('the coins of the wallet go home to the Bitcoin wallet when their owner says so', async () => {
  const { world, node } = scene;
  await world.mine(1);
  await look();
  const coins = node.store.ownCoins.all();
  world.operator.faults.away();
  await node.networks.refresh();
  const begun = accepted(await node.service.owner.walletExit('arkade'));
  for (const { outpoint } of coins) await brought(outpoint);
  await world.mine(6);
  await eventually(() => jobs().length === 0, 'all are on the chain');
  await node.networks.refresh();
  await world.advance(Math.max(...coins.map(({ exitDelay }) => exitDelay)) + 600);
  await eventually(async () => {
    await node.networks.refresh();
    return coins.every(({ outpoint }) => leafOf(outpoint) !== null);
  }, 'they are taken home');
  await world.mine(7);
  await eventually(
    async () => (await node.runtime.ports.bitcoinWallet!.balance([])).available > 7_000_000n,
    'they are there',
  );
  const fees = begun.jobs.map(({ id }) => -(node.store.ledger.of(id)[0]?.amount ?? 0n) / 1_000n);
  expect({
    begun: begun.jobs.length,
    cheap: fees.every((fee) => fee > 0n && fee < 2_000n),
    swept: leafOf(coins[0]!.outpoint)?.length,
  }).toEqual({
    begun: 3,
    cheap: true,
    swept: expect.any(Number),
  });
}, 120_000);

test('a client that claims our lock on the chain settles its payment, though no operator tells of it', async () => {
  const { world, client, node } = scene;
  const { record, secret, coin } = await lockLightningArkade(scene);
  const terms = vhtlcTerms(node, record.id);
  await world.mine(1);
  await look();
  world.operator.faults.unroll(outpointKey(coin.outpoint));
  world.operator.faults.away();
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
  expect(world.paid(sha256Of(secret))).toBe('settled');
});

test('no lock takes a coin on its way to the chain, and an operator that answers learns of it', async () => {
  const { world, node } = scene;
  await world.mine(1);
  await look();
  const coins = node.store.ownCoins.all().map(({ outpoint }) => outpoint);
  accepted(await node.service.owner.walletExit('arkade'));
  await eventually(
    () =>
      coins.every((coin) =>
        node.store.transactions.reservedCoins().some((one) => outpointKey(one) === outpointKey(coin)),
      ),
    'they are promised',
  );
  for (const coin of coins) await brought(coin);
  const listed = await node.ports.arkade!.coinsAt(coins);
  expect(listed.map(({ unrolled }) => unrolled)).toEqual([true, true, true]);
});

describe.each([
  ['bitcoinWallet.prepareAnchorChild', 'before'],
  ['bitcoinWallet.prepareAnchorChild', 'after'],
  ['bitcoin.broadcastPackage', 'before'],
  ['bitcoin.broadcastPackage', 'after'],
  ['commit', 'before'],
] as const)('a node that is killed at %s, %s it,', (call, when) => {
  test('brings the coin to the chain all the same, and pays for each transaction once', async () => {
    const { coin } = await lockLightningArkade(scene);
    await scene.world.mine(1);
    await look();
    scene.world.operator.faults.away();
    let kills = 0;
    let armed = true;
    await scene.restart({
      ...options,
      onBoundary(what, moment) {
        if (!armed || what !== call || moment !== when || jobs().length === 0) return;
        armed = false;
        kills++;
        void scene.node.kill();
      },
    });
    await scene.node.networks.refresh();
    // The kill may come in the middle of this.
    await Promise.resolve(scene.node.unilateralExits.leave()).catch(() => undefined);
    await eventually(() => kills === 1, 'the node is killed');
    await scene.restart(options);
    await scene.node.networks.refresh();
    // For those that it died before.
    await scene.node.unilateralExits.leave();
    const own = scene.node.store.ownCoins.all().map(({ outpoint }) => outpoint);
    const change = own.find(({ txid }) => txid === coin.outpoint.txid) ?? own[0]!;
    await brought(change);
    await scene.world.mine(6);
    await eventually(() => !jobs().some((job) => job.coin === outpointKey(change)), 'the job ends');
    const rows = scene.node.store.transactions.of(jobOf(change)).map(({ state }) => state);
    expect({ kills, paid: new Set(rows) }).toEqual({ kills: 1, paid: new Set(['final']) });
  }, 120_000);
});

describe('a lying operator', () => {
  test('that shows no way to a coin is told of, and nothing of it is saved', async () => {
    const { world, node } = scene;
    await world.mine(1);
    const alerts: string[] = [];
    node.runtime.onAlert(({ sentence }) => alerts.push(sentence));
    const indexer = world.operator.indexer as { virtualTxs: (txids: readonly string[]) => string[] };
    const shown = indexer.virtualTxs;
    indexer.virtualTxs = (txids) => shown(txids).slice(1);
    await node.networks.refresh();
    for (let times = 0; times < 3; times++) await node.exits.look();
    const during = node.store.exits.coins().length;
    indexer.virtualTxs = shown;
    await eventually(async () => {
      await node.exits.look();
      return node.store.exits.coins().length === 3;
    }, 'the truth is saved');
    expect({
      during,
      alerts: alerts.map((one) => alertName(null, one)),
      after: node.store.exits.coins().length,
    }).toEqual({
      during: 0,
      alerts: ['exit-withheld', 'exit-withheld', 'exit-withheld'],
      after: 3,
    });
  });

  test('that calls our coin spent by nothing loses it to us on the chain', async () => {
    const { record, coin, release } = await payArkadeLightning(scene);
    await scene.world.mine(1);
    await look();
    // Some transaction of the operator's, which spends other coins.
    const other = scene.node.store.ownCoins.all()[0]?.outpoint.txid ?? '';
    scene.world.operator.faults.callSpent(outpointKey(coin), other);
    release('settles');
    await eventually(() => scene.node.runtime.guard.paused() !== null, 'the operator is distrusted');
    const terms = vhtlcTerms(scene.node, record.id);
    await look();
    await brought(coin);
    await scene.world.advance(terms.claimDelay + 600);
    await eventually(() => leafOf(coin) !== null, 'the claim is sent');
    expect(leafOf(coin)).toEqual(vhtlcScript(terms).leaf['unilateral-claim'].script);
  }, 120_000);

  /** It calls a coin spent by what it shows, and never says that the coin lies on the chain. */
  function showSpent(coin: Outpoint, psbt: Uint8Array): void {
    const { indexer, faults } = scene.world.operator;
    const txid = readTx(psbt)?.id ?? '';
    const { virtualTxs } = indexer;
    Object.assign(indexer, {
      virtualTxs: (txids: readonly string[]) => [
        ...virtualTxs(txids.filter((one) => one !== txid)),
        ...(txids.includes(txid) ? [base64.encode(psbt)] : []),
      ],
    });
    faults.callSpent(outpointKey(coin), txid);
  }

  /** By the leaf that needs nobody but the client and its operator. */
  async function refundOf(record: ArkadeLightningRecord, terms: VhtlcTerms): Promise<Uint8Array> {
    const coins = await scene.client.coins(record);
    const key = { branch: 'taker', index: 0 } as const;
    const { bytes } = await scene.client.port.prepareRefund({ terms, key, coins });
    return unpackPrepared(bytes).arkTx;
  }

  /** It carries the secret, which the operator has from our claim, and no signature of ours. */
  function unsignedClaim(preimage: Uint8Array): Uint8Array {
    const tx = new Transaction();
    tx.addInput({ txid: 'ab'.repeat(32), index: 0, witnessUtxo: { script: new Uint8Array(34), amount: 1_000n } });
    setArkPsbtField(tx, 0, ConditionWitness, [preimage]);
    return tx.toPSBT();
  }

  test.each(['a refund without us', 'a refund without us, past its locktime', 'a claim that nobody signed'])(
    'fault 350, arkade: that goes on showing %s loses the coin to us on the chain',
    async (shown) => {
      const { world, node } = scene;
      const { record, coin, hash, release } = await payArkadeLightning(scene);
      await world.mine(1);
      await look();
      const terms = vhtlcTerms(node, record.id);
      const isRefund = shown !== 'a claim that nobody signed';
      const { preimage } = world.lightning.invoice('outside', toHex(hash)) ?? {};
      showSpent(coin, isRefund ? await refundOf(record, terms) : unsignedClaim(fromHex(preimage ?? '')));
      release('settles');
      await eventually(() => node.runtime.guard.paused() !== null, 'the operator is distrusted');
      await look();
      const isLate = shown.includes('past');
      const untilLocktime = () => terms.refundLocktime - world.bitcoin.clock.mtp();
      if (isLate) await world.advance(untilLocktime() - 600);
      await brought(coin);
      const progress = () => node.runtime.workingSet.find(record.id)?.row.progress ?? {};
      await eventually(() => 'exit' in progress(), 'it is to be claimed on the chain');
      while (isLate && untilLocktime() > 0) await world.advance(300);
      if (isLate) await new Promise((resolve) => setTimeout(resolve, 500));
      const meanwhile = [node.at(record.id), leafOf(coin)];
      await world.advance(terms.claimDelay + 600);
      await eventually(() => leafOf(coin) !== null, 'the claim is sent');
      expect([meanwhile, leafOf(coin)]).toEqual([
        ['claiming', null],
        vhtlcScript(terms).leaf['unilateral-claim'].script,
      ]);
    },
    120_000,
  );
});

test('a coin that is not worth its way to the chain stays where it is, and its owner is told', async () => {
  const { world, node } = scene;
  const alerts: string[] = [];
  node.runtime.onAlert(({ sentence }) => alerts.push(`${alertName(null, sentence)}: ${sentence}`));
  const small = world.faucet((await node.ports.arkade!.address()).address, 20_000n);
  await world.mine(1);
  await look();
  world.bitcoin.setFeeRate(450);
  const { jobs: begun } = accepted(await node.service.owner.walletExit('arkade'));
  expect({
    saved: node.store.exits.has(small),
    begun: begun.map(({ amount }) => amount),
    alert: alerts.find((sentence) => sentence.includes(outpointKey(small))),
    beginnings: alerts.filter((line) => line.startsWith('exit-begun')).length,
  }).toEqual({
    saved: true,
    begun: [2_500_000, 2_500_000, 2_500_000],
    beginnings: 3,
    alert: expect.stringMatching(/^exit-dear: .*it waits for lower fees/),
  });
});

/** The same transaction with a signature that fits nothing. */
function unsigned(transaction: Uint8Array): Uint8Array {
  return tampered(transaction, (raw) => {
    raw.witnesses = raw.witnesses?.map(([signature, ...rest]) => [new Uint8Array(signature?.length ?? 0), ...rest]);
  });
}

test('a coin whose saved transactions are not valid is left where it is, and its owner is told', async () => {
  const { world, node } = scene;
  const alerts: string[] = [];
  node.runtime.onAlert(({ sentence }) => alerts.push(`${alertName(null, sentence)}: ${sentence}`));
  const coin = world.faucet((await node.ports.arkade!.address()).address, 2_000_000n);
  await world.mine(1);
  await look();
  const { exits } = node.store;
  const path = exits.path.bind(exits);
  Object.assign(exits, {
    path(of: Outpoint) {
      const saved = path(of);
      const damaged = saved !== null && sameOutpoint(of, coin);
      return damaged ? { ...saved, transactions: saved.transactions.map(unsigned) } : saved;
    },
  });
  const { jobs: begun } = accepted(await node.service.owner.walletExit('arkade'));
  expect(begun.map(({ amount }) => amount)).toEqual([2_500_000, 2_500_000, 2_500_000]);
  expect(alerts.find((line) => line.includes(outpointKey(coin)))).toMatch(/^exit-broken: .*are not valid/);
});

test.each([
  ['bitcoin', /only coins of the Arkade wallet/],
  ['arkade', /No coin of the Arkade wallet can leave/],
] as const)('the owner who asks it of %s in vain reads why', async (network, sentence) => {
  const answer = await scene.node.service.owner.walletExit(network);
  expect(isRefusal(answer) && answer.sentence).toMatch(sentence);
});
