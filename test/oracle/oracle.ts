// The machines as they were before the halves were written once, in one file: whatever either form is given, both
// answer alike.
import { isDeepStrictEqual } from 'node:util';
import { decodeInvoice } from '../../engine/adapters/lnd/decode.ts';
import type { EvmNetwork } from '../../engine/domain/chain.ts';
import { unix, type Clocks } from '../../engine/domain/time.ts';
import type { AnyMachine } from '../../engine/runtime/working-set.ts';
import { encode } from '../../engine/store/codec.ts';
import type { Event, LedgerLine, Machine, Outcome, SwapOutcome, Watch } from '../../engine/swap/machine.ts';
import { isOfTheOtherLeg, ofItsLegs, type LegStep } from './legs.ts';
import { clientBefore, clientCorrected, isMended } from './clients.ts';
import * as former from './machines.js';
import { isLookedFor, isUncounted, sentInTime, withoutBack, withoutPast } from './on-purpose.ts';

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
function corrected(name: string, from: { readonly at: string }, step: Outcome<object>): Outcome<object> {
  if (step === 'stay') return step;
  const effects = step.effects.map((effect) => sentInTime(effect, from));
  if (name.startsWith('take-')) return clientCorrected(name, from as never, { ...step, effects });
  const { flag, ledger, supersedes, progress, ...rest } = step;
  return {
    ...rest,
    effects,
    progress: name === 'lightning-arkade' ? withReason(withoutHeight(progress), /^The payment is held for /) : progress,
    // Nothing is asked for while a payment is waited for.
    ...(supersedes === undefined || (name === 'lightning-arkade' && from.at === 'pending') ? {} : { supersedes }),
    // One sentence for every lock.
    ...(flag === undefined
      ? {}
      : {
          flag: flag
            .replace(
              /, and (the VHTLC|the client’s lock) is refunded or may be\./,
              '. What its client had locked is refunded, or may be.',
            )
            .replace('We have the VHTLC and do not', 'We have what the client gave and do not')
            .replace(
              'The client claimed the VHTLC and this Lightning node does not know the payment',
              'The client claimed what we gave, and this Lightning node does not know its payment',
            )
            .replace(
              'The client claimed the VHTLC and took its bitcoin back: our claim came too late.',
              'The client took its bitcoin back although it had claimed our VHTLC.',
            )
            .replace(
              'The client claimed the VHTLC and its payment went back: the settlement came too late.',
              'The client took its payment back although it had claimed our VHTLC.',
            )
            .replace(
              'The client claimed the VHTLC and this Lightning node',
              'The client claimed what we gave, and this Lightning node',
            ),
        }),
    ...(ledger === undefined ? {} : { ledger: ledger.map((line) => bookedOn(name, line)) }),
  };
}

/** As in every other direction: what was given is lost where it was given, and a fee is earned where it was paid. */
function bookedOn(name: string, line: LedgerLine): LedgerLine {
  const isElsewhere =
    name === 'arkade-lightning' ? line.kind === 'loss' : name === 'lightning-arkade' && feesOf.has(line.kind);
  return isElsewhere ? { ...line, network: 'lightning' } : line;
}

const feesOf: ReadonlySet<LedgerLine['kind']> = new Set(['protocol-fee', 'network-fee-charged']);

/** When a payment times out is nobody's business once it goes back. */
function withoutHeight(progress: object): object {
  const { expiryHeight: _, ...p } = progress as { at: string; expiryHeight?: number };
  return p.at === 'refunded' || p.at === 'returned' ? p : progress;
}

/** Of every pair a leg that is too short is called so in the same words, and in seconds. */
function withReason<P extends object>(p: P, short: RegExp): P {
  return 'reason' in p && short.test(String(p.reason))
    ? { ...p, reason: 'The payment is not held for long enough.' }
    : p;
}

/** The state as it was kept before. */
function asBefore<P extends object>(name: string, p: P): P {
  if (name.startsWith('take-')) return clientBefore(name, p) as P;
  if (name === 'bitcoin-arkade') return extrasBefore(claimBefore(p)) as P;
  if (name.startsWith('evm-') && 'extras' in p) return asBeforeOnEvm(name, p) as P;
  return (
    name === 'lightning-arkade'
      ? withReason(heldBefore(claimBefore(p) as never), /^The held payment is sure for /)
      : extrasBefore(withoutBack(paidBefore(p)))
  ) as P;
}

