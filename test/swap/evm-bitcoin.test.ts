import { describe, expect, test } from 'vitest';
import { toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { day, after as later, unix } from '../../engine/domain/time.ts';
import { hash160OfSha256 } from '../../engine/legs/secret.ts';
import { viewEvmBitcoin, type EvmBitcoinProgress } from '../../engine/swap/directions/evm-bitcoin.ts';
import { legOf } from '../../engine/swap/leg-of.ts';
import type { Event, SwapStep } from '../../engine/swap/machine.ts';
import { preimage, start } from './cases.ts';
import {
  bitcoinTx,
  calledOf,
  claimedBy,
  clocksOf,
  evmBitcoinCase,
  evmBitcoinTerms as t,
  height,
  lookAtHtlc,
  otherCoin,
  output,
  payment,
  prepared,
  refundedBy,
  seenCoin,
} from './evm-bitcoin-cases.ts';
import {
  account,
  askRefund,
  evmClocksAt,
  lookAt,
  network,
  redeemed,
  refunded,
  seenLock,
  sentTxid,
} from './evm-lightning-cases.ts';
import { explore } from './explore.ts';
import { nameOf, tableOf } from './table.ts';

/** Every state that can be reached, by its name and by what of ours is on its way in it. */
const names = [
  'claimed',
  'claimed coin claimed',
  'claimed coin claimed refund asked',
  'claimed coin claimed refund sent',
  'claimed coin refunded',
  'claimed coin refunded refund asked',
  'claimed coin refunded refund sent',
  'claimed coin void',
  'claimed coin void refund asked',
  'claimed coin void refund sent',
  'claimed refund asked',
  'claimed refund sent',
  'claiming',
  'claiming coin claimed',
  'claiming coin refunded',
  'claiming coin void',
  'claiming gone',
  'claiming gone coin claimed',
  'claiming gone coin refunded',
  'claiming gone coin void',
  'funded',
  'funded gone',
  'funded gone other',
  'funded other',
  'funding',
  'funding gone',
  'lapsed',
  'locked',
  'locked gone',
  'lost',
  'lost coin claimed',
  'lost coin claimed refund asked',
  'lost coin claimed refund sent',
  'lost coin refunded',
  'lost coin refunded refund asked',
  'lost coin refunded refund sent',
  'lost coin void',
  'lost coin void refund asked',
  'lost coin void refund sent',
  'lost refund asked',
  'lost refund sent',
  'pending',
  'pending relay asked',
  'pending relay mined',
  'pending relay sent',
  'pending vanished',
  'pending vanished relay asked',
  'pending vanished relay mined',
  'pending vanished relay sent',
  'refunded',
  'refunded doubt',
  'refunded refund asked',
  'refunded refund sent',
  'refunding',
  'refunding gone',
  'refunding gone racing',
  'refunding racing',
  'returned',
  'returned fenced',
  'returned refund asked fenced',
  'returned refund sent fenced',
  'seen',
  'seen relay asked',
  'seen relay mined',
  'seen relay sent',
  'seen vanished',
  'seen vanished relay asked',
  'seen vanished relay mined',
  'seen vanished relay sent',
  'stopped expired',
  'stopped invalid',
  'stopped late',
  'stopped late fenced',
  'stopped late refund asked fenced',
  'stopped late refund sent fenced',
  'stopped wont',
  'stopped wont doubt',
  'stopped wont fenced',
  'stopped wont refund asked fenced',
  'stopped wont refund sent fenced',
];

/** What becomes of the client's lock while something is given for it is told, and changes nothing else. */
function backed(name: string, without: string): Record<string, string> {
  return {
    'evm.seen nothing': `${without}, FLAG`,
    'evm.seen nothing, funding window over': `${without}, FLAG`,
    'evm.seen nothing, too late to pay': `${without}, FLAG`,
    'evm.seen more than agreed': `${without} +1, FLAG`,
    'evm.seen short by one': `${without} +1, FLAG`,
    'evm.seen short by one, not buried': `${without} +1, FLAG`,
    'evm.seen dust': `${without}, FLAG`,
    'evm.seen short by one, of a stranger': `${without}, FLAG`,
    'evm.seen short by one, of nobody': `${without}, FLAG`,
    'evm.seen a stranger’s': `${without} +1, FLAG`,
    ...besideIt(name),
    'evm.seen dust, funding window over': `${without}, FLAG`,
    'evm.seen another token': `${without}, FLAG`,
    'evm.seen not through the coordinator': `${without}, FLAG`,
    'evm.seen for another account': `${without}, FLAG`,
    'evm.seen another timelock': `${without}, FLAG`,
  };
}

/** What strangers lock beside the swap's own. */
function besideIt(name: string, more = 1): Record<string, string> {
  return {
    'evm.seen a stranger’s beside the right one': `${name} +${more}`,
    'evm.seen a stranger’s buried, the right one not': `${name} +${more}`,
    'evm.seen a stranger’s refunded beside the right one': `${name} +${more}`,
    'evm.seen a stranger’s beside the right one refunded': `${name} +${more}`,
  };
}

/** Locks beside the swap's own are listed, as far as they are anything to it. */
function beside(name: string): Record<string, string> {
  return {
    'evm.seen more than agreed': `${name} +1`,
    'evm.seen short by one': `${name} +1`,
    'evm.seen short by one, not buried': `${name} +1`,
    'evm.seen a stranger’s': `${name} +1`,
    ...besideIt(name),
  };
}

/** The locks are the client's to take back. */
function left(name: string): Record<string, string> {
  return {
    'evm.seen nothing': name,
    'evm.seen nothing, funding window over': name,
    'evm.seen nothing, too late to pay': name,
    'evm.seen more than agreed': `${name} +1`,
    'evm.seen short by one': `${name} +1`,
    'evm.seen short by one, not buried': `${name} +1`,
    'evm.seen dust': name,
    'evm.seen short by one, of a stranger': name,
    'evm.seen short by one, of nobody': name,
    'evm.seen a stranger’s': `${name} +1`,
    ...besideIt(name, 2),
    'evm.seen a stranger’s beside the right one refunded': 'refunded +2',
    'evm.seen dust, funding window over': name,
    'evm.seen another token': name,
    'evm.seen not through the coordinator': name,
    'evm.seen for another account': name,
    'evm.seen another timelock': name,
    'evm.seen claimed, not buried': 'refunded +1',
    'evm.seen claimed': 'refunded +1',
    'evm.seen refunded, not buried': 'refunded +1',
    'evm.seen refunded': 'refunded +1',
  };
}

/** What its client has again decides nothing of ours (facts/faults.md 123). */
function inDoubt(table: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(table).map(([label, to]) => [label, to.replace(/^refunded/, 'refunded doubt')]),
  );
}

/** Our lock for what the client gave, which a copy of the database forgot. */
const sightings = {
  'htlc.seen another': 'locked',
  'htlc.seen another, claimed': 'claiming, evm.send, htlc.resend, learns',
  'htlc.seen claimed by another transaction': 'claiming, evm.send, htlc.resend, learns',
  'htlc.seen claimed in the mempool': 'claiming, evm.send, htlc.resend, learns',
  'htlc.seen claimed in the mempool, the lock is about to open': 'claiming, evm.send, htlc.resend, learns',
  'htlc.seen claimed, buried': 'claiming coin claimed, evm.send, learns',
  'htlc.seen claimed, mined': 'claiming, evm.send, htlc.resend, learns',
  'htlc.seen ours': 'locked',
  'htlc.seen ours beside another': 'locked',
  'htlc.seen refunded in the mempool': 'locked',
  'htlc.seen refunded, buried': 'returned +1',
  'htlc.seen refunded, mined': 'locked',
  'htlc.seen spent by nobody knows what': 'locked',
};

