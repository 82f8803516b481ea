import { randomUUID } from 'node:crypto';
import type { EvmNetwork } from '../../domain/chain.ts';
import { PortFailure } from '../../domain/errors.ts';
import { coinDecimals, nativeCoin } from '../../domain/evm.ts';
import { sameBytes, type Preimage } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import type { Sats } from '../../domain/money.ts';
import type { SwapContracts } from '../../legs/evm/contracts.ts';
import type { LockEvent } from '../../legs/evm/port.ts';
import { swapKey, type LockTerms } from '../../legs/evm/swap-key.ts';
import { isAsAgreed } from '../../legs/evm/wanted-locks.ts';
import { hash160OfSha256, sha256Of } from '../../legs/secret.ts';
import { satsOfUnitsDown } from '../../quote/token-price.ts';
import type { Log } from '../../runtime/log.ts';
import { paysForClaim } from '../../runtime/networks/evm/own-claim.ts';
import { deepest, type RulesOf } from '../../runtime/networks/evm/rules.ts';
import { evmOf } from '../../runtime/ports.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { newRow } from '../../runtime/working-set.ts';
import { evmClaim, evmClaimEffect, type EvmClaimProgress, type EvmClaimTerms } from '../../swap/jobs/claim-evm.ts';
import type { EvmAccountRulesOf } from '../networks/evm.ts';
import { swapsOfHash } from '../taker/swaps-of-hash.ts';
import { forgotten } from './held-payments.ts';

/*
 * Locks for our account of swaps that a restored database does not know: what was given for them may show their
 * preimage, or the Lightning node has it of a payment. Anybody may make such a lock for any hash.
 *
 * Loses money when wrong: a lock that was paid for, and that its client takes back (facts/faults.md 185).
 */

/** Later than any timelock. */
const never = 2n ** 256n;

interface Lock {
  readonly network: EvmNetwork;
  readonly contracts: SwapContracts;
  readonly terms: LockTerms;
  readonly height: number;
  /** Null while nobody is known to have shown it. */
  preimage: Preimage | null;
  /** No payment of ours is behind it, and none will be. */
  unpaid: boolean;
  taken: boolean;
}

interface Claiming {
  readonly runtime: Runtime;
  readonly log: Log;
  readonly accounts: EvmAccountRulesOf;
  readonly rules: RulesOf;
  /** By its chain and its key. */
  readonly locks: Map<string, Lock>;
  readonly decimals: Map<EvmNetwork, number>;
}

export function createForgottenLocks(of: Pick<Claiming, 'runtime' | 'log' | 'accounts' | 'rules'>) {
  const own: Claiming = { ...of, locks: new Map(), decimals: new Map() };
  const { locks } = own;
  return {
    /** Of a log of a chain's HTLC, in the order of the chain. */
    heard(network: EvmNetwork, contracts: SwapContracts, { key, what, height }: LockEvent): void {
      const name = `${network} ${toHex(key)}`;
      const lock = locks.get(name);
      if (what.is === 'refunded') locks.delete(name);
      if (what.is === 'redeemed' && lock !== undefined) lock.taken = true;
      if (what.is !== 'created' || lock !== undefined) return;
      const { terms } = what;
      const { pegged } = own.accounts(network);
      const isOurs = sameBytes(terms.claimAddress, evmOf(own.runtime.ports, network).account());
      if (isOurs && pegged !== null && sameBytes(terms.token, pegged))
        locks.set(name, { network, contracts, terms, height, preimage: null, unpaid: false, taken: false });
    },
    /** Whether a lock opens by it. */
    shown(secret: Preimage): boolean {
      const hash = sha256Of(secret);
      const opened = [...locks.values()].filter(({ terms }) => sameBytes(terms.preimageHash, hash));
      for (const lock of opened) lock.preimage = secret;
      return opened.length > 0;
    },
    /** Rejects with the first network that did not answer, once every lock was looked at. */
    async claim(): Promise<void> {
      let failure: PortFailure | null = null;
      const begun = claimsOf(own);
      const unknown = [...locks].filter(([, { terms }]) => !isOfKnownSwap(own, terms));
      for (const [name, lock] of bestOf(unknown)) {
        try {
          if (!lock.taken && !begun.has(name)) await claimed(own, lock);
        } catch (cause) {
          if (!(cause instanceof PortFailure)) throw cause;
          failure ??= cause;
        }
      }
      if (failure !== null) throw failure;
    },
  };
}

export type ForgottenLocks = ReturnType<typeof createForgottenLocks>;