/** By which transaction a lock went back was nobody's business. */
function asBeforeOnEvm(name: string, p: object): object {
  const { extras, reason, ...rest } = p as { at?: string; extras: readonly object[]; reason?: string };
  const strays = extras.map((extra) => {
    const { back: _, ...other } = extra as { back?: string };
    return other;
  });
  const isReturned = name === 'evm-bitcoin' && rest.at === 'returned';
  return paidBefore({ ...rest, strays, ...(reason === undefined || isReturned ? {} : { reason }) });
}

/** The client's claim of our VHTLC had the name of our own claim. */
function claimBefore(p: object): object {
  if (!('redeemTxid' in p)) return p;
  const { redeemTxid: claimTxid, ...rest } = p;
  return { ...rest, claimTxid };
}

/** The terms as they were kept before: two heights, scripts or addresses of one name would clash in some pair. */
function termsBefore<T>(name: string, t: T): T {
  if (name === 'evm-bitcoin') {
    const { htlcScript: script, htlcAddress: address } = t as {
      readonly htlcScript: unknown;
      readonly htlcAddress: unknown;
    };
    return { ...t, script, address };
  }
  return name === 'bitcoin-arkade' ? { ...t, since: (t as { readonly htlcSince: number }).htlcSince } : t;
}

/** Extra deposits had another name. */
function extrasBefore(p: object): object {
  if (!('extras' in p)) return p;
  const { extras, ...rest } = p;
  return { ...rest, strays: extras };
}

/** What its contract has already had another name. */
function eventBefore(event: Event): Event {
  return event.is === 'evm.already-done' ? ({ ...event, is: 'evm.stands' } as unknown as Event) : event;
}

/** A payment in doubt was kept as one word. */
function paidBefore(p: object): object {
  if (!('doubt' in p) || typeof p.doubt !== 'object' || p.doubt === null || !('late' in p.doubt)) return p;
  const { doubt, ...rest } = p;
  return { ...rest, late: (doubt as { late: unknown }).late };
}

/** A swap from Lightning had names of its own for what all others say alike. */
function heldBefore(p: Record<string, unknown>): object {
  const { at, why, reason, cancelled, fundTxid, returned, ...rest } = p;
  const lock = (txid: unknown) => ({ lock: { txid, vout: 0 } });
  switch (at) {
    case 'unopened':
      return { at, reason, ...rest };
    case 'funded':
      return { at: 'held', ...rest };
    case 'claiming':
      return { at: 'claimed', ...rest };
    case 'claimed':
      return { at: 'settled', ...rest };
    case 'lapsed':
      return { at: 'expired', ...rest };
    case 'stopped':
      return why === 'expired'
        ? { at: 'expiring', ...rest }
        : { at: cancelled === true ? 'declined' : 'declining', reason, ...rest };
    case 'returned':
      return { at: 'refunded', ...lock(fundTxid), ...rest };
    case 'refunded': {
      const { fundTxid: locked, refundTxid } = (returned ?? {}) as Record<string, unknown>;
      return { at: 'returned', ...lock(locked), refundTxid, ...rest };
    }
    default:
      return p;
  }
}

function formerly<P extends object>(name: string, outcome: SwapOutcome<P>): SwapOutcome<P> {
  return outcome === 'stay' ? outcome : { ...outcome, progress: asBefore(name, outcome.progress) };
}

/** In one order: which is looked at first is nobody's business. */
function sorted(watches: readonly Watch[]): string[] {
  return watches.map((watch) => encode(watch)).sort();
}

/**
 * A held payment is not looked at while a VHTLC is out for it: such a look told the owner that it was late, as a tick
 * of the clock does.
 */
function isUnwatched(name: string, { at }: { readonly at: string }, { is }: Event): boolean {
  return name === 'lightning-arkade' && is.startsWith('hold.') && (at === 'locked' || at === 'refunding');
}

/** A VHTLC that came back for good is no leg of the swap any more, as in every other direction. */
function isBackAgain(name: string, { at }: { readonly at: string }): boolean {
  return name === 'lightning-arkade' && at === 'returned';
}