/**
 * The states that are this direction's own, and every event of the catalogue that moves them. An event that is not
 * listed leaves the state alone; `+1` counts the locks that are listed beside the swap's own. What waits for the lock
 * is as in evm-lightning.
 */
const moves: Record<string, Record<string, string>> = {
  funded: {
    ...backed('funded', 'funded gone'),
    'htlc.prepared': 'funding, onchain.broadcast',
    'htlc.refused': 'stopped wont +1',
    'htlc.refused, unsure': 'stopped wont doubt +1, FLAG',
    'htlc.seen ours in the mempool': 'funded other',
    'htlc.seen ours': 'locked',
    'htlc.seen ours beside another': 'locked',
    'htlc.seen another in the mempool': 'funded other',
    'htlc.seen another': 'locked',
    'htlc.seen another, claimed': 'claiming, evm.send, htlc.resend, learns',
    'htlc.seen ours unconfirmed, claimed in the mempool': 'funded other',
    'htlc.seen claimed in the mempool': 'claiming, evm.send, htlc.resend, learns',
    'htlc.seen claimed by another transaction': 'claiming, evm.send, htlc.resend, learns',
    'htlc.seen claimed, mined': 'claiming, evm.send, htlc.resend, learns',
    'htlc.seen claimed, buried': 'claiming coin claimed, evm.send, learns',
    'htlc.seen claimed in the mempool, the lock is about to open': 'claiming, evm.send, htlc.resend, learns',
    'htlc.seen refunded in the mempool': 'locked',
    'htlc.seen refunded, mined': 'locked',
    'htlc.seen refunded, buried': 'returned +1',
    'htlc.seen spent by nobody knows what': 'locked',
  },
  'funded other': {
    ...backed('funded other', 'funded gone other'),
    'htlc.refused': 'stopped wont +1',
    'htlc.refused, unsure': 'stopped wont doubt +1, FLAG',
    'htlc.seen nothing': 'funded, htlc.fund',
    'htlc.seen ours': 'locked',
    'htlc.seen ours beside another': 'locked',
    'htlc.seen another': 'locked',
    'htlc.seen another, claimed': 'claiming, evm.send, htlc.resend, learns',
    'htlc.seen another of less': 'funded, htlc.fund',
    'htlc.seen claimed in the mempool': 'claiming, evm.send, htlc.resend, learns',
    'htlc.seen claimed by another transaction': 'claiming, evm.send, htlc.resend, learns',
    'htlc.seen claimed, mined': 'claiming, evm.send, htlc.resend, learns',
    'htlc.seen claimed, buried': 'claiming coin claimed, evm.send, learns',
    'htlc.seen claimed in the mempool, the lock is about to open': 'claiming, evm.send, htlc.resend, learns',
    'htlc.seen refunded in the mempool': 'locked',
    'htlc.seen refunded, mined': 'locked',
    'htlc.seen refunded, buried': 'returned +1',
    'htlc.seen spent by nobody knows what': 'locked',
  },
  funding: {
    ...backed('funding', 'funding gone'),
    'onchain.final fund': 'locked, books',
    'onchain.refused fund spent': 'stopped wont +1, supersedes, FLAG',
    'onchain.refused fund refused': 'stopped wont doubt +1, FLAG',
    'onchain.refused fund late': 'stopped late +1, supersedes',
    'htlc.seen ours in the mempool': 'locked, onchain.broadcast',
    'htlc.seen ours': 'locked, onchain.broadcast',
    'htlc.seen ours beside another': 'locked, onchain.broadcast',
    'htlc.seen ours unconfirmed, claimed in the mempool': 'claiming, evm.send, htlc.resend, onchain.broadcast, learns',
    'htlc.seen claimed in the mempool': 'claiming, evm.send, htlc.resend, onchain.broadcast, learns',
    'htlc.seen claimed by another transaction': 'claiming, evm.send, htlc.resend, onchain.broadcast, learns',
    'htlc.seen claimed, mined': 'claiming, evm.send, htlc.resend, onchain.broadcast, learns',
    'htlc.seen claimed, buried': 'claiming coin claimed, evm.send, onchain.broadcast, learns',
    'htlc.seen claimed in the mempool, the lock is about to open':
      'claiming, evm.send, htlc.resend, onchain.broadcast, learns',
    'htlc.seen refunded in the mempool': 'locked, onchain.broadcast',
    'htlc.seen refunded, mined': 'locked, onchain.broadcast',
    'htlc.seen refunded, buried': 'returned +1',
    'htlc.seen spent by nobody knows what': 'locked, onchain.broadcast',
  },
  locked: {
    ...backed('locked', 'locked gone'),
    'onchain.final fund': 'locked, books',
    // A block holds it, and clients are told so.
    'htlc.seen ours': 'locked',
    'htlc.seen ours beside another': 'locked',
    'htlc.seen refunded in the mempool': 'locked',
    'htlc.seen refunded, mined': 'locked',
    'htlc.seen spent by nobody knows what': 'locked',
    'onchain.refused fund spent': 'stopped wont +1, supersedes, FLAG',
    'onchain.refused fund refused': 'stopped wont doubt +1, FLAG',
    'onchain.refused fund late': 'stopped wont +1, supersedes',
    'htlc.seen ours unconfirmed, claimed in the mempool': 'claiming, evm.send, htlc.resend, onchain.broadcast, learns',
    'htlc.seen claimed in the mempool': 'claiming, evm.send, htlc.resend, onchain.broadcast, learns',
    'htlc.seen claimed by another transaction': 'claiming, evm.send, htlc.resend, onchain.broadcast, learns',
    'htlc.seen claimed, mined': 'claiming, evm.send, htlc.resend, onchain.broadcast, learns',
    'htlc.seen claimed, buried': 'claiming coin claimed, evm.send, onchain.broadcast, learns',
    'htlc.seen claimed in the mempool, the lock is about to open':
      'claiming, evm.send, htlc.resend, onchain.broadcast, learns',
    'htlc.seen refunded, buried': 'returned +1',
    'clock, median time past above it': 'refunding, htlc.spend refund',
    'clock, the lock is about to open': 'refunding, htlc.spend refund',
    'clock, timelock passed by the wall and Bitcoin alone': 'refunding, htlc.spend refund',
    'clock, timelock passed': 'refunding, htlc.spend refund',
    'clock, a day after the timelock': 'refunding, htlc.spend refund',
  },
  refunding: {
    ...backed('refunding', 'refunding gone'),
    'onchain.final fund': 'refunding, books',
    'onchain.refused fund spent': 'stopped wont +1, supersedes, FLAG',
    'onchain.refused fund refused': 'stopped wont doubt +1, FLAG',
    'onchain.refused fund late': 'stopped wont +1, supersedes',
    'onchain.refused refund spent': 'refunding',
    'onchain.prepared refund': 'refunding, onchain.broadcast',
    'htlc.seen ours unconfirmed, claimed in the mempool': 'claiming, evm.send, htlc.resend, onchain.broadcast, learns',
    'htlc.seen claimed in the mempool': 'claiming, evm.send, htlc.resend, onchain.broadcast, learns',
    'htlc.seen claimed by another transaction': 'claiming, evm.send, htlc.resend, onchain.broadcast, learns',
    'htlc.seen claimed, mined': 'claiming, evm.send, htlc.resend, onchain.broadcast, learns',
    'htlc.seen claimed, buried': 'claiming coin claimed, evm.send, onchain.broadcast, learns',
    'htlc.seen claimed in the mempool, the lock is about to open':
      'claiming, evm.send, htlc.resend, onchain.broadcast, learns',
    'htlc.seen refunded, buried': 'returned +1, onchain.broadcast',
  },
  'refunding signed': {
    ...backed('refunding', 'refunding gone'),
    'onchain.final fund': 'refunding, books',
    'onchain.refused fund spent': 'stopped wont +1, supersedes, FLAG',
    'onchain.refused fund refused': 'stopped wont doubt +1, FLAG',
    'onchain.refused fund late': 'stopped wont +1, supersedes',
    'onchain.final refund': 'returned +1, books',
    'onchain.refused refund spent': 'refunding',
    'onchain.refused refund refused': 'refunding, htlc.spend refund, FLAG',
    'onchain.refused refund late': 'refunding, htlc.spend refund, FLAG',
    'onchain.prepared refund': 'refunding, onchain.broadcast',
    'onchain.stuck refund': 'refunding, htlc.spend refund',
    'htlc.seen ours unconfirmed, claimed in the mempool': 'refunding racing, htlc.resend, onchain.broadcast, learns',
    'htlc.seen claimed in the mempool': 'refunding racing, htlc.resend, onchain.broadcast, learns',
    'htlc.seen claimed by another transaction': 'refunding racing, htlc.resend, onchain.broadcast, learns',
    'htlc.seen claimed, mined': 'refunding racing, htlc.resend, onchain.broadcast, learns',
    'htlc.seen claimed, buried': 'claiming coin claimed, evm.send, onchain.broadcast, learns',
    'htlc.seen claimed in the mempool, the lock is about to open':
      'claiming, evm.send, htlc.resend, onchain.broadcast, learns',
    'htlc.seen refunded, buried': 'returned +1, onchain.broadcast, onchain.broadcast',
  },
  'refunding racing signed': {
    ...backed('refunding racing', 'refunding gone racing'),
    'onchain.final fund': 'refunding racing, books',
    'onchain.refused fund spent': 'stopped wont +1, supersedes, FLAG',
    'onchain.refused fund refused': 'stopped wont doubt +1, FLAG',
    'onchain.refused fund late': 'stopped wont +1, supersedes',
    'onchain.final refund': 'returned +1, books',
    'htlc.seen claimed by another transaction': 'refunding racing, htlc.resend, onchain.broadcast, learns',
    'htlc.seen claimed, buried': 'claiming coin claimed, evm.send, onchain.broadcast, learns',
    'htlc.seen claimed in the mempool, the lock is about to open':
      'claiming, evm.send, htlc.resend, onchain.broadcast, learns',
    'htlc.seen refunded, buried': 'returned +1, onchain.broadcast, onchain.broadcast',
    'clock, the lock is about to open': 'claiming, evm.send, htlc.resend, onchain.broadcast',
    'clock, timelock passed': 'claiming, evm.send, htlc.resend, onchain.broadcast',
    'clock, a day after the timelock': 'claiming, evm.send, htlc.resend, onchain.broadcast',
  },
  claiming: {
    ...backed('claiming', 'claiming gone'),
    'evm.prepared claim': 'claiming',
    'onchain.final fund': 'claiming, books',
    'onchain.refused fund spent': 'claiming coin void, supersedes, FLAG',
    'onchain.refused fund late': 'claiming coin void, supersedes, FLAG',
    'htlc.seen claimed by another transaction': 'claiming',
    'htlc.seen claimed, buried': 'claiming coin claimed',
    'htlc.seen refunded, buried': 'claiming coin refunded, FLAG',
    'evm.seen more than agreed': 'claiming, evm.send, supersedes',
    'evm.seen a stranger’s': 'claiming, evm.send, supersedes',
    'evm.seen a stranger’s beside the right one refunded': 'claiming +1, evm.send, supersedes',
    'evm.seen claimed': 'claimed, supersedes, books',
    'evm.seen refunded': 'lost, htlc.spend refund, onchain.broadcast, supersedes, books, FLAG',
  },
  'claiming buried': {
    ...backed('claiming', 'claiming gone'),
    'evm.prepared claim': 'claiming',
    'htlc.seen claimed by another transaction': 'claiming',
    'htlc.seen claimed, buried': 'claiming coin claimed, supersedes',
    'htlc.seen refunded, buried': 'claiming coin refunded, supersedes, FLAG',
    'evm.seen more than agreed': 'claiming, evm.send, supersedes',
    'evm.seen a stranger’s': 'claiming, evm.send, supersedes',
    'evm.seen a stranger’s beside the right one refunded': 'claiming +1, evm.send, supersedes',
    'evm.seen claimed': 'claimed, supersedes, books',
    'evm.seen refunded': 'lost, htlc.spend refund, supersedes, books, FLAG',
  },
  'claiming coin claimed buried': {
    ...backed('claiming coin claimed', 'claiming gone coin claimed'),
    'evm.prepared claim': 'claiming coin claimed',
    'evm.seen more than agreed': 'claiming coin claimed, evm.send, supersedes',
    'evm.seen a stranger’s': 'claiming coin claimed, evm.send, supersedes',
    'evm.seen a stranger’s beside the right one refunded': 'claiming coin claimed +1, evm.send, supersedes',
    'evm.seen claimed': 'claimed coin claimed, supersedes, books',
    'evm.seen refunded': 'lost coin claimed, supersedes, books, FLAG',
  },
  'claiming coin refunded buried': {
    ...backed('claiming coin refunded', 'claiming gone coin refunded'),
    'evm.prepared claim': 'claiming coin refunded',
    'evm.seen a stranger’s beside the right one refunded': 'lost coin refunded, supersedes, FLAG',
    'evm.seen claimed': 'claimed coin refunded, supersedes, books',
    'evm.seen refunded': 'lost coin refunded, supersedes, FLAG',
  },
  claimed: {
    ...beside('claimed'),
    'onchain.final fund': 'claimed, books',
    'onchain.refused fund spent': 'claimed coin void, supersedes, FLAG',
    'onchain.refused fund late': 'claimed coin void, supersedes, FLAG',
    'htlc.seen claimed by another transaction': 'claimed',
    'htlc.seen claimed, buried': 'claimed coin claimed',
    'htlc.seen refunded, buried': 'claimed coin refunded, FLAG',
  },
  'claimed coin claimed': {
    ...beside('claimed coin claimed'),
    'onchain.final fund': 'claimed coin claimed, supersedes, books',
  },
  'claimed coin claimed buried': {
    ...beside('claimed coin claimed'),
  },
  lost: {
    ...beside('lost'),
    'onchain.final fund': 'lost, books',
    'onchain.refused fund spent': 'lost coin void, supersedes, books, FLAG',
    'onchain.refused fund late': 'lost coin void, supersedes, books, FLAG',
    'htlc.seen claimed by another transaction': 'lost',
    'htlc.seen claimed, buried': 'lost coin claimed',
    'htlc.seen refunded, buried': 'lost coin refunded, books, FLAG',
    'onchain.prepared refund': 'lost, onchain.broadcast, onchain.broadcast',
    'onchain.refused refund spent': 'lost',
  },
  'returned buried': {
    ...left('returned'),
    'onchain.final fund': 'returned +1, books',
    'onchain.final refund': 'returned +1, books',
    'evm-refund.requested of the right lock': 'returned refund asked fenced +1, evm.send',
    'clock, a day after the timelock': 'returned +1',
  },
  'returned fenced buried': {
    ...left('returned fenced'),
    'onchain.final fund': 'returned fenced +1, books',
    'onchain.final refund': 'returned fenced +1, books',
    'evm-refund.requested of the right lock': 'returned refund asked fenced +1, evm.send',
    'clock, a day after the timelock': 'returned fenced +1',
  },
  'stopped wont': {
    ...sightings,
    ...left('stopped wont'),
    'evm-refund.requested of the right lock': 'stopped wont refund asked fenced +1, evm.send',
    'clock, a day after the timelock': 'stopped wont +1',
  },
  'stopped wont doubt': {
    ...inDoubt(left('stopped wont doubt')),
    'htlc.seen ours': 'locked',
    'htlc.seen ours beside another': 'locked',
    'htlc.seen another': 'locked',
    'htlc.seen another, claimed': 'claiming, evm.send, htlc.resend, learns',
    'htlc.seen claimed in the mempool': 'claiming, evm.send, htlc.resend, learns',
    'htlc.seen claimed by another transaction': 'claiming, evm.send, htlc.resend, learns',
    'htlc.seen claimed, mined': 'claiming, evm.send, htlc.resend, learns',
    'htlc.seen claimed, buried': 'claiming coin claimed, evm.send, learns',
    'htlc.seen claimed in the mempool, the lock is about to open': 'claiming, evm.send, htlc.resend, learns',
    'htlc.seen refunded in the mempool': 'locked',
    'htlc.seen refunded, mined': 'locked',
    'htlc.seen refunded, buried': 'returned +1',
    'htlc.seen spent by nobody knows what': 'locked',
    'clock, a day after the timelock': 'stopped wont doubt +1',
  },
  refunded: {
    'clock, a day after the timelock': 'refunded +2',
    'evm-refund.requested of a stranger’s': 'refunded refund asked +2, evm.send',
    'evm.seen a stranger’s': 'refunded +1',
    'evm.seen a stranger’s beside the right one': 'refunded +2',
    'evm.seen a stranger’s buried, the right one not': 'refunded +2',
    'evm.seen a stranger’s refunded beside the right one': 'refunded +2',
    'evm.seen claimed': 'refunded +1',
    'evm.seen claimed, not buried': 'refunded +1',
    'evm.seen refunded': 'refunded +1',
    'evm.seen refunded, not buried': 'refunded +1',
    'evm.seen short by one, of a stranger': 'refunded',
    'evm.seen short by one, of nobody': 'refunded',
    'evm.seen nothing': 'refunded',
    'evm.seen nothing, funding window over': 'refunded',
    'evm.seen right': 'refunded +1',
    'evm.seen nothing, too late to pay': 'refunded',
    'evm.seen right but not buried': 'refunded +1',
    'evm.seen right, clock of the chain unread': 'refunded +1',
    'evm.seen right, funding window over': 'refunded +1',
    'evm.seen right, too late to pay': 'refunded +1',
    'evm.seen not buried, too late to pay': 'refunded +1',
    'evm.seen more than agreed': 'refunded +1',
    'evm.seen short by one': 'refunded +1',
    'evm.seen short by one, not buried': 'refunded +1',
    'evm.seen dust': 'refunded',
    'evm.seen dust beside the right one': 'refunded +1',
    'evm.seen dust, funding window over': 'refunded',
    'evm.seen another token': 'refunded',
    'evm.seen not through the coordinator': 'refunded',
    'evm.seen for another account': 'refunded',
    'evm.seen another timelock': 'refunded',
  },
  lapsed: {},
};

