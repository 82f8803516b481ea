// The machines as they were before the halves were written once, in one file: whatever either form is given, both answer alike.
import { isDeepStrictEqual } from 'node:util';
import { decodeInvoice } from '../../engine/adapters/lnd/decode.ts';
import type { Clocks } from '../../engine/domain/time.ts';
import type { AnyMachine } from '../../engine/runtime/working-set.ts';
import { encode } from '../../engine/store/codec.ts';
import type { Event, Machine, Outcome, Watch } from '../../engine/swap/machine.ts';
import * as former from './machines.js';

const providers = [
  former.arkadeEvm,
  former.arkadeLightning,
  former.bitcoinArkade,
  former.evmBitcoin,
  former.evmLightning,
  former.lightningArkade,
];
const clients = Object.values(former.takenDirections).map(({ machine }) => machine(decodeInvoice));
const byName = new Map([...providers, ...clients].map((machine) => [machine.name, machine]));

/** The former machine of this name; null for one that was none of a direction. */
export function formerOf(name: string): AnyMachine | null {
  return byName.get(name) ?? null;
}

/** What differs on purpose, each with its reason. */
function corrected(name: string, step: Outcome<object>): Outcome<object> {
  if (step === 'stay') return step;
  const { flag, ledger, ...rest } = step;
  return {
    ...rest,
    // One sentence for every lock.
    ...(flag === undefined
      ? {}
      : {
          flag: flag
            .replace(
              /, and (the VHTLC|the client’s lock) is refunded or may be\./,
              '. What its client had locked is refunded, or may be.',
            )
            .replace('We have the VHTLC and do not', 'We have what the client gave and do not'),
        }),
    // What was given is lost where it was given, as in every other direction.
    ...(ledger === undefined
      ? {}
      : {
          ledger: ledger.map((line) =>
            name === 'arkade-lightning' && line.kind === 'loss' ? { ...line, network: 'lightning' as const } : line,
          ),
        }),
  };
}

/** A payment in doubt was kept as one word. */
function asBefore<P extends object>(p: P): P {
  if (!('doubt' in p) || typeof p.doubt !== 'object' || p.doubt === null || !('late' in p.doubt)) return p;
  const { doubt, ...rest } = p;
  return { ...rest, late: (doubt as { late: unknown }).late } as unknown as P;
}

function formerly<P extends object>(outcome: Outcome<P>): Outcome<P> {
  return outcome === 'stay' ? outcome : { ...outcome, progress: asBefore(outcome.progress) };
}

/** In one order: which is looked at first is nobody's business. */
function sorted(watches: readonly Watch[]): string[] {
  return watches.map((watch) => encode(watch)).sort();
}

/** Throws where the machine and its former self differ in what they make of the same state. */
export function judged<T, P extends { readonly at: string }>(machine: Machine<T, P>): Machine<T, P> {
  const before = formerOf(machine.name) as Machine<T, P> | null;
  if (before === null) return machine;
  const alike = <V>(what: string, now: V, then: unknown, given: unknown): V => {
    if (isDeepStrictEqual(now, then)) return now;
    throw new Error(
      `${machine.name} differs in its ${what}\n given ${encode(given)}\n now ${encode(now)}\n then ${encode(then)}`,
    );
  };
  return {
    ...machine,
    step(t: T, p: P, event: Event, clocks: Clocks) {
      const now = machine.step(t, p, event, clocks);
      alike('step', formerly(now), corrected(machine.name, before.step(t, asBefore(p), event, clocks)), { p, event });
      return now;
    },
    watches(t, p) {
      const now = machine.watches(t, p);
      alike('watches', sorted(now), sorted(before.watches(t, asBefore(p))), p);
      return now;
    },
    deadline: (t, p) => alike('deadline', machine.deadline(t, p), before.deadline(t, asBefore(p)), p),
    status: (p) => alike('status', machine.status(p), before.status(asBefore(p)), p),
    open: (t, p) => alike('open', machine.open(t, p), before.open(t, asBefore(p)), p),
    reserves: (p) => alike('reserves', machine.reserves(p), before.reserves(asBefore(p)), p),
    untold: (p) => alike('untold', machine.untold(p), before.untold(asBefore(p)), p),
    nextAction: (t, p) => alike('nextAction', machine.nextAction(t, p), before.nextAction(t, asBefore(p)), p),
    ...(machine.rescue === undefined
      ? {}
      : {
          rescue: (t: T, p: P) => alike('rescue', machine.rescue?.(t, p), before.rescue?.(t, asBefore(p)), p) ?? null,
        }),
    ...(machine.listing === undefined
      ? {}
      : {
          listing: (t: T, p: P, now: Clocks) =>
            alike('listing', machine.listing?.(t, p, now), before.listing?.(t, p, now), p)!,
        }),
  };
}