/** Throws where both answers differ, and not on purpose. */
export function agreed<V>(name: string, what: string, now: V, then: unknown, given: unknown): V {
  if (isDeepStrictEqual(now, then)) return now;
  const { p = given, event = null } = given as { p?: object; event?: Event | null };
  if (isMended(name, what, p as object, event) || isLookedFor(name, what, p as object, event)) return now;
  if (isUncounted(name, p as object, event)) return now;
  throw new Error(
    `${name} differs in its ${what}\n given ${encode(given)}\n now ${encode(now)}\n then ${encode(then)}`,
  );
}

/** A VHTLC that was prepared before a clock was read was given up: its submission waits for the clock. */
function isUnreadLock(name: string, { at }: { readonly at: string }, event: Event, { bitcoin }: Clocks): boolean {
  const isUnread = typeof bitcoin?.mtp !== 'number' || bitcoin.doubt !== undefined;
  return name.endsWith('-arkade') && at === 'funded' && event.is === 'vhtlc.prepared' && isUnread;
}

/** However late it is, time moves nothing: a deadline of such a state was waited for in vain. */
function isIdle<T, P extends { readonly at: string }>(machine: Machine<T, P>, t: T, p: P): boolean {
  const late = { mtp: unix(2_000_000_000), height: 2_000_000 };
  const { network } = t as { readonly network?: EvmNetwork };
  const clocks = { wall: late.mtp, bitcoin: late, ...(network === undefined ? {} : { [network]: late }) };
  return machine.step(t, p, { is: 'clock' }, clocks) === 'stay';
}

/** Throws where the machine and its former self differ in what they make of the same state. */
export function judged<T, P extends { readonly at: string }>(machine: Machine<T, P>): Machine<T, P> {
  const before = formerOf(machine.name) as Machine<T, P> | null;
  if (before === null) return machine;
  const thenOf = (t: T): T => termsBefore(machine.name, t);
  const alike = <V>(what: string, now: V, then: unknown, given: unknown): V =>
    agreed(machine.name, what, now, then, given);
  return {
    ...machine,
    step(t: T, p: P, event: Event, clocks: Clocks) {
      const now = machine.step(t, p, event, clocks);
      if (isUnwatched(machine.name, p, event) || isUnreadLock(machine.name, p, event, clocks)) return now;
      if (isOfTheOtherLeg(machine.name, p, event)) return alike('step', now, 'stay', { p, event });
      const then = before.step(thenOf(t), asBefore(machine.name, p), eventBefore(event), clocks) as Outcome<P>;
      const [is, was] = ofItsLegs(
        { name: machine.name, from: p, event },
        now,
        corrected(machine.name, p, then) as LegStep<P>,
      );
      alike('step', formerly(machine.name, is), was, { p, event });
      return now;
    },
    watches(t, p) {
      const now = machine.watches(t, p);
      alike('watches', sorted(now.map(withoutPast)), sorted(before.watches(thenOf(t), asBefore(machine.name, p))), p);
      return now;
    },
    deadline(t, p) {
      const [now, then] = [machine.deadline(t, p), before.deadline(thenOf(t), asBefore(machine.name, p))];
      if (now === null && then !== null && isIdle(before, thenOf(t), asBefore(machine.name, p))) return now;
      return alike('deadline', now, then, p);
    },
    status: (p) => alike('status', machine.status(p), before.status(asBefore(machine.name, p)), p),
    open: (t, p) => alike('open', machine.open(t, p), before.open(thenOf(t), asBefore(machine.name, p)), p),
    reserves: (p) => alike('reserves', machine.reserves(p), before.reserves(asBefore(machine.name, p)), p),
    untold: (p) => alike('untold', machine.untold(p), before.untold(asBefore(machine.name, p)), p),
    nextAction: (t, p) =>
      alike('nextAction', machine.nextAction(t, p), before.nextAction(thenOf(t), asBefore(machine.name, p)), p),
    ...(machine.rescue === undefined
      ? {}
      : {
          rescue: (t: T, p: P) =>
            isBackAgain(machine.name, p)
              ? null
              : (alike('rescue', machine.rescue?.(t, p), before.rescue?.(thenOf(t), asBefore(machine.name, p)), p) ??
                null),
        }),
  };
}
