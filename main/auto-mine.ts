import type { Engine } from '../engine/index.ts';

/** In the sandbox of `npm start` blocks come on their own, so that a newcomer's confirmations come in seconds. */
export async function mineByItself(engine: Engine): Promise<void> {
  await engine.dispatch('bitcoinMine', { body: { auto: 'on_demand' } });
}
