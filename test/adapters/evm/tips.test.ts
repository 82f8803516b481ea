import { afterEach, describe, expect, it } from 'vitest';
import { connectEvm, type EvmOptions } from '../../../engine/adapters/evm/connect.ts';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { seconds, unix } from '../../../engine/domain/time.ts';
import type { EvmPort } from '../../../engine/legs/evm/port.ts';
import { startTellers, type Tellers } from '../../support/evm-tellers.ts';

const htlc = asEvmAddress(new Uint8Array(20).fill(0xc1));
const maxTipAge = 600;

const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

async function tellersOf(count: number): Promise<Tellers> {
  const chain = await startTellers(count, htlc);
  ending.push(() => chain.stop());
  return chain;
}

function connect(chain: Tellers, change: Partial<EvmOptions> = {}): EvmPort {
  return connectEvm({
    chainId: 137,
    rpc: chain.tellers.map(({ url }) => url),
    key: new Uint8Array(32).fill(0x77),
    boundTo: null,
    wall: chain.now,
    maxTipAge: () => seconds(maxTipAge),
    ...change,
  });
}

describe.each([2, 3])('of %i RPCs', (count) => {
  it('fault 64, evm: one alone moves neither tip nor clock, ahead or back', async () => {
    const chain = await tellersOf(count);
    const port = connect(chain);
    await port.tip();
    for (const manner of [
      { tipBy: 5_000, timeBy: 250 - 10_000 },
      { tipBy: 900 },
      { timeBy: 500 },
      { tipBy: 10 ** 9 },
    ]) {
      chain.tellers[0]?.behave(manner);
      chain.mine(5);
      expect(await port.tip()).toMatchObject({ height: chain.height(), time: chain.now() });
      expect(await connect(chain).tip()).toMatchObject({ height: chain.height(), time: chain.now() });
    }
  });

  it('fault 64, evm: one that is low with the time of now stops no clock and proves no absence', async () => {
    const chain = await tellersOf(count);
    const port = connect(chain);
    await port.tip();
    for (const { behave } of chain.tellers.slice(1)) behave({ tipBy: -50, timeBy: 100 });
    chain.mine(40);
    const { tip, sure } = await port.heads();
    expect(tip.time).toBe(chain.now());
    expect(sure.time).toBeLessThanOrEqual(chain.now() - 2 * 40);
    expect(sure.ago).toBeGreaterThanOrEqual(2 * 40);
  });

  it('fault 64, evm: one that stands still leaves the count after the age of a tip, and is named', async () => {
    const chain = await tellersOf(count);
    const port = connect(chain);
    await port.tip();
    const still = chain.height();
    for (const { behave } of chain.tellers.slice(1)) behave({ stillAt: still });
    chain.mine(maxTipAge / 2);
    expect((await port.tip()).height).toBe(still);
    chain.mine(1);
    expect((await port.tip()).height).toBe(chain.height());
    expect(port.disagreement()).toMatch(
      /^The last block of the RPC .* is 10 min old, .*its word does not count until it goes on\.$/,
    );
    for (const { behave } of chain.tellers) behave({});
    await port.tip();
    expect(port.disagreement()).toBeNull();
  });
});

it('fault 64, evm: the last one left is believed as far as its chain can have come', async () => {
  const chain = await tellersOf(2);
  const [liar, other] = chain.tellers;
  const port = connect(chain);
  const { height, time } = await port.tip();
  other?.behave({ down: true });
  liar?.behave({ tipBy: 5_000, timeBy: 250 - 10_000 });
  chain.mine(30);
  // Two seconds a block: at the chain's fastest there are two in that time.
  expect((await port.tip()).height).toBe(height + 60);
  const again = connect(chain, { agreedBefore: () => ({ height, time }) });
  expect((await again.tip()).height).toBe(height + 60);
  expect((await again.tip()).time).toBeLessThanOrEqual(chain.now() + 60);
});

it('fault 64, evm: the last one left proves no absence at first, and begins nothing later', async () => {
  const chain = await tellersOf(2);
  const port = connect(chain);
  const { time } = await port.tip();
  chain.tellers[1]?.behave({ down: true });
  chain.mine(100);
  expect(await port.heads()).toMatchObject({ agreed: false, sure: { time, ago: 200 } });
  expect(port.disagreement()).toBeNull();
  chain.mine(250);
  expect(await port.heads()).toMatchObject({ agreed: false, sure: { time: chain.now(), ago: 0 } });
  expect(port.disagreement()).toMatch(
    /a single RPC of chain 137 tells of new blocks: it serves claims and refunds alone/,
  );
});

it('fault 64, evm: where all stand still none leaves the count', async () => {
  const chain = await tellersOf(2);
  const port = connect(chain, { wall: () => chain.now() + 3_600 });
  expect(await port.heads()).toMatchObject({ agreed: true, tip: { height: chain.height(), time: unix(chain.now()) } });
});
