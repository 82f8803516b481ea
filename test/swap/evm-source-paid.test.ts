import { expect, it } from 'vitest';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import {
  evmLightning,
  viewEvmLightning,
  type EvmLightningProgress,
  type EvmLightningTerms,
} from '../../engine/swap/directions/evm-lightning.ts';
import type { Event } from '../../engine/swap/machine.ts';
import { start } from './cases.ts';
import { evmClocksAt, evmLightningTerms, fresh, lookAt, permit, refunded, seenLock } from './evm-lightning-cases.ts';

const usdc = asEvmAddress(new Uint8Array(20).fill(0x77));
const t: EvmLightningTerms = {
  ...evmLightningTerms,
  source: { address: usdc, decimals: 6, symbol: 'USDC', name: 'USD Coin' },
  sourceUnits: 61_000_000n,
};
const paid = { token: usdc, taken: 61_500_000n, returned: 400_000n };
const lock = seenLock();
const funding: Event = { is: 'fund.requested', permit: { ...permit, token: usdc, amount: 61_500_000n }, calls: [] };

/** As it is stored and read again. */
const { progress: shape } = evmLightning.shape;
const stored = (p: EvmLightningProgress) => shape.read(p, shape.version);

function after(...events: readonly Event[]): EvmLightningProgress {
  return events.reduce<EvmLightningProgress>((p, event) => {
    const step = evmLightning.step(t, p, event, evmClocksAt(start + 60));
    return step === 'stay' ? p : stored(step.progress);
  }, fresh);
}

function shown(p: EvmLightningProgress, of = t) {
  const facts = { id: 'a', createdAt: start, status: evmLightning.status(p), network: 'regtest' } as const;
  const { source_amount, returned_amount } = viewEvmLightning(facts, of, p);
  return [source_amount, returned_amount];
}

it('fault 74, evm: a record says what is permitted, then what was given and what came back', () => {
  const [relayed, shallow] = [after(funding), after(funding, lookAt([{ ...lock, confirmations: 1 }]))];
  expect([shown(fresh), shown(relayed), shown(shallow)]).toEqual([
    ['61000000', undefined],
    ['61500000', undefined],
    ['61500000', undefined],
  ]);
  const later = after(funding, lookAt([{ ...lock, confirmations: 1 }]), lookAt([{ ...lock, confirmations: 1, paid }]));
  const buried = after(funding, lookAt([{ ...lock, paid }]));
  const own = after(lookAt([{ ...lock, paid: { ...paid, taken: 61_000_000n } }]));
  expect([later.at, shown(later), shown(buried), shown(own)]).toEqual([
    'seen',
    ['61100000', '400000'],
    ['61100000', '400000'],
    ['60600000', '400000'],
  ]);
});

it('fault 74, evm: what an RPC knows late is told all the same, and stays when the swap is called off', () => {
  const late = after(lookAt([lock]), lookAt([{ ...lock, paid }]));
  expect(shown(late)).toEqual(['61100000', '400000']);
  const calledOff = after(lookAt([{ ...lock, confirmations: 1, paid }], start + 10));
  const tooLate = evmLightning.step(t, calledOff, { is: 'clock' }, evmClocksAt(t.payBefore + 600));
  if (tooLate === 'stay') throw new Error('it goes on');
  const stopped = stored(tooLate.progress);
  expect([stopped.at, shown(stopped)]).toEqual(['stopped', ['61100000', '400000']]);
  const back = after(lookAt([{ ...lock, paid, state: refunded(99) }]));
  expect(shown(back)).toEqual(['61000000', undefined]);
});

it('tokens of another kind, and a rest above what was taken, make no false price', () => {
  const other = after(lookAt([{ ...lock, paid: { ...paid, token: t.pegged.address } }]));
  const gift = after(lookAt([{ ...lock, paid: { ...paid, returned: 70_000_000n } }]));
  expect([shown(other), shown(gift)]).toEqual([
    ['61000000', undefined],
    ['0', '70000000'],
  ]);
});