const { machine } = evmBitcoinCase;
const everything = explore(evmBitcoinCase);
const states = new Map<string, EvmBitcoinProgress>();
for (const p of everything.states) if (!states.has(calledOf(p))) states.set(calledOf(p), p);
const timelock = unix(Number(t.lock.timelock));
const locktime = t.htlc.refundLocktime;

function state(name: string): EvmBitcoinProgress {
  const progress = states.get(name);
  if (progress === undefined) throw new Error(`no state is called ${name}`);
  return progress;
}

function step(p: EvmBitcoinProgress, event: Event, now = evmClocksAt(start + 60)): SwapStep<EvmBitcoinProgress> {
  const next = machine.step(t, p, event, now);
  if (next === 'stay') throw new Error(`${event.is} does not move ${nameOf(p)}`);
  return next;
}

const after = (name: string, event: Event) => step(state(name), event);

test('these states can be reached and no others', () => {
  expect([...new Set(everything.states.map(nameOf))].sort()).toEqual(names);
});

test.each(Object.entries(moves))('%s moves on these events alone', (name, expected) => {
  expect(tableOf(evmBitcoinCase, state(name))).toEqual(expected);
});

test('each state has its wire status, its watches, its deadline and its promise of liquidity', () => {
  const facts = Object.keys(moves).map((name) => {
    const p = state(name);
    const watched = machine
      .watches(t, p)
      .map((watch) =>
        watch.on === 'htlc' ? `htlc ${watch.coins.length}` : 'purpose' in watch ? watch.purpose : watch.on,
      )
      .join(' ');
    const open = machine.open(t, p) ? 'open' : 'ended';
    return [name, machine.status(p), watched, machine.deadline(t, p), open, machine.reserves(p) ? 'reserves' : ''];
  });
  const leftAlone = later(timelock, day);
  const lastClaim = timelock - t.policy.mtpLag - t.policy.margin / 2;
  expect(facts).toEqual([
    ['funded', 'clientfunded', 'evm-lock htlc 0', null, 'open', 'reserves'],
    ['funded other', 'clientfunded', 'evm-lock htlc 0', null, 'open', 'reserves'],
    ['funding', 'clientfunded', 'evm-lock htlc 1', null, 'open', ''],
    ['locked', 'serverfunded', 'evm-lock htlc 1', locktime, 'open', ''],
    ['refunding', 'serverfunded', 'evm-lock htlc 1', null, 'open', ''],
    ['refunding signed', 'serverfunded', 'evm-lock htlc 1', null, 'open', ''],
    ['refunding racing signed', 'serverfunded', 'evm-lock htlc 1', lastClaim, 'open', ''],
    ['claiming', 'clientredeemed', 'evm-lock htlc 1', null, 'open', ''],
    ['claiming buried', 'clientredeemed', 'evm-lock htlc 1', null, 'open', ''],
    ['claiming coin claimed buried', 'clientredeemed', 'evm-lock', null, 'open', ''],
    ['claiming coin refunded buried', 'clientredeemed', 'evm-lock', null, 'open', ''],
    ['claimed', 'serverredeemed', 'evm-lock htlc 1', null, 'open', ''],
    ['claimed coin claimed', 'serverredeemed', 'evm-lock', null, 'open', ''],
    ['claimed coin claimed buried', 'serverredeemed', 'evm-lock', null, 'ended', ''],
    ['lost', 'clientredeemedandclientrefunded', 'evm-lock htlc 1', null, 'open', ''],
    ['returned buried', 'clientfundedserverrefunded', 'evm-lock', leftAlone, 'open', ''],
    ['returned fenced buried', 'clientfundedserverrefunded', 'evm-lock', leftAlone, 'open', ''],
    ['stopped wont', 'serverwontfund', 'evm-lock htlc 0', leftAlone, 'open', ''],
    ['stopped wont doubt', 'serverwontfund', 'evm-lock htlc 0', leftAlone, 'open', ''],
    ['refunded', 'clientrefunded', 'evm-lock', leftAlone, 'open', ''],
    ['lapsed', 'expired', '', null, 'ended', ''],
  ]);
});

