import { describe, expect, test } from 'vitest';
import { asSha256 } from '../../engine/domain/hash.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { day, after as later, unix } from '../../engine/domain/time.ts';
import { swapKey } from '../../engine/legs/evm/swap-key.ts';
import type { EvmLightningProgress } from '../../engine/swap/directions/evm-lightning.ts';
import type { Event, SwapStep } from '../../engine/swap/machine.ts';
import { clocksAt, preimage, start } from './cases.ts';
import {
  account,
  askRefund,
  dust,
  evmClocksAt,
  evmLightningCase,
  evmLightningTerms as t,
  lookAt,
  network,
  permit,
  redeemed,
  refunded,
  seenLock,
  sentTxid,
  signature,
  strangers,
} from './evm-lightning-cases.ts';
import { explore } from './explore.ts';
import { nameOf, representatives, tableOf } from './table.ts';

/** Every state that can be reached, by its name and by what of ours is on its way in it. */
const names = [
  'claimed',
  'claimed refund asked',
  'claimed refund sent',
  'claiming',
  'claiming gone',
  'funded',
  'funded gone',
  'lapsed',
  'lost',
  'lost refund asked',
  'lost refund sent',
  'paying',
  'paying gone',
  'paying gone late maybe',
  'paying late maybe',
  'pending',
  'pending relay asked',
  'pending relay mined',
  'pending relay sent',
  'pending vanished',
  'pending vanished relay asked',
  'pending vanished relay mined',
  'pending vanished relay sent',
  'refunded',
  'refunded late in-flight',
  'refunded late maybe',
  'refunded refund asked',
  'refunded refund asked late in-flight',
  'refunded refund asked late maybe',
  'refunded refund sent',
  'refunded refund sent late in-flight',
  'refunded refund sent late maybe',
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
  'stopped invalid fenced',
  'stopped invalid refund asked fenced',
  'stopped invalid refund sent fenced',
  'stopped late',
  'stopped late fenced',
  'stopped late refund asked',
  'stopped late refund asked fenced',
  'stopped late refund sent',
  'stopped late refund sent fenced',
  'stopped wont',
  'stopped wont fenced',
  'stopped wont late in-flight',
  'stopped wont late in-flight fenced',
  'stopped wont late maybe',
  'stopped wont late maybe fenced',
  'stopped wont refund asked',
  'stopped wont refund asked fenced',
  'stopped wont refund asked late in-flight',
  'stopped wont refund asked late in-flight fenced',
  'stopped wont refund asked late maybe',
  'stopped wont refund asked late maybe fenced',
  'stopped wont refund sent',
  'stopped wont refund sent fenced',
  'stopped wont refund sent late in-flight',
  'stopped wont refund sent late in-flight fenced',
  'stopped wont refund sent late maybe',
  'stopped wont refund sent late maybe fenced',
];

/**
 * The states that differ in what they do, and every event of the catalogue that moves them. An event that is not listed
 * leaves the state alone; `+1` counts the locks that are listed beside the swap's own, and `fenced` is a swap whose
 * refund we signed.
 */
