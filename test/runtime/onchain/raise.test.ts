import { expect, test, vi } from 'vitest';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import type { ServiceContext } from '../../../engine/service/context.ts';
import { bump } from '../../../engine/service/owner/swaps.ts';
import type { Effect } from '../../../engine/swap/machine.ts';
import { bitcoinScene, newWorld, ours, swapKey, type BitcoinScene, type SceneOptions } from './scene.ts';
import { clientPublic, clientSpend, scriptOf, termsOf } from './support.ts';
import { eventually, patience } from './patience.ts';

vi.setConfig(patience);

const amount = sats(60_000);
const hour = 3_600;

const raise = ({ runtime }: BitcoinScene, id: string) => bump({ runtime } as unknown as ServiceContext, id);

async function funding(options: SceneOptions = {}) {
  const scene = await bitcoinScene(options);
  await scene.deposit(200_000);
  const terms = termsOf(clientPublic, ours, scene.world.tip().mtp + 6 * hour);
  const script = scriptOf(terms);
  const effect: Effect = {
    do: 'htlc.fund',
    script,
    amount,
    mostFee: sats(5_000),
    lockBefore: unix(terms.refundLocktime - 2 * 3_600),
    scriptSince: 0,
  };
  const id = scene.open({ push: sats(2_000), resends: amount, watches: [watchOf(terms, scene)] }, [effect]);
  await eventually(() => scene.rows(id).some(({ state }) => state === 'accepted'), 'it is sent');
  return { scene, id, terms, txid: scene.payment(id).txid };
}

const watchOf = (terms: ReturnType<typeof termsOf>, { world }: BitcoinScene) =>
  ({
    on: 'htlc',
    terms,
    script: scriptOf(terms),
    since: world.tip().height,
    agreed: { least: sats(50_000), most: sats(50_000) },
    coins: [],
  }) as const;

async function claiming(left: number) {
  const world = newWorld();
  const terms = termsOf(ours, clientPublic, world.tip().mtp + left);
  const coin = world.faucet(scriptOf(terms), amount);
  if (coin === null) throw new Error('the faucet has no coin');
  world.mine(1);
  const scene = await bitcoinScene({ world });
  const spend: Effect & { do: 'htlc.spend' } = {
    do: 'htlc.spend',
    purpose: 'claim',
    terms,
    script: scriptOf(terms),
    key: swapKey,
    coin,
    leastRate: 0,
    deadline: terms.refundLocktime,
  };
  const id = scene.open({ spend }, [spend], 'the secret');
  await eventually(() => world.spend(coin) !== undefined, 'it is sent');
  return { scene, id, coin };
}

test("a claim pays half as much again at its owner's word, once, and says why", async () => {
  const { scene, id, coin } = await claiming(24 * hour);
  const first = scene.world.spend(coin)?.txid;
  expect(raise(scene, id)).toEqual({ at: 'sending' });
  await eventually(() => scene.world.spend(coin)?.txid !== first, 'it pays more');
  await eventually(() => scene.fees(id).length === 3, 'it is written down');
  expect(scene.fees(id)[1]).toMatch(
    /^fee of ([\d.]+) sats per vbyte to be raised to [\d.]+ sats per vbyte: the owner asked for it$/,
  );
  const second = scene.world.spend(coin)?.txid;
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(scene.world.spend(coin)?.txid).toBe(second);
  expect(scene.rows(id)).toHaveLength(2);
});

test('what pays the most that it may cost now is not raised, and the answer says until when', async () => {
  const scene = await bitcoinScene();
  const id = scene.open({}, []);
  const effect = { do: 'onchain.broadcast', capped: true, raiseFrom: scene.world.tip().mtp + hour };
  const store = { effects: { of: () => [{ parked: null, effect }] } };
  expect(raise({ ...scene, runtime: { ...scene.runtime, store } } as unknown as BitcoinScene, id)).toMatchObject({
    refusal: 'forbidden',
    sentence: expect.stringMatching(/the most that it may cost before \d+ .*ceilings\.claimBps/) as string,
  });
  expect(scene.runtime.raises.size).toBe(0);
});

test("a funding is never replaced: at its owner's word a child pays for it, up to its ceiling", async () => {
  const { scene, id, txid } = await funding();
  const child = () => scene.world.spend({ txid, vout: 1 })?.txid;
  const children: string[] = [];
  await eventually(() => {
    expect(raise(scene, id)).toEqual({ at: 'sending' });
    const now = child();
    if (now !== undefined && !children.includes(now)) children.push(now);
    return children.length > 1;
  }, 'a second child is there');
  const fee = scene.world.waiting(child() ?? '')?.fee ?? 0n;
  expect(fee).toBeLessThanOrEqual(2_000n);
  expect(scene.world.waiting(txid)).toBeDefined();
  expect(scene.fees(id).filter((line) => line.endsWith('the owner asked for it')).length).toBe(children.length);
});

test('what is not ours to raise is refused with a sentence', async () => {
  const { scene, id, terms, txid } = await funding();
  const claim = clientSpend(terms, { txid, vout: 0, amount }, { claim: true });
  scene.world.submit(claim.bytes);
  await eventually(() => scene.at(id) === 'resending', 'the claim is kept');
  expect(raise(scene, id)).toMatchObject({
    refusal: 'forbidden',
    sentence: expect.stringMatching(/pays for itself/) as string,
  });
  const idle = scene.open({}, []);
  expect(raise(scene, idle)).toMatchObject({
    refusal: 'forbidden',
    sentence: 'Nothing of this swap waits on the Bitcoin chain with a fee that could be raised.',
  });
});

test('a funding that no mempool takes without packages is told of, and enters once the minimum falls', async () => {
  const { scene, id, txid } = await funding({
    lying: (port) => ({
      broadcastPackage: async (parent, child) => ({
        parent: await port.broadcast(parent),
        child: await port.broadcast(child),
      }),
    }),
  });
  scene.world.setFeeRate(8);
  scene.world.setMempoolMinimum(8);
  expect(scene.world.waiting(txid)).toBe(undefined);
  await eventually(() => scene.flag(id) !== null, 'its owner is told');
  expect(scene.flag(id)).toMatch(/nor together with the child .* takes packages/);
  scene.world.setMempoolMinimum(1);
  await eventually(() => scene.world.waiting(txid) !== undefined, 'it enters');
  scene.world.mine(6);
  await eventually(() => scene.at(id) === 'over: onchain.final', 'it is buried');
});

test('with packages its owner hears nothing of a minimum that rises', async () => {
  const { scene, id, txid } = await funding();
  scene.world.setFeeRate(8);
  scene.world.setMempoolMinimum(8);
  await eventually(() => scene.world.waiting(txid) !== undefined, 'it comes back with its child');
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(scene.flag(id)).toBeNull();
});
