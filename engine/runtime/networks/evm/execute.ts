import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import { sameBytes } from '../../../domain/hash.ts';
import { toHex } from '../../../domain/hex.ts';
import type { Txid } from '../../../domain/outpoint.ts';
import type { EvmAct } from '../../../legs/evm/acts.ts';
import type { EvmEffect, EvmReading } from '../../../legs/evm/effects.ts';
import { stateByRevert, type KeyState } from '../../../legs/evm/reverts.ts';
import { swapKey, type LockTerms } from '../../../legs/evm/swap-key.ts';
import type { Simulation } from '../../../legs/evm/port.ts';
import { NotYet } from '../../not-yet.ts';
import { evmOf } from '../../ports.ts';
import { within, type Acts, type Lane, type TakenFromMemory } from '../act.ts';
import { refundInDoubt } from '../refund-in-doubt.ts';
import type { EvmContext } from './context.ts';
import { approvedForPermit2 } from './taker-approval.ts';
import { callOf, lockOf, contractsOf, takesOf } from './build.ts';
import { standsAlready } from './own-contracts.ts';
import { exchanging, givenFor } from './exchanging.ts';
import { claimFromMemory, notTwice, savedFromMemory } from './from-memory.ts';
import { own } from './gas.ts';
import { costOfLock, costOfRelay, noteOutlay } from './outlay.ts';
import { signed as signedTransaction, simulated, type Priced } from './prepare.ts';
import { signFunding } from './sign.ts';
import { readTransaction } from './variants.ts';
import { affords, lacks, permitted, spares } from './wallet.ts';

type Is = EvmAct['is'];

const begins: ReadonlySet<Is> = new Set(['lock', 'relay-fund', 'taker-fund', 'pay', 'deploy']);
/** What waits for a better price: nothing of ours is lost by it. */
const patient: ReadonlySet<Is> = new Set(['lock', 'relay-fund', 'relay-refund', 'pay', 'deploy']);
/** For a lock that an RPC does not show yet. */
const waitsForLock = 10;

/**
 * In which state of its lock an act has been done already. Of a claim, and of a client's refund, nobody is believed who
 * says so: one RPC may lie, and a block may go. They are tried until the logs show their end, buried (facts/faults.md
 * 84).
 */
const over: Partial<Record<Is, readonly KeyState[]>> = {
  lock: ['active', 'redeemed', 'refunded'],
  'relay-claim': ['redeemed'],
  refund: ['refunded'],
  'relay-refund': ['refunded'],
};

function lane({ network, act }: EvmEffect): Lane {
  const spends = act.is === 'lock' || act.is === 'pay';
  return { side: network, begins: begins.has(act.is), ...(spends ? { wallet: network } : {}) };
}

/** Judges, simulates and signs; what is signed is saved with its nonce, and the account's queue sends it. */
async function send(given: EvmEffect, context: EvmContext): Promise<void> {
  const sent = context.unsaved();
  const lacking = await notApproved(given, context);
  if (lacking !== null) return context.answer({ is: 'evm.refused', purpose: 'taker-approve', reason: lacking });
  const wanted = await signed(given, context);
  if (isRefusal(wanted))
    return context.answer({ is: 'evm.refused', purpose: 'relay-fund', reason: wanted.sentence, unpriced: true });
  const { act, network } = wanted;
  const before = standing(wanted, context);
  if (before !== null) return context.answer({ is: 'evm.prepared', purpose: act.is, txid: before, ...lockOf(act) });
  if (act.is === 'deploy' && (await standsAlready(network, act, context)))
    return context.answer({ is: 'evm.already-done', purpose: act.is });
  const reason = await unwanted(wanted, context);
  if (reason !== null) return refused(wanted, reason, context);
  // Without a condition it is out already: then no claim is held back for being late.
  if (act.is === 'taker-claim' && wanted.onlyIf === undefined)
    context.store.intents.note('payment', context.row.subject, null);
  const effect = await withCalls(wanted, context);
  if (isRefusal(effect)) {
    // Its swap may take any answer for one whose secret is ours still.
    if (wanted.onlyIf !== undefined && isShown(act, context)) throw new NotYet(null, effect.sentence);
    return refused(wanted, effect.sentence, context, { unpriced: true });
  }
  if (await savedFromMemory(effect, context)) return context.onSigned(network);
  if (takesOf(effect) === null) return prepare(effect, sent, context);
  return context.alone(network, () => prepare(effect, sent, context));
}