const moves: Record<string, Record<string, string>> = {
  pending: {
    'fund.requested': 'pending relay asked, evm.send',
    'evm.seen nothing, funding window over': 'stopped expired',
    'evm.seen right': 'funded, pay',
    'evm.seen nothing, too late to pay': 'stopped expired',
    'evm.seen right but not buried': 'seen',
    'evm.seen right, clock of the chain unread': 'seen',
    'evm.seen right, funding window over': 'stopped late +1',
    'evm.seen right, too late to pay': 'stopped late +1',
    'evm.seen not buried, too late to pay': 'stopped late +1',
    'evm.seen more than agreed': 'funded, pay',
    'evm.seen short by one': 'stopped invalid +1',
    'evm.seen short by one, not buried': 'pending +1',
    'evm.seen dust beside the right one': 'funded, pay',
    'evm.seen a stranger’s': 'funded, pay',
    'evm.seen a stranger’s beside the right one': 'funded +1, pay',
    'evm.seen a stranger’s buried, the right one not': 'funded +1, pay',
    'evm.seen a stranger’s refunded beside the right one': 'funded +1, pay',
    'evm.seen a stranger’s beside the right one refunded': 'funded +1, pay',
    'evm.seen dust, funding window over': 'stopped expired',
    'evm.seen claimed, not buried': 'pending +1',
    'evm.seen claimed': 'pending +1',
    'evm.seen refunded, not buried': 'pending +1',
    'evm.seen refunded': 'pending +1',
  },
  'pending relay asked': {
    'evm.prepared relay-fund': 'pending relay sent',
    'evm.refused relay-fund': 'pending',
    'evm.already-done relay-fund': 'pending',
    'evm.seen right': 'funded, pay',
    'evm.seen right but not buried': 'seen relay asked',
    'evm.seen right, clock of the chain unread': 'seen relay asked',
    'evm.seen right, funding window over': 'funded, pay',
    'evm.seen right, too late to pay': 'stopped late +1',
    'evm.seen not buried, too late to pay': 'stopped late +1',
    'evm.seen more than agreed': 'funded, pay',
    'evm.seen short by one': 'stopped invalid +1',
    'evm.seen short by one, not buried': 'pending relay asked +1',
    'evm.seen dust beside the right one': 'funded, pay',
    'evm.seen a stranger’s': 'funded, pay',
    'evm.seen a stranger’s beside the right one': 'funded +1, pay',
    'evm.seen a stranger’s buried, the right one not': 'funded +1, pay',
    'evm.seen a stranger’s refunded beside the right one': 'funded +1, pay',
    'evm.seen a stranger’s beside the right one refunded': 'funded +1, pay',
    'evm.seen claimed, not buried': 'pending relay asked +1',
    'evm.seen claimed': 'pending relay asked +1',
    'evm.seen refunded, not buried': 'pending relay asked +1',
    'evm.seen refunded': 'pending relay asked +1',
  },
  'pending relay sent': {
    'evm.sent relay-fund taken': 'pending relay sent',
    'evm.sent relay-fund mined': 'pending relay mined',
    'evm.sent relay-fund failed': 'pending',
    'evm.sent relay-fund gone': 'pending',
    'evm.seen right': 'funded, pay',
    'evm.seen right but not buried': 'seen relay sent',
    'evm.seen right, clock of the chain unread': 'seen relay sent',
    'evm.seen right, funding window over': 'funded, pay',
    'evm.seen right, too late to pay': 'stopped late +1',
    'evm.seen not buried, too late to pay': 'stopped late +1',
    'evm.seen more than agreed': 'funded, pay',
    'evm.seen short by one': 'stopped invalid +1',
    'evm.seen short by one, not buried': 'pending relay sent +1',
    'evm.seen dust beside the right one': 'funded, pay',
    'evm.seen a stranger’s': 'funded, pay',
    'evm.seen a stranger’s beside the right one': 'funded +1, pay',
    'evm.seen a stranger’s buried, the right one not': 'funded +1, pay',
    'evm.seen a stranger’s refunded beside the right one': 'funded +1, pay',
    'evm.seen a stranger’s beside the right one refunded': 'funded +1, pay',
    'evm.seen claimed, not buried': 'pending relay sent +1',
    'evm.seen claimed': 'pending relay sent +1',
    'evm.seen refunded, not buried': 'pending relay sent +1',
    'evm.seen refunded': 'pending relay sent +1',
  },
  'pending relay mined': {
    'evm.seen nothing, funding window over': 'stopped expired',
    'evm.seen right': 'funded, pay',
    'evm.seen nothing, too late to pay': 'stopped expired',
    'evm.seen right but not buried': 'seen relay mined',
    'evm.seen right, clock of the chain unread': 'seen relay mined',
    'evm.seen right, funding window over': 'funded, pay',
    'evm.seen right, too late to pay': 'stopped late +1',
    'evm.seen not buried, too late to pay': 'stopped late +1',
    'evm.seen more than agreed': 'funded, pay',
    'evm.seen short by one': 'stopped invalid +1',
    'evm.seen short by one, not buried': 'pending relay mined +1',
    'evm.seen dust beside the right one': 'funded, pay',
    'evm.seen a stranger’s': 'funded, pay',
    'evm.seen a stranger’s beside the right one': 'funded +1, pay',
    'evm.seen a stranger’s buried, the right one not': 'funded +1, pay',
    'evm.seen a stranger’s refunded beside the right one': 'funded +1, pay',
    'evm.seen a stranger’s beside the right one refunded': 'funded +1, pay',
    'evm.seen dust, funding window over': 'stopped expired',
    'evm.seen claimed, not buried': 'pending relay mined +1',
    'evm.seen claimed': 'pending relay mined +1',
    'evm.seen refunded, not buried': 'pending relay mined +1',
    'evm.seen refunded': 'pending relay mined +1',
  },
  'pending vanished': {
    'evm.seen right': 'funded, pay',
    'evm.seen nothing, too late to pay': 'stopped expired',
    'evm.seen right but not buried': 'seen vanished',
    'evm.seen right, clock of the chain unread': 'seen vanished',
    'evm.seen right, funding window over': 'funded, pay',
    'evm.seen right, too late to pay': 'stopped late +1',
    'evm.seen not buried, too late to pay': 'stopped late +1',
    'evm.seen more than agreed': 'funded, pay',
    'evm.seen short by one': 'stopped invalid +1',
    'evm.seen short by one, not buried': 'pending vanished +1',
    'evm.seen dust beside the right one': 'funded, pay',
    'evm.seen a stranger’s': 'funded, pay',
    'evm.seen a stranger’s beside the right one': 'funded +1, pay',
    'evm.seen a stranger’s buried, the right one not': 'funded +1, pay',
    'evm.seen a stranger’s refunded beside the right one': 'funded +1, pay',
    'evm.seen a stranger’s beside the right one refunded': 'funded +1, pay',
    'evm.seen claimed, not buried': 'pending vanished +1',
    'evm.seen claimed': 'pending vanished +1',
    'evm.seen refunded, not buried': 'pending vanished +1',
    'evm.seen refunded': 'pending vanished +1',
  },
  seen: {
    'evm.seen nothing': 'pending vanished',
    'evm.seen nothing, funding window over': 'pending vanished',
    'evm.seen right': 'funded, pay',
    'evm.seen nothing, too late to pay': 'stopped expired',
    'evm.seen right, funding window over': 'funded, pay',
    'evm.seen right, too late to pay': 'stopped late +1',
    'evm.seen not buried, too late to pay': 'stopped late +1',
    'evm.seen more than agreed': 'funded, pay',
    'evm.seen short by one': 'stopped invalid +1',
    'evm.seen short by one, not buried': 'pending vanished +1',
    'evm.seen dust': 'pending vanished',
    'evm.seen dust beside the right one': 'funded, pay',
    'evm.seen short by one, of a stranger': 'pending vanished',
    'evm.seen short by one, of nobody': 'pending vanished',
    'evm.seen a stranger’s': 'funded, pay',
    'evm.seen a stranger’s beside the right one': 'funded +1, pay',
    'evm.seen a stranger’s buried, the right one not': 'funded +1, pay',
    'evm.seen a stranger’s refunded beside the right one': 'funded +1, pay',
    'evm.seen a stranger’s beside the right one refunded': 'funded +1, pay',
    'evm.seen dust, funding window over': 'pending vanished',
    'evm.seen another token': 'pending vanished',
    'evm.seen not through the coordinator': 'pending vanished',
    'evm.seen for another account': 'pending vanished',
    'evm.seen another timelock': 'pending vanished',
    'evm.seen claimed, not buried': 'pending vanished +1',
    'evm.seen claimed': 'pending vanished +1',
    'evm.seen refunded, not buried': 'pending vanished +1',
    'evm.seen refunded': 'pending vanished +1',
    'clock, too late to pay': 'stopped late +1',
    'clock, timelock passed': 'stopped late +1',
    'clock, a day after the timelock': 'stopped late +1',
  },
  funded: {
    'payment.started': 'paying',
    'payment.started after a call without an answer': 'paying late maybe',
    'payment.refused': 'stopped wont +1',
    'payment.seen in-flight': 'paying',
    'payment.seen settled': 'claiming, evm.send, supersedes, learns, books',
    'payment.seen failed': 'stopped wont +1',
    'payment.seen failed after a call without an answer': 'stopped wont late maybe +1',
    'evm.seen nothing': 'funded gone, FLAG',
    'evm.seen nothing, funding window over': 'funded gone, FLAG',
    'evm.seen nothing, too late to pay': 'funded gone, FLAG',
    'evm.seen more than agreed': 'funded gone +1, FLAG',
    'evm.seen short by one': 'funded gone +1, FLAG',
    'evm.seen short by one, not buried': 'funded gone +1, FLAG',
    'evm.seen dust': 'funded gone, FLAG',
    'evm.seen short by one, of a stranger': 'funded gone, FLAG',
    'evm.seen short by one, of nobody': 'funded gone, FLAG',
    'evm.seen a stranger’s': 'funded gone +1, FLAG',
    'evm.seen a stranger’s beside the right one': 'funded +1',
    'evm.seen a stranger’s buried, the right one not': 'funded +1',
    'evm.seen a stranger’s refunded beside the right one': 'funded +1',
    'evm.seen a stranger’s beside the right one refunded': 'funded +1',
    'evm.seen dust, funding window over': 'funded gone, FLAG',
    'evm.seen another token': 'funded gone, FLAG',
    'evm.seen not through the coordinator': 'funded gone, FLAG',
    'evm.seen for another account': 'funded gone, FLAG',
    'evm.seen another timelock': 'funded gone, FLAG',
  },
  'funded gone': {
    'payment.started': 'paying',
    'payment.started after a call without an answer': 'paying late maybe',
    'payment.refused': 'stopped wont +1',
    'payment.seen in-flight': 'paying',
    'payment.seen settled': 'claiming, evm.send, supersedes, learns, books',
    'payment.seen failed': 'stopped wont +1',
    'payment.seen failed after a call without an answer': 'stopped wont late maybe +1',
    'evm.seen right': 'funded',
    'evm.seen right but not buried': 'funded',
    'evm.seen right, clock of the chain unread': 'funded',
    'evm.seen right, funding window over': 'funded',
    'evm.seen right, too late to pay': 'funded',
    'evm.seen not buried, too late to pay': 'funded',
    'evm.seen dust beside the right one': 'funded',
    'evm.seen a stranger’s beside the right one': 'funded +1',
    'evm.seen a stranger’s buried, the right one not': 'funded +1',
    'evm.seen a stranger’s refunded beside the right one': 'funded +1',
    'evm.seen a stranger’s beside the right one refunded': 'funded +1',
    'evm.seen claimed, not buried': 'funded',
    'evm.seen claimed': 'funded',
    'evm.seen refunded, not buried': 'funded',
    'evm.seen refunded': 'funded',
  },
  paying: {
    'payment.seen settled': 'claiming, evm.send, supersedes, learns, books',
    'payment.seen failed': 'stopped wont +1',
    'payment.seen failed after a call without an answer': 'stopped wont +1',
    'payment.seen absent, every HTLC timed out': 'stopped wont +1',
    'evm.seen nothing': 'paying gone, FLAG',
    'evm.seen nothing, funding window over': 'paying gone, FLAG',
    'evm.seen nothing, too late to pay': 'paying gone, FLAG',
    'evm.seen more than agreed': 'paying gone +1, FLAG',
    'evm.seen short by one': 'paying gone +1, FLAG',
    'evm.seen short by one, not buried': 'paying gone +1, FLAG',
    'evm.seen dust': 'paying gone, FLAG',
    'evm.seen short by one, of a stranger': 'paying gone, FLAG',
    'evm.seen short by one, of nobody': 'paying gone, FLAG',
    'evm.seen a stranger’s': 'paying gone +1, FLAG',
    'evm.seen a stranger’s beside the right one': 'paying +1',
    'evm.seen a stranger’s buried, the right one not': 'paying +1',
    'evm.seen a stranger’s refunded beside the right one': 'paying +1',
    'evm.seen a stranger’s beside the right one refunded': 'paying +1',
    'evm.seen dust, funding window over': 'paying gone, FLAG',
    'evm.seen another token': 'paying gone, FLAG',
    'evm.seen not through the coordinator': 'paying gone, FLAG',
    'evm.seen for another account': 'paying gone, FLAG',
    'evm.seen another timelock': 'paying gone, FLAG',
  },
  'paying late maybe': {
    'payment.seen settled': 'claiming, evm.send, supersedes, learns, books',
    'payment.seen failed': 'stopped wont late maybe +1',
    'payment.seen failed after a call without an answer': 'stopped wont late maybe +1',
    'payment.seen absent, every HTLC timed out': 'stopped wont +1',
    'evm.seen nothing': 'paying gone late maybe, FLAG',
    'evm.seen nothing, funding window over': 'paying gone late maybe, FLAG',
    'evm.seen nothing, too late to pay': 'paying gone late maybe, FLAG',
    'evm.seen more than agreed': 'paying gone late maybe +1, FLAG',
    'evm.seen short by one': 'paying gone late maybe +1, FLAG',
    'evm.seen short by one, not buried': 'paying gone late maybe +1, FLAG',
    'evm.seen dust': 'paying gone late maybe, FLAG',
    'evm.seen short by one, of a stranger': 'paying gone late maybe, FLAG',
    'evm.seen short by one, of nobody': 'paying gone late maybe, FLAG',
    'evm.seen a stranger’s': 'paying gone late maybe +1, FLAG',
    'evm.seen a stranger’s beside the right one': 'paying late maybe +1',
    'evm.seen a stranger’s buried, the right one not': 'paying late maybe +1',
    'evm.seen a stranger’s refunded beside the right one': 'paying late maybe +1',
    'evm.seen a stranger’s beside the right one refunded': 'paying late maybe +1',
    'evm.seen dust, funding window over': 'paying gone late maybe, FLAG',
    'evm.seen another token': 'paying gone late maybe, FLAG',
    'evm.seen not through the coordinator': 'paying gone late maybe, FLAG',
    'evm.seen for another account': 'paying gone late maybe, FLAG',
    'evm.seen another timelock': 'paying gone late maybe, FLAG',
  },
  claiming: {
    'evm.prepared claim': 'claiming',
    'evm.seen nothing': 'claiming gone, FLAG',
    'evm.seen nothing, funding window over': 'claiming gone, FLAG',
    'evm.seen nothing, too late to pay': 'claiming gone, FLAG',
    'evm.seen more than agreed': 'claiming, evm.send, supersedes',
    'evm.seen short by one': 'claiming gone +1, FLAG',
    'evm.seen short by one, not buried': 'claiming gone +1, FLAG',
    'evm.seen dust': 'claiming gone, FLAG',
    'evm.seen short by one, of a stranger': 'claiming gone, FLAG',
    'evm.seen short by one, of nobody': 'claiming gone, FLAG',
    'evm.seen a stranger’s': 'claiming, evm.send, supersedes',
    'evm.seen a stranger’s beside the right one': 'claiming +1',
    'evm.seen a stranger’s buried, the right one not': 'claiming +1',
    'evm.seen a stranger’s refunded beside the right one': 'claiming +1',
    'evm.seen a stranger’s beside the right one refunded': 'claiming +1, evm.send, supersedes',
    'evm.seen dust, funding window over': 'claiming gone, FLAG',
    'evm.seen another token': 'claiming gone, FLAG',
    'evm.seen not through the coordinator': 'claiming gone, FLAG',
    'evm.seen for another account': 'claiming gone, FLAG',
    'evm.seen another timelock': 'claiming gone, FLAG',
    'evm.seen claimed': 'claimed, supersedes, books',
    'evm.seen refunded': 'lost, supersedes, books, FLAG',
  },
  'claiming gone': {
    'evm.prepared claim': 'claiming gone',
    'evm.seen right': 'claiming',
    'evm.seen right but not buried': 'claiming',
    'evm.seen right, clock of the chain unread': 'claiming',
    'evm.seen right, funding window over': 'claiming',
    'evm.seen right, too late to pay': 'claiming',
    'evm.seen not buried, too late to pay': 'claiming',
    'evm.seen more than agreed': 'claiming gone, evm.send, supersedes',
    'evm.seen dust beside the right one': 'claiming',
    'evm.seen a stranger’s': 'claiming gone, evm.send, supersedes',
    'evm.seen a stranger’s beside the right one': 'claiming +1',
    'evm.seen a stranger’s buried, the right one not': 'claiming +1',
    'evm.seen a stranger’s refunded beside the right one': 'claiming +1',
    'evm.seen a stranger’s beside the right one refunded': 'claiming gone +1, evm.send, supersedes',
    'evm.seen claimed, not buried': 'claiming',
    'evm.seen claimed': 'claimed, supersedes, books',
    'evm.seen refunded, not buried': 'claiming',
    'evm.seen refunded': 'lost, supersedes, books, FLAG',
  },
  claimed: {
    'evm.seen more than agreed': 'claimed +1',
    'evm.seen short by one': 'claimed +1',
    'evm.seen short by one, not buried': 'claimed +1',
    'evm.seen a stranger’s': 'claimed +1',
    'evm.seen a stranger’s beside the right one': 'claimed +1',
    'evm.seen a stranger’s buried, the right one not': 'claimed +1',
    'evm.seen a stranger’s refunded beside the right one': 'claimed +1',
    'evm.seen a stranger’s beside the right one refunded': 'claimed +1',
  },
  lost: {
    'evm.seen more than agreed': 'lost +1',
    'evm.seen short by one': 'lost +1',
    'evm.seen short by one, not buried': 'lost +1',
    'evm.seen a stranger’s': 'lost +1',
    'evm.seen a stranger’s beside the right one': 'lost +1',
    'evm.seen a stranger’s buried, the right one not': 'lost +1',
    'evm.seen a stranger’s refunded beside the right one': 'lost +1',
    'evm.seen a stranger’s beside the right one refunded': 'lost +1',
  },
  'stopped expired': {
    'payment.seen settled': 'stopped expired, learns, FLAG',
    'evm.seen right': 'stopped late +1',
    'evm.seen right but not buried': 'stopped late +1',
    'evm.seen right, clock of the chain unread': 'stopped late +1',
    'evm.seen right, funding window over': 'stopped late +1',
    'evm.seen right, too late to pay': 'stopped late +1',
    'evm.seen not buried, too late to pay': 'stopped late +1',
    'evm.seen more than agreed': 'stopped late +1',
    'evm.seen short by one': 'stopped late +1',
    'evm.seen short by one, not buried': 'stopped late +1',
    'evm.seen dust beside the right one': 'stopped late +1',
    'evm.seen a stranger’s': 'stopped late +1',
    'evm.seen a stranger’s beside the right one': 'stopped late +2',
    'evm.seen a stranger’s buried, the right one not': 'stopped late +2',
    'evm.seen a stranger’s refunded beside the right one': 'stopped late +2',
    'evm.seen a stranger’s beside the right one refunded': 'refunded +2',
    'evm.seen claimed, not buried': 'refunded +1',
    'evm.seen claimed': 'refunded +1',
    'evm.seen refunded, not buried': 'refunded +1',
    'evm.seen refunded': 'refunded +1',
    'clock, timelock passed': 'lapsed',
    'clock, a day after the timelock': 'lapsed',
  },
  'stopped invalid': {
    'payment.seen settled': 'stopped invalid +1, learns, FLAG',
    'evm.seen nothing': 'stopped invalid',
    'evm.seen nothing, funding window over': 'stopped invalid',
    'evm.seen right': 'stopped invalid +1',
    'evm.seen nothing, too late to pay': 'stopped invalid',
    'evm.seen right but not buried': 'stopped invalid +1',
    'evm.seen right, clock of the chain unread': 'stopped invalid +1',
    'evm.seen right, funding window over': 'stopped invalid +1',
    'evm.seen right, too late to pay': 'stopped invalid +1',
    'evm.seen not buried, too late to pay': 'stopped invalid +1',
    'evm.seen more than agreed': 'stopped invalid +1',
    'evm.seen dust': 'stopped invalid',
    'evm.seen dust beside the right one': 'stopped invalid +1',
    'evm.seen short by one, of a stranger': 'stopped invalid',
    'evm.seen short by one, of nobody': 'stopped invalid',
    'evm.seen a stranger’s': 'stopped invalid +1',
    'evm.seen a stranger’s beside the right one': 'stopped invalid +2',
    'evm.seen a stranger’s buried, the right one not': 'stopped invalid +2',
    'evm.seen a stranger’s refunded beside the right one': 'stopped invalid +2',
    'evm.seen a stranger’s beside the right one refunded': 'refunded +2',
    'evm.seen dust, funding window over': 'stopped invalid',
    'evm.seen another token': 'stopped invalid',
    'evm.seen not through the coordinator': 'stopped invalid',
    'evm.seen for another account': 'stopped invalid',
    'evm.seen another timelock': 'stopped invalid',
    'evm.seen claimed, not buried': 'refunded +1',
    'evm.seen claimed': 'refunded +1',
    'evm.seen refunded, not buried': 'refunded +1',
    'evm.seen refunded': 'refunded +1',
    'clock, a day after the timelock': 'stopped invalid +1',
  },
  'stopped late': {
    'payment.seen settled': 'claiming, evm.send, learns, books, FLAG',
    'evm.seen nothing': 'stopped late',
    'evm.seen nothing, funding window over': 'stopped late',
    'evm.seen nothing, too late to pay': 'stopped late',
    'evm.seen more than agreed': 'stopped late +1',
    'evm.seen short by one': 'stopped late +1',
    'evm.seen short by one, not buried': 'stopped late +1',
    'evm.seen dust': 'stopped late',
    'evm.seen short by one, of a stranger': 'stopped late',
    'evm.seen short by one, of nobody': 'stopped late',
    'evm.seen a stranger’s': 'stopped late +1',
    'evm.seen a stranger’s beside the right one': 'stopped late +2',
    'evm.seen a stranger’s buried, the right one not': 'stopped late +2',
    'evm.seen a stranger’s refunded beside the right one': 'stopped late +2',
    'evm.seen a stranger’s beside the right one refunded': 'refunded +2',
    'evm.seen dust, funding window over': 'stopped late',
    'evm.seen another token': 'stopped late',
    'evm.seen not through the coordinator': 'stopped late',
    'evm.seen for another account': 'stopped late',
    'evm.seen another timelock': 'stopped late',
    'evm.seen claimed, not buried': 'refunded +1',
    'evm.seen claimed': 'refunded +1',
    'evm.seen refunded, not buried': 'refunded +1',
    'evm.seen refunded': 'refunded +1',
    'evm-refund.requested of the right lock': 'stopped late refund asked fenced +1, evm.send',
    'clock, a day after the timelock': 'stopped late +1',
  },
  'stopped late refund asked fenced': {
    'evm.prepared relay-refund': 'stopped late refund sent fenced +1',
    'evm.refused relay-refund': 'stopped late fenced +1',
    'evm.already-done relay-refund': 'stopped late fenced +1',
    'payment.seen settled': 'stopped late refund asked fenced +1, learns, FLAG',
    'evm.seen nothing': 'stopped late refund asked fenced',
    'evm.seen nothing, funding window over': 'stopped late refund asked fenced',
    'evm.seen nothing, too late to pay': 'stopped late refund asked fenced',
    'evm.seen more than agreed': 'stopped late refund asked fenced +1',
    'evm.seen short by one': 'stopped late refund asked fenced +1',
    'evm.seen short by one, not buried': 'stopped late refund asked fenced +1',
    'evm.seen dust': 'stopped late refund asked fenced',
    'evm.seen short by one, of a stranger': 'stopped late refund asked fenced',
    'evm.seen short by one, of nobody': 'stopped late refund asked fenced',
    'evm.seen a stranger’s': 'stopped late refund asked fenced +1',
    'evm.seen a stranger’s beside the right one': 'stopped late refund asked fenced +2',
    'evm.seen a stranger’s buried, the right one not': 'stopped late refund asked fenced +2',
    'evm.seen a stranger’s refunded beside the right one': 'stopped late refund asked fenced +2',
    'evm.seen a stranger’s beside the right one refunded': 'refunded refund asked +2',
    'evm.seen dust, funding window over': 'stopped late refund asked fenced',
    'evm.seen another token': 'stopped late refund asked fenced',
    'evm.seen not through the coordinator': 'stopped late refund asked fenced',
    'evm.seen for another account': 'stopped late refund asked fenced',
    'evm.seen another timelock': 'stopped late refund asked fenced',
    'evm.seen claimed, not buried': 'refunded refund asked +1',
    'evm.seen claimed': 'refunded refund asked +1',
    'evm.seen refunded, not buried': 'refunded refund asked +1',
    'evm.seen refunded': 'refunded refund asked +1',
    'clock, a day after the timelock': 'stopped late refund asked fenced +1',
  },
  'stopped late refund sent fenced': {
    'evm.sent relay-refund taken': 'stopped late refund sent fenced +1',
    'evm.sent relay-refund mined': 'stopped late refund sent fenced +1',
    'evm.sent relay-refund failed': 'stopped late fenced +1',
    'evm.sent relay-refund gone': 'stopped late fenced +1',
    'payment.seen settled': 'stopped late refund sent fenced +1, learns, FLAG',
    'evm.seen nothing': 'stopped late refund sent fenced',
    'evm.seen nothing, funding window over': 'stopped late refund sent fenced',
    'evm.seen nothing, too late to pay': 'stopped late refund sent fenced',
    'evm.seen more than agreed': 'stopped late refund sent fenced +1',
    'evm.seen short by one': 'stopped late refund sent fenced +1',
    'evm.seen short by one, not buried': 'stopped late refund sent fenced +1',
    'evm.seen dust': 'stopped late refund sent fenced',
    'evm.seen short by one, of a stranger': 'stopped late refund sent fenced',
    'evm.seen short by one, of nobody': 'stopped late refund sent fenced',
    'evm.seen a stranger’s': 'stopped late refund sent fenced +1',
    'evm.seen a stranger’s beside the right one': 'stopped late refund sent fenced +2',
    'evm.seen a stranger’s buried, the right one not': 'stopped late refund sent fenced +2',
    'evm.seen a stranger’s refunded beside the right one': 'stopped late refund sent fenced +2',
    'evm.seen a stranger’s beside the right one refunded': 'refunded refund sent +2',
    'evm.seen dust, funding window over': 'stopped late refund sent fenced',
    'evm.seen another token': 'stopped late refund sent fenced',
    'evm.seen not through the coordinator': 'stopped late refund sent fenced',
    'evm.seen for another account': 'stopped late refund sent fenced',
    'evm.seen another timelock': 'stopped late refund sent fenced',
    'evm.seen claimed, not buried': 'refunded refund sent +1',
    'evm.seen claimed': 'refunded refund sent +1',
    'evm.seen refunded, not buried': 'refunded refund sent +1',
    'evm.seen refunded': 'refunded refund sent +1',
    'clock, a day after the timelock': 'stopped late refund sent fenced +1',
  },
  'stopped late fenced': {
    'payment.seen settled': 'stopped late fenced +1, learns, FLAG',
    'evm.seen nothing': 'stopped late fenced',
    'evm.seen nothing, funding window over': 'stopped late fenced',
    'evm.seen nothing, too late to pay': 'stopped late fenced',
    'evm.seen more than agreed': 'stopped late fenced +1',
    'evm.seen short by one': 'stopped late fenced +1',
    'evm.seen short by one, not buried': 'stopped late fenced +1',
    'evm.seen dust': 'stopped late fenced',
    'evm.seen short by one, of a stranger': 'stopped late fenced',
    'evm.seen short by one, of nobody': 'stopped late fenced',
    'evm.seen a stranger’s': 'stopped late fenced +1',
    'evm.seen a stranger’s beside the right one': 'stopped late fenced +2',
    'evm.seen a stranger’s buried, the right one not': 'stopped late fenced +2',
    'evm.seen a stranger’s refunded beside the right one': 'stopped late fenced +2',
    'evm.seen a stranger’s beside the right one refunded': 'refunded +2',
    'evm.seen dust, funding window over': 'stopped late fenced',
    'evm.seen another token': 'stopped late fenced',
    'evm.seen not through the coordinator': 'stopped late fenced',
    'evm.seen for another account': 'stopped late fenced',
    'evm.seen another timelock': 'stopped late fenced',
    'evm.seen claimed, not buried': 'refunded +1',
    'evm.seen claimed': 'refunded +1',
    'evm.seen refunded, not buried': 'refunded +1',
    'evm.seen refunded': 'refunded +1',
    'evm-refund.requested of the right lock': 'stopped late refund asked fenced +1, evm.send',
    'clock, a day after the timelock': 'stopped late fenced +1',
  },
  'stopped wont late in-flight': {
    'payment.seen settled': 'claiming, evm.send, learns, books, FLAG',
    'payment.seen failed': 'stopped wont late maybe +1',
    'payment.seen failed after a call without an answer': 'stopped wont late maybe +1',
    'payment.seen absent, every HTLC timed out': 'stopped wont +1',
    'evm.seen nothing': 'stopped wont late in-flight',
    'evm.seen nothing, funding window over': 'stopped wont late in-flight',
    'evm.seen nothing, too late to pay': 'stopped wont late in-flight',
    'evm.seen more than agreed': 'stopped wont late in-flight +1',
    'evm.seen short by one': 'stopped wont late in-flight +1',
    'evm.seen short by one, not buried': 'stopped wont late in-flight +1',
    'evm.seen dust': 'stopped wont late in-flight',
    'evm.seen short by one, of a stranger': 'stopped wont late in-flight',
    'evm.seen short by one, of nobody': 'stopped wont late in-flight',
    'evm.seen a stranger’s': 'stopped wont late in-flight +1',
    'evm.seen a stranger’s beside the right one': 'stopped wont late in-flight +2',
    'evm.seen a stranger’s buried, the right one not': 'stopped wont late in-flight +2',
    'evm.seen a stranger’s refunded beside the right one': 'stopped wont late in-flight +2',
    'evm.seen a stranger’s beside the right one refunded': 'refunded late in-flight +2',
    'evm.seen dust, funding window over': 'stopped wont late in-flight',
    'evm.seen another token': 'stopped wont late in-flight',
    'evm.seen not through the coordinator': 'stopped wont late in-flight',
    'evm.seen for another account': 'stopped wont late in-flight',
    'evm.seen another timelock': 'stopped wont late in-flight',
    'evm.seen claimed, not buried': 'refunded late in-flight +1',
    'evm.seen claimed': 'refunded late in-flight +1',
    'evm.seen refunded, not buried': 'refunded late in-flight +1',
    'evm.seen refunded': 'refunded late in-flight +1',
    'clock, a day after the timelock': 'stopped wont late in-flight +1',
  },
  'stopped wont late in-flight fenced': {
    'payment.seen settled': 'stopped wont fenced +1, learns, books, FLAG',
    'payment.seen failed': 'stopped wont late maybe fenced +1',
    'payment.seen failed after a call without an answer': 'stopped wont late maybe fenced +1',
    'payment.seen absent, every HTLC timed out': 'stopped wont fenced +1',
    'evm.seen nothing': 'stopped wont late in-flight fenced',
    'evm.seen nothing, funding window over': 'stopped wont late in-flight fenced',
    'evm.seen nothing, too late to pay': 'stopped wont late in-flight fenced',
    'evm.seen more than agreed': 'stopped wont late in-flight fenced +1',
    'evm.seen short by one': 'stopped wont late in-flight fenced +1',
    'evm.seen short by one, not buried': 'stopped wont late in-flight fenced +1',
    'evm.seen dust': 'stopped wont late in-flight fenced',
    'evm.seen short by one, of a stranger': 'stopped wont late in-flight fenced',
    'evm.seen short by one, of nobody': 'stopped wont late in-flight fenced',
    'evm.seen a stranger’s': 'stopped wont late in-flight fenced +1',
    'evm.seen a stranger’s beside the right one': 'stopped wont late in-flight fenced +2',
    'evm.seen a stranger’s buried, the right one not': 'stopped wont late in-flight fenced +2',
    'evm.seen a stranger’s refunded beside the right one': 'stopped wont late in-flight fenced +2',
    'evm.seen a stranger’s beside the right one refunded': 'refunded late in-flight +2',
    'evm.seen dust, funding window over': 'stopped wont late in-flight fenced',
    'evm.seen another token': 'stopped wont late in-flight fenced',
    'evm.seen not through the coordinator': 'stopped wont late in-flight fenced',
    'evm.seen for another account': 'stopped wont late in-flight fenced',
    'evm.seen another timelock': 'stopped wont late in-flight fenced',
    'evm.seen claimed, not buried': 'refunded late in-flight +1',
    'evm.seen claimed': 'refunded late in-flight +1',
    'evm.seen refunded, not buried': 'refunded late in-flight +1',
    'evm.seen refunded': 'refunded late in-flight +1',
    'evm-refund.requested of the right lock': 'stopped wont refund asked late in-flight fenced +1, evm.send',
    'clock, a day after the timelock': 'stopped wont late in-flight fenced +1',
  },
  refunded: {
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
    'evm.seen short by one, of a stranger': 'refunded',
    'evm.seen short by one, of nobody': 'refunded',
    'evm.seen a stranger’s': 'refunded +1',
    'evm.seen a stranger’s beside the right one': 'refunded +2',
    'evm.seen a stranger’s buried, the right one not': 'refunded +2',
    'evm.seen a stranger’s refunded beside the right one': 'refunded +2',
    'evm.seen dust, funding window over': 'refunded',
    'evm.seen another token': 'refunded',
    'evm.seen not through the coordinator': 'refunded',
    'evm.seen for another account': 'refunded',
    'evm.seen another timelock': 'refunded',
    'evm.seen claimed, not buried': 'refunded +1',
    'evm.seen claimed': 'refunded +1',
    'evm.seen refunded, not buried': 'refunded +1',
    'evm.seen refunded': 'refunded +1',
    'evm-refund.requested of a stranger’s': 'refunded refund asked +2, evm.send',
    'clock, a day after the timelock': 'refunded +2',
  },
  'refunded late maybe': {
    'payment.seen in-flight': 'refunded late in-flight +2',
    'payment.seen settled': 'refunded +2, learns, books, FLAG',
    'payment.seen absent, every HTLC timed out': 'refunded +2',
    'evm.seen nothing': 'refunded late maybe',
    'evm.seen nothing, funding window over': 'refunded late maybe',
    'evm.seen right': 'refunded late maybe +1',
    'evm.seen nothing, too late to pay': 'refunded late maybe',
    'evm.seen right but not buried': 'refunded late maybe +1',
    'evm.seen right, clock of the chain unread': 'refunded late maybe +1',
    'evm.seen right, funding window over': 'refunded late maybe +1',
    'evm.seen right, too late to pay': 'refunded late maybe +1',
    'evm.seen not buried, too late to pay': 'refunded late maybe +1',
    'evm.seen more than agreed': 'refunded late maybe +1',
    'evm.seen short by one': 'refunded late maybe +1',
    'evm.seen short by one, not buried': 'refunded late maybe +1',
    'evm.seen dust': 'refunded late maybe',
    'evm.seen dust beside the right one': 'refunded late maybe +1',
    'evm.seen short by one, of a stranger': 'refunded late maybe',
    'evm.seen short by one, of nobody': 'refunded late maybe',
    'evm.seen a stranger’s': 'refunded late maybe +1',
    'evm.seen a stranger’s beside the right one': 'refunded late maybe +2',
    'evm.seen a stranger’s buried, the right one not': 'refunded late maybe +2',
    'evm.seen a stranger’s refunded beside the right one': 'refunded late maybe +2',
    'evm.seen dust, funding window over': 'refunded late maybe',
    'evm.seen another token': 'refunded late maybe',
    'evm.seen not through the coordinator': 'refunded late maybe',
    'evm.seen for another account': 'refunded late maybe',
    'evm.seen another timelock': 'refunded late maybe',
    'evm.seen claimed, not buried': 'refunded late maybe +1',
    'evm.seen claimed': 'refunded late maybe +1',
    'evm.seen refunded, not buried': 'refunded late maybe +1',
    'evm.seen refunded': 'refunded late maybe +1',
    'evm-refund.requested of a stranger’s': 'refunded refund asked late maybe +2, evm.send',
    'clock, a day after the timelock': 'refunded late maybe +2',
  },
  lapsed: {},
};