test('every state says who is waited for, and is kept in a form that can be read again', () => {
  expect(everything.states.filter((p) => machine.nextAction(t, p).length < 8)).toEqual([]);
  const { terms, progress } = machine.shape;
  expect(terms.read(t, terms.version)).toEqual(t);
  expect(everything.states.map((p) => progress.read(p, progress.version))).toEqual(everything.states);
});

test('the record has its Bitcoin side in bare hex, and tells of our coin once somebody shows it', () => {
  const record = (name: string) => {
    const p = state(name);
    return viewEvmBitcoin({ id: 'one', createdAt: start, status: machine.status(p), network: 'regtest' }, t, p);
  };
  expect(record('pending')).toMatchObject({
    status: 'pending',
    fee_sats: 260,
    source_amount: '100260',
    target_amount: '100000',
    target_token: { chain: 'Bitcoin', token_id: 'btc' },
    evm_hash_lock: `0x${toHex(t.hash)}`,
    btc_hash_lock: toHex(hash160OfSha256(t.hash)),
    btc_htlc_address: t.htlcAddress,
    btc_htlc_script_version: 1,
    btc_refund_locktime: locktime,
    btc_server_refund_pk: '06'.repeat(32),
    btc_user_claim_pk: '05'.repeat(32),
    evm_refund_locktime: timelock,
    gasless: true,
  });
  const coins = (name: string) => {
    const { btc_fund_txid: fund, btc_fund_vout: vout, btc_claim_txid: claim } = record(name);
    return [fund, vout, claim];
  };
  expect(['pending', 'funding', 'locked', 'claiming', 'returned buried'].map(coins)).toEqual([
    [undefined, undefined, undefined],
    [undefined, undefined, undefined],
    [bitcoinTx.fund, 0, undefined],
    [bitcoinTx.fund, 0, bitcoinTx.claim],
    [bitcoinTx.fund, 0, undefined],
  ]);
});