/** Begins the claim of a lock that is ours to take, once what it holds pays for the gas. */
async function claimed(own: Claiming, lock: Lock): Promise<void> {
  const { network, contracts, terms, height } = lock;
  const value = await worthOf(own, lock);
  if (value === null) return;
  lock.preimage ??= await preimageOf(own, lock);
  const { preimage } = lock;
  if (preimage === null || !(await evmOf(own.runtime.ports, network).isActive(contracts.htlc, terms))) return;
  begin(own, { network, contracts, lock: terms, height, value, confirmations: deepest(own.rules(network)) }, preimage);
}

function begin({ runtime, log }: Claiming, terms: EvmClaimTerms, preimage: Preimage): void {
  const { wall } = runtime.clock.now();
  const hash = hash160OfSha256(terms.lock.preimageHash);
  const progress: EvmClaimProgress = { at: 'claiming', txid: null };
  const id = randomUUID();
  runtime.commits.open(id, (store) => {
    store.hashes.claim(hash, forgotten);
    store.preimages.keep(hash, preimage, wall);
    const status = evmClaim.status(progress);
    const row = { id, machine: evmClaim.name, createdAt: wall, status, valueSats: terms.value, terms, progress };
    return { row: newRow(row), effects: [evmClaimEffect(terms)] };
  });
  log.warn({ sats: String(terms.value) }, 'a lock is claimed of a swap that the restored database does not know');
}

/** Names of the locks that jobs claim, also of an earlier life of this process. */
function claimsOf({ runtime }: Claiming): ReadonlySet<string> {
  const jobs = [...runtime.workingSet.all()].filter(({ machine }) => machine.name === evmClaim.name);
  return new Set(jobs.map(({ row }) => nameOf(row.terms as EvmClaimTerms)));
}

function nameOf({ network, lock }: Pick<EvmClaimTerms, 'network' | 'lock'>): string {
  return `${network} ${toHex(swapKey(lock))}`;
}

/**
 * A client that locked twice for one hash pays once: what holds no less and was taken, or cannot be taken back any
 * earlier, stands for the other. One that can be keeps none of ours waiting.
 */
function bestOf(locks: readonly [string, Lock][]): [string, Lock][] {
  const latest = new Map<string, bigint>();
  return locks
    .toSorted(
      ([, a], [, b]) => Number(b.terms.amount - a.terms.amount) || Number(b.taken) - Number(a.taken) || later(a, b),
    )
    .filter(([, { network, terms, taken }]) => {
      const swap = `${network} ${toHex(terms.preimageHash)}`;
      const before = latest.get(swap) ?? -1n;
      const until = taken ? never : terms.timelock;
      if (until > before) latest.set(swap, until);
      return before < terms.timelock;
    });
}

function later({ terms: a }: Lock, { terms: b }: Lock): number {
  return Number(b.timelock - a.timelock);
}

/**
 * What its swap makes of it, that one knows best. Another swap of the same hash, which anybody may have made since,
 * stands in the way of none, nor does its lock (facts/faults.md 226).
 */
function isOfKnownSwap({ runtime: { store, workingSet } }: Claiming, terms: LockTerms): boolean {
  const user = store.hashes.usedBy(hash160OfSha256(terms.preimageHash));
  const entry = user === null ? null : workingSet.readable(user);
  const { lock } = (entry?.row.terms ?? {}) as { readonly lock?: Omit<LockTerms, 'amount'> };
  return lock !== undefined && isAsAgreed(lock, terms);
}

/** Null while it does not pay for the gas of its claim, or nobody knows what that costs. */
async function worthOf(own: Claiming, { network, terms }: Lock): Promise<Sats | null> {
  const port = evmOf(own.runtime.ports, network);
  const isCoin = sameBytes(terms.token, nativeCoin);
  const decimals =
    own.decimals.get(network) ?? (isCoin ? coinDecimals : (await port.token(terms.token, { agreed: true })).decimals);
  own.decimals.set(network, decimals);
  const value = satsOfUnitsDown(terms.amount, decimals);
  return (await paysForClaim(port, { value, rules: own.rules(network) })) ? value : null;
}

/**
 * What was shown, or what a payment of ours shows. The secret of an own swap is in the database before it leaves, and a
 * stranger's lock of its hash is no reason to show it (facts/faults.md 224).
 */
async function preimageOf({ runtime }: Claiming, lock: Lock): Promise<Preimage | null> {
  const { store, ports } = runtime;
  const { preimageHash } = lock.terms;
  const isOwn = swapsOfHash({ runtime }, preimageHash).next().done !== true;
  const preimage = isOwn ? null : store.preimages.find(hash160OfSha256(preimageHash));
  if (preimage !== null || ports.lightning === null || lock.unpaid) return preimage;
  const payment = await ports.lightning.payment(preimageHash);
  lock.unpaid = payment.is === 'absent' || payment.is === 'failed';
  return payment.is === 'settled' ? payment.preimage : null;
}