const { machine } = evmLightningCase;
const states = representatives(evmLightningCase);
const everything = explore(evmLightningCase);
const timelock = unix(Number(t.lock.timelock));

function state(name: string): EvmLightningProgress {
  const progress = states.get(name);
  if (progress === undefined) throw new Error(`no state is called ${name}`);
  return progress;
}

function step(p: EvmLightningProgress, event: Event, now = evmClocksAt(start + 60)): SwapStep<EvmLightningProgress> {
  const next = machine.step(t, p, event, now);
  if (next === 'stay') throw new Error(`${event.is} does not move ${nameOf(p)}`);
  return next;
}

const after = (name: string, event: Event) => step(state(name), event);
const settled: Event = { is: 'payment.seen', state: { is: 'settled', preimage, feeMsat: 5n } };

test('these states can be reached and no others', () => {
  expect([...states.keys()].sort()).toEqual(names);
});

test.each(Object.entries(moves))('%s moves on these events alone', (name, expected) => {
  expect(tableOf(evmLightningCase, state(name))).toEqual(expected);
});

test('each state has its wire status, its watches, its deadline and its promise of liquidity', () => {
  const facts = Object.keys(moves).map((name) => {
    const p = state(name);
    const watched = machine
      .watches(t, p)
      .map((watch) => ('purpose' in watch ? watch.purpose : watch.on))
      .join(' ');
    const open = machine.open(t, p) ? 'open' : 'ended';
    return [name, machine.status(p), watched, machine.deadline(t, p), open, machine.reserves(p) ? 'reserves' : ''];
  });
  const leftAlone = later(timelock, day);
  expect(facts).toEqual([
    ['pending', 'pending', 'evm-lock', t.fundBefore, 'open', 'reserves'],
    ['pending relay asked', 'pending', 'evm-lock', t.fundBefore, 'open', 'reserves'],
    ['pending relay sent', 'pending', 'evm-lock relay-fund', t.fundBefore, 'open', 'reserves'],
    ['pending relay mined', 'pending', 'evm-lock', t.fundBefore, 'open', 'reserves'],
    ['pending vanished', 'pending', 'evm-lock', t.fundBefore, 'open', 'reserves'],
    ['seen', 'clientfundingseen', 'evm-lock', t.payBefore, 'open', 'reserves'],
    ['funded', 'clientfunded', 'evm-lock', null, 'open', 'reserves'],
    ['funded gone', 'clientfunded', 'evm-lock', null, 'open', 'reserves'],
    ['paying', 'serverfunded', 'evm-lock payment', null, 'open', ''],
    ['paying late maybe', 'serverfunded', 'evm-lock payment', null, 'open', ''],
    ['claiming', 'clientredeemed', 'evm-lock', null, 'open', ''],
    ['claiming gone', 'clientredeemed', 'evm-lock', null, 'open', ''],
    ['claimed', 'serverredeemed', 'evm-lock', null, 'ended', ''],
    ['lost', 'clientredeemedandclientrefunded', 'evm-lock', null, 'ended', ''],
    ['stopped expired', 'expired', 'evm-lock', timelock, 'open', ''],
    ['stopped invalid', 'clientinvalidfunded', 'evm-lock payment', leftAlone, 'open', ''],
    ['stopped late', 'clientfundedtoolate', 'evm-lock payment', leftAlone, 'open', ''],
    ['stopped late refund asked fenced', 'clientfundedtoolate', 'evm-lock', leftAlone, 'open', ''],
    ['stopped late refund sent fenced', 'clientfundedtoolate', 'evm-lock relay-refund', leftAlone, 'open', ''],
    ['stopped late fenced', 'clientfundedtoolate', 'evm-lock', leftAlone, 'open', ''],
    ['stopped wont late in-flight', 'serverwontfund', 'evm-lock payment', leftAlone, 'open', ''],
    ['stopped wont late in-flight fenced', 'serverwontfund', 'evm-lock payment', leftAlone, 'open', ''],
    ['refunded', 'clientrefunded', 'evm-lock', leftAlone, 'open', ''],
    ['refunded late maybe', 'clientrefunded', 'evm-lock payment', leftAlone, 'open', ''],
    ['lapsed', 'expired', '', null, 'ended', ''],
  ]);
});

