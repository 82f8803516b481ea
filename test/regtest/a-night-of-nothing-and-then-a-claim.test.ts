import { afterAll, beforeAll, expect, test } from 'vitest';
import { whole } from '../stories/client/http.ts';
import { onStage } from './arkd/stage.ts';
import { openOracle, type Books, type Oracle } from './kit/oracle.ts';
import { patientClient, type PatientClient, type Receiving, type Sending } from './kit/patient-client.ts';
import { openStage, type Stage } from './kit/stage.ts';

/**
 * Median time past can go ahead of the wall clock by two hours at most, so a lock that is to end here is a short one.
 */
const serviceLegSeconds = 5_400;
/** Six hours of blocks. */
const nightBlocks = 36;

onStage('a night of nothing, and then a claim', () => {
  let stage: Stage;
  let oracle: Oracle;
  let client: PatientClient;
  let before: Books;
  let forgotten: Receiving;

  beforeAll(async () => {
    stage = await openStage({ timing: { serviceLegSeconds } });
    oracle = await openOracle(stage);
    client = patientClient(stage);
    before = await oracle.books();
    forgotten = await locked();
  });
  afterAll(async () => {
    await oracle?.stop();
    await stage?.stop();
  });

  async function locked(): Promise<Receiving> {
    const receiving = await client.receive();
    await client.locked(receiving);
    return receiving;
  }

  async function withPayee(): Promise<Sending> {
    const sending = await client.send('held');
    await client.fund(sending);
    await expect.poll(() => stage.wallet.invoiceState(sending.hash), { timeout: 60_000 }).toBe('held');
    return sending;
  }

  test('the node that watched all night settles at once', async () => {
    const [receiving, sending] = await Promise.all([locked(), withPayee()]);
    await stage.net.mine(nightBlocks / 2);
    await Promise.all([client.claim(receiving), client.settle(sending)]);
    await Promise.all([receiving, sending].map(({ swap }) => client.reached(swap, 'serverredeemed')));
    await expect
      .poll(async () => [await stage.wallet.payment(receiving.hash), await stage.wallet.invoiceState(sending.hash)], {
        timeout: 60_000,
      })
      .toEqual(['settled', 'settled']);
  });

  test('the node that was off all night finds in the morning what was claimed in the dark', async () => {
    const [receiving, sending] = await Promise.all([locked(), withPayee()]);
    await stage.node.kill('SIGKILL');
    await Promise.all([client.claim(receiving), client.settle(sending)]);
    await stage.net.mine(nightBlocks / 2);
    expect(await stage.wallet.payment(receiving.hash)).toBe('in-flight');
    await stage.node.start();
    await Promise.all([receiving, sending].map(({ swap }) => client.reached(swap, 'serverredeemed')));
    await expect.poll(() => stage.wallet.payment(receiving.hash), { timeout: 60_000 }).toBe('settled');
  });

  test('what nobody claims goes back to both after the locktime', async () => {
    const locktime = whole(forgotten.swap.record, 'vhtlc_refund_locktime');
    await stage.net.miner.warp(locktime + 60 - Math.floor(Date.now() / 1_000));
    await client.reached(forgotten.swap, 'clientrefundedserverrefunded');
    await expect.poll(() => stage.wallet.payment(forgotten.hash), { timeout: 60_000 }).toBe('failed');
    expect((await stage.client.arkade.coins(forgotten.swap.vhtlc)).map(({ isSpent }) => isSpent)).toEqual([true]);
  });

  test('not one satoshi is unaccounted for', async () => {
    expect(await oracle.faults(before, client.played)).toEqual([]);
  });
});
