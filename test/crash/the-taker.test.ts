import { afterEach, expect, test } from 'vitest';
import { toHex } from '../../engine/domain/hex.ts';
import { decodeInvoice } from '../../engine/adapters/lnd/decode.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { decodeArkadeAddress, outputScript } from '../../engine/legs/arkade/address.ts';
import type { TakerProgress } from '../../engine/taker/terms.ts';
import { legOn, silent, startPair, type Pair } from '../taker/pair.ts';
import { atEveryBoundary } from './support/lives.ts';

/*
 * The taker is killed at every commit and at every call that leaves it, before and after, and starts again from what
 * its disk holds. Whatever it had done, the end is the same, and the accounts are read from the networks.
 */

let pair: Pair | null = null;
afterEach(async () => {
  await pair?.stop();
  pair = null;
});

const amount = 50_000n;

interface Killer {
  arm(): void;
  /** From here on nobody dies any more; resolves when a node that died has come back. */
  disarm(): Promise<void>;
}

/** Runs the story with a death at each boundary that it crosses, one each time; answers how many there are. */
async function killedEverywhere(
  name: string,
  story: (pair: Pair, killer: Killer) => Promise<void>,
  coins = { count: 0, sats: 0n },
): Promise<number> {
  let most = 0;
  await atEveryBoundary(`client, ${name}`, async (dieAt) => {
    let crossed = 0;
    let armed = false;
    let dead: Promise<void> | null = null;
    const started = await startPair({
      taker: {
        coins,
        onBoundary() {
          if (armed && dead === null && ++crossed === dieAt)
            dead = started.restartTaker({ onBoundary: () => undefined });
        },
      },
    });
    pair = started;
    await story(started, {
      arm: () => void (armed = true),
      async disarm() {
        armed = false;
        await dead;
      },
    });
    await started.stop();
    pair = null;
    most = Math.max(most, crossed);
    return crossed;
  });
  return most;
}

function invoiceHash(bolt11: string): Uint8Array {
  const invoice = decodeInvoice(bolt11);
  if (isRefusal(invoice)) throw new Error(invoice.sentence);
  return invoice.hash;
}

async function until(reached: () => boolean | Promise<boolean>): Promise<void> {
  await expect.poll(reached, { timeout: 60_000, interval: 10 }).toBe(true);
}

test('fault 1: from Lightning, a claim is made once however often the node dies, and the payment settles', async () => {
  const boundaries = await killedEverywhere('from Lightning', async (on, killer) => {
    const id = await on.fromLightning(amount);
    const { invoice, receive_sats } = await on.listed(id);
    killer.arm();
    on.world.pay(invoice ?? '');
    await until(() => on.taker.at(id) === 'claimed');
    await until(() => on.world.paid(invoiceHash(invoice ?? '')) === 'settled');
    await killer.disarm();
    expect(await on.balance()).toBe(BigInt(receive_sats));
  });
  expect(boundaries).toBeGreaterThan(10);
}, 120_000);

test('fault 2: a refund that the provider signed comes back once however often the node dies', async () => {
  const boundaries = await killedEverywhere('a refund by both', async (on, killer) => {
    const { bolt11, hash } = on.world.invoice(amount, { hold: true });
    const id = await on.toLightning(bolt11, amount);
    const { address, amount_sats, provider_swap_id } = await on.listed(id);
    killer.arm();
    on.world.faucet(address ?? '', BigInt(amount_sats));
    await on.provider.until(provider_swap_id ?? '', 'paying');
    on.world.lightning.release(toHex(hash), 'fails');
    await until(() => on.taker.at(id) === 'done');
    await killer.disarm();
    expect(await on.balance()).toBe(BigInt(amount_sats));
  });
  expect(boundaries).toBeGreaterThan(10);
}, 120_000);

test('fault 2: coins whose provider vanished come back alone however often the node dies', async () => {
  const boundaries = await killedEverywhere('a refund alone', async (on, killer) => {
    const { bolt11 } = on.world.invoice(amount, { hold: true });
    const id = await on.toLightning(bolt11, amount);
    const { address, amount_sats } = await on.listed(id);
    const { deal } = on.taker.store.swaps.byId(id)?.progress as TakerProgress;
    if (deal === undefined) throw new Error('there is no deal');
    const { refundLocktime } = legOn(deal, 'arkade').vhtlc;
    Object.assign(on.tampered, silent);
    await on.provider.kill();
    killer.arm();
    on.world.faucet(address ?? '', BigInt(amount_sats));
    await until(() => on.taker.at(id) === 'funded');
    await on.world.advance(refundLocktime - on.world.now() + 2 * 3_600);
    await on.world.mine(12);
    await until(() => on.taker.at(id) === 'done');
    await killer.disarm();
    expect(await on.balance()).toBe(BigInt(amount_sats));
  });
  expect(boundaries).toBeGreaterThan(10);
}, 240_000);

test('a swap that is being opened when the node dies is opened once, or not at all', async () => {
  const boundaries = await killedEverywhere('a swap that is opened', async (on, killer) => {
    killer.arm();
    // The answer to the owner is lost with the process; the intent is not.
    void on.fromLightning(amount).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 150));
    await killer.disarm();
    await until(() =>
      on.taker.store.swaps.page({ machine: 'take-lightning-arkade', limit: 5 }).every(({ at }) => at === 'waiting'),
    );
    const ours = on.taker.store.swaps.page({ machine: 'take-lightning-arkade', limit: 5 });
    const given = on.provider.store.swaps.page({ machine: 'lightning-arkade', limit: 5 });
    expect([ours.length === given.length, ours.length <= 1]).toEqual([true, true]);
  });
  expect(boundaries).toBeGreaterThan(2);
}, 120_000);

test('a swap that our own wallet pays is paid once, however often the node dies', async () => {
  const boundaries = await killedEverywhere(
    'paid by our own wallet',
    async (on, killer) => {
      const { bolt11, hash } = on.world.invoice(amount, { hold: true });
      const id = await on.toLightning(bolt11, amount);
      const { address, provider_swap_id } = await on.listed(id);
      killer.arm();
      void Promise.resolve(on.taker.taker.pay(id)).catch(() => undefined);
      // Whoever got no answer asks again, the node that came back too.
      await until(async () => {
        if (on.taker.at(id) !== 'waiting') return true;
        await Promise.resolve(on.taker.taker.pay(id)).catch(() => undefined);
        return false;
      });
      await on.provider.until(provider_swap_id ?? '', 'paying');
      on.world.lightning.release(toHex(hash), 'settles');
      await until(() => on.taker.at(id) === 'done');
      await killer.disarm();
      const to = decodeArkadeAddress(address ?? '');
      const coins = await on.taker.ports.arkade?.coins(to === null ? [] : [outputScript(to.outputKey)]);
      expect(coins?.map(({ spent }) => spent)).toEqual([true]);
    },
    { count: 4, sats: 40_000n },
  );
  expect(boundaries).toBeGreaterThan(10);
}, 240_000);
