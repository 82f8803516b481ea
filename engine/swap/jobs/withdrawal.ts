import { z } from 'zod';
import { msat } from '../../domain/money.ts';
import { unix, type Clocks } from '../../domain/time.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import {
  bytes,
  fieldsShape,
  outpoint,
  sats,
  sha256,
  statesShape,
  unix as unixShape,
  type AnyOf,
  type ValueOf,
} from '../../legs/shape.ts';
import { paymentTimedOut } from '../../legs/timelocks.ts';
import { move, type Event, type Machine, type Step, type SwapOutcome, type EventOf } from '../machine.ts';
import { jobOfWallet, sendingJob } from './job.ts';

/** The owner's own money leaving a wallet: the same write-ahead and the same outbox as a swap's. */
const arkadeTerms = {
  script: bytes,
  address: z.string(),
  amount: sats,
  /** No coin is taken that expires before: whoever is paid by a swap refuses it. Left out where nobody minds. */
  minExpiry: unixShape.exactOptional(),
};
export type ArkadeWithdrawalTerms = ValueOf<typeof arkadeTerms>;

const arkadeStates = {
  choosing: {},
  sending: { output: outpoint },
  sent: { txid: z.string() },
  failed: { reason: z.string() },
} as const;
export type ArkadeWithdrawalProgress = AnyOf<typeof arkadeStates>;

function stepArkade(
  t: ArkadeWithdrawalTerms,
  p: ArkadeWithdrawalProgress,
  event: Event,
): SwapOutcome<ArkadeWithdrawalProgress> {
  if (p.at === 'choosing') {
    if (event.is === 'vhtlc.prepared')
      return move<ArkadeWithdrawalProgress>(
        { at: 'sending', output: event.output },
        { do: 'vhtlc.submit', purpose: 'lock', txid: event.txid },
      );
    if (event.is === 'vhtlc.refused') return move<ArkadeWithdrawalProgress>({ at: 'failed', reason: event.reason });
    return 'stay';
  }
  if (p.at !== 'sending') return 'stay';
  switch (event.is) {
    case 'vhtlc.accepted':
      return move<ArkadeWithdrawalProgress>(p, { do: 'vhtlc.finalize', purpose: 'lock', txid: event.txid });
    case 'vhtlc.final':
      return move<ArkadeWithdrawalProgress>({ at: 'sent', txid: event.txid });
    case 'vhtlc.refused':
      // Beaten to its coins, it never was: other coins are chosen. Anything else is for the owner to read.
      return event.why === 'spent' || event.why === 'unrolled'
        ? move<ArkadeWithdrawalProgress>({ at: 'choosing' }, withdrawalEffect(t))
        : move<ArkadeWithdrawalProgress>({ at: 'failed', reason: event.reason });
    default:
      return 'stay';
  }
}

export function withdrawalEffect(t: ArkadeWithdrawalTerms) {
  return { do: 'vhtlc.lock' as const, script: t.script, amount: t.amount, minExpiry: t.minExpiry ?? unix(0) };
}

export const arkadeWithdrawal: Machine<ArkadeWithdrawalTerms, ArkadeWithdrawalProgress> = {
  ...sendingJob,
  name: 'withdraw-arkade',
  shape: { terms: fieldsShape(arkadeTerms), progress: statesShape(arkadeStates) },
  step: stepArkade,
  reserves: (p) => p.at === 'choosing',
  nextAction: (_, p) => (p.at === 'choosing' || p.at === 'sending' ? 'we send' : 'nothing: it is over'),
};

const lightningTerms = {
  bolt11: z.string(),
  hash: sha256,
  amount: sats,
  maxFeeMsat: z.bigint(),
  maxTimeoutHeight: z.number(),
  notAfter: unixShape,
};
export type LightningWithdrawalTerms = ValueOf<typeof lightningTerms>;

/** `late`: a call that starts the payment got no answer and may still arrive. */
const late = z.literal(true).exactOptional();
const lightningStates = { starting: {}, paying: { late }, paid: {}, failed: { reason: z.string(), late } } as const;
export type LightningWithdrawalProgress = AnyOf<typeof lightningStates>;

