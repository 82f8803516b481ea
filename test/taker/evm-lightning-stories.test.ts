import { afterEach, expect, test, vi } from 'vitest';
import { refuse } from '../../engine/domain/errors.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { hash160OfSha256, sha256Of } from '../../engine/legs/secret.ts';
import { startEvmWorld, type EvmWorld } from '../support/evm/world.ts';
import { startWorld } from '../support/world.ts';
import { swapOf as swapIn } from './by-half.ts';
import { amount, bring as bringTo, order, pegged } from './on-evm.ts';
import { startPair, type Pair } from './pair.ts';

// Two nodes and a chain, on a machine that may be busy with others.
vi.setConfig({ testTimeout: 180_000 });

let pair: Pair;
let chain: EvmWorld;
afterEach(async () => {
  await pair?.stop();
  await chain?.stop();
});

const hour = 3_600;
const swapOf = (id: string) => swapIn(pair, id);
const bring = (id: string, more?: bigint) => bringTo(pair, chain, id, more);
const fromEvm = (invoice: string, gasless = true, arrives = amount) =>
  order(pair, 'evm-lightning', { invoice, gasless, arrives });

async function start(): Promise<void> {
  const world = startWorld();
  chain = await startEvmWorld(() => world.now());
  pair = await startPair({ world, taker: { evm: chain }, provider: { evm: chain } });
}

test.each([true, false])(
  'tokens are locked by a signature alone, and the invoice is paid (gasless %s)',
  async (gasless) => {
    await start();
    const { bolt11, hash } = pair.world.invoice(amount);
    const id = await fromEvm(bolt11, gasless);
    const held = await bring(id);
    await pair.taker.until(id, 'claimed');
    const proof = pair.taker.store.preimages.find(hash160OfSha256(hash));
    expect([swapOf(id).outcome, await held(), proof === null ? null : sha256Of(proof)]).toEqual(['finished', 0n, hash]);
    expect(swapOf(id).transactions.map(({ what, whose }) => `${what} ${whose}`)).toEqual([
      'fund you',
      'claim provider',
    ]);
  },
);

test('a provider that does not relay the funding: the node sends it by itself, once', async () => {
  await start();
  pair.tampered.fundOnEvm = async () => refuse('forbidden', 'not today');
  const { bolt11 } = pair.world.invoice(amount);
  const id = await fromEvm(bolt11);
  const held = await bring(id);
  await pair.taker.until(id, 'claimed');
  expect([swapOf(id).outcome, await held()]).toEqual(['finished', 0n]);
});

test('a coin that a stranger sent to the coordinator is locked with ours, and comes back with it', async () => {
  await start();
  await chain.give(chain.endpoints.coordinator, pegged(chain), 7n);
  const { bolt11 } = pair.world.invoice(amount, { hold: true });
  const id = await fromEvm(bolt11, false);
  const held = await bring(id);
  await pair.taker.until(id, 'funded');
  await pair.provider.kill();
  await pair.world.advance(60 * hour);
  await pair.taker.until(id, 'done');
  expect([swapOf(id).outcome, await held()]).toEqual(['returned', BigInt(swapOf(id).give.amount) + 7n]);
});

test('without coins for the approval the swap says how many are missing, and locks nothing', async () => {
  await start();
  const { bolt11 } = pair.world.invoice(amount);
  const id = await fromEvm(bolt11);
  const { pay } = swapOf(id);
  await chain.give(pay?.text ?? '', pegged(chain), BigInt(pay?.amount ?? '0'));
  await expect
    .poll(() => swapOf(id).detail, { timeout: 60_000 })
    .toMatch(/^The account 0x\w+ holds 0 of the coin of evm:137, .* takes up to 0\.\d+: send/);
  expect([swapOf(id).phase, swapOf(id).reason]).toEqual(['pay', 'not-locked']);
});

test('the payment fails: both sign, and the tokens are back at once', async () => {
  await start();
  const { bolt11, hash } = pair.world.invoice(amount, { hold: true });
  const id = await fromEvm(bolt11);
  const held = await bring(id);
  await pair.provider.until(swapOf(id).provider_swap_id ?? '', 'paying');
  pair.world.lightning.release(toHex(hash), 'fails');
  await pair.taker.until(id, 'done');
  expect([swapOf(id).outcome, await held()]).toEqual(['returned', BigInt(swapOf(id).give.amount)]);
});

test('fault 300, evm: an invoice whose lock came back is not ordered again from the same account', async () => {
  await start();
  const { bolt11, hash } = pair.world.invoice(amount, { hold: true });
  const id = await fromEvm(bolt11);
  await bring(id);
  await pair.provider.until(swapOf(id).provider_swap_id ?? '', 'paying');
  pair.world.lightning.release(toHex(hash), 'fails');
  await pair.taker.until(id, 'done');
  let creates = 0;
  pair.tampered.create = async () => {
    creates += 1;
    return { is: 'refused', sentence: 'closed today' };
  };
  const again = await pair.taker.taker.create({
    direction: 'evm-lightning',
    amount: sats(amount),
    invoice: bolt11,
    evm: { chainId: 137, token: null, destination: null, gasless: true },
    provider: 'https://swaps.example',
  });
  expect([again, creates]).toEqual([
    { refusal: 'forbidden', sentence: expect.stringContaining('ask the payee for a new invoice') },
    0,
  ]);
});

test('the provider vanishes: from the timelock on the tokens come back alone', async () => {
  await start();
  const { bolt11 } = pair.world.invoice(amount, { hold: true });
  const id = await fromEvm(bolt11, false);
  await pair.provider.kill();
  const held = await bring(id);
  await pair.taker.until(id, 'funded');
  await pair.world.advance(60 * hour);
  await pair.taker.until(id, 'done');
  expect([swapOf(id).outcome, await held()]).toEqual(['returned', BigInt(swapOf(id).give.amount)]);
});

test.each([
  { which: 'the second', paid: 1, more: 0n },
  { which: 'the second, and a little more', paid: 1, more: 7n },
  { which: 'the first', paid: 0, more: 0n },
])(
  'fault 111, evm: two swaps wait at one account, and the tokens of $which lock for no other',
  async ({ paid, more }) => {
    await start();
    const ids = [
      await fromEvm(pair.world.invoice(amount).bolt11, false),
      await fromEvm(pair.world.invoice(amount + 10_000n).bolt11, false, amount + 10_000n),
    ];
    const [id = '', other = ''] = paid === 0 ? ids : ids.toReversed();
    const held = await bring(id, more);
    await pair.taker.until(id, 'claimed');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const { signedUntil } = pair.taker.runtime.workingSet.find(other)?.row.progress as { signedUntil?: number | null };
    expect([pair.taker.at(other), signedUntil, await held()]).toEqual(['waiting', null, more]);
  },
);
