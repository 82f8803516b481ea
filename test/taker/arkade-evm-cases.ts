import { sats } from '../../engine/domain/money.ts';
import { seconds, unix } from '../../engine/domain/time.ts';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { asPublicKey } from '../../engine/domain/hash.ts';
import { defaultPolicy } from '../../engine/legs/timeout-policy.ts';
import type { SeenLock } from '../../engine/legs/evm/events.ts';
import { swapKey, type LockTerms } from '../../engine/legs/evm/swap-key.ts';
import type { TakeArkadeEvmTerms } from './taken.ts';
import type { EvmLeg } from '../../engine/taker/evm/terms.ts';
import type { ArkadeLeg, Deal } from '../../engine/taker/terms.ts';
import {
  arkadeLightningTerms,
  coin,
  coinPoint,
  hash,
  otherPoint,
  preimage,
  start,
  txid,
  type Case,
  type Telling,
} from '../swap/cases.ts';
import { account, evmClocksAt, network } from '../swap/evm-lightning-cases.ts';
import { noLock, takeArkadeEvm, type TakeArkadeEvmProgress } from './taken.ts';

const { vhtlc, script, address, sourceAmount } = arkadeLightningTerms;
const htlc = asEvmAddress(new Uint8Array(20).fill(9));
const contracts = {
  kind: 'erc20',
  htlc,
  coordinator: account.coordinator,
  htlcVersion: '4',
  coordinatorVersion: '3',
} as const;
const lock: LockTerms = {
  preimageHash: hash,
  amount: 100_000n,
  token: account.token,
  refundAddress: account.service,
  claimAddress: account.client,
  timelock: BigInt(start + defaultPolicy.serverLeg),
};
export const deal: Deal<ArkadeLeg, EvmLeg> = {
  swapId: 'theirs',
  source: { on: 'arkade', amount: sourceAmount, vhtlc, script, address },
  target: { on: 'evm', amount: lock.amount, network, contracts, lock },
  costs: [{ part: 'service', sats: 260n }],
};

export const terms: TakeArkadeEvmTerms = {
  provider: 'https://provider.example',
  network: 'regtest',
  operator: { signer: vhtlc.operator, exitDelay: seconds(512) },
  keyIndex: 5,
  key: asPublicKey(Uint8Array.of(2, ...new Uint8Array(32).fill(9))),
  userId: 'user',
  hash,
  createBefore: unix(start + 60),
  policy: defaultPolicy,
  chain: network,
  pairs: [contracts],
  pegged: { address: account.token, decimals: 8, symbol: 'WBTC', name: 'Wrapped BTC' },
  evmKey: { scheme: 'wallet', index: 5 },
  account: account.client,
  gasless: true,
  burial: 16,
  agreed: false,
  since: 60_000_000,
  sourceAmount,
  targetAmount: lock.amount,
  destination: asEvmAddress(new Uint8Array(20).fill(7)),
};

/** Another token, which an exchange makes. */
const dollars = asEvmAddress(new Uint8Array(20).fill(0x0d));

export const tx = { lock: '1a'.repeat(32), claim: '2b'.repeat(32), refund: '3c'.repeat(32), sent: '4d'.repeat(32) };

export function offer(change: Partial<SeenLock> = {}, of: Partial<LockTerms> = {}): SeenLock {
  const made = { ...lock, ...of };
  return {
    terms: made,
    key: swapKey(made),
    txid: tx.lock,
    height: 60_000_010,
    confirmations: 16,
    depositor: null,
    state: { is: 'active' },
    ...change,
  };
}

const early = evmClocksAt(start + 600);
const late = evmClocksAt(start + defaultPolicy.serverLeg - defaultPolicy.margin + 60);
const nearlyOver = evmClocksAt(start + defaultPolicy.serverLeg - 600);
const unlocked = evmClocksAt(vhtlc.refundLocktime + 4 * 3_600);
const telling = (label: string, event: Telling['event'], now = early): Telling => ({ label, event, now });
export const locks = (label: string, ...all: readonly SeenLock[]): Telling =>
  telling(label, { is: 'evm.seen', network, height: 60_000_030, time: unix(start), asked: start, locks: all });

const own = (change = {}) => coin({ outpoint: coinPoint, amount: sourceAmount, script, ...change });
const spentBy = (leaf: 'claim' | 'refund') => ({
  spent: true,
  spentIn: txid[leaf],
  spentBy: txid[leaf],
  spend: leaf === 'claim' ? { leaf, preimage } : { leaf },
});