/** A token of the taker's that takes no signature is approved by its account first. */
async function notApproved({ act, network, value }: EvmEffect, context: EvmContext): Promise<string | null> {
  return act.is === 'taker-fund' ? approvedForPermit2({ network, funding: act, value }, context) : null;
}

/** The taker's tokens by its signature, which anybody may send: from here on it is like a client's. */
async function signed(effect: EvmEffect, { ports, evm }: EvmContext): Promise<EvmEffect | Refusal> {
  const { act, network, value } = effect;
  if (act.is !== 'taker-fund') return effect;
  const where = { network, contracts: contractsOf(effect) };
  const bySingleSource = value <= evm(network).singleSource;
  const given = await givenFor({ ...where, bySingleSource }, act, ports);
  if (isRefusal(given)) return given;
  const permit = await signFunding(where, { ...act, bySingleSource }, given, ports);
  return { ...effect, act: { is: 'relay-fund', lock: act.lock, permit, calls: given.calls } };
}

/** A claim into another token has the calls that our own exchange makes of its price now. */
async function withCalls(effect: EvmEffect, { ports, evm }: EvmContext): Promise<EvmEffect | Refusal> {
  const { act, network, value } = effect;
  if (act.is !== 'taker-claim') return effect;
  const bySingleSource = value <= evm(network).singleSource;
  const claim = await exchanging({ network, contracts: contractsOf(effect), bySingleSource }, act, ports);
  return isRefusal(claim) ? claim : { ...effect, act: { is: 'taker-claim', ...claim } };
}

/** What a transaction brought: looked for again until the chain shows it. */
async function readArrival({ network, txid, to, tokens }: EvmReading, { ports, answer }: EvmContext): Promise<void> {
  const port = evmOf(ports, network);
  const amounts = await Promise.all(
    tokens.map(async (token) => ({ token, amount: await port.received(txid, { token, to }) })),
  );
  const mined = amounts.flatMap(({ token, amount }) => (amount === null ? [] : [{ token, amount }]));
  if (mined.length < amounts.length) throw new NotYet(null, 'the claim is in no block yet');
  answer({ is: 'evm.arrived', txid, amounts: mined });
}

/** Of one swap or job these may be wanted more than once: a claim or refund of another lock is not the same. */
const perLock: ReadonlySet<Is> = new Set(['claim', 'relay-refund', 'taker-refund', 'deploy']);

/** What was signed for the same before and is on its way still, in its latest variant. */
function standing(effect: EvmEffect, context: EvmContext): string | null {
  const { act, network } = effect;
  const { store, row } = context;
  for (const nonce of store.nonces.openOf(network, row.subject)) {
    if (nonce.purpose !== act.is || nonce.mined?.ok === false) continue;
    const alive = store.transactions
      .onNonce(nonce)
      .filter(({ purpose, state }) => purpose === act.is && (state === 'prepared' || state === 'accepted'))
      .at(-1);
    if (alive !== undefined && (!perLock.has(act.is) || isOf(effect, alive.txid, context))) return alive.txid;
  }
  return null;
}

function isOf(effect: EvmEffect, txid: Txid, context: EvmContext): boolean {
  const bytes = context.store.transactions.bytes(txid);
  return bytes !== null && sameBytes(readTransaction(bytes).data, callOf(effect, context).data);
}

async function unwanted({ act, network, deadline, onlyIf }: EvmEffect, context: EvmContext): Promise<string | null> {
  const inDoubt = act.is === 'lock' ? refundInDoubt(context.store, context.row.subject) : null;
  if (inDoubt !== null) return inDoubt;
  const now = context.clock.now()[network]?.mtp ?? null;
  if (begins.has(act.is) && deadline !== null) {
    if (now === null) throw new NotYet(1, `the clock of ${network} is not read yet`);
    if (now > deadline) return 'Too little time is left.';
  }
  return onlyIf === undefined || isShown(act, context) ? null : context.judge.forbidden(onlyIf, 0);
}

/** Once our secret may have left us nothing is too late any more. */
function isShown({ is }: EvmEffect['act'], { store, row }: EvmContext): boolean {
  return is === 'taker-claim' && store.intents.has('payment', row.subject);
}

function refused(
  { act }: EvmEffect,
  reason: string,
  context: EvmContext,
  more: { readonly unpriced?: true } = {},
): void {
  const unshown = act.is === 'taker-claim' && !isShown(act, context) ? { unshown: true as const } : {};
  context.answer({ is: 'evm.refused', purpose: act.is, reason, ...lockOf(act), ...more, ...unshown });
}

