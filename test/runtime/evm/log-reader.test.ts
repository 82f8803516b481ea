import { expect, it } from 'vitest';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { asSha256 } from '../../../engine/domain/hash.ts';
import { unix } from '../../../engine/domain/time.ts';
import type { EvmHead, LockEvent } from '../../../engine/legs/evm/port.ts';
import { createLogReader } from '../../../engine/runtime/networks/evm/log-reader.ts';

const htlc = asEvmAddress(new Uint8Array(20).fill(0xc1));
const tip = { height: 1_000, hash: '', time: unix(1_760_000_000) };
const reach = { base: 901, tip, overlap: 64, contested: [] };

it('fault 339, evm: blocks that are wanted again while an RPC is at work are read again', async () => {
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

it('fault 341, evm: of one piece so much is held, and the rest follows with the next looks', async () => {
  const made = (height: number, count: number): readonly LockEvent[] =>
    Array.from({ length: count }, (_, logIndex) => {
      const place = { txid: `${height}`, height, blockHash: `${height}`, logIndex };
      const of = { htlc, preimageHash: asSha256(new Uint8Array(32)), key: new Uint8Array(32) };
      return { ...of, ...place, what: { is: 'refunded' } as const };
    });
  const logs = Array.from({ length: 60 }, (_, i) => made(941 + i, 1_000)).flat();
  const pieces: number[] = [];
  let height = tip.height;
  const reader = createLogReader(htlc, () => true);
  async function look(): Promise<void> {
    const own = { ...tip, height, hash: `${height}` };
    const events: EvmHead['events'] = async ({ from, to }, hasRoom = () => true) => {
      const all = logs.filter((one) => one.height >= from && one.height <= to && hasRoom(one));
      pieces.push(all.length);
      return all;
    };
    const rpc: EvmHead = { name: 'one', own: false, counts: true, tip: own, events };
    await reader.read(rpc, { ...reach, tip: own });
    const { events: held } = reader.logs(rpc);
    if (held.length > 32) reader.drop(new Set(held.slice(0, -32)));
  }
  for (let i = 0; i < 4; i++) await look();
  expect([reader.cursor(), Math.max(...pieces)]).toEqual([tip.height, 20_000]);
  // The blocks that are read anew have as many: what is above them is read all the same.
  height += 1;
  logs.push(...made(height, 1));
  for (let i = 0; i < 4; i++) await look();
  expect([reader.cursor(), reader.logs({ name: 'one', own: false, counts: true }).events.at(-1)?.height]).toEqual([
    height,
    height,
  ]);
});

it('fault 341, evm: what was dropped is remembered by its hash and blocks until no look goes back there', async () => {
  const events = [910, 950].map((height): LockEvent => {
    const place = { txid: `${height}`, height, blockHash: `${height}`, logIndex: 0 };
    const of = { htlc, preimageHash: asSha256(new Uint8Array(32)), key: new Uint8Array(32) };
    return { ...of, ...place, what: { is: 'refunded' } };
  });
  const rpc = { ...{ name: 'one', own: false, counts: true, tip }, events: async () => events } as unknown as EvmHead;
  const reader = createLogReader(htlc, () => true);
  await reader.read(rpc, reach);
  reader.drop(new Set(reader.logs(rpc).events));
  expect(reader.logs(rpc)).toMatchObject({ events: [], dropped: new Map([['00'.repeat(32), { from: 910, to: 950 }]]) });
  await reader.read(rpc, { ...reach, base: 951 });
  expect(reader.logs(rpc).dropped).toEqual(new Map());
});
