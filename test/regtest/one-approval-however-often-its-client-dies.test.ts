import { afterEach, expect, test, vi } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { permit2 } from '../../engine/legs/evm/deployments.ts';
import { everything } from '../../engine/legs/evm/digests.ts';
import { evmOf } from '../../engine/runtime/ports.ts';
import { readTransaction } from '../../engine/runtime/networks/evm/variants.ts';
import { startAnvilWorld } from '../support/evm/anvil-world.ts';
import type { EvmWorld } from '../support/evm/world.ts';
import type { Boundary } from '../support/leash.ts';
import { evmNetworkOfWorld } from '../support/node-evm.ts';
import { startWorld } from '../support/world.ts';
import { startPair, type Pair } from '../taker/pair.ts';

/*
 * The account of a client, and its token that takes no signature, on a node of the chain that is a process of its own.
 */

vi.setConfig({ testTimeout: 180_000 });

let pair: Pair;
let chain: EvmWorld;
afterEach(async () => {
  await pair.stop();
  await chain.stop();
});

const amount = 50_000n;
const coin = `0x${'00'.repeat(20)}`;
const pegged = () => chain.endpoints.tokens[0]?.address ?? '';
const address = (text: string) => asEvmAddress(fromHex(text.slice(2).toLowerCase()));

async function start(onBoundary: Boundary): Promise<void> {
  const world = startWorld();
  chain = await startAnvilWorld(() => world.now());
  const node = { evm: chain, untilMs: 120_000 } as const;
  pair = await startPair({ world, taker: { ...node, onBoundary }, provider: node });
}

async function opened(): Promise<{ readonly id: string; readonly account: string }> {
  const created = await pair.taker.taker.create({
    direction: 'evm-lightning',
    amount: sats(amount),
    invoice: pair.world.invoice(amount).bolt11,
    evm: { chainId: 137, token: null, destination: null, gasless: true },
    provider: '',
  });
  if (isRefusal(created)) throw new Error(created.sentence);
  const { id } = created;
  await pair.taker.until(id, 'waiting');
  const swap = pair.taker.taker.swap(id);
  if (swap === null || isRefusal(swap) || swap.pay === null) throw new Error('there is nothing to pay');
  const { text: account, amount: price } = swap.pay;
  await chain.give(account, pegged(), BigInt(price));
  return { id, account };
}

const approvals = () => pair.taker.store.transactions.onTheWay('taker-approve');

/** Dies at each of these, one after the other, each in a life of its own. */
function dyingAt(deaths: readonly ('before' | 'after')[]): { readonly boundary: Boundary; left(): number } {
  const left = [...deaths];
  return {
    left: () => left.length,
    boundary(what, moment) {
      // The node's own account sends as well.
      if (what !== 'evm.broadcast' || moment !== left[0] || approvals().length === 0) return;
      left.shift();
      void pair.taker.kill();
    },
  };
}

test('killed between the save and the send of its approval, and after it: one is signed, one is mined', async () => {
  const { boundary, left } = dyingAt(['before', 'after']);
  await start(boundary);
  const { id, account } = await opened();
  const signed = new Set<string>();
  await chain.give(account, coin, 10n ** 18n);
  for (let lives = 2; lives > 0; lives--) {
    await expect.poll(left, { timeout: 60_000 }).toBeLessThan(lives);
    await pair.restartTaker();
    for (const { txid } of approvals())
      signed.add(`${txid} at ${readTransaction(pair.taker.store.transactions.bytes(txid) ?? new Uint8Array()).nonce}`);
  }
  await pair.taker.until(id, 'claimed');
  const port = evmOf(pair.taker.ports, evmNetworkOfWorld);
  expect({
    signed: [...signed].map((one) => one.slice(64)),
    sent: (await port.minedOf(address(account))).mined,
    held: await port.balance(address(pegged()), address(account)),
    allowed: await port.allowance(address(pegged()), address(account), permit2),
  }).toEqual({ signed: [' at 0'], sent: 1, held: 0n, allowed: everything });
});
