import { describe, expect, test } from 'vitest';
import { decodeInvoice } from '../../engine/adapters/lnd/decode.ts';
import { sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import type { Event, Machine } from '../../engine/swap/machine.ts';
import { takenDirections } from '../../engine/taker/directions.ts';
import { start } from '../swap/cases.ts';
import { evmClocksAt, network } from '../swap/evm-lightning-cases.ts';
import { takeEvmArkadeCase } from './evm-arkade-cases.ts';
import { takeEvmBitcoinCase } from './evm-bitcoin-cases.ts';
import { lock, lockOf, takeEvmLightningCase } from './evm-lightning-cases.ts';
import { evmOffer } from './evm-record.ts';

type AnyMachine = Machine<object, { readonly at: string }>;

const cases = {
  'evm-lightning': takeEvmLightningCase,
  'evm-bitcoin': takeEvmBitcoinCase,
  'evm-arkade': takeEvmArkadeCase,
};

/** A copy whose order had no signature of ours yet: what it comes to by one thing after another. */
function copyOf(name: keyof typeof cases, first = cases[name].first as { readonly at: string }) {
  const { terms } = cases[name];
  const machine = cases[name].machine as unknown as AnyMachine;
  const pay = machine.deadline(terms, first) as number;
  let progress = first;
  const hears = (event: Event, at: number) => {
    const step = machine.step(terms, progress, event, evmClocksAt(at));
    if (step !== 'stay') ({ progress } = step);
    expect(machine.shape.progress.read(progress, machine.shape.progress.version)).toEqual(progress);
    return progress.at;
  };
  const looks = (locks: readonly object[], at: number) =>
    hears({ is: 'evm.seen', network, height: 60_000_030, time: unix(at - 2), asked: unix(at), locks } as never, at);
  return { hears, looks, pay, open: () => machine.open(terms, progress as never) };
}

describe.each(Object.keys(cases) as (keyof typeof cases)[])('%s', (name) => {
  test('fault 230, evm: no clock ends an order in a copy, whose lock the chain shows and gives back', () => {
    const { hears, looks, pay } = copyOf(name);
    const after = Number(lock.timelock) + 60;
    expect([
      hears({ is: 'copied' }, start + 600),
      hears({ is: 'clock' }, pay + 1),
      looks([lockOf()], pay + 2),
      hears({ is: 'clock' }, after),
    ]).toEqual(['waiting', 'waiting', 'funded', 'refunding']);
  });

  test('fault 230, evm: an order in a copy of which the chain shows no lock in time is over', () => {
    const { hears, looks, pay, open } = copyOf(name);
    hears({ is: 'copied' }, start + 600);
    hears({ is: 'clock' }, pay + 1);
    expect([looks([], pay + 2), looks([], Number(lock.timelock) + 7 * 24 * 3_600), open()]).toEqual([
      'waiting',
      'lapsed',
      false,
    ]);
  });
});

test('fault 230, evm: an order that a copy was still asking for is no more believed once it is made', async () => {
  const offer = await evmOffer((world) => ({
    direction: 'evm-lightning',
    amount: sats(50_000),
    invoice: world.invoice(50_000n).bolt11,
    evm: { chainId: 137, token: null, destination: null, gasless: true },
  }));
  const { terms, record, now } = offer;
  const machine = takenDirections['evm-lightning'].machine(decodeInvoice) as unknown as AnyMachine;
  const after = (progress: { readonly at: string }, event: Event) => {
    const step = machine.step(terms, progress, event, now);
    return step === 'stay' ? progress : step.progress;
  };
  const made: Event = { is: 'provider.created', record };
  const inCopy = after(after({ at: 'creating' }, { is: 'copied' }), made);
  await offer.stop();
  expect([after({ at: 'creating' }, made), inCopy]).toEqual([
    expect.objectContaining({ at: 'waiting', signedUntil: null }),
    expect.objectContaining({ at: 'waiting', signedUntil: expect.any(Number) as number }),
  ]);
});
