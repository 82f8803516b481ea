import { describe, expect, test } from 'vitest';
import { toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { after as later, day, seconds, type Unix } from '../../engine/domain/time.ts';
import type { SeenHtlcCoin } from '../../engine/legs/onchain/events.ts';
import { htlcScript } from '../../engine/legs/onchain/htlc.ts';
import { decode, encode } from '../../engine/store/codec.ts';
import { viewBitcoinArkade, type BitcoinArkadeProgress } from '../../engine/swap/directions/bitcoin-arkade.ts';
import type { Effect, Event, SwapStep } from '../../engine/swap/machine.ts';
import {
  bitcoin,
  bitcoinArkadeCase,
  bitcoinArkadeTerms as t,
  fresh,
  fundPoint,
  lookAt,
  spendBy,
} from './bitcoin-arkade-cases.ts';
import { clocksAt, coin, coinPoint, otherPoint, preimage, spentBy, start, startHeight, txid } from './cases.ts';
import { explore } from './explore.ts';
import { representatives, tableOf } from './table.ts';

/** Our lock for what the client gave, by whatever terms, which a copy of the database forgot. */
const sightings = {
  'vhtlc.seen claimed by the client': 'locked',
  'vhtlc.seen claimed in a batch': 'locked',
  'vhtlc.seen claimed in a mempool': 'locked',
  'vhtlc.seen claimed in a queue': 'locked',
  'vhtlc.seen claimed in a queue, at the line': 'locked',
  'vhtlc.seen claimed on the chain': 'locked',
  'vhtlc.seen claimed with a wrong secret': 'locked',
  'vhtlc.seen of our amount': 'locked',
  'vhtlc.seen on the chain': 'locked',
  'vhtlc.seen on the chain, spent by no leaf': 'locked',
  'vhtlc.seen refunded': 'locked',
  'vhtlc.seen refunded on the chain': 'locked',
  'vhtlc.seen spent by no leaf': 'locked',
  'vhtlc.seen spent, not readable yet': 'locked',
  'vhtlc.seen taken by a batch that hides its leaf': 'locked',
  'vhtlc.seen unspent': 'locked',
};

/**
 * Every state but those whose coin is gone, and every event of the catalogue that moves it. An event that is not listed
 * leaves the state alone.
 */
const moves: Record<string, Record<string, string>> = {
  pending: {
    'htlc.seen nothing, funding window over': 'stopped expired',
    'htlc.seen nothing, too late to lock': 'stopped expired',
    'htlc.seen right, in a mempool': 'seen',
    'htlc.seen right': 'funded, vhtlc.lock',
    'htlc.seen right, funding window over': 'funded, vhtlc.lock',
    'htlc.seen right, in a mempool, too late to lock': 'stopped late +1',
    'htlc.seen right, too late to lock': 'stopped late +1',
    'htlc.seen short by one, in a mempool': 'pending +1',
    'htlc.seen short by one': 'stopped invalid +1',
    'htlc.seen over within tolerance': 'funded, vhtlc.lock',
    'htlc.seen over the tolerance': 'stopped invalid +1',
    'htlc.seen dust': 'pending +1',
    'htlc.seen dust beside the right one': 'funded +1, vhtlc.lock',
    'htlc.seen dust, funding window over': 'stopped expired +1',
    'htlc.seen another right one in its place': 'funded, vhtlc.lock',
    'htlc.seen paid twice': 'funded +1, vhtlc.lock',
    'htlc.seen claimed in a mempool': 'pending +1',
    'htlc.seen claimed': 'pending +1',
    'htlc.seen claimed and buried': 'pending +1',
    'htlc.seen claimed by one that we forgot': 'pending +1',
    'htlc.seen refunded in a mempool': 'pending +1',
    'htlc.seen refunded': 'pending +1',
    'htlc.seen refunded and buried': 'pending +1',
    'htlc.seen spent by nobody knows what': 'pending +1',
    'htlc.seen dust refunded': 'pending +1',
  },
  'stopped expired': {
    'htlc.seen right, in a mempool': 'stopped late +1',
    'htlc.seen right': 'stopped late +1',
    'htlc.seen right, clock unread': 'stopped late +1',
    'htlc.seen right, sources contradict each other': 'stopped late +1',
    'htlc.seen right, funding window over': 'stopped late +1',
    'htlc.seen right, in a mempool, too late to lock': 'stopped late +1',
    'htlc.seen right, too late to lock': 'stopped late +1',
    'htlc.seen short by one, in a mempool': 'stopped late +1',
    'htlc.seen short by one': 'stopped late +1',
    'htlc.seen over within tolerance': 'stopped late +1',
    'htlc.seen over the tolerance': 'stopped late +1',
    'htlc.seen dust': 'stopped expired +1',
    'htlc.seen dust beside the right one': 'stopped late +2',
    'htlc.seen dust, funding window over': 'stopped expired +1',
    'htlc.seen another right one in its place': 'stopped late +1',
    'htlc.seen paid twice': 'stopped late +2',
    'htlc.seen claimed in a mempool': 'stopped late +1',
    'htlc.seen claimed': 'refunded +1',
    'htlc.seen claimed and buried': 'refunded +1',
    'htlc.seen claimed by one that we forgot': 'refunded +1',
    'htlc.seen refunded in a mempool': 'stopped late +1',
    'htlc.seen refunded': 'refunded +1',
    'htlc.seen refunded and buried': 'refunded +1',
    'htlc.seen spent by nobody knows what': 'stopped late +1',
    'htlc.seen dust refunded': 'refunded +1',
    "clock, the client's refund opens": 'lapsed',
    "clock, a day after the client's refund opened": 'lapsed',
  },
  seen: {
    'htlc.seen nothing': 'pending vanished',
    'htlc.seen nothing, funding window over': 'pending vanished',
    'htlc.seen nothing, too late to lock': 'stopped expired',
    'htlc.seen right': 'funded, vhtlc.lock',
    'htlc.seen right, funding window over': 'funded, vhtlc.lock',
    'htlc.seen right, in a mempool, too late to lock': 'stopped late +1',
    'htlc.seen right, too late to lock': 'stopped late +1',
    'htlc.seen short by one, in a mempool': 'pending vanished +1',
    'htlc.seen short by one': 'stopped invalid +1',
    'htlc.seen over within tolerance': 'funded, vhtlc.lock',
    'htlc.seen over the tolerance': 'stopped invalid +1',
    'htlc.seen dust': 'pending vanished +1',
    'htlc.seen dust beside the right one': 'funded +1, vhtlc.lock',
    'htlc.seen dust, funding window over': 'pending vanished +1',
    'htlc.seen another right one in its place': 'funded, vhtlc.lock',
    'htlc.seen paid twice': 'funded +1, vhtlc.lock',
    'htlc.seen claimed in a mempool': 'pending vanished +1',
    'htlc.seen claimed': 'pending vanished +1',
    'htlc.seen claimed and buried': 'pending vanished +1',
    'htlc.seen claimed by one that we forgot': 'pending vanished +1',
    'htlc.seen refunded in a mempool': 'pending vanished +1',
    'htlc.seen refunded': 'pending vanished +1',
    'htlc.seen refunded and buried': 'pending vanished +1',
    'htlc.seen spent by nobody knows what': 'pending vanished +1',
    'htlc.seen dust refunded': 'pending vanished +1',
  },
  funded: {
    'vhtlc.prepared lock': 'locking, vhtlc.submit lock',
    'vhtlc.refused lock spent': 'stopped wont +1, supersedes',
    'vhtlc.refused lock recoverable': 'stopped wont +1, supersedes',
    'vhtlc.refused lock unrolled': 'stopped wont +1, supersedes',
    'vhtlc.refused lock late': 'stopped wont +1, supersedes',
    'vhtlc.refused lock refused': 'stopped wont +1, supersedes',
    'htlc.seen nothing': 'funded gone, FLAG',
    'htlc.seen nothing, funding window over': 'funded gone, FLAG',
    'htlc.seen nothing, too late to lock': 'funded gone, FLAG',
    'htlc.seen dust': 'funded gone +1, FLAG',
    'htlc.seen dust beside the right one': 'funded +1',
    'htlc.seen dust, funding window over': 'funded gone +1, FLAG',
    'htlc.seen another right one in its place': 'funded',
    'htlc.seen paid twice': 'funded +1',
    'htlc.seen refunded': 'funded gone, FLAG',
    'htlc.seen refunded and buried': 'funded gone, FLAG',
    'htlc.seen dust refunded': 'funded gone +1, FLAG',
    'vhtlc.seen of our amount': 'locked, supersedes',
    'vhtlc.prepared lock, too late': 'stopped wont +1, supersedes',
    'clock, too late to lock': 'stopped wont +1, supersedes',
    'clock, locktime passed by wall time only': 'stopped wont +1, supersedes',
    'clock, median time past at the locktime': 'stopped wont +1, supersedes',
    'clock, locktime passed': 'stopped wont +1, supersedes',
    'clock, at the line': 'stopped wont +1, supersedes',
    "clock, the client's refund opens": 'stopped wont +1, supersedes',
    "clock, a day after the client's refund opened": 'stopped wont +1, supersedes',
  },
  'stopped late': {
    ...sightings,
    'htlc.seen nothing': 'stopped late',
    'htlc.seen nothing, funding window over': 'stopped late',
    'htlc.seen nothing, too late to lock': 'stopped late',
    'htlc.seen dust': 'stopped late +1',
    'htlc.seen dust beside the right one': 'stopped late +2',
    'htlc.seen dust, funding window over': 'stopped late +1',
    'htlc.seen another right one in its place': 'stopped late +1',
    'htlc.seen paid twice': 'stopped late +2',
    'htlc.seen claimed': 'refunded +1',
    'htlc.seen claimed and buried': 'refunded +1',
    'htlc.seen claimed by one that we forgot': 'refunded +1',
    'htlc.seen refunded': 'refunded +1',
    'htlc.seen refunded and buried': 'refunded +1',
    'htlc.seen dust refunded': 'refunded +1',
    "clock, a day after the client's refund opened": 'stopped late +1',
  },
  'stopped invalid': {
    ...sightings,
    'htlc.seen nothing': 'stopped invalid',
    'htlc.seen nothing, funding window over': 'stopped invalid',
    'htlc.seen nothing, too late to lock': 'stopped invalid',
    'htlc.seen right, in a mempool': 'stopped invalid +1',
    'htlc.seen right, in a mempool, too late to lock': 'stopped invalid +1',
    'htlc.seen short by one, in a mempool': 'stopped invalid +1',
    'htlc.seen dust': 'stopped invalid +1',
    'htlc.seen dust beside the right one': 'stopped invalid +2',
    'htlc.seen dust, funding window over': 'stopped invalid +1',
    'htlc.seen another right one in its place': 'stopped invalid +1',
    'htlc.seen paid twice': 'stopped invalid +2',
    'htlc.seen claimed': 'refunded +1',
    'htlc.seen claimed and buried': 'refunded +1',
    'htlc.seen claimed by one that we forgot': 'refunded +1',
    'htlc.seen refunded': 'refunded +1',
    'htlc.seen refunded and buried': 'refunded +1',
    'htlc.seen dust refunded': 'refunded +1',
    "clock, a day after the client's refund opened": 'stopped invalid +1',
  },
  refunded: {
    'htlc.seen nothing': 'refunded',
    'htlc.seen nothing, funding window over': 'refunded',
    'htlc.seen nothing, too late to lock': 'refunded',
    'htlc.seen right, in a mempool': 'refunded +1',
    'htlc.seen right': 'refunded +1',
    'htlc.seen right, clock unread': 'refunded +1',
    'htlc.seen right, sources contradict each other': 'refunded +1',
    'htlc.seen right, funding window over': 'refunded +1',
    'htlc.seen right, in a mempool, too late to lock': 'refunded +1',
    'htlc.seen right, too late to lock': 'refunded +1',
    'htlc.seen short by one, in a mempool': 'refunded +1',
    'htlc.seen short by one': 'refunded +1',
    'htlc.seen over within tolerance': 'refunded +1',
    'htlc.seen over the tolerance': 'refunded +1',
    'htlc.seen dust': 'refunded +1',
    'htlc.seen dust beside the right one': 'refunded +2',
    'htlc.seen dust, funding window over': 'refunded +1',
    'htlc.seen another right one in its place': 'refunded +1',
    'htlc.seen paid twice': 'refunded +2',
    'htlc.seen claimed in a mempool': 'refunded +1',
    'htlc.seen refunded in a mempool': 'refunded +1',
    'htlc.seen spent by nobody knows what': 'refunded +1',
    'htlc.seen dust refunded': 'refunded +1',
  },
  lapsed: {},
  'pending vanished': {
    'htlc.seen nothing, too late to lock': 'stopped expired',
    'htlc.seen right, in a mempool': 'seen vanished',
    'htlc.seen right': 'funded, vhtlc.lock',
    'htlc.seen right, funding window over': 'funded, vhtlc.lock',
    'htlc.seen right, in a mempool, too late to lock': 'stopped late +1',
    'htlc.seen right, too late to lock': 'stopped late +1',
    'htlc.seen short by one, in a mempool': 'pending vanished +1',
    'htlc.seen short by one': 'stopped invalid +1',
    'htlc.seen over within tolerance': 'funded, vhtlc.lock',
    'htlc.seen over the tolerance': 'stopped invalid +1',
    'htlc.seen dust': 'pending vanished +1',
    'htlc.seen dust beside the right one': 'funded +1, vhtlc.lock',
    'htlc.seen dust, funding window over': 'pending vanished +1',
    'htlc.seen another right one in its place': 'funded, vhtlc.lock',
    'htlc.seen paid twice': 'funded +1, vhtlc.lock',
    'htlc.seen claimed in a mempool': 'pending vanished +1',
    'htlc.seen claimed': 'pending vanished +1',
    'htlc.seen claimed and buried': 'pending vanished +1',
    'htlc.seen claimed by one that we forgot': 'pending vanished +1',
    'htlc.seen refunded in a mempool': 'pending vanished +1',
    'htlc.seen refunded': 'pending vanished +1',
    'htlc.seen refunded and buried': 'pending vanished +1',
    'htlc.seen spent by nobody knows what': 'pending vanished +1',
    'htlc.seen dust refunded': 'pending vanished +1',
  },
  locking: {
    'vhtlc.accepted lock': 'locking, vhtlc.finalize lock',
    'vhtlc.final lock': 'locked',
    'vhtlc.refused lock spent': 'funded, vhtlc.lock',
    'vhtlc.refused lock recoverable': 'stopped wont +1, supersedes',
    'vhtlc.refused lock unrolled': 'funded, vhtlc.lock',
    'vhtlc.refused lock late': 'stopped wont +1, supersedes',
    'vhtlc.refused lock refused': 'stopped wont +1, supersedes',
    'htlc.seen nothing': 'locking gone, FLAG',
    'htlc.seen nothing, funding window over': 'locking gone, FLAG',
    'htlc.seen nothing, too late to lock': 'locking gone, FLAG',
    'htlc.seen dust': 'locking gone +1, FLAG',
    'htlc.seen dust beside the right one': 'locking +1',
    'htlc.seen dust, funding window over': 'locking gone +1, FLAG',
    'htlc.seen another right one in its place': 'locking',
    'htlc.seen paid twice': 'locking +1',
    'htlc.seen refunded': 'locking gone, FLAG',
    'htlc.seen refunded and buried': 'locking gone, FLAG',
    'htlc.seen dust refunded': 'locking gone +1, FLAG',
    'vhtlc.seen claimed by the client': 'claiming, htlc.spend claim, supersedes, learns',
    'vhtlc.seen claimed in a batch': 'claiming, htlc.spend claim, supersedes, learns',
    'vhtlc.seen claimed in a queue': 'claiming, htlc.spend claim, supersedes, learns',
    'vhtlc.seen claimed in a mempool': 'claiming, htlc.spend claim, supersedes, learns',
    'vhtlc.seen claimed on the chain': 'claiming, htlc.spend claim, supersedes, learns',
    'vhtlc.seen claimed in a queue, at the line': 'claiming, htlc.spend claim, supersedes, learns',
    'claim.relayed our coin': 'claiming, htlc.spend claim, supersedes, learns',
    'claim.relayed our coin, which a batch had before': 'claiming, htlc.spend claim, supersedes, learns',
  },
  'stopped wont': {
    ...sightings,
    'htlc.seen nothing': 'stopped wont',
    'htlc.seen nothing, funding window over': 'stopped wont',
    'htlc.seen nothing, too late to lock': 'stopped wont',
    'htlc.seen dust': 'stopped wont +1',
    'htlc.seen dust beside the right one': 'stopped wont +2',
    'htlc.seen dust, funding window over': 'stopped wont +1',
    'htlc.seen another right one in its place': 'stopped wont +1',
    'htlc.seen paid twice': 'stopped wont +2',
    'htlc.seen claimed': 'refunded +1',
    'htlc.seen claimed and buried': 'refunded +1',
    'htlc.seen claimed by one that we forgot': 'refunded +1',
    'htlc.seen refunded': 'refunded +1',
    'htlc.seen refunded and buried': 'refunded +1',
    'htlc.seen dust refunded': 'refunded +1',
    "clock, a day after the client's refund opened": 'stopped wont +1',
  },
  locked: {
    'htlc.seen nothing': 'locked gone, FLAG',
    'htlc.seen nothing, funding window over': 'locked gone, FLAG',
    'htlc.seen nothing, too late to lock': 'locked gone, FLAG',
    'htlc.seen dust': 'locked gone +1, FLAG',
    'htlc.seen dust beside the right one': 'locked +1',
    'htlc.seen dust, funding window over': 'locked gone +1, FLAG',
    'htlc.seen another right one in its place': 'locked',
    'htlc.seen paid twice': 'locked +1',
    'htlc.seen refunded': 'locked gone, FLAG',
    'htlc.seen refunded and buried': 'locked gone, FLAG',
    'htlc.seen dust refunded': 'locked gone +1, FLAG',
    'vhtlc.seen claimed by the client': 'claiming, htlc.spend claim, supersedes, learns',
    'vhtlc.seen claimed in a batch': 'claiming, htlc.spend claim, supersedes, learns',
    'vhtlc.seen spent by no leaf': 'locked, FLAG, DISTRUST',
    'vhtlc.seen on the chain': 'locked, FLAG',
    'vhtlc.seen on the chain, spent by no leaf': 'locked, FLAG, DISTRUST',
    'vhtlc.seen taken by a batch that hides its leaf': 'locked, FLAG',
    'vhtlc.seen claimed in a queue': 'claiming, htlc.spend claim, supersedes, learns',
    'vhtlc.seen claimed in a mempool': 'claiming, htlc.spend claim, supersedes, learns',
    'vhtlc.seen claimed on the chain': 'claiming, htlc.spend claim, supersedes, learns',
    'vhtlc.seen refunded on the chain': 'locked, FLAG',
    'vhtlc.seen claimed in a queue, at the line': 'claiming, htlc.spend claim, supersedes, learns',
    'claim.relayed our coin': 'claiming, htlc.spend claim, supersedes, learns',
    'claim.relayed our coin, which a batch had before': 'claiming, htlc.spend claim, supersedes, learns',
    'clock, locktime passed': 'refunding, vhtlc.refund',
    'clock, at the line': 'refunding, vhtlc.refund',
    "clock, the client's refund opens": 'refunding, vhtlc.refund',
    "clock, a day after the client's refund opened": 'refunding, vhtlc.refund',
  },
  'seen vanished': {
    'htlc.seen nothing': 'pending vanished',
    'htlc.seen nothing, funding window over': 'pending vanished',
    'htlc.seen nothing, too late to lock': 'stopped expired',
    'htlc.seen right': 'funded, vhtlc.lock',
    'htlc.seen right, funding window over': 'funded, vhtlc.lock',
    'htlc.seen right, in a mempool, too late to lock': 'stopped late +1',
    'htlc.seen right, too late to lock': 'stopped late +1',
    'htlc.seen short by one, in a mempool': 'pending vanished +1',
    'htlc.seen short by one': 'stopped invalid +1',
    'htlc.seen over within tolerance': 'funded, vhtlc.lock',
    'htlc.seen over the tolerance': 'stopped invalid +1',
    'htlc.seen dust': 'pending vanished +1',
    'htlc.seen dust beside the right one': 'funded +1, vhtlc.lock',
    'htlc.seen dust, funding window over': 'pending vanished +1',
    'htlc.seen another right one in its place': 'funded, vhtlc.lock',
    'htlc.seen paid twice': 'funded +1, vhtlc.lock',
    'htlc.seen claimed in a mempool': 'pending vanished +1',
    'htlc.seen claimed': 'pending vanished +1',
    'htlc.seen claimed and buried': 'pending vanished +1',
    'htlc.seen claimed by one that we forgot': 'pending vanished +1',
    'htlc.seen refunded in a mempool': 'pending vanished +1',
    'htlc.seen refunded': 'pending vanished +1',
    'htlc.seen refunded and buried': 'pending vanished +1',
    'htlc.seen spent by nobody knows what': 'pending vanished +1',
    'htlc.seen dust refunded': 'pending vanished +1',
  },
  claiming: {
    'onchain.prepared claim': 'claiming, onchain.broadcast',
    'vhtlc.final refund': 'claiming, FLAG',
    'onchain.refused spent': 'claiming',
    'onchain.final of our refund': 'claiming, FLAG',
    'htlc.seen nothing': 'claiming gone, FLAG',
    'htlc.seen nothing, funding window over': 'claiming gone, FLAG',
    'htlc.seen nothing, too late to lock': 'claiming gone, FLAG',
    'htlc.seen dust': 'claiming gone +1, FLAG',
    'htlc.seen dust beside the right one': 'claiming +1',
    'htlc.seen dust, funding window over': 'claiming gone +1, FLAG',
    'htlc.seen another right one in its place': 'claiming, htlc.spend claim, supersedes',
    'htlc.seen paid twice': 'claiming +1',
    'htlc.seen claimed': 'claiming',
    'htlc.seen claimed and buried': 'claimed, supersedes, books',
    'htlc.seen claimed by one that we forgot': 'claimed, supersedes, books',
    'htlc.seen refunded': 'claiming gone, FLAG',
    'htlc.seen refunded and buried': 'lost, supersedes, books, FLAG',
    'htlc.seen dust refunded': 'claiming gone +1, FLAG',
  },
  refunding: {
    'vhtlc.prepared refund': 'refunding, vhtlc.submit refund',
    'vhtlc.accepted refund': 'refunding, vhtlc.finalize refund',
    'vhtlc.final refund': 'returned +1',
    'vhtlc.refused refund spent': 'refunding',
    'vhtlc.refused refund recoverable': 'refunding, vhtlc.settle refund',
    'vhtlc.refused refund unrolled': 'refunding exit, vhtlc.exit refund',
    'vhtlc.refused refund late': 'refunding, vhtlc.refund, FLAG',
    'vhtlc.refused refund refused': 'refunding, vhtlc.refund, FLAG',
    'htlc.seen nothing': 'refunding gone, FLAG',
    'htlc.seen nothing, funding window over': 'refunding gone, FLAG',
    'htlc.seen nothing, too late to lock': 'refunding gone, FLAG',
    'htlc.seen dust': 'refunding gone +1, FLAG',
    'htlc.seen dust beside the right one': 'refunding +1',
    'htlc.seen dust, funding window over': 'refunding gone +1, FLAG',
    'htlc.seen another right one in its place': 'refunding',
    'htlc.seen paid twice': 'refunding +1',
    'htlc.seen refunded': 'refunding gone, FLAG',
    'htlc.seen refunded and buried': 'refunding gone, FLAG',
    'htlc.seen dust refunded': 'refunding gone +1, FLAG',
    'vhtlc.seen claimed by the client': 'claiming, htlc.spend claim, supersedes, learns',
    'vhtlc.seen claimed in a batch': 'claiming, htlc.spend claim, supersedes, learns',
    'vhtlc.seen refunded': 'returned +1',
    'vhtlc.seen spent by no leaf': 'refunding, FLAG, DISTRUST',
    'vhtlc.seen on the chain, spent by no leaf': 'refunding exit, vhtlc.exit refund, FLAG, DISTRUST',
    'vhtlc.seen claimed in a queue': 'refunding, learns',
    'vhtlc.seen claimed in a mempool': 'refunding, learns',
    'vhtlc.seen claimed on the chain': 'claiming, htlc.spend claim, supersedes, learns',
    'vhtlc.seen refunded on the chain': 'returned +1',
    'vhtlc.seen claimed in a queue, at the line': 'claiming, htlc.spend claim, supersedes, learns',
    'claim.relayed our coin': 'claiming, htlc.spend claim, supersedes, learns',
    'claim.relayed our coin, which a batch had before': 'refunding, vhtlc.settle refund, learns',
    'clock, at the line': 'refunding alarmed, FLAG',
    "clock, the client's refund opens": 'refunding alarmed, FLAG',
    "clock, a day after the client's refund opened": 'refunding alarmed, FLAG',
  },
  claimed: {
    'vhtlc.final refund': 'claimed, FLAG',
    'onchain.final of our refund': 'claimed, FLAG',
    'htlc.seen dust': 'claimed +1',
    'htlc.seen dust beside the right one': 'claimed +1',
    'htlc.seen dust, funding window over': 'claimed +1',
    'htlc.seen another right one in its place': 'claimed +1',
    'htlc.seen paid twice': 'claimed +1',
    'htlc.seen dust refunded': 'claimed +1',
  },
  lost: {
    'vhtlc.accepted refund': 'lost, vhtlc.finalize refund',
    'vhtlc.final refund': 'refunded, supersedes, books, FLAG',
    'onchain.final of our refund': 'refunded, supersedes, books, FLAG',
    'htlc.seen dust': 'lost +1',
    'htlc.seen dust beside the right one': 'lost +1',
    'htlc.seen dust, funding window over': 'lost +1',
    'htlc.seen another right one in its place': 'lost +1',
    'htlc.seen paid twice': 'lost +1',
    'htlc.seen dust refunded': 'lost +1',
    'vhtlc.seen unspent': 'lost, vhtlc.refund',
    'vhtlc.seen of our amount': 'lost, vhtlc.refund',
    'vhtlc.seen claimed by the client': 'lost',
    'vhtlc.seen claimed in a batch': 'lost',
    'vhtlc.seen claimed with a wrong secret': 'lost',
    'vhtlc.seen refunded': 'lost, vhtlc.refund',
    'vhtlc.seen on the chain': 'lost, vhtlc.refund',
    'vhtlc.seen taken by a batch that hides its leaf': 'lost, vhtlc.settle refund',
    'vhtlc.seen claimed in a queue': 'lost, vhtlc.refund',
    'vhtlc.seen claimed on the chain': 'lost',
    'vhtlc.seen refunded on the chain': 'refunded, supersedes, books, FLAG',
    'vhtlc.seen claimed in a queue, at the line': 'lost, vhtlc.refund',
    'claim.relayed our coin': 'lost',
  },
  'lost exit': {
    'vhtlc.prepared refund': 'lost exit, vhtlc.submit refund',
    'vhtlc.accepted refund': 'lost exit, vhtlc.finalize refund',
    'vhtlc.final refund': 'refunded, supersedes, books, FLAG',
    'onchain.prepared refund': 'lost exit, onchain.broadcast',
    'vhtlc.refused refund spent': 'lost exit',
    'vhtlc.refused refund recoverable': 'lost exit, vhtlc.settle refund',
    'vhtlc.refused refund unrolled': 'lost exit, vhtlc.exit refund',
    'vhtlc.refused refund late': 'lost, vhtlc.refund, FLAG',
    'vhtlc.refused refund refused': 'lost, vhtlc.refund, FLAG',
    'onchain.final of our refund': 'refunded, supersedes, books, FLAG',
    'onchain.stuck of our refund': 'lost exit, vhtlc.exit refund',
    'htlc.seen dust': 'lost exit +1',
    'htlc.seen dust beside the right one': 'lost exit +1',
    'htlc.seen dust, funding window over': 'lost exit +1',
    'htlc.seen another right one in its place': 'lost exit +1',
    'htlc.seen paid twice': 'lost exit +1',
    'htlc.seen dust refunded': 'lost exit +1',
    'vhtlc.seen claimed by the client': 'lost exit',
    'vhtlc.seen claimed in a batch': 'lost exit',
    'vhtlc.seen claimed with a wrong secret': 'lost exit',
    'vhtlc.seen spent by no leaf': 'lost exit, FLAG, DISTRUST',
    'vhtlc.seen on the chain, spent by no leaf': 'lost exit, FLAG, DISTRUST',
    'vhtlc.seen taken by a batch that hides its leaf': 'lost exit, vhtlc.settle refund',
    'vhtlc.seen claimed on the chain': 'lost exit',
    'vhtlc.seen refunded on the chain': 'refunded, supersedes, books, FLAG',
    'claim.relayed our coin': 'lost exit',
  },
  returned: {
    'htlc.seen nothing': 'returned',
    'htlc.seen nothing, funding window over': 'returned',
    'htlc.seen nothing, too late to lock': 'returned',
    'htlc.seen dust': 'returned +1',
    'htlc.seen dust beside the right one': 'returned +2',
    'htlc.seen dust, funding window over': 'returned +1',
    'htlc.seen another right one in its place': 'returned +1',
    'htlc.seen paid twice': 'returned +2',
    'htlc.seen claimed': 'refunded +1',
    'htlc.seen claimed and buried': 'refunded +1',
    'htlc.seen claimed by one that we forgot': 'refunded +1',
    'htlc.seen refunded': 'refunded +1',
    'htlc.seen refunded and buried': 'refunded +1',
    'htlc.seen dust refunded': 'refunded +1',
    "clock, a day after the client's refund opened": 'returned +1',
  },
  'refunding exit': {
    'vhtlc.prepared refund': 'refunding exit, vhtlc.submit refund',
    'vhtlc.accepted refund': 'refunding exit, vhtlc.finalize refund',
    'vhtlc.final refund': 'returned +1, supersedes',
    'onchain.prepared refund': 'refunding exit, onchain.broadcast',
    'vhtlc.refused refund spent': 'refunding exit',
    'vhtlc.refused refund recoverable': 'refunding exit, vhtlc.settle refund',
    'vhtlc.refused refund unrolled': 'refunding exit, vhtlc.exit refund',
    'vhtlc.refused refund late': 'refunding, vhtlc.refund, FLAG',
    'vhtlc.refused refund refused': 'refunding, vhtlc.refund, FLAG',
    'onchain.final of our refund': 'returned +1, supersedes, books',
    'onchain.stuck of our refund': 'refunding exit, vhtlc.exit refund',
    'htlc.seen nothing': 'refunding exit gone, FLAG',
    'htlc.seen nothing, funding window over': 'refunding exit gone, FLAG',
    'htlc.seen nothing, too late to lock': 'refunding exit gone, FLAG',
    'htlc.seen dust': 'refunding exit gone +1, FLAG',
    'htlc.seen dust beside the right one': 'refunding exit +1',
    'htlc.seen dust, funding window over': 'refunding exit gone +1, FLAG',
    'htlc.seen another right one in its place': 'refunding exit',
    'htlc.seen paid twice': 'refunding exit +1',
    'htlc.seen refunded': 'refunding exit gone, FLAG',
    'htlc.seen refunded and buried': 'refunding exit gone, FLAG',
    'htlc.seen dust refunded': 'refunding exit gone +1, FLAG',
    'vhtlc.seen claimed by the client': 'claiming, htlc.spend claim, supersedes, learns',
    'vhtlc.seen claimed in a batch': 'claiming, htlc.spend claim, supersedes, learns',
    'vhtlc.seen refunded': 'returned +1, supersedes',
    'vhtlc.seen spent by no leaf': 'refunding exit, FLAG, DISTRUST',
    'vhtlc.seen on the chain, spent by no leaf': 'refunding exit, FLAG, DISTRUST',
    'vhtlc.seen claimed in a queue': 'refunding exit, learns',
    'vhtlc.seen claimed in a mempool': 'refunding exit, learns',
    'vhtlc.seen claimed on the chain': 'claiming, htlc.spend claim, supersedes, learns',
    'vhtlc.seen refunded on the chain': 'returned +1, supersedes',
    'vhtlc.seen claimed in a queue, at the line': 'claiming, htlc.spend claim, supersedes, learns',
    'claim.relayed our coin': 'claiming, htlc.spend claim, supersedes, learns',
    'claim.relayed our coin, which a batch had before': 'refunding exit, learns',
    'clock, at the line': 'refunding exit alarmed, FLAG',
    "clock, the client's refund opens": 'refunding exit alarmed, FLAG',
    "clock, a day after the client's refund opened": 'refunding exit alarmed, FLAG',
  },
  'refunding alarmed': {
    'vhtlc.prepared refund': 'refunding alarmed, vhtlc.submit refund',
    'vhtlc.accepted refund': 'refunding alarmed, vhtlc.finalize refund',
    'vhtlc.final refund': 'returned +1',
    'vhtlc.refused refund spent': 'refunding alarmed',
    'vhtlc.refused refund recoverable': 'refunding alarmed, vhtlc.settle refund',
    'vhtlc.refused refund unrolled': 'refunding exit alarmed, vhtlc.exit refund',
    'vhtlc.refused refund late': 'refunding alarmed, vhtlc.refund, FLAG',
    'vhtlc.refused refund refused': 'refunding alarmed, vhtlc.refund, FLAG',
    'htlc.seen nothing': 'refunding alarmed gone, FLAG',
    'htlc.seen nothing, funding window over': 'refunding alarmed gone, FLAG',
    'htlc.seen nothing, too late to lock': 'refunding alarmed gone, FLAG',
    'htlc.seen dust': 'refunding alarmed gone +1, FLAG',
    'htlc.seen dust beside the right one': 'refunding alarmed +1',
    'htlc.seen dust, funding window over': 'refunding alarmed gone +1, FLAG',
    'htlc.seen another right one in its place': 'refunding alarmed',
    'htlc.seen paid twice': 'refunding alarmed +1',
    'htlc.seen refunded': 'refunding alarmed gone, FLAG',
    'htlc.seen refunded and buried': 'refunding alarmed gone, FLAG',
    'htlc.seen dust refunded': 'refunding alarmed gone +1, FLAG',
    'vhtlc.seen claimed by the client': 'claiming, htlc.spend claim, supersedes, learns',
    'vhtlc.seen claimed in a batch': 'claiming, htlc.spend claim, supersedes, learns',
    'vhtlc.seen refunded': 'returned +1',
    'vhtlc.seen spent by no leaf': 'refunding alarmed, FLAG, DISTRUST',
    'vhtlc.seen on the chain, spent by no leaf': 'refunding exit alarmed, vhtlc.exit refund, FLAG, DISTRUST',
    'vhtlc.seen claimed in a queue': 'refunding alarmed, learns',
    'vhtlc.seen claimed in a mempool': 'refunding alarmed, learns',
    'vhtlc.seen claimed on the chain': 'claiming, htlc.spend claim, supersedes, learns',
    'vhtlc.seen refunded on the chain': 'returned +1',
    'vhtlc.seen claimed in a queue, at the line': 'claiming, htlc.spend claim, supersedes, learns',
    'claim.relayed our coin': 'claiming, htlc.spend claim, supersedes, learns',
    'claim.relayed our coin, which a batch had before': 'refunding alarmed, vhtlc.settle refund, learns',
  },
  'refunding exit alarmed': {
    'vhtlc.prepared refund': 'refunding exit alarmed, vhtlc.submit refund',
    'vhtlc.accepted refund': 'refunding exit alarmed, vhtlc.finalize refund',
    'vhtlc.final refund': 'returned +1, supersedes',
    'onchain.prepared refund': 'refunding exit alarmed, onchain.broadcast',
    'vhtlc.refused refund spent': 'refunding exit alarmed',
    'vhtlc.refused refund recoverable': 'refunding exit alarmed, vhtlc.settle refund',
    'vhtlc.refused refund unrolled': 'refunding exit alarmed, vhtlc.exit refund',
    'vhtlc.refused refund late': 'refunding alarmed, vhtlc.refund, FLAG',
    'vhtlc.refused refund refused': 'refunding alarmed, vhtlc.refund, FLAG',
    'onchain.final of our refund': 'returned +1, supersedes, books',
    'onchain.stuck of our refund': 'refunding exit alarmed, vhtlc.exit refund',
    'htlc.seen nothing': 'refunding exit alarmed gone, FLAG',
    'htlc.seen nothing, funding window over': 'refunding exit alarmed gone, FLAG',
    'htlc.seen nothing, too late to lock': 'refunding exit alarmed gone, FLAG',
    'htlc.seen dust': 'refunding exit alarmed gone +1, FLAG',
    'htlc.seen dust beside the right one': 'refunding exit alarmed +1',
    'htlc.seen dust, funding window over': 'refunding exit alarmed gone +1, FLAG',
    'htlc.seen another right one in its place': 'refunding exit alarmed',
    'htlc.seen paid twice': 'refunding exit alarmed +1',
    'htlc.seen refunded': 'refunding exit alarmed gone, FLAG',
    'htlc.seen refunded and buried': 'refunding exit alarmed gone, FLAG',
    'htlc.seen dust refunded': 'refunding exit alarmed gone +1, FLAG',
    'vhtlc.seen claimed by the client': 'claiming, htlc.spend claim, supersedes, learns',
    'vhtlc.seen claimed in a batch': 'claiming, htlc.spend claim, supersedes, learns',
    'vhtlc.seen refunded': 'returned +1, supersedes',
    'vhtlc.seen spent by no leaf': 'refunding exit alarmed, FLAG, DISTRUST',
    'vhtlc.seen on the chain, spent by no leaf': 'refunding exit alarmed, FLAG, DISTRUST',
    'vhtlc.seen claimed in a queue': 'refunding exit alarmed, learns',
    'vhtlc.seen claimed in a mempool': 'refunding exit alarmed, learns',
    'vhtlc.seen claimed on the chain': 'claiming, htlc.spend claim, supersedes, learns',
    'vhtlc.seen refunded on the chain': 'returned +1, supersedes',
    'vhtlc.seen claimed in a queue, at the line': 'claiming, htlc.spend claim, supersedes, learns',
    'claim.relayed our coin': 'claiming, htlc.spend claim, supersedes, learns',
    'claim.relayed our coin, which a batch had before': 'refunding exit alarmed, learns',
  },
};

const { machine } = bitcoinArkadeCase;
const states = representatives(bitcoinArkadeCase);
const leftAt = later(t.htlc.refundLocktime, day);

function state(name: string): BitcoinArkadeProgress {
  const progress = states.get(name);
  if (progress === undefined) throw new Error(`no state is called ${name}`);
  return progress;
}

function stepOf(
  progress: BitcoinArkadeProgress,
  event: Event,
  now = clocksAt(start + 60),
  terms = t,
): SwapStep<BitcoinArkadeProgress> {
  const step = machine.step(terms, progress, event, now);
  if (step === 'stay') throw new Error(`${event.is} does not move ${progress.at}`);
  return step;
}

const after = (name: string, event: Event, now = clocksAt(start + 60)) => stepOf(state(name), event, now);

const isGone = (name: string): boolean => name.includes(' gone');

test('there are thirteen states, some with marks, and no other can be reached', () => {
  expect([...states.keys()].filter((name) => !isGone(name)).sort()).toEqual(Object.keys(moves).sort());
});

test.each(Object.entries(moves))('%s moves on these events alone', (name, expected) => {
  expect(tableOf(bitcoinArkadeCase, state(name))).toEqual(expected);
});

test('a coin that is gone changes nothing of what the swap does, but for looks at the coins', () => {
  const names = [...states.keys()].filter(isGone);
  expect(names.sort()).toEqual([
    'claiming gone',
    'funded gone',
    'locked gone',
    'locking gone',
    'refunding alarmed gone',
    'refunding exit alarmed gone',
    'refunding exit gone',
    'refunding gone',
  ]);
  const withoutLooks = (table: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(table)
        .filter(([event]) => !event.startsWith('htlc.seen'))
        .map(([event, to]) => [event, to.replace(' gone', '')]),
    );
  for (const name of names) {
    const there = { ...state(name), gone: undefined } as unknown as BitcoinArkadeProgress & { gone?: true };
    delete there.gone;
    expect([name, withoutLooks(tableOf(bitcoinArkadeCase, state(name)))]).toEqual([
      name,
      withoutLooks(tableOf(bitcoinArkadeCase, there)),
    ]);
  }
});

test('each state has its wire status, its watches, its deadline and its promise of liquidity', () => {
  const facts = [...states]
    .filter(([name]) => !isGone(name))
    .map(([name, p]) => [
      name,
      machine.status(p),
      machine
        .watches(t, p)
        .map((watch) => ('turn' in watch ? `${watch.turn} ${watch.on}` : watch.on))
        .join(' '),
      machine.deadline(t, p),
      machine.open(t, p) ? 'open' : 'ended',
      machine.reserves(p) ? 'reserves' : '',
    ]);
  expect(facts).toEqual([
    ['pending', 'pending', 'later htlc', t.fundBefore, 'open', 'reserves'],
    ['stopped expired', 'expired', 'seldom htlc', t.htlc.refundLocktime, 'open', ''],
    ['seen', 'clientfundingseen', 'later htlc', t.lockBefore, 'open', 'reserves'],
    ['funded', 'clientfunded', 'htlc', t.lockBefore, 'open', 'reserves'],
    ['stopped late', 'clientfundedtoolate', 'later htlc vhtlc', leftAt, 'open', ''],
    ['stopped invalid', 'clientinvalidfunded', 'later htlc vhtlc', leftAt, 'open', ''],
    ['refunded', 'clientrefunded', 'later htlc', null, 'ended', ''],
    ['lapsed', 'expired', '', null, 'ended', ''],
    ['pending vanished', 'pending', 'later htlc', t.fundBefore, 'open', 'reserves'],
    ['locking', 'clientfunded', 'htlc vhtlc', null, 'open', ''],
    ['stopped wont', 'serverwontfund', 'later htlc vhtlc', leftAt, 'open', ''],
    ['locked', 'serverfunded', 'htlc vhtlc queue', t.vhtlc.refundLocktime, 'open', ''],
    ['seen vanished', 'clientfundingseen', 'later htlc', t.lockBefore, 'open', 'reserves'],
    ['claiming', 'clientredeemed', 'htlc', t.htlc.refundLocktime, 'open', ''],
    ['refunding', 'serverfunded', 'htlc vhtlc queue', t.vhtlc.refundLocktime, 'open', ''],
    ['claimed', 'serverredeemed', 'later htlc', null, 'ended', ''],
    ['lost', 'clientredeemedandclientrefunded', 'htlc vhtlc', null, 'open', ''],
    ['returned', 'clientfundedserverrefunded', 'later htlc', leftAt, 'open', ''],
    ['refunding exit', 'serverfunded', 'htlc vhtlc queue', t.vhtlc.refundLocktime, 'open', ''],
    ['refunding alarmed', 'serverfunded', 'htlc vhtlc queue', t.vhtlc.refundLocktime, 'open', ''],
    ['refunding exit alarmed', 'serverfunded', 'htlc vhtlc queue', t.vhtlc.refundLocktime, 'open', ''],
    ['lost exit', 'clientredeemedandclientrefunded', 'htlc vhtlc', null, 'open', ''],
  ]);
});

test('every state that can be reached is read again as it was saved', () => {
  const { terms, progress } = machine.shape;
  expect(terms.read(decode(encode(t)), terms.version)).toEqual(t);
  for (const p of explore(bitcoinArkadeCase).states)
    expect(progress.read(decode(encode(p)), progress.version)).toEqual(p);
});

test('every state says who is waited for, and no swap was kept from its client', () => {
  expect([...states.values()].filter((p) => machine.nextAction(t, p).length < 8 || machine.untold(p))).toEqual([]);
});

describe('what loses money when it is wrong', () => {
  const claimSeen: Event = { is: 'vhtlc.seen', coins: [coin(spentBy.clientClaim)] };
  const inQueue: Event = { is: 'vhtlc.seen', coins: [coin(spentBy.queuedClaim)] };
  const effectsOf = ({ effects }: SwapStep<unknown>) => effects.map((effect: Effect) => effect.do);

  test('fault 8, bitcoin: nothing is locked for a coin in a mempool, a sat too small, or a sat too large', () => {
    const looks = [
      bitcoin({ height: null }),
      bitcoin({ amount: sats(t.sourceAmount - 1n) }),
      bitcoin({ amount: sats(t.sourceAmount + 1_009n) }),
    ].map((coins) => after('pending', lookAt([coins])));
    expect(looks.flatMap(({ effects }) => effects)).toEqual([]);
    expect(looks.map(({ progress }) => machine.status(progress))).toEqual([
      'clientfundingseen',
      'clientinvalidfunded',
      'clientinvalidfunded',
    ]);
  });

  test('a coin that was mined in the funding window counts, however late we look', () => {
    const asleep = clocksAt(t.fundBefore + 7_200);
    expect(after('pending', lookAt([bitcoin()], t.fundBefore + 7_200), asleep).progress.at).toBe('funded');
  });

  describe('of a swap with three confirmations', () => {
    const hour = 3_600;
    const longer = (moment: Unix) => later(moment, seconds(2 * hour));
    const large = {
      ...t,
      confirmations: 3,
      giveBefore: longer(t.giveBefore),
      lockBefore: longer(t.lockBefore),
      vhtlc: { ...t.vhtlc, refundLocktime: longer(t.vhtlc.refundLocktime) },
      htlc: { ...t.htlc, refundLocktime: longer(t.htlc.refundLocktime) },
    };
    const deep = (depth: number) => bitcoin({ height: startHeight - depth + 1 });
    /** As the machine's clocks show median time past, half an hour behind the wall. */
    const whenMtp = (mtp: number) => mtp + 1_800;
    const looks = (p: BitcoinArkadeProgress, coins: SeenHtlcCoin[], at: number) => {
      const step = machine.step(large, p, lookAt(coins, at), clocksAt(at));
      return step === 'stay' ? p : step.progress;
    };

    test('fault 70, bitcoin: a large coin is only seen until its third confirmation', () => {
      const waiting = looks(fresh, [bitcoin({ height: null })], start + 60);
      const all = [deep(1), deep(2), deep(3)].map((coin) => looks(waiting, [coin], start + 600));
      expect(all.map((p) => [p.at, machine.status(p)])).toEqual([
        ['seen', 'clientfundingseen'],
        ['seen', 'clientfundingseen'],
        ['funded', 'clientfunded'],
      ]);
      expect(stepOf(waiting, lookAt([deep(3)], start + 600), clocksAt(start + 600), large).effects).toMatchObject([
        { do: 'vhtlc.lock' },
      ]);
      expect(looks(all[1]!, [bitcoin({ height: null })], start + 700).at).toBe('seen');
      expect(looks(all[1]!, [], start + 700)).toMatchObject({ at: 'pending', vanished: true });
    });

    test('whether a block holds it is noted once, and no more where a reorganisation takes that block', () => {
      const waiting = looks(fresh, [bitcoin({ height: null })], start + 60);
      const shallow = looks(waiting, [deep(1)], start + 600);
      expect([waiting, shallow].map((p) => 'inBlock' in p)).toEqual([false, true]);
      expect(machine.step(large, shallow, lookAt([deep(2)], start + 700), clocksAt(start + 700))).toBe('stay');
      expect(looks(shallow, [bitcoin({ height: null })], start + 700)).toEqual(waiting);
      expect(looks(shallow, [deep(3)], start + 700)).not.toHaveProperty('inBlock');
    });

    test('fault 70, bitcoin: its first confirmation decides whether it came in time', () => {
      const last = whenMtp(t.lockBefore);
      const unmined = (at: number) => looks(fresh, [bitcoin({ height: null })], at);
      expect([unmined(last).at, unmined(last + 1)]).toEqual(['seen', expect.objectContaining({ why: 'late' })]);
      const inTime = looks(fresh, [deep(1)], last);
      const later2h = last + 2 * hour;
      expect([
        looks(inTime, [deep(2)], later2h).at,
        looks(inTime, [deep(3)], later2h).at,
        looks(inTime, [deep(3)], later2h + 1),
        looks(inTime, [deep(2)], later2h + 1),
      ]).toEqual(['seen', 'funded', ...Array(2).fill(expect.objectContaining({ at: 'stopped', why: 'late' }))]);
    });

    test('the lock is sent only with the coin that deep', () => {
      const funded = looks(fresh, [deep(3)], start + 600);
      const prepared: Event = { is: 'vhtlc.prepared', purpose: 'lock', txid: txid.lock, output: coinPoint };
      expect(stepOf(funded, prepared, clocksAt(start + 600), large).effects).toMatchObject([
        { do: 'vhtlc.submit', onlyIf: { funded: { confirmations: 3 }, notAfter: large.lockBefore } },
      ]);
    });

    test('is in its record, and stays there when it was never paid', () => {
      const facts = { id: 'x', createdAt: start, status: 'expired', network: 'regtest' } as const;
      expect(viewBitcoinArkade(facts, large, fresh).btc_funding_confirmations).toBe(3);
    });
  });

  test('fault 12, bitcoin: a coin that its sender replaced is waited for again, and then given up', () => {
    const back = after('seen', lookAt([]));
    const last = stepOf(back.progress, lookAt([], t.lockBefore + 1_801), clocksAt(t.lockBefore + 1_801));
    expect([machine.status(back.progress), machine.status(last.progress), back.effects]).toEqual([
      'pending',
      'expired',
      [],
    ]);
  });

  test('a lock is sent only with the conditions under which it is still safe', () => {
    const step = after('funded', { is: 'vhtlc.prepared', purpose: 'lock', txid: txid.lock, output: coinPoint });
    expect(step.effects).toEqual([
      {
        do: 'vhtlc.submit',
        purpose: 'lock',
        txid: txid.lock,
        onlyIf: {
          notAfter: t.lockBefore,
          funded: {
            script: t.htlcScript,
            outpoint: fundPoint,
            sourceAmount: t.sourceAmount,
            confirmations: 1,
            refundLocktime: t.htlc.refundLocktime,
            lockRefundLocktime: t.vhtlc.refundLocktime,
            policy: t.policy,
          },
        },
      },
    ]);
  });

  test('the secret is saved in the commit that first sees it, and opens exactly the coin of the swap', () => {
    for (const name of ['locking', 'locked', 'refunding']) {
      const step = after(name, claimSeen);
      expect({ learned: step.learned, effects: step.effects, supersedes: step.supersedes }).toEqual({
        learned: preimage,
        effects: [
          {
            do: 'htlc.spend',
            purpose: 'claim',
            terms: t.htlc,
            script: t.htlcScript,
            key: { branch: 'swap', index: t.keyIndex },
            coin: fundPoint,
            leastRate: 0,
            deadline: t.htlc.refundLocktime,
          },
        ],
        supersedes: ['arkade'],
      });
    }
  });

  test('a claim is believed only with a secret that opens the hash', () => {
    const forged: Event = { is: 'vhtlc.seen', coins: [coin(spentBy.forgedClaim)] };
    expect(
      ['locking', 'locked', 'refunding'].map((name) => machine.step(t, state(name), forged, clocksAt(start + 60))),
    ).toEqual(['stay', 'stay', 'stay']);
  });

  test('while our refund is on its way a claim that is no fact yet is saved, and opens nothing', () => {
    const waits = after('refunding', inQueue);
    const refunded = stepOf(waits.progress, { is: 'vhtlc.final', purpose: 'refund', txid: txid.refund });
    const fact = stepOf(waits.progress, claimSeen);
    expect([waits.learned, waits.effects, machine.step(t, waits.progress, inQueue, clocksAt(start + 60))]).toEqual([
      preimage,
      [],
      'stay',
    ]);
    expect([refunded.progress.at, refunded.effects, effectsOf(fact)]).toEqual(['returned', [], ['htlc.spend']]);
  });

  test('after our refund of the VHTLC nothing ever claims the bitcoin', () => {
    const claims = ['returned', 'stopped wont', 'stopped late', 'stopped invalid', 'refunded', 'lapsed'].flatMap(
      (name) => Object.values(tableOf(bitcoinArkadeCase, state(name))).filter((to) => to.includes('htlc.spend')),
    );
    expect(claims).toEqual([]);
  });

  test('once the client has claimed, nothing takes the VHTLC back', () => {
    const refunds = ['claiming', 'claiming gone', 'claimed'].flatMap((name) =>
      Object.values(tableOf(bitcoinArkadeCase, state(name))).filter((to) => to.includes('vhtlc.')),
    );
    expect(refunds).toEqual([]);
  });

  describe('our claim', () => {
    const prepared: Event = {
      is: 'onchain.prepared',
      leg: 'bitcoin',
      purpose: 'claim',
      txid: txid.claim,
      amount: t.sourceAmount,
      rate: 2,
      capped: false,
      deadline: t.htlc.refundLocktime,
      height: startHeight,
    };
    const sent = after('claiming', prepared);

    test('is kept on the chain until it is buried, by its deadline', () => {
      expect(sent.effects).toEqual([
        {
          do: 'onchain.broadcast',
          leg: 'bitcoin',
          txid: txid.claim,
          spends: fundPoint,
          amount: t.sourceAmount,
          rate: 2,
          capped: false,
          deadline: t.htlc.refundLocktime,
          since: startHeight,
        },
      ]);
      const stuck = stepOf(sent.progress, { is: 'onchain.stuck', leg: 'bitcoin', txid: txid.claim, leastRate: 3 });
      expect(stuck.effects).toMatchObject([{ do: 'htlc.spend', leastRate: 3, coin: fundPoint }]);
    });

    test('fault 14, bitcoin: counts from its first block, and is watched and resent until it is buried', () => {
      const mined = stepOf(sent.progress, lookAt([bitcoin({ spend: spendBy.claim(startHeight) })]));
      const lost = machine.step(t, mined.progress, lookAt([bitcoin()]), clocksAt(start + 60));
      const final = stepOf(mined.progress, { is: 'onchain.final', leg: 'bitcoin', txid: txid.claim, fee: sats(300) });
      expect([machine.status(mined.progress), mined.supersedes, lost, machine.open(t, mined.progress)]).toEqual([
        'serverredeemed',
        undefined,
        'stay',
        true,
      ]);
      expect([final.progress.at, machine.open(t, final.progress), final.ledger?.map(({ kind }) => kind)]).toEqual([
        'claimed',
        false,
        ['protocol-fee', 'network-fee-charged', 'network-fee-paid'],
      ]);
    });

    test("goes on past the client's locktime, and ends only with a refund that is buried", () => {
      const refunds = [spendBy.refund(null), spendBy.refund(startHeight), spendBy.refund(startHeight - 5)].map(
        (spend) => {
          const step = machine.step(t, sent.progress, lookAt([bitcoin({ spend })]), clocksAt(start + 60));
          return step === 'stay' ? 'claiming' : step.progress.at;
        },
      );
      expect(refunds).toEqual(['claiming', 'claiming', 'lost']);
    });

    test('called spent by somebody else it is made again, should the coin show unspent', () => {
      const halted = stepOf(sent.progress, {
        is: 'onchain.refused',
        leg: 'bitcoin',
        txid: txid.claim,
        why: 'spent',
        reason: 'so',
      });
      expect([halted.effects, effectsOf(stepOf(halted.progress, lookAt([bitcoin()])))]).toEqual([[], ['htlc.spend']]);
    });

    test('takes no other coin of the client once it is signed', () => {
      const other = lookAt([bitcoin({ outpoint: otherPoint })]);
      const [before, behind] = [after('claiming', other), stepOf(sent.progress, other)];
      expect([effectsOf(before), effectsOf(behind), behind.flag]).toEqual([
        ['htlc.spend'],
        [],
        expect.stringContaining('a reorganisation took it'),
      ]);
    });
  });

  test('fault 346, arkade: a claim that waits in the queue is believed once the coin is about to go back', () => {
    const late = clocksAt(t.htlc.refundLocktime - t.policy.margin / 2);
    const claims = { progress: { at: 'claiming', racing: true }, effects: [{ do: 'htlc.spend', purpose: 'claim' }] };
    expect(after('refunding', inQueue, late)).toMatchObject({ ...claims, learned: preimage });
    for (const name of ['refunding', 'refunding alarmed', 'refunding exit']) {
      const waiting = after(name, inQueue).progress;
      expect(waiting).toMatchObject({ at: 'refunding', told: true });
      expect(machine.step(t, waiting, { is: 'clock' }, clocksAt(start + 60))).toBe('stay');
      expect(stepOf(waiting, { is: 'clock' }, late)).toMatchObject(claims);
    }
  });

  test('fault 13, bitcoin: a coin that is gone behind our VHTLC is told once, and claimed when it is back', () => {
    const missing = after('locked', lookAt([]));
    expect([missing.flag, machine.step(t, missing.progress, lookAt([]), clocksAt(start + 60))]).toEqual([
      expect.stringContaining('a reorganisation took it'),
      'stay',
    ]);
    const claiming = stepOf(missing.progress, claimSeen);
    const back = stepOf(claiming.progress, lookAt([bitcoin({ height: null })]));
    expect([effectsOf(claiming), back.progress]).toEqual([['htlc.spend'], expect.not.objectContaining({ gone: true })]);
  });

  test('a claim that was lost although it waited in a queue brings the VHTLC home: each has its own again', () => {
    const lost = stepOf(
      after('locked', inQueue).progress,
      lookAt([bitcoin({ spend: spendBy.refund(startHeight - 5) })]),
    );
    const refunding = stepOf(lost.progress, inQueue);
    const submit = stepOf(refunding.progress, {
      is: 'vhtlc.prepared',
      purpose: 'refund',
      txid: txid.refund,
      output: coinPoint,
    });
    const back = stepOf(submit.progress, { is: 'vhtlc.final', purpose: 'refund', txid: txid.refund });
    const books = [lost, back].flatMap(({ ledger = [] }) => ledger).reduce((sum, { amount }) => sum + amount, 0n);
    expect([effectsOf(refunding), effectsOf(submit), machine.status(back.progress), books]).toEqual([
      ['vhtlc.refund'],
      ['vhtlc.submit'],
      'clientrefundedserverrefunded',
      0n,
    ]);
  });
});

test('how deep a spend of the bitcoin is, the look that showed it says, and no later block', () => {
  const { progress } = after('locked', { is: 'vhtlc.seen', coins: [coin(spentBy.clientClaim)] });
  const five = lookAt([bitcoin({ spend: spendBy.refund(startHeight - 4) })]);
  // The block after it may be one of another branch, where nothing of this stands.
  expect(stepOf(progress, five, clocksAt(start + 600)).progress.at).toBe('claiming');
});

describe('the record', () => {
  const facts = { id: 'x', createdAt: start, status: 'pending', network: 'regtest' } as const;
  const record = (name: string) => viewBitcoinArkade(facts, t, state(name));

  test('says all that a client needs to take its bitcoin back without this node', () => {
    const script = htlcScript(t.htlc);
    expect(script.form === 'p2wsh' && record('pending')).toMatchObject({
      btc_htlc_address: t.htlcAddress,
      btc_htlc_witness_script: script.form === 'p2wsh' ? toHex(script.witnessScript) : '',
      btc_refund_locktime: t.htlc.refundLocktime,
      hash_lock: toHex(t.hash),
      source_amount: '100850',
      asset_amount: 100_850,
      sats_receive: 100_000,
      target_amount: '100000',
      fee_sats: 850,
      source_token: { chain: 'Bitcoin' },
      target_token: { chain: 'Arkade' },
    });
  });

  test('has no witness script where the HTLC is the Taproot form that published clients derive', () => {
    const p2tr = { ...t, htlc: { ...t.htlc, form: 'p2tr' as const } };
    expect(viewBitcoinArkade(facts, p2tr, state('pending'))).not.toHaveProperty('btc_htlc_witness_script');
  });

  test("names the client's claim of the VHTLC and ours of the bitcoin, each as its own", () => {
    const claiming = after('locked', { is: 'vhtlc.seen', coins: [coin(spentBy.clientClaim)] }).progress;
    const sent = { ...claiming, spends: ['aa'.repeat(32), txid.claim] } as BitcoinArkadeProgress;
    // Nobody can look up what is only signed, and in a mempool another one may take its place.
    expect(viewBitcoinArkade(facts, t, sent)).not.toHaveProperty('btc_claim_txid');
    const mined = { ...sent, mined: txid.claim } as BitcoinArkadeProgress;
    expect(viewBitcoinArkade(facts, t, mined)).toMatchObject({
      btc_fund_txid: fundPoint.txid,
      arkade_fund_txid: coinPoint.txid,
      arkade_claim_txid: txid.client,
      btc_claim_txid: txid.claim,
    });
    expect(viewBitcoinArkade(facts, t, state('locking'))).not.toHaveProperty('arkade_fund_txid');
  });
});