/** `sent`: its claim from memory, as far as it was known before. */
async function prepare(effect: EvmEffect, sent: Uint8Array | null, context: EvmContext): Promise<void> {
  const { act, network, deadline, value } = effect;
  if (act.is === 'lock') {
    await context.unpaid.ready(context.row.subject, network);
    // Where no contract stands a call passes, keeps the coin for ever and answers nothing: this waits for an answer.
    await evmOf(context.ports, network).isActive(contractsOf(effect).htlc, act.lock);
  }
  const reason = noRoom(effect, null, context) ?? (await lacks(effect, context)) ?? (await permitted(effect, context));
  if (reason !== null) return refused(effect, reason, context);
  const simulation = await simulated(
    {
      network,
      subject: context.row.subject,
      purpose: act.is,
      call: callOf(effect, context),
      deadline,
      value,
      takes: takesOf(effect),
      patient: patient.has(act.is),
      ...(act.is === 'deploy' ? { gas: act.gas } : {}),
    },
    context,
  );
  if (simulation.is === 'reverts') return afterRevert(effect, simulation, context);
  if (act.is === 'claim') notTwice(simulation.priced, context);
  if (act.is === 'deploy') await affords(simulation.priced);
  else if (!own.has(act.is)) await spares(simulation.priced, context);
  await context.together(() => {
    const full = noRoom(effect, simulation.priced, context);
    if (full !== null) return refused(effect, full, context);
    const last = context.unsaved();
    if (last !== null && last !== sent) throw new NotYet(null, 'it was claimed from memory meanwhile');
    const { priced } = simulation;
    const { txid, nonce, save } = signedTransaction(priced, context.store);
    const note = noteOutlay(priced, nonce, context);
    context.answer(
      { is: 'evm.prepared', purpose: act.is, txid, ...lockOf(act) },
      {
        prepared(store, now) {
          save(store, now);
          note(store, now);
        },
      },
    );
  });
  context.onSigned(network);
}

/**
 * A lock is for a client that has brought no fee yet, and may never claim it; a relay that waited for cheaper gas may
 * still cost far more than its client paid (facts/faults.md 281).
 */
function noRoom({ act, network }: EvmEffect, priced: Priced | null, context: EvmContext): string | null {
  const { unpaid, row } = context;
  if (act.is === 'relay-claim')
    return priced === null ? null : unpaid.relayFull(row.subject, network, costOfRelay(priced, context));
  if (act.is !== 'lock') return null;
  const cost = priced === null ? null : costOfLock(priced, context);
  return unpaid.full(row.subject, network, cost);
}

async function afterRevert(
  effect: EvmEffect,
  { data, reason }: Extract<Simulation, { is: 'reverts' }>,
  context: EvmContext,
): Promise<void> {
  const { act } = effect;
  if (act.is === 'pay' || act.is === 'deploy' || act.is === 'relay-fund' || act.is === 'taker-fund')
    return refused(effect, reason, context);
  const state = stateByRevert(data, act.lock) ?? (await stateByChain(effect, act.lock, context));
  if (state !== null && over[act.is]?.includes(state) === true)
    return context.answer({ is: 'evm.already-done', purpose: act.is, ...lockOf(act) });
  if (own.has(act.is) || (state === 'none' && context.row.attempts < waitsForLock))
    throw new NotYet(null, `the contract refuses: ${reason}`, context.row.attempts >= waitsForLock);
  refused(effect, reason, context);
}

/** A contract of another make says in other words that a lock is there. */
async function stateByChain(effect: EvmEffect, lock: LockTerms, { ports }: EvmContext): Promise<KeyState | null> {
  const active = await evmOf(ports, effect.network).isActive(contractsOf(effect).htlc, lock, { agreed: true });
  return active ? 'active' : null;
}

const fromMemory: TakenFromMemory<EvmEffect> = {
  takes: ({ act }) => (act.is === 'claim' ? toHex(swapKey(act.lock)) : null),
  take: claimFromMemory,
};

const on = within('evm');

export const evmActs: Acts<EvmEffect | EvmReading, 'evm'> = {
  'evm.send': { run: on(send), lane, fromMemory },
  'evm.read-arrival': { run: on(readArrival), lane: ({ network }) => ({ side: network, begins: false }) },
};
