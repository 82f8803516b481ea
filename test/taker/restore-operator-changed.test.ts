import { afterEach, describe, expect, test, vi } from 'vitest';
import { asXOnly } from '../../engine/domain/hash.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { seconds } from '../../engine/domain/time.ts';
import { operatorThen } from '../../engine/taker/restore/operator.ts';
import { loseDatabase, only, patient, restored } from './lost.ts';
import { startPair, type Pair } from './pair.ts';

/* A node lost its database, and its Arkade operator changed before the swaps were looked for. */

let pair: Pair | null = null;
afterEach(async () => {
  await pair?.stop();
  pair = null;
});
vi.setConfig({ testTimeout: 120_000 });

const hour = 3_600;
const amount = 50_000n;

async function start(): Promise<Pair> {
  pair = await startPair(patient);
  return pair;
}

async function info({ taker }: Pair) {
  return (await taker.ports.arkade?.info()) ?? Promise.reject(new Error('there is no operator'));
}

test('a signer of before: what the provider locked under it is claimed, and what we locked comes back', async () => {
  const now = await start();
  const before = toHex((await info(now)).signer);
  const incoming = await now.listed(await now.fromLightning(amount));
  const outgoing = await now.listed(await now.toLightning(now.world.invoice(amount, { hold: true }).bolt11, amount));
  await loseDatabase(now, async () => {
    now.world.pay(incoming.invoice ?? '');
    await now.provider.until(incoming.provider_swap_id ?? '', 'locked');
    await now.provider.kill();
    now.world.faucet(outgoing.address ?? '', BigInt(outgoing.amount_sats));
    now.world.operator.rotateSigner(30 * 24 * hour);
  });
  expect(toHex((await info(now)).signer)).not.toBe(before);
  await now.restartProvider();
  const { counts, swaps } = await restored(now);
  expect([counts, swaps.map(({ detail }) => detail)]).toEqual([
    { reopened: 2, held: 0, over: 0, refused: 0, later: 0 },
    [null, null],
  ]);
  const id = (of: string | null) => swaps.find((swap) => swap.provider_swap_id === of)?.id ?? '';
  await now.taker.until(id(incoming.provider_swap_id), 'claimed');
  await now.provider.kill();
  await now.world.advance(60 * hour);
  await now.world.mine(12);
  await now.taker.until(id(outgoing.provider_swap_id), 'done');
  const { available = 0n, recoverable = 0n } = (await now.taker.ports.arkade?.balance([])) ?? {};
  expect(available + recoverable).toBe(BigInt(incoming.receive_sats) + BigInt(outgoing.amount_sats));
});

test('an exit delay that was raised: what we locked under the shorter one is seen, and comes back', async () => {
  const now = await start();
  const { exitDelay } = await info(now);
  const { address, amount_sats } = await now.listed(
    await now.toLightning(now.world.invoice(amount, { hold: true }).bolt11, amount),
  );
  const ask = (delay: number) => now.world.operator.configure({ exitDelay: delay, publicExitDelay: delay });
  await loseDatabase(now, async () => {
    now.world.faucet(address ?? '', BigInt(amount_sats));
    ask(4 * exitDelay);
  });
  expect((await info(now)).exitDelay).toBe(4 * exitDelay);
  const again = await only(now);
  await now.taker.until(again, 'funded');
  await now.provider.kill();
  // It takes coins of before again: until then nothing but the chain brings them back.
  ask(exitDelay);
  await now.world.advance(60 * hour);
  await now.world.mine(12);
  await now.taker.until(again, 'done');
  expect([now.taker.taker.swap(again)?.outcome, await now.balance()]).toEqual(['returned', BigInt(amount_sats)]);
});

describe('what a record may say of the operator', () => {
  const key = (byte: number) => asXOnly(new Uint8Array(32).fill(byte));
  const day = 86_528;
  const now = { signer: key(1), exitDelay: seconds(7 * day), former: [key(2)] };
  const record = (signer: number, [claim, refund, alone]: readonly [number, number, number]) => ({
    arkade_server_pk: toHex(key(signer)),
    unilateral_claim_delay: claim,
    unilateral_refund_delay: refund,
    unilateral_refund_without_receiver_delay: alone,
  });
  const ladder = [day, 2 * day, 3 * day] as const;

  test.each([
    ['its signer now', 1, 1],
    ['a signer of before', 2, 2],
    ['a stranger, of whom nothing is believed', 3, 1],
  ] as const)('%s', (_, named, believed) => {
    expect(operatorThen(record(named, ladder), now, { side: 'target', network: 'mainnet' }).signer).toEqual(
      key(believed),
    );
  });

  test.each([
    ['a shorter delay than now at our target', 'target', ladder, day],
    ['one that lets both take it at the same moment', 'target', [day, day, day], 7 * day],
    ['one that no operator ever had', 'target', [512, 1_024, 1_536], 7 * day],
    ['at our source they bind the provider alone', 'source', [512, 512, 512], 512],
    ['a longer one than now', 'target', [8 * day, 8 * day, 8 * day], 7 * day],
  ] as const)('%s', (_, side, delays, believed) => {
    expect(operatorThen(record(1, delays), now, { side, network: 'mainnet' }).exitDelay).toBe(believed);
  });
});
