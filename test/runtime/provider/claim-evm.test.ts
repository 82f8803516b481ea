import { expect, test } from 'vitest';
import type { ProviderContext } from '../../../engine/runtime/networks/provider/context.ts';
import { claimOnEvm } from '../../../engine/runtime/networks/provider/evm.ts';
import { clocksAt, start } from '../../swap/cases.ts';
import { evmLightningTerms as swap, account, network } from '../../swap/evm-lightning-cases.ts';

/* Before a provider is asked to claim for us, whatever brings the swap home knows that it has our secret. */

interface World {
  /** Whether the bundle can be written. */
  readonly bundle?: boolean;
  /** What each look at the lock comes to. */
  readonly looks: (string | null)[];
}

/** In which order things happened until the provider was asked, or was not. */
async function happened({ bundle = true, looks }: World) {
  const order: string[] = [];
  const context = {
    row: { subject: 'swap', attempts: 0 },
    clock: { now: () => clocksAt(start) },
    ports: { providers: {} },
    store: {
      intents: {
        has: () => false,
        note: () => void order.push('note'),
        drop: () => void order.push('drop'),
      },
      preimages: {
        find() {
          order.push('secret');
          throw new Error('the secret is read to be shown');
        },
      },
    },
    judge: { forbidden: async () => (order.push('look'), looks.shift() ?? null) },
    bundled: async () => (order.push('bundle'), bundle),
    answer: ({ is }: { is: string }) => void order.push(is),
  } as unknown as ProviderContext;
  const lock = { ...swap.lock, amount: 100_000n };
  const claim = { lock, calls: [], sweepToken: lock.token, minAmountOut: 1n, destination: account.client };
  const effect = { network, contracts: swap.contracts, claim, onlyIf: {}, provider: '', swapId: 'its' };
  const failure = await claimOnEvm(effect as never, context).catch((cause: Error) => cause.message);
  return { order, failure };
}

test('fault 187, evm: the question is noted, and in the bundle, before the last look and the secret', async () => {
  const { order } = await happened({ looks: [null, null] });
  expect(order).toEqual(['look', 'note', 'bundle', 'look', 'secret']);
});

test('fault 187, evm: a bundle that cannot be written, or a lock that ends meanwhile, takes the note back', async () => {
  const unwritten = await happened({ bundle: false, looks: [null] });
  expect(unwritten).toEqual({
    order: ['look', 'note', 'bundle', 'drop', 'bundle'],
    failure: 'the rescue bundle cannot be written',
  });
  const late = await happened({ looks: [null, 'too late'] });
  expect(late.order).toEqual(['look', 'note', 'bundle', 'look', 'drop', 'bundle', 'provider.claim-withheld']);
});
