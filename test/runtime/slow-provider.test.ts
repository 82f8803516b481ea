import { expect, test } from 'vitest';
import { laneOf } from '../../engine/runtime/networks/acts.ts';
import { providerWatching } from '../../engine/runtime/networks/provider/watch.ts';
import { createSlots } from '../../engine/runtime/slots.ts';
import type { Providers } from '../../engine/taker/port.ts';

test('fault 117: a provider that answers nothing keeps no word of another one waiting', async () => {
  let release: (status: null) => void = () => undefined;
  const silence = new Promise<null>((resolve) => (release = resolve));
  const providers = ((url: string) => ({
    status: () => (url === 'silent' ? silence : Promise.resolve('serverfunded')),
  })) as unknown as Providers;
  const words: string[] = [];
  const watch = providerWatching.open({
    ports: { providers },
    deliver: (id: string) => void words.push(id),
    onFailure: () => undefined,
    pollMs: 20,
  } as never);
  for (let place = 0; place < 40; place++)
    watch?.add(`one ${place}`, { on: 'provider', provider: 'silent', swapId: `${place}` });
  watch?.add('other', { on: 'provider', provider: 'good', swapId: 'a' });
  watch?.start();
  await expect.poll(() => words, { timeout: 2_000 }).toContain('other');
  release(null);
  await watch?.stop();
});

test('fault 117: a provider that answers nothing keeps no claim by another one waiting', () => {
  const slots = createSlots(() => true);
  const at = (provider: string) => laneOf({ do: 'provider.claim-evm', provider } as never);
  const lanes = new Map<string, ReturnType<typeof at>>();
  for (let place = 0; place < 40; place++) lanes.set(`one ${place}`, at('silent'));
  lanes.set('other', at('good'));
  for (const [id, lane] of lanes) slots.wait(id, lane);
  const run = [...lanes].flatMap(() => slots.take((id) => lanes.get(id) ?? null)?.queue ?? []);
  expect([run.length, run.includes('other')]).toEqual([33, true]);
});