export const events: readonly Telling[] = [
  telling('a coin', { is: 'vhtlc.seen', coins: [own()] }),
  telling('two coins', { is: 'vhtlc.seen', coins: [own(), own({ outpoint: otherPoint })] }),
  telling('the provider took the coin', { is: 'vhtlc.seen', coins: [own(spentBy('claim'))] }),
  telling('it took one of two', { is: 'vhtlc.seen', coins: [own(spentBy('claim')), own({ outpoint: otherPoint })] }),
  telling('the coin came back', { is: 'vhtlc.seen', coins: [own(spentBy('refund'))] }),
  locks('no lock'),
  locks('the lock', offer()),
  locks('the lock, shallow', offer({ confirmations: 15 })),
  { ...locks('the lock, nearly over', offer()), now: nearlyOver },
  locks('a lock of another amount', offer({}, { amount: lock.amount - 1n })),
  locks('a lock of another token', offer({}, { token: account.service })),
  locks('a lock of another timelock', offer({}, { timelock: lock.timelock - 1n })),
  locks('claimed, shallow', offer({ state: { is: 'redeemed', preimage, txid: tx.claim, confirmations: 1 } })),
  locks('claimed', offer({ state: { is: 'redeemed', preimage, txid: tx.claim, confirmations: 16 } })),
  locks('taken back, shallow', offer({ state: { is: 'refunded', txid: tx.refund, confirmations: 1 } })),
  locks('taken back', offer({ state: { is: 'refunded', txid: tx.refund, confirmations: 16 } })),
  telling('withheld', { is: 'provider.claim-withheld', reason: 'too late' }),
  telling('nobody heard it', { is: 'provider.claim-withheld', reason: 'away', unreached: true }),
  telling('the provider relays', { is: 'provider.relayed', txid: tx.claim }),
  telling('the provider declines', { is: 'provider.declined', reason: 'not now' }),
  telling('signed', { is: 'evm.prepared', purpose: 'taker-claim', txid: tx.sent }),
  telling('not safe any more', { is: 'evm.refused', purpose: 'taker-claim', reason: 'too late' }),
  telling('ours reverts', {
    is: 'evm.sent',
    purpose: 'taker-claim',
    txid: tx.sent,
    state: { is: 'mined', by: tx.sent, ok: false, confirmations: 1, cost: 1n },
  }),
  telling('refund signed', {
    is: 'vhtlc.prepared',
    purpose: 'refund',
    txid: txid.refund,
    output: { txid: txid.refund, vout: 0 },
  }),
  telling('refund final', { is: 'vhtlc.final', purpose: 'refund', txid: txid.refund }),
  telling('serverfunded', { is: 'provider.seen', status: 'serverfunded' }),
  telling('serverwontfund', { is: 'provider.seen', status: 'serverwontfund' }),
  telling('the owner wants it back', { is: 'refund.requested' }),
  telling('a quarter of an hour', { is: 'clock' }, evmClocksAt(start + 1_500)),
  telling('the locktime', { is: 'clock' }, unlocked),
  telling('a look after the locktime', { is: 'vhtlc.seen', coins: [] }, unlocked),
];

export const takeArkadeEvmCase: Case<TakeArkadeEvmTerms, TakeArkadeEvmProgress> = {
  machine: takeArkadeEvm,
  terms,
  first: { at: 'waiting', deal, said: 'pending', coins: [], expiresAt: null, proof: null, target: noLock },
  events,
};

export const ownTransaction: typeof takeArkadeEvmCase = { ...takeArkadeEvmCase, terms: { ...terms, gasless: false } };

/** What only an exchange knows. */
const ofExchange: readonly Telling[] = [
  { ...locks('the lock, late', offer()), now: late },
  telling('no price, says the provider’s claim', { is: 'provider.claim-withheld', reason: 'low', unpriced: true }),
  telling('no price for ours', { is: 'evm.refused', purpose: 'taker-claim', reason: 'low', unpriced: true }),
  telling(
    'ours reverts, late',
    {
      is: 'evm.sent',
      purpose: 'taker-claim',
      txid: tx.sent,
      state: { is: 'mined', by: tx.sent, ok: false, confirmations: 1, cost: 1n },
    },
    late,
  ),
  telling('what arrived', {
    is: 'evm.arrived',
    txid: tx.claim,
    amounts: [
      { token: dollars, amount: 59_000_000n },
      { token: account.token, amount: 0n },
    ],
  }),
  telling('two minutes', { is: 'clock' }, evmClocksAt(start + 720)),
];

const exchange = {
  token: { address: dollars, decimals: 6, symbol: 'USDC', name: 'USD Coin' },
  least: 59_000_000n,
  slippageBps: 50,
  mostFees: sats(260n),
};
/** Into another token, by the provider and by our own transaction. */
export const exchanged: typeof takeArkadeEvmCase = {
  ...takeArkadeEvmCase,
  terms: { ...terms, targetAmount: 60_000_000n, exchange },
  events: [...events, ...ofExchange],
};
export const exchangedAlone: typeof takeArkadeEvmCase = {
  ...exchanged,
  terms: { ...exchanged.terms, gasless: false },
};