test('every state says who is waited for', () => {
  expect([...states.values()].filter((p) => machine.nextAction(t, p).length < 8)).toEqual([]);
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

  test('a payment is started for a buried lock alone, and a claim for a payment that settled', () => {
    const pays = everything.moves.filter(({ step: { effects } }) => effects.some((one) => one.do === 'pay'));
    expect([...new Set(pays.map(({ label }) => label))]).toEqual([
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
    expect([startsOf('pay'), startsOf('claim'), startsOf('relay-refund'), startsOf('relay-fund')]).toEqual([
      ['pending', 'seen'],
      ['funded', 'stopped', 'paying', 'claiming'],
      ['stopped', 'refunded', 'claimed', 'lost'],
      ['pending'],
    ]);
  });

  test('fault 11, evm: a payment carries the lock as its event told of it, with the amount that is in it', () => {
    const lock = seenLock({ amount: 500_000n });
    expect(after('pending', lookAt([lock])).effects).toEqual([
      {
        do: 'pay',
        payment: {
          bolt11: t.bolt11,
          hash: t.hash,
          amount: t.targetAmount,
          maxFeeMsat: t.maxFeeMsat,
          maxTimeoutHeight: t.maxTimeoutHeight,
        },
        onlyIf: {
          notAfter: t.payBefore,
          deposit: {
            network,
            htlc: t.contracts.htlc,
            lock: lock.terms,
            txid: lock.txid,
            confirmations: 16,
            agreed: false,
            value: t.sourceAmount,
            finalCltv: 80,
            invoiceExpiresAt: t.invoiceExpiresAt,
            policy: t.policy,
          },
        },
      },
    ]);
  });

  test('the secret of a settled payment is saved in the commit that asks for the claim of the lock', () => {
    const paid = step(step(state('pending'), lookAt([seenLock({ amount: 500_000n })])).progress, settled);
    expect(paid).toMatchObject({
      learned: preimage,
      effects: [{ do: 'evm.send', act: { is: 'claim', lock: { ...t.lock, amount: 500_000n } }, deadline: timelock }],
    });
    const claimed = step(paid.progress, lookAt([seenLock({ amount: 500_000n }, { state: redeemed(16) })]));
    expect(claimed.ledger).toEqual(
      [
        ['protocol-fee', 250n],
        ['network-fee-charged', 10n],
        ['surplus', 399_740n],
      ].map(([kind, amount]) => ({ kind, network, asset: `0x${'01'.repeat(20)}`, amount })),
    );
  });

  test('fault 8, evm: one unit short is no funding, and is given back', () => {
    const stopped = after('pending', lookAt([seenLock({ amount: t.least - 1n })])).progress;
    expect(stopped).toMatchObject({
      why: 'invalid',
      reason: `the lock holds 100259, 1 less than the 100260 agreed`,
      extras: [{ lock: { amount: t.least - 1n }, taken: false }],
    });
  });

  test('fault 9, evm: a lock over the price is taken whole, and what is over stands on the ledger', () => {
    const over = seenLock({ amount: t.least + 1n });
    const paid = step(step(state('pending'), lookAt([over])).progress, settled);
    const done = step(paid.progress, lookAt([seenLock({ amount: t.least + 1n }, { state: redeemed(16) })]));
    expect(paid.effects).toMatchObject([{ act: { is: 'claim', lock: { amount: t.least + 1n } } }]);
    expect(done.ledger).toContainEqual({ kind: 'surplus', network, asset: `0x${'01'.repeat(20)}`, amount: 1n });
  });

  test('fault 10, evm: the right amount of another token, account, timelock or hash is no funding', () => {
    const other = account.service;
    const wrong: Parameters<typeof seenLock>[0][] = [
      { token: other },
      { claimAddress: account.client },
      { refundAddress: account.client },
      { timelock: t.lock.timelock + 1n },
      { timelock: t.lock.timelock - 1n },
      { preimageHash: asSha256(new Uint8Array(32).fill(1)) },
    ];
    const started = wrong.flatMap((change) => {
      const one = machine.step(t, state('pending'), lookAt([seenLock(change)]), evmClocksAt(start + 60));
      return one === 'stay' ? [] : [...one.effects, ...('deposit' in one.progress ? [one.progress.at] : [])];
    });
    expect(started).toEqual([]);
  });

  test('fault 42, evm: claim and payment are by the terms of the swap, whatever is set by then', () => {
    const paying = step(state('pending'), lookAt([seenLock()]));
    const claiming = step(paying.progress, settled);
    expect(paying.effects).toMatchObject([
      {
        do: 'pay',
        payment: { amount: t.targetAmount, maxFeeMsat: t.maxFeeMsat, maxTimeoutHeight: t.maxTimeoutHeight },
      },
    ]);
    expect(claiming.effects).toMatchObject([
      { do: 'evm.send', network, contracts: t.contracts, value: t.sourceAmount },
    ]);
  });

  test('fault 7: dust that a stranger locks first ends nothing, and is not listed', () => {
    const many = Array.from({ length: 30 }, (_, i) => seenLock({ amount: BigInt(100 + i) }));
    const { progress } = after('pending', lookAt([...many, seenLock()]));
    expect(progress).toMatchObject({ at: 'funded', deposit: { lock: { amount: t.least } }, extras: [] });
  });

  /** As agreed, each another's, older than the client's and larger. */
  const many = (count: number, change: Parameters<typeof strangers>[0] = {}) =>
    Array.from({ length: count }, (_, i) =>
      seenLock({ amount: t.least + 10n + BigInt(i) }, { depositor: account.stranger, height: i, ...change }),
    );

  test('fault 62, evm: however much strangers lock, the client’s lock is the swap’s, and comes back', () => {
    const own = seenLock({ amount: t.least + 1n });
    const { progress: funded } = after('pending', lookAt([...many(50), own]));
    expect(funded).toMatchObject({ at: 'funded', deposit: { key: own.key, depositor: account.client } });
    const { progress: paid } = step(funded, { is: 'payment.refused', reason: 'no route' });
    const { progress: looked } = step(paid, lookAt([...many(60), own]));
    expect(looked).toMatchObject({ at: 'stopped', why: 'wont' });
    expect('extras' in looked && [looked.extras.length, looked.extras[0]?.key]).toEqual([20, own.key]);
    // Refunds of theirs use up none of the client's, and keep it waiting for none.
    let current = looked;
    for (const one of many(5)) {
      const next = machine.step(t, current, askRefund(one), evmClocksAt(start + 60));
      if (next === 'stay') continue;
      current = step(next.progress, {
        is: 'evm.prepared',
        purpose: 'relay-refund',
        txid: `${toHex(one.key)}`,
      }).progress;
    }
    expect(current).toMatchObject({ fenced: false, refunds: 0, refundsOfOthers: 3 });
    const refunding = step(current, askRefund(own));
    expect(refunding).toMatchObject({
      progress: { fenced: true, refunds: 1 },
      effects: [{ act: { lock: own.terms } }],
    });
    const back = lookAt([...many(60), { ...own, state: refunded(16) }]);
    expect(step(refunding.progress, back).progress.at).toBe('refunded');
  });

  test('fault 62, evm: what is locked beside one that we claim keeps no claim from its end', () => {
    const claiming = after('paying', settled).progress;
    const noticed = step(claiming, lookAt([...many(50), seenLock()])).progress;
    const end = lookAt([...many(60), seenLock({}, { state: redeemed(16) })]);
    expect(step(noticed, end)).toMatchObject({ progress: { at: 'claimed', deposit: { key: seenLock().key } } });
  });

  test('fault 62, evm: strangers make no unfunded swap invalid, and end none for half its amount', () => {
    const theirs = [
      ...many(3).map((one) => ({ ...one, terms: { ...one.terms, token: account.client } })),
      seenLock({ amount: t.least / 2n }, { depositor: account.stranger }),
      seenLock({ amount: t.least - 1n }, { depositor: 'nobody' as const }),
      seenLock({ amount: t.least - 2n }, { depositor: null }),
    ];
    expect(machine.step(t, state('pending'), lookAt(theirs), evmClocksAt(start + 60))).toBe('stay');
    const closed = step(state('pending'), lookAt(theirs, t.fundBefore), evmClocksAt(t.fundBefore));
    expect(closed.progress).toMatchObject({ at: 'stopped', why: 'expired', extras: [] });
  });

  test('fault 65, evm: a payment that settles late takes the counted lock, and books what that held', () => {
    const own = seenLock({ amount: t.least + 1n });
    const { progress: called } = step(step(state('pending'), lookAt([own])).progress, {
      is: 'payment.seen',
      state: { is: 'failed', reason: 'no route' },
      unsure: true,
    });
    const worthless = many(30).map((one) => ({ ...one, terms: { ...one.terms, token: account.client } }));
    const before = lookAt([...worthless, ...many(30, { depositor: account.stranger }), own]);
    const { progress: looked } = step(called, before);
    const late = step(looked, settled);
    expect(late).toMatchObject({
      progress: { at: 'claiming', deposit: { key: own.key } },
      effects: [{ act: { is: 'claim', lock: own.terms } }],
    });
    const done = step(late.progress, lookAt([...worthless, { ...own, state: redeemed(16) }]));
    expect(done.ledger?.map(({ kind, amount }) => [kind, amount])).toEqual([
      ['protocol-fee', 250n],
      ['network-fee-charged', 10n],
      ['surplus', 1n],
    ]);
  });

  test('fault 65, evm: a payment that settles while no look shows the counted lock takes it all the same', () => {
    const { progress: unseen } = step(state('stopped wont late in-flight'), lookAt([]));
    expect(unseen).toMatchObject({ at: 'stopped', extras: [] });
    expect(step(unseen, settled)).toMatchObject({
      progress: { at: 'claiming', deposit: { key: seenLock().key } },
      effects: [{ act: { is: 'claim', lock: seenLock().terms } }],
    });
  });

  test('fault 65, evm: twenty refunded worthless locks end no swap while the real one stands', () => {
    const over = many(25).map((one) => ({
      ...one,
      terms: { ...one.terms, token: account.client },
      state: refunded(16),
    }));
    const ended = many(25, { state: refunded(16) });
    const own = seenLock();
    const next = machine.step(t, state('stopped wont late in-flight'), lookAt([...over, own]), evmClocksAt(start + 60));
    expect(next).toBe('stay');
    const listed = step(state('stopped wont late in-flight'), lookAt([...ended, own])).progress;
    expect(listed).toMatchObject({ at: 'stopped', extras: expect.arrayContaining([expect.anything()]) as unknown });
    expect('extras' in listed && listed.extras[0]).toMatchObject({ key: own.key, taken: false });
    expect(step(listed, settled)).toMatchObject({ progress: { at: 'claiming', deposit: { key: own.key } } });
  });

  test('fault 65, evm: where the counted lock is refunded, what else was made as agreed is claimed', () => {
    const other = strangers();
    const first = seenLock({}, { state: refunded(16) });
    expect(step(state('claiming'), lookAt([first, other]))).toMatchObject({
      progress: { at: 'claiming', deposit: { key: other.key }, claimTxid: null },
      effects: [{ act: { is: 'claim', lock: other.terms } }],
    });
  });

  test('fault 6: of two right locks the swap keeps the one that it saw first, and refunds the other', () => {
    const [first, second] = [seenLock({ amount: 200_000n }, { confirmations: 3 }), seenLock({}, { confirmations: 2 })];
    const waiting = after('pending', lookAt([first])).progress;
    const both = step(waiting, lookAt([first, second].map((lock) => ({ ...lock, confirmations: 16 })))).progress;
    expect(both).toMatchObject({ at: 'funded', deposit: { key: first.key }, extras: [{ key: second.key }] });
  });

  test('fault 13, evm: what a reorganisation made of the lock while it was paid for is claimed', () => {
    const claiming = after('paying', settled).progress;
    const other = seenLock({ amount: t.least + 7n }, { confirmations: 1 });
    expect(step(claiming, lookAt([other]))).toMatchObject({
      supersedes: ['evm'],
      effects: [{ act: { is: 'claim', lock: { amount: t.least + 7n } } }],
    });
  });

  test('fault 310, evm: a claim from memory of the lock in the place of ours makes that one the swap’s', () => {
    const other = strangers({ state: redeemed(1) });
    const moved = step(state('claiming'), lookAt([other]));
    expect([moved.progress, moved.effects]).toMatchObject([
      { at: 'claiming', deposit: { key: other.key } },
      [{ do: 'evm.send', act: { is: 'claim', lock: other.terms } }],
    ]);
  });

  test('fault 291, evm: a claim of the lock before is none of the one that took its place', () => {
    const other = seenLock({ amount: t.least + 7n }, { confirmations: 1 });
    const { progress } = step(after('paying', settled).progress, lookAt([other]));
    const claimOf = ({ terms }: typeof other): Event => ({
      is: 'evm.prepared',
      purpose: 'claim',
      txid: sentTxid.claim,
      lock: swapKey(terms),
    });
    expect(machine.step(t, progress, claimOf(seenLock()), evmClocksAt(start + 60))).toBe('stay');
    expect(step(progress, claimOf(other))).toMatchObject({ progress: { claimTxid: sentTxid.claim } });
  });

  test('fault 306, evm: what was answered for the refund of one lock says nothing of that of another', () => {
    const [first, other] = [strangers(), seenLock()];
    const both = after('stopped late', lookAt([first, other])).progress;
    const refunding = step(both, askRefund(first)).progress;
    const unlocked = step(refunding, { is: 'evm.unlocked', keys: [first.key] }).progress;
    const waiting = step(unlocked, askRefund(other)).progress;
    const about = { purpose: 'relay-refund' } as const;
    const answers = (lock: Uint8Array): Event[] => [
      { is: 'evm.prepared', ...about, txid: sentTxid.refund, lock },
      { is: 'evm.refused', ...about, reason: 'it reverts', lock },
      { is: 'evm.already-done', ...about, lock },
    ];
    const steps = (lock: Uint8Array) =>
      answers(lock).map((event) => machine.step(t, waiting, event, evmClocksAt(start + 60)));
    expect(steps(first.key)).toEqual(['stay', 'stay', 'stay']);
    expect(steps(other.key)).toMatchObject([
      { progress: { refund: { key: other.key, txid: sentTxid.refund } } },
      { progress: { refund: null, refusal: 'it reverts' } },
      { progress: { refund: null } },
    ]);
  });

  test('fault 34, evm: a claim that was mined and failed is made again, with a flag', () => {
    const sent = after('claiming', { is: 'evm.prepared', purpose: 'claim', txid: sentTxid.claim }).progress;
    const end = (confirmations: number): Event => ({
      is: 'evm.sent',
      purpose: 'claim',
      txid: sentTxid.claim,
      state: { is: 'mined', by: sentTxid.claim, ok: false, confirmations, cost: 4_000n },
    });
    const failed = step(sent, end(1));
    expect(failed).toMatchObject({
      progress: { at: 'claiming', claimTxid: null },
      effects: [{ act: { is: 'claim' } }],
      flag: expect.stringMatching(/failed/),
    });
    // Its gas is booked by the account that sent it, once: not here as well.
    const buried = step(failed.progress, end(16));
    expect([step(sent, end(16)).ledger, buried.ledger]).toEqual([undefined, undefined]);
    expect(buried).toMatchObject({ progress: { sent: [] }, effects: [] });
    expect(machine.step(t, failed.progress, end(2), evmClocksAt(start + 60))).toBe('stay');
  });

  test('fault 13, evm: no other lock is claimed while a claim of one that is gone may still be mined', () => {
    const sent = after('claiming', { is: 'evm.prepared', purpose: 'claim', txid: sentTxid.claim }).progress;
    const other = lookAt([seenLock({ amount: t.least + 7n })]);
    const mined = (ok: boolean, confirmations: number): Event => ({
      is: 'evm.sent',
      purpose: 'claim',
      txid: sentTxid.claim,
      state: { is: 'mined', by: sentTxid.claim, ok, confirmations, cost: 1n },
    });
    const shallow = [sent, step(sent, mined(false, 15)).progress];
    const early = step(sent, mined(true, 15));
    expect(early).toMatchObject({ progress: { at: 'claiming', sent: [{ taken: sentTxid.claim }] }, effects: [] });
    expect(machine.step(t, early.progress, mined(true, 15), evmClocksAt(start + 60))).toBe('stay');
    expect(shallow.map((p) => step(p, other).effects)).toEqual([[], []]);
    expect(step(step(sent, mined(false, 16)).progress, other)).toMatchObject({
      supersedes: ['evm'],
      effects: [{ act: { is: 'claim', lock: { amount: t.least + 7n } } }],
    });
  });

  test('fault 14, evm: a claim counts once it is buried, and so does the loss of the lock', () => {
    const look = (lock: ReturnType<typeof seenLock>) =>
      machine.step(t, state('claiming'), lookAt([lock]), clocksAt(start));
    expect([look(seenLock({}, { state: redeemed(15) })), look(seenLock({}, { state: refunded(15) }))]).toEqual([
      'stay',
      'stay',
    ]);
  });

  test('fault 40, evm: no refund is signed from when a payment may start until it has failed for sure', () => {
    const open = [...states]
      .filter(([, p]) => machine.step(t, p, askRefund(seenLock()), evmClocksAt(start + 60)) !== 'stay')
      .map(([, p]) => p.at);
    expect(new Set(open)).toEqual(new Set(['stopped']));
    expect(machine.step(t, state('stopped wont late in-flight'), askRefund(seenLock()), evmClocksAt(start + 60))).toBe(
      'stay',
    );
  });

  test('fault 40, evm: once a refund is signed nothing is paid or claimed, whatever settles', () => {
    const paid = [...states]
      .filter(([name]) => name.includes('fenced'))
      .flatMap(([, p]) => {
        const late = machine.step(t, p, settled, evmClocksAt(start + 60));
        const right = machine.step(t, p, lookAt([seenLock()]), evmClocksAt(start + 60));
        return [late, right].flatMap((one) => (one === 'stay' ? [] : one.effects));
      });
    expect(paid).toEqual([]);
  });

  test('a refund names the lock as it is, its depositor and the signature, and is relayed once at a time', () => {
    const answer = after('stopped late', askRefund(seenLock()));
    expect(answer).toMatchObject({
      progress: { fenced: true, refund: { txid: null } },
      effects: [
        {
          do: 'evm.send',
          act: { is: 'relay-refund', lock: { ...t.lock, amount: t.least }, depositor: account.client, signature },
          value: t.sourceAmount,
        },
      ],
    });
    expect(machine.step(t, answer.progress, askRefund(seenLock()), evmClocksAt(start + 60))).toBe('stay');
  });

  test('a lock that the coordinator did not make is not listed, and cannot be given back by both signatures', () => {
    const own = seenLock({ refundAddress: account.client });
    const { progress: late } = step(state('stopped expired'), lookAt([own, seenLock()]));
    expect(late).toMatchObject({ extras: [{ key: seenLock().key }] });
    expect(machine.step(t, late, askRefund(own), evmClocksAt(start + 60))).toBe('stay');
  });

  test('fault 57, evm: a refund or funding that fails is asked for again three times at most', () => {
    let stopped = state('stopped late');
    let pending = state('pending');
    const ask: Event = { is: 'fund.requested', permit, calls: [] };
    for (let i = 0; i < 3; i++) {
      stopped = step(step(stopped, askRefund(seenLock())).progress, {
        is: 'evm.refused',
        purpose: 'relay-refund',
        reason: 'it would fail',
      }).progress;
      pending = step(step(pending, ask).progress, { is: 'evm.refused', purpose: 'relay-fund', reason: 'no' }).progress;
    }
    expect([
      machine.step(t, stopped, askRefund(seenLock()), evmClocksAt(start + 60)),
      machine.step(t, pending, ask, evmClocksAt(start + 60)),
    ]).toEqual(['stay', 'stay']);
  });

  test('fault 23: a forgotten payment has failed only once every HTLC of it timed out and is buried', () => {
    const absent: Event = { is: 'payment.seen', state: { is: 'absent' } };
    const at = (height: number | null) =>
      machine.step(t, state('paying'), absent, { ...evmClocksAt(start), bitcoin: { mtp: start, height } });
    expect([at(null), at(t.maxTimeoutHeight + 144)]).toEqual(['stay', 'stay']);
    expect(at(t.maxTimeoutHeight + 145)).toMatchObject({ progress: { at: 'stopped', why: 'wont' } });
  });

  test('fault 55: a late settlement claims the largest lock that is left, not a decoy beside it', () => {
    const stopped = step(step(state('pending'), lookAt([dust(), seenLock()])).progress, {
      is: 'payment.refused',
      reason: 'unclear',
      unsure: true,
    }).progress;
    expect(step(stopped, settled)).toMatchObject({ effects: [{ act: { is: 'claim', lock: { amount: t.least } } }] });
  });

  test('no deadline and no clock ends a claim', () => {
    const clocks = [t.fundBefore, timelock + 90_000, timelock + 9_000_000].map((wall) => evmClocksAt(wall));
    expect(clocks.map((now) => machine.step(t, state('claiming'), { is: 'clock' }, now))).toEqual([
      'stay',
      'stay',
      'stay',
    ]);
  });
});

test('a lock that its contract does not hold any more, long after, went back to its owner', () => {
  const stopped = { ...state('stopped late'), unwatched: true } as EvmLightningProgress & { at: 'stopped' };
  const [own] = stopped.extras;
  const strangers = { ...own!, key: new Uint8Array(32).fill(7), depositor: account.stranger };
  const both = { ...stopped, extras: [own!, strangers] };
  const unlocked = (...keys: Uint8Array[]): Event => ({ is: 'evm.unlocked', keys });
  const now = evmClocksAt(Number(t.lock.timelock) + 30 * day);
  const locks = machine.watches(t, both).flatMap((watch) => (watch.on === 'evm-lock' ? (watch.locks ?? []) : []));
  const step = (p: EvmLightningProgress, event: Event) => machine.step(t, p, event, now);
  const ends = [step(stopped, unlocked(own!.key)), step(both, unlocked(own!.key)), step(both, unlocked(strangers.key))];
  expect(locks).toEqual([own!.lock, strangers.lock]);
  expect(ends.map((one) => (one === 'stay' ? one : machine.status(one.progress)))).toEqual([
    'clientrefunded',
    'clientrefunded',
    'clientfundedtoolate',
  ]);
  expect(step(stopped, unlocked(new Uint8Array(32)))).toBe('stay');
});