function stepLightning(
  t: LightningWithdrawalTerms,
  p: LightningWithdrawalProgress,
  event: Event,
  now: Clocks,
): SwapOutcome<LightningWithdrawalProgress> {
  if (p.at === 'failed' && event.is === 'payment.seen') return whenFailed(t, p, event, now);
  if (p.at !== 'starting' && p.at !== 'paying') return 'stay';
  const late =
    (event.is === 'payment.started' || event.is === 'payment.seen') &&
    (event.unsure === true || (p.at === 'paying' && p.late === true))
      ? { late: true as const }
      : {};
  switch (event.is) {
    case 'payment.started':
      return p.at === 'starting' ? move<LightningWithdrawalProgress>({ at: 'paying', ...late }) : 'stay';
    case 'payment.refused':
      // Once the node carries it, only the payment's own state says that it failed.
      return p.at === 'starting' ? move<LightningWithdrawalProgress>({ at: 'failed', reason: event.reason }) : 'stay';
    case 'payment.seen':
      if (event.state.is === 'settled') {
        return { ...move<LightningWithdrawalProgress>({ at: 'paid' }), ...routingCost(event.state) };
      }
      if (event.state.is === 'failed')
        return move<LightningWithdrawalProgress>({ at: 'failed', reason: event.state.reason, ...late });
      if (event.state.is === 'absent' && p.at === 'paying' && paymentTimedOut(t, now)) {
        return move<LightningWithdrawalProgress>({
          at: 'failed',
          reason: 'the Lightning node lost the payment and every HTLC of it has timed out',
        });
      }
      return p.at === 'starting' && event.state.is === 'in-flight'
        ? move<LightningWithdrawalProgress>({ at: 'paying', ...late })
        : 'stay';
    default:
      return 'stay';
  }
}

/** For the ledger, what the route of a settled payment took. */
function routingCost({ feeMsat }: { readonly feeMsat: bigint }): Pick<Step<LightningWithdrawalProgress>, 'ledger'> {
  return feeMsat > 0n ? { ledger: [{ kind: 'lightning-fee-paid', ...msat('lightning', -feeMsat) }] } : {};
}

/** Reported as failed, and still watched while an earlier call may pay it after all (facts/faults.md 55). */
function whenFailed(
  t: LightningWithdrawalTerms,
  p: LightningWithdrawalProgress & { at: 'failed' },
  event: EventOf<'payment.seen'>,
  now: Clocks,
): SwapOutcome<LightningWithdrawalProgress> {
  if (p.late !== true) return 'stay';
  if (event.state.is === 'settled')
    return {
      ...move<LightningWithdrawalProgress>({ at: 'paid' }),
      ...routingCost(event.state),
      flag: 'A withdrawal that had failed was paid after all.',
    };
  return event.state.is !== 'in-flight' && paymentTimedOut(t, now)
    ? move<LightningWithdrawalProgress>({ at: 'failed', reason: p.reason })
    : 'stay';
}

function mayStillPay(p: LightningWithdrawalProgress): boolean {
  return p.at === 'starting' || p.at === 'paying' || (p.at === 'failed' && p.late === true);
}

export const lightningWithdrawal: Machine<LightningWithdrawalTerms, LightningWithdrawalProgress> = {
  ...jobOfWallet,
  name: 'withdraw-lightning',
  shape: { terms: fieldsShape(lightningTerms), progress: statesShape(lightningStates) },
  notes: ['payment'],
  step: stepLightning,
  watches: (t, p) => (mayStillPay(p) ? [{ on: 'payment', hash: t.hash }] : []),
  status: (p) => (p.at === 'paid' ? 'serverredeemed' : p.at === 'failed' ? 'expired' : 'pending'),
  open: (_, p) => mayStillPay(p),
  reserves: (p) => p.at === 'starting',
  hash160: (t) => hash160OfSha256(t.hash),
  nextAction: (_, p) => (p.at === 'starting' || p.at === 'paying' ? 'we pay' : 'nothing: it is over'),
};