describe('what loses money when it is wrong', () => {
  const startsOf = (kind: string) => [
    ...new Set(
      everything.moves
        .filter(({ step: { effects } }) =>
          effects.some((one) => (one.do === 'evm.send' ? one.act.is : one.do) === kind),
        )
        .map(({ from }) => from.at),
    ),
  ];
  const seenBy = (kind: string) =>
    new Set(
      everything.moves
        .filter(
          ({ from, step: { effects } }) =>
            from.at !== 'claiming' && effects.some((one) => (one.do === 'evm.send' ? one.act.is : one.do) === kind),
        )
        .map(({ label }) => label.split(' ')[0]),
    );

  test('our part is funded for a buried lock alone, the lock claimed for a claim on the chain alone', () => {
    const funds = everything.moves.filter(
      ({ from, step: { effects } }) => from.at !== 'funded' && effects.some((one) => one.do === 'htlc.fund'),
    );
    expect([...new Set(funds.map(({ label }) => label))]).toEqual([
      'evm.seen right',
      'evm.seen more than agreed',
      'evm.seen dust beside the right one',
      'evm.seen a stranger’s',
      'evm.seen a stranger’s beside the right one',
      'evm.seen a stranger’s buried, the right one not',
      'evm.seen a stranger’s refunded beside the right one',
      'evm.seen a stranger’s beside the right one refunded',
      'evm.seen right, funding window over',
    ]);
    expect([startsOf('claim'), seenBy('claim')]).toEqual([
      ['funded', 'stopped', 'funding', 'locked', 'claiming', 'refunded', 'refunding'],
      new Set(['htlc.seen', 'clock,']),
    ]);
  });

  test('fault 1, bitcoin: a funding is saved before it is sent, and sent for a lock that still stands alone', () => {
    const lock = seenLock({ amount: 500_000n });
    const funded = after('pending', lookAt([lock]));
    const { htlcScript: script, targetAmount: amount, mostFee, lockBefore } = t;
    expect(funded.effects).toEqual([
      { do: 'htlc.fund', script, amount, mostFee, lockBefore, scriptSince: t.htlcSince },
    ]);
    expect(step(funded.progress, prepared)).toMatchObject({
      progress: { at: 'funding', output, funding: { payment, height }, buried: false },
      effects: [
        {
          do: 'onchain.broadcast',
          txid: bitcoinTx.fund,
          spends: payment.coins[0]?.outpoint,
          amount: 150_000n,
          capped: true,
          deadline: t.lockBefore,
          push: { change: { outpoint: { txid: bitcoinTx.fund, vout: 1 }, ...payment.change }, mostFee: t.mostFee },
          onlyIf: {
            notAfter: t.lockBefore,
            escrow: {
              network,
              htlc: t.contracts.htlc,
              lock: lock.terms,
              txid: lock.txid,
              confirmations: 16,
              agreed: false,
              htlcRefundLocktime: locktime,
              policy: t.policy,
            },
          },
          cancel: { coin: payment.coins[0], holds: t.targetAmount, by: timelock - t.policy.mtpLag - t.policy.margin },
        },
      ],
    });
  });

  test('a funding that somebody shows is kept on the chain whatever becomes of the lock and of the time', () => {
    const shown = after('funding', lookAtHtlc(seenCoin({ height: null })));
    expect(shown).toMatchObject({ progress: { at: 'locked' }, interrupts: ['bitcoin'] });
    expect(shown.effects).toEqual([expect.objectContaining({ do: 'onchain.broadcast', txid: bitcoinTx.fund })]);
    expect(shown.effects.filter((one) => 'onlyIf' in one)).toEqual([]);
  });

  test('what lasts until it is buried never stands before what has to be done', () => {
    const lasting = ['onchain.broadcast', 'htlc.resend'];
    const ofCoin = everything.moves.map(({ from, step: { effects, supersedes = [], interrupts = [] } }) => ({
      from,
      effects: effects.filter((one) => legOf(one) === 'bitcoin'),
      isFirst: [...supersedes, ...interrupts].includes('bitcoin'),
    }));
    const blocked = ofCoin.filter(({ effects }) =>
      effects.some(
        (one, i) => lasting.includes(one.do) && effects.slice(i).some((other) => !lasting.includes(other.do)),
      ),
    );
    const behind = ofCoin.filter(
      ({ from, effects, isFirst }) => 'end' in from && from.end === null && effects.length > 0 && !isFirst,
    );
    expect([blocked, behind]).toEqual([[], []]);
  });

  test('facts/onchain.md 4: a funding is prepared once, and nothing that it asks for replaces it', () => {
    const ways = everything.moves.filter(
      ({ from, step: { effects } }) =>
        'output' in from && effects.some((one) => one.do === 'htlc.fund' || one.do === 'onchain.bump'),
    );
    expect(ways).toEqual([]);
    const capped = everything.moves.flatMap(({ step: { effects } }) =>
      effects.filter((one) => one.do === 'onchain.broadcast' && one.txid === bitcoinTx.fund),
    );
    expect(capped.every((one) => one.do === 'onchain.broadcast' && one.capped)).toBe(true);
  });

  test('fault 16, bitcoin: a claim in the mempool is believed at first sight, saved, used and sent on', () => {
    const claimed = after('locked', lookAtHtlc(seenCoin({ height: null, spend: claimedBy(null) })));
    expect(claimed).toMatchObject({
      learned: preimage,
      effects: [
        { do: 'evm.send', act: { is: 'claim', lock: { ...t.lock, amount: t.least } }, deadline: timelock },
        { do: 'htlc.resend', coin: output, bytes: new Uint8Array(150).fill(1) },
        { do: 'onchain.broadcast', txid: bitcoinTx.fund },
      ],
    });
    const evicted = machine.step(t, claimed.progress, lookAtHtlc(seenCoin({ height: null })), evmClocksAt(start + 60));
    expect(evicted).toBe('stay');
  });

  test('from a claim on our coin is never taken back while the lock may be ours', () => {
    const open: readonly string[] = ['claiming', 'claimed', 'lost'];
    const back = everything.moves.filter(
      ({ from, step: { progress, effects } }) =>
        open.includes(from.at) && progress.at !== 'lost' && effects.some((one) => one.do === 'htlc.spend'),
    );
    expect(back).toEqual([]);
    const left = everything.moves.filter(
      ({ from, step: { progress } }) => open.includes(from.at) && !open.includes(progress.at),
    );
    expect(left).toEqual([]);
  });

  test('a refund begins strictly above the locktime by median time past, and only where no claim was seen', () => {
    const at = (mtp: number) => machine.step(t, state('locked'), { is: 'clock' }, clocksOf(timelock + 9_000, mtp));
    expect([at(locktime - 1), at(locktime)]).toEqual(['stay', 'stay']);
    expect(at(locktime + 1)).toMatchObject({
      progress: { at: 'refunding', spends: [] },
      effects: [
        {
          do: 'htlc.spend',
          purpose: 'refund',
          coin: output,
          key: { branch: 'swap', index: 3 },
          leastRate: 0,
          deadline: timelock - t.policy.mtpLag - t.policy.margin,
        },
      ],
    });
    expect(startsOf('htlc.spend')).toEqual(['locked', 'claiming', 'refunding', 'lost']);
  });

  test('fault 17, bitcoin: of a refund and a claim that race the buried one decides', () => {
    const racing = after('refunding signed', lookAtHtlc(seenCoin({ spend: claimedBy(null) })));
    expect(racing).toMatchObject({
      progress: { at: 'refunding', redeem: { txid: bitcoinTx.claim } },
      interrupts: ['bitcoin'],
      learned: preimage,
    });
    expect(racing.effects.map((one) => one.do)).toEqual(['htlc.resend', 'onchain.broadcast']);
    const refundWins = step(racing.progress, lookAtHtlc(seenCoin({ spend: refundedBy(height) })));
    const claimWins = step(racing.progress, lookAtHtlc(seenCoin({ spend: claimedBy(height) })));
    expect([refundWins.progress.at, refundWins.effects.map((one) => 'txid' in one && one.txid)]).toEqual([
      'returned',
      [bitcoinTx.refund, bitcoinTx.fund],
    ]);
    expect(claimWins).toMatchObject({ progress: { at: 'claiming', end: 'claimed', spends: [] } });
    expect(
      machine.step(t, racing.progress, lookAtHtlc(seenCoin({ spend: refundedBy(height + 1) })), evmClocksAt(start)),
    ).toBe('stay');
  });

  test('fault 102, bitcoin: a refund that was called spent may be mined, and a claim beside it waits', () => {
    const refused: Event = {
      is: 'onchain.refused',
      leg: 'bitcoin',
      txid: bitcoinTx.refund,
      why: 'spent',
      reason: 'a rival is buried',
    };
    const halted = after('refunding signed', refused).progress;
    const racing = step(halted, lookAtHtlc(seenCoin({ spend: claimedBy(null) })));
    expect(racing.progress).toMatchObject({ at: 'refunding', redeem: { txid: bitcoinTx.claim } });
    const back = step(racing.progress, { is: 'onchain.final', leg: 'bitcoin', txid: bitcoinTx.refund, fee: sats(300) });
    expect(back.progress.at).toBe('returned');
  });

  test('a coin taken back from a client with both legs is asked for again until its spend is buried', () => {
    const prepared: Event = {
      is: 'onchain.prepared',
      leg: 'bitcoin',
      purpose: 'refund',
      txid: bitcoinTx.refund,
      amount: t.targetAmount,
      rate: 2,
      capped: false,
      height,
    };
    const signed = after('lost', prepared).progress;
    const refused = (why: 'refused' | 'spent') =>
      step(signed, { is: 'onchain.refused', leg: 'bitcoin', txid: bitcoinTx.refund, why, reason: why });
    const again = { do: 'htlc.spend', purpose: 'refund', coin: output };
    expect(refused('refused').effects).toMatchObject([again, { do: 'onchain.broadcast', txid: bitcoinTx.fund }]);
    const halted = refused('spent').progress;
    expect(step(halted, lookAtHtlc(seenCoin())).effects).toMatchObject([again, { do: 'onchain.broadcast' }]);
  });

  test('the end of a transaction that is not of this swap ends nothing', () => {
    const foreign: Event = { is: 'onchain.final', leg: 'bitcoin', txid: 'ab'.repeat(32), fee: sats(300) };
    const moved = ['refunding', 'refunding signed', 'claiming', 'claimed', 'lost'].filter(
      (name) => machine.step(t, state(name), foreign, evmClocksAt(start + 60)) !== 'stay',
    );
    expect(moved).toEqual([]);
  });

  test('a race that outlasts the lock is claimed, and what is owed then is told of', () => {
    const racing = after('refunding signed', lookAtHtlc(seenCoin({ spend: claimedBy(null) }))).progress;
    const wall = timelock - t.policy.mtpLag - t.policy.margin / 2;
    const at = (clock: number) => machine.step(t, racing, { is: 'clock' }, clocksOf(clock, locktime + 9));
    expect(at(wall + 1)).toBe('stay');
    const forced = step(racing, { is: 'clock' }, clocksOf(wall + 3, locktime + 9));
    expect(forced).toMatchObject({ progress: { at: 'claiming', spends: [bitcoinTx.refund], end: null } });
    const both = step(forced.progress, lookAtHtlc(seenCoin({ spend: refundedBy(height) })));
    expect(both.flag).toBe(
      `Both legs of this swap are ours: the client's claim took nothing, for our refund took the coin back, and ` +
        `its lock is claimed. 100000 sats are owed to the client: pay them to where its claim ${bitcoinTx.claim} ` +
        'pays.',
    );
  });

  test('fault 15, bitcoin: the claim of the client is watched and sent on until it is buried', () => {
    const claimed = step(state('claiming'), lookAt([seenLock({}, { state: redeemed(16) })]));
    expect([machine.status(claimed.progress), machine.open(t, claimed.progress)]).toEqual(['serverredeemed', true]);
    // What keeps it in the mempool is asked for on the leg of the coin, and goes on there.
    expect([claimed.effects, claimed.supersedes, claimed.interrupts]).toEqual([[], ['evm'], undefined]);
    const buried = step(claimed.progress, lookAtHtlc(seenCoin({ spend: claimedBy(height) }))).progress;
    const over = step(buried, { is: 'onchain.final', leg: 'bitcoin', txid: bitcoinTx.fund, fee: sats(300) });
    expect([machine.open(t, buried), machine.open(t, over.progress), over.ledger]).toEqual([
      true,
      false,
      [{ kind: 'network-fee-paid', network: 'bitcoin', asset: 'btc', amount: -300_000n }],
    ]);
  });

  test('nothing drops the funding or the claim of the client while they are not buried', () => {
    const dropped = everything.moves.filter(({ from, step: { progress, supersedes } }) => {
      const placed = 'output' in progress ? progress : null;
      return (
        supersedes?.includes('bitcoin') === true &&
        'output' in from &&
        placed !== null &&
        placed.funding !== null &&
        !placed.buried &&
        !('end' in placed && placed.end === 'void')
      );
    });
    expect(dropped.map(({ from, label }) => `${calledOf(from)}: ${label}`)).toEqual([]);
  });

  test('what a refund cost is booked once, whoever tells first that it is buried', () => {
    const final = { is: 'onchain.final', leg: 'bitcoin', txid: bitcoinTx.refund, fee: sats(300) } as const;
    const looks = lookAtHtlc(seenCoin({ spend: refundedBy(height) }));
    const racing = after('refunding signed', lookAtHtlc(seenCoin({ spend: claimedBy(null) }))).progress;
    const wall = timelock - t.policy.mtpLag - t.policy.margin / 2 + 3;
    const forced = step(racing, { is: 'clock' }, clocksOf(wall, locktime + 9)).progress;
    const books = [racing, forced, { ...forced, at: 'lost' } as EvmBitcoinProgress].map((from) => {
      const over = step(from, looks);
      const [cost] = over.effects;
      const lines = step(over.progress, final).ledger ?? [];
      // What is closed by the same commit would tell nothing.
      return [cost, lines.map(({ kind, amount }) => [kind, amount]), over.supersedes];
    });
    const cost = expect.objectContaining({ do: 'onchain.broadcast', txid: bitcoinTx.refund, spends: output });
    expect(books).toEqual(Array.from({ length: 3 }, () => [cost, [['network-fee-paid', -300_000n]], undefined]));
  });

  test('fault 40, bitcoin: no refund is signed while our coin is out, or may be', () => {
    const open = new Set(
      everything.states
        .filter((p) => machine.step(t, p, askRefund(seenLock()), evmClocksAt(start + 60)) !== 'stay')
        .map((p) => p.at),
    );
    expect(open).toEqual(new Set(['stopped', 'returned']));
    expect(
      everything.states.filter(
        (p) => 'doubt' in p && machine.step(t, p, askRefund(seenLock()), evmClocksAt(start + 60)) !== 'stay',
      ),
    ).toEqual([]);
  });

  test('fault 40, bitcoin: a client that asks for its refund and claims then has its lock claimed', () => {
    const claims = (p: EvmBitcoinProgress, event: Event, now = evmClocksAt(start + 60)) => {
      expect(machine.step(t, p, askRefund(seenLock()), now)).toBe('stay');
      const { progress, effects } = step(p, event, now);
      return [progress, effects.some((one) => one.do === 'evm.send' && one.act.is === 'claim')] as const;
    };
    const look = lookAtHtlc(seenCoin({ spend: claimedBy(null) }));
    expect(['funding', 'locked', 'refunding'].map((name) => claims(state(name), look)[1])).toEqual([true, true, true]);
    // Behind a refund of ours that is signed the block decides, and at the latest the time that is left to claim.
    const [racing, isClaimed] = claims(state('refunding signed'), look);
    const wall = timelock - t.policy.mtpLag - t.policy.margin / 2 + 3;
    expect([
      isClaimed,
      claims(racing, lookAtHtlc(seenCoin({ spend: claimedBy(height) })))[1],
      claims(racing, { is: 'clock' }, clocksOf(wall, locktime + 9))[1],
    ]).toEqual([false, true, true]);
  });

  test('fault 40, bitcoin: once a refund is signed nothing is funded or claimed, whatever shows', () => {
    const acts = everything.moves
      .filter(({ from }) => 'fenced' in from && from.fenced)
      .flatMap(({ step: { effects } }) => effects)
      .map((one) => (one.do === 'evm.send' ? one.act.is : one.do));
    expect(new Set(acts)).toEqual(new Set(['relay-refund']));
  });

  test('a lock that its client takes back after its claim of our coin is a loss', () => {
    const lost = step(state('claiming'), lookAt([seenLock({}, { state: refunded(16) })]));
    expect(lost).toMatchObject({
      progress: { at: 'lost' },
      ledger: [{ kind: 'loss', network: 'bitcoin', amount: -100_000_000n }],
      flag: expect.stringMatching(/took its lock back/),
    });
    expect(lost.effects.map((one) => one.do)).toEqual(['htlc.spend', 'onchain.broadcast']);
    const back = step(lost.progress, lookAtHtlc(seenCoin({ spend: refundedBy(height) })));
    expect(back.ledger).toEqual([{ kind: 'loss', network: 'bitcoin', asset: 'btc', amount: 100_000_000n }]);
  });

  test('what a client left unclaimed that has its lock again is taken back, and yields to its claim', () => {
    const lost = step(state('claiming buried'), lookAt([seenLock({}, { state: refunded(16) })]));
    expect(lost.effects).toMatchObject([{ do: 'htlc.spend', purpose: 'refund', coin: output, leastRate: 0 }]);
    const yieldsTo = hash160OfSha256(t.hash);
    const funding = Uint8Array.of(1);
    const signed = step(lost.progress, {
      is: 'onchain.prepared',
      leg: 'bitcoin',
      purpose: 'refund',
      txid: bitcoinTx.refund,
      amount: t.targetAmount,
      rate: 2,
      capped: false,
      yieldsTo,
      funding,
      height,
    });
    expect(signed.effects).toMatchObject([{ do: 'onchain.broadcast', txid: bitcoinTx.refund, yieldsTo, funding }]);
    const stuck = step(signed.progress, { is: 'onchain.stuck', leg: 'bitcoin', txid: bitcoinTx.refund, leastRate: 4 });
    const refused = (why: 'spent' | 'refused') =>
      step(signed.progress, { is: 'onchain.refused', leg: 'bitcoin', txid: bitcoinTx.refund, why, reason: 'so it is' });
    expect([stuck, refused('refused')].map(({ effects }) => effects)).toMatchObject([
      [{ do: 'htlc.spend', leastRate: 4, funding }],
      [{ do: 'htlc.spend', leastRate: 0, funding }],
    ]);
    const back = step(signed.progress, { is: 'onchain.final', leg: 'bitcoin', txid: bitcoinTx.refund, fee: sats(300) });
    expect([machine.open(t, back.progress), back.ledger?.map(({ kind, amount }) => [kind, amount])]).toEqual([
      false,
      [
        ['network-fee-paid', -300_000n],
        ['loss', 100_000_000n],
      ],
    ]);
  });

  test('fault 102, bitcoin: such a coin that was called spent is asked for again by a look, and not at once', () => {
    const lost = step(state('claiming buried'), lookAt([seenLock({}, { state: refunded(16) })])).progress;
    const halted = step(lost, {
      is: 'onchain.refused',
      leg: 'bitcoin',
      txid: bitcoinTx.claim,
      why: 'spent',
      reason: 'so it is',
    });
    const buried = step(halted.progress, lookAtHtlc(seenCoin({ spend: claimedBy(height) })));
    const unknown = { txid: bitcoinTx.other, by: 'unknown' } as const;
    const after = (spend: ReturnType<typeof seenCoin>['spend']) =>
      machine.step(t, halted.progress, lookAtHtlc(seenCoin({ spend })), evmClocksAt(start + 60));
    expect([halted.effects, buried.effects, after({ ...unknown, height })]).toEqual([[], [], 'stay']);
    for (const spend of [null, refundedBy(null), { ...unknown, height: null }])
      expect(after(spend)).toMatchObject({ effects: [{ do: 'htlc.spend', purpose: 'refund' }] });
    expect(machine.shape.progress.read(halted.progress, machine.shape.progress.version)).toEqual(halted.progress);
  });

  test('fault 46: a coin of the amount at our script counts once it is mined, and none is put beside it', () => {
    const waits = after('funded', lookAtHtlc(otherCoin({ height: null })));
    expect(waits).toMatchObject({ progress: { at: 'funded', other: true }, interrupts: ['bitcoin'], effects: [] });
    expect(machine.step(t, waits.progress, prepared, evmClocksAt(start + 60))).toBe('stay');
    expect(step(waits.progress, lookAtHtlc(otherCoin()))).toMatchObject({
      progress: { at: 'locked', output: otherCoin().outpoint, funding: null },
    });
    expect(step(waits.progress, lookAtHtlc())).toMatchObject({ effects: [{ do: 'htlc.fund' }] });
    const ours = machine.step(
      t,
      state('locked'),
      lookAtHtlc(otherCoin({ spend: claimedBy(height) })),
      evmClocksAt(start),
    );
    expect(ours).toBe('stay');
  });

  test('a coin that waits at our script for ever keeps no liquidity, and has no refund signed beside it', () => {
    const waits = lookAtHtlc(otherCoin({ height: null }));
    for (const name of ['funded', 'funded other']) {
      const over = after(name, { ...waits, mtp: unix(t.lockBefore + 1) });
      expect([over.effects, over.flag, over.supersedes, machine.reserves(over.progress)]).toEqual([
        [],
        undefined,
        ['bitcoin'],
        false,
      ]);
      expect(machine.step(t, over.progress, askRefund(seenLock()), evmClocksAt(start + 60))).toBe('stay');
      expect(machine.step(t, over.progress, prepared, evmClocksAt(start + 60))).toBe('stay');
      expect(step(over.progress, lookAtHtlc(otherCoin()))).toMatchObject({ progress: { at: 'locked', funding: null } });
    }
  });

  test('a funding that a restored database forgot is looked after by its name, though it is spent by now', () => {
    const there = after('funded', { is: 'htlc.refused', reason: 'restored', unsure: true, output });
    expect(there).toMatchObject({ progress: { at: 'locked', output, funding: null }, effects: [] });
    expect(machine.watches(t, there.progress)[1]).toMatchObject({ on: 'htlc', coins: [{ outpoint: output }] });
    const claimed = step(there.progress, lookAtHtlc(seenCoin({ spend: claimedBy(height) })));
    expect(claimed).toMatchObject({ progress: { at: 'claiming', end: 'claimed' }, learned: preimage });
    const unseen = after('funded', { is: 'htlc.refused', reason: 'restored', unsure: true });
    expect(unseen.flag).toMatch(/See by a block explorer whether bcrt1phtlc was ever paid.*claim that by hand/);
  });

  test('fault 34, evm: a claim of the lock that was mined and failed is made again', () => {
    const sent = after('claiming', { is: 'evm.prepared', purpose: 'claim', txid: sentTxid.claim }).progress;
    const end = { is: 'mined', by: sentTxid.claim, ok: false, confirmations: 1, cost: 4_000n } as const;
    expect(step(sent, { is: 'evm.sent', purpose: 'claim', txid: sentTxid.claim, state: end })).toMatchObject({
      progress: { at: 'claiming', claimTxid: null },
      // What lasts until it is buried goes on in the queue of the other leg.
      effects: [{ act: { is: 'claim' } }],
      flag: expect.stringMatching(/failed/),
    });
  });

  test('fault 44, bitcoin: a wallet that cannot pay our part gives the lock back at once', () => {
    const stopped = after('funded', { is: 'htlc.refused', reason: 'the wallet is empty' }).progress;
    expect(step(stopped, askRefund(seenLock()))).toMatchObject({ effects: [{ act: { is: 'relay-refund' } }] });
  });

  test('fault 18, bitcoin: a secret that does not open the HTLC opens nothing', () => {
    const wrong = { ...claimedBy(height), preimage: new Uint8Array(32) as typeof preimage };
    const locked = { ...state('locked'), inBlock: true } as const;
    expect(machine.step(t, locked, lookAtHtlc(seenCoin({ spend: wrong })), evmClocksAt(start))).toBe('stay');
  });
});

