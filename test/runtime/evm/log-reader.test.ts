import { expect, it } from 'vitest';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { unix } from '../../../engine/domain/time.ts';
import type { EvmHead, LockEvent } from '../../../engine/legs/evm/port.ts';
import { createLogReader } from '../../../engine/runtime/networks/evm/log-reader.ts';

const htlc = asEvmAddress(new Uint8Array(20).fill(0xc1));
const tip = { height: 1_000, hash: '', time: unix(1_760_000_000) };
const reach = { base: 901, tip, overlap: 64, contested: [] };

it('fault 341, evm: blocks that are wanted again while an RPC is at work are read again', async () => {
  let answer = (): void => undefined;
  const rpc = {
    ...{ name: 'one', own: false, counts: true, tip },
    events: () => new Promise<readonly LockEvent[]>((resolve) => (answer = () => resolve([]))),
  } as EvmHead;
  const reader = createLogReader(htlc, () => true);
  const reading = reader.read(rpc, reach);
  reader.back(950);
  answer();
  await reading;
  expect(reader.cursor()).toBe(950);
});