test('a lock that its contract does not hold any more, long after, went back to its owner', () => {
  const stopped = { ...state('stopped late'), unwatched: true } as EvmBitcoinProgress & { at: 'stopped' };
  const [own] = stopped.extras;
  const strangers = { ...own!, key: new Uint8Array(32).fill(7), depositor: account.stranger };
  const both = { ...stopped, extras: [own!, strangers] };
  const unlocked = (...keys: Uint8Array[]): Event => ({ is: 'evm.unlocked', keys });
  const now = evmClocksAt(Number(t.lock.timelock) + 30 * day);
  const locks = machine.watches(t, both).flatMap((watch) => (watch.on === 'evm-lock' ? (watch.locks ?? []) : []));
  const step = (p: EvmBitcoinProgress, event: Event) => machine.step(t, p, event, now);
  const ends = [step(stopped, unlocked(own!.key)), step(both, unlocked(own!.key)), step(both, unlocked(strangers.key))];
  expect(locks).toEqual([own!.lock, strangers.lock]);
  expect(ends.map((one) => (one === 'stay' ? one : machine.status(one.progress)))).toEqual([
    'clientrefunded',
    'clientrefunded',
    'clientfundedtoolate',
  ]);
  expect(step(stopped, unlocked(new Uint8Array(32)))).toBe('stay');
});
