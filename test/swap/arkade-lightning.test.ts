import { describe, expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { after as later, day } from '../../engine/domain/time.ts';
import type { ArkadeLightningProgress } from '../../engine/swap/directions/arkade-lightning.ts';
import type { Event, SwapStep } from '../../engine/swap/machine.ts';
import {
  arkadeLightningCase,
  arkadeLightningTerms as t,
  clocksAt,
  coin,
  coinPoint,
  otherPoint,
  preimage,
  spentBy,
  start,
} from './cases.ts';
import { explore } from './explore.ts';
import { nameOf, representatives, tableOf } from './table.ts';

/**
 * Every state, and every event of the catalogue that moves it. An event that is not listed leaves the state alone;
 * `+1` counts the coins that are listed beside the swap's own, and `fenced` is a swap whose refund we signed.
 */
const moves: Record<string, Record<string, string>> = {
  pending: {
    'refund.cosign.requested swap coin': 'pending fenced',
    'refund.cosign.requested other coin': 'pending fenced',
    'refund.cosign.requested no coin': 'pending fenced',
    'vhtlc.seen exact': 'funded, pay',
    'vhtlc.seen short by one': 'stopped invalid +1',
    'vhtlc.seen over within tolerance': 'funded, pay',
    'vhtlc.seen over the tolerance': 'stopped invalid +1',
    'vhtlc.seen expires too soon': 'stopped invalid +1',
    'vhtlc.seen recoverable': 'stopped invalid +1',
    'vhtlc.seen dust beside the right one': 'funded +1, pay',
    'vhtlc.seen exact, funding window over': 'stopped late +1',
    'vhtlc.seen on the chain': 'stopped invalid +1',
    'vhtlc.seen nothing, funding window over': 'stopped expired',
  },
  'pending fenced': {
    'refund.cosign.requested swap coin': 'pending fenced',
    'refund.cosign.requested other coin': 'pending fenced',
    'refund.cosign.requested no coin': 'pending fenced',
    'vhtlc.seen exact': 'stopped late fenced +1',
    'vhtlc.seen short by one': 'stopped late fenced +1',
    'vhtlc.seen over within tolerance': 'stopped late fenced +1',
    'vhtlc.seen over the tolerance': 'stopped late fenced +1',
    'vhtlc.seen expires too soon': 'stopped late fenced +1',
    'vhtlc.seen recoverable': 'stopped late fenced +1',
    'vhtlc.seen dust beside the right one': 'stopped late fenced +2',
    'vhtlc.seen exact, clock unread': 'stopped late fenced +1',
    'vhtlc.seen exact, funding window over': 'stopped late fenced +1',
    'vhtlc.seen taken by our claim': 'stopped late fenced +1',
    'vhtlc.seen taken by another claim of ours': 'stopped late fenced +1',
    'vhtlc.seen on the chain, though its claim was accepted': 'stopped late fenced +1',
    'vhtlc.seen taken by our claim in a batch': 'stopped late fenced +1',
    'vhtlc.seen refunded by the client alone': 'stopped late fenced +1',
    'vhtlc.seen refunded with our signature': 'stopped late fenced +1',
    'vhtlc.seen spent, not readable yet': 'stopped late fenced +1',
    'vhtlc.seen spent by no leaf': 'stopped late fenced +1',
    'vhtlc.seen on the chain': 'stopped late fenced +1',
    'vhtlc.seen on the chain, spent by no leaf': 'stopped late fenced +1',
    'vhtlc.seen taken by a batch that hides its leaf': 'stopped late fenced +1',
    'vhtlc.seen claimed in a mempool': 'stopped late fenced +1',
    'vhtlc.seen claimed on the chain': 'stopped late fenced +1',
    'vhtlc.seen refunded on the chain, not buried': 'stopped late fenced +1',
    'vhtlc.seen refunded on the chain': 'stopped late fenced +1',
    'vhtlc.seen nothing, funding window over': 'stopped expired fenced',
  },
  funded: {
    'payment.started': 'paying',
    'payment.started after a call without an answer': 'paying late maybe',
    'payment.refused': 'stopped wont +1',
    'payment.seen in-flight': 'paying',
    'payment.seen settled': 'claiming, vhtlc.claim, supersedes, learns, books',
    'payment.seen failed': 'stopped wont +1',
    'payment.seen in-flight after a call without an answer': 'paying late maybe',
    'payment.seen failed after a call without an answer': 'stopped wont late maybe +1',
    'payment.seen failed, every HTLC timed out': 'stopped wont +1',
    'vhtlc.seen dust beside the right one': 'funded +1',
  },
  'stopped invalid': {
    'refund.cosign.requested swap coin': 'stopped invalid fenced +1',
    'refund.cosign.requested other coin': 'stopped invalid fenced +1',
    'refund.cosign.requested no coin': 'stopped invalid fenced +1',
    'payment.seen settled': 'claiming, vhtlc.claim, learns, books, FLAG',
    'vhtlc.seen dust beside the right one': 'stopped invalid +2',
    'vhtlc.seen taken by our claim': 'refunded +1',
    'vhtlc.seen taken by another claim of ours': 'refunded +1',
    'vhtlc.seen on the chain, though its claim was accepted': 'refunded +1',
    'vhtlc.seen taken by our claim in a batch': 'refunded +1',
    'vhtlc.seen refunded by the client alone': 'refunded +1',
    'vhtlc.seen refunded with our signature': 'refunded +1',
    'vhtlc.seen taken by a batch that hides its leaf': 'refunded +1',
    'vhtlc.seen claimed in a mempool': 'refunded +1',
    'vhtlc.seen claimed on the chain': 'refunded +1',
    'vhtlc.seen refunded on the chain, not buried': 'refunded +1',
    'vhtlc.seen refunded on the chain': 'refunded +1',
  },
  'stopped late': {
    'refund.cosign.requested swap coin': 'stopped late fenced +1',
    'refund.cosign.requested other coin': 'stopped late fenced +1',
    'refund.cosign.requested no coin': 'stopped late fenced +1',
    'payment.seen settled': 'claiming, vhtlc.claim, learns, books, FLAG',
    'vhtlc.seen dust beside the right one': 'stopped late +2',
    'vhtlc.seen taken by our claim': 'refunded +1',
    'vhtlc.seen taken by another claim of ours': 'refunded +1',
    'vhtlc.seen on the chain, though its claim was accepted': 'refunded +1',
    'vhtlc.seen taken by our claim in a batch': 'refunded +1',
    'vhtlc.seen refunded by the client alone': 'refunded +1',
    'vhtlc.seen refunded with our signature': 'refunded +1',
    'vhtlc.seen taken by a batch that hides its leaf': 'refunded +1',
    'vhtlc.seen claimed in a mempool': 'refunded +1',
    'vhtlc.seen claimed on the chain': 'refunded +1',
    'vhtlc.seen refunded on the chain, not buried': 'refunded +1',
    'vhtlc.seen refunded on the chain': 'refunded +1',
  },
  'stopped expired': {
    'refund.cosign.requested swap coin': 'stopped expired fenced',
    'refund.cosign.requested other coin': 'stopped expired fenced',
    'refund.cosign.requested no coin': 'stopped expired fenced',
    'payment.seen settled': 'stopped expired, learns, FLAG',
    'vhtlc.seen exact': 'stopped late +1',
    'vhtlc.seen short by one': 'stopped late +1',
    'vhtlc.seen over within tolerance': 'stopped late +1',
    'vhtlc.seen over the tolerance': 'stopped late +1',
    'vhtlc.seen expires too soon': 'stopped late +1',
    'vhtlc.seen recoverable': 'stopped late +1',
    'vhtlc.seen dust beside the right one': 'stopped late +2',
    'vhtlc.seen exact, clock unread': 'stopped late +1',
    'vhtlc.seen exact, funding window over': 'stopped late +1',
    'vhtlc.seen taken by our claim': 'refunded +1',
    'vhtlc.seen taken by another claim of ours': 'refunded +1',
    'vhtlc.seen on the chain, though its claim was accepted': 'refunded +1',
    'vhtlc.seen taken by our claim in a batch': 'refunded +1',
    'vhtlc.seen refunded by the client alone': 'refunded +1',
    'vhtlc.seen refunded with our signature': 'refunded +1',
    'vhtlc.seen spent, not readable yet': 'stopped late +1',
    'vhtlc.seen spent by no leaf': 'stopped late +1',
    'vhtlc.seen on the chain': 'stopped late +1',
    'vhtlc.seen on the chain, spent by no leaf': 'stopped late +1',
    'vhtlc.seen taken by a batch that hides its leaf': 'refunded +1',
    'vhtlc.seen claimed in a mempool': 'refunded +1',
    'vhtlc.seen claimed on the chain': 'refunded +1',
    'vhtlc.seen refunded on the chain, not buried': 'refunded +1',
    'vhtlc.seen refunded on the chain': 'refunded +1',
    'clock, locktime passed': 'lapsed',
  },
  'stopped late fenced': {
    'refund.cosign.requested swap coin': 'stopped late fenced +1',
    'refund.cosign.requested other coin': 'stopped late fenced +1',
    'refund.cosign.requested no coin': 'stopped late fenced +1',
    'payment.seen settled': 'stopped late fenced +1, learns, FLAG',
    'vhtlc.seen dust beside the right one': 'stopped late fenced +2',
    'vhtlc.seen taken by our claim': 'refunded +1',
    'vhtlc.seen taken by another claim of ours': 'refunded +1',
    'vhtlc.seen on the chain, though its claim was accepted': 'refunded +1',
    'vhtlc.seen taken by our claim in a batch': 'refunded +1',
    'vhtlc.seen refunded by the client alone': 'refunded +1',
    'vhtlc.seen refunded with our signature': 'refunded +1',
    'vhtlc.seen taken by a batch that hides its leaf': 'refunded +1',
    'vhtlc.seen claimed in a mempool': 'refunded +1',
    'vhtlc.seen claimed on the chain': 'refunded +1',
    'vhtlc.seen refunded on the chain, not buried': 'refunded +1',
    'vhtlc.seen refunded on the chain': 'refunded +1',
  },
  'stopped expired fenced': {
    'refund.cosign.requested swap coin': 'stopped expired fenced',
    'refund.cosign.requested other coin': 'stopped expired fenced',
    'refund.cosign.requested no coin': 'stopped expired fenced',
    'payment.seen settled': 'stopped expired fenced, learns, FLAG',
    'vhtlc.seen exact': 'stopped late fenced +1',
    'vhtlc.seen short by one': 'stopped late fenced +1',
    'vhtlc.seen over within tolerance': 'stopped late fenced +1',
    'vhtlc.seen over the tolerance': 'stopped late fenced +1',
    'vhtlc.seen expires too soon': 'stopped late fenced +1',
    'vhtlc.seen recoverable': 'stopped late fenced +1',
    'vhtlc.seen dust beside the right one': 'stopped late fenced +2',
    'vhtlc.seen exact, clock unread': 'stopped late fenced +1',
    'vhtlc.seen exact, funding window over': 'stopped late fenced +1',
    'vhtlc.seen taken by our claim': 'refunded +1',
    'vhtlc.seen taken by another claim of ours': 'refunded +1',
    'vhtlc.seen on the chain, though its claim was accepted': 'refunded +1',
    'vhtlc.seen taken by our claim in a batch': 'refunded +1',
    'vhtlc.seen refunded by the client alone': 'refunded +1',
    'vhtlc.seen refunded with our signature': 'refunded +1',
    'vhtlc.seen spent, not readable yet': 'stopped late fenced +1',
    'vhtlc.seen spent by no leaf': 'stopped late fenced +1',
    'vhtlc.seen on the chain': 'stopped late fenced +1',
    'vhtlc.seen on the chain, spent by no leaf': 'stopped late fenced +1',
    'vhtlc.seen taken by a batch that hides its leaf': 'refunded +1',
    'vhtlc.seen claimed in a mempool': 'refunded +1',
    'vhtlc.seen claimed on the chain': 'refunded +1',
    'vhtlc.seen refunded on the chain, not buried': 'refunded +1',
    'vhtlc.seen refunded on the chain': 'refunded +1',
    'clock, locktime passed': 'lapsed fenced',
  },
  paying: {
    'payment.seen settled': 'claiming, vhtlc.claim, supersedes, learns, books',
    'payment.seen failed': 'stopped wont +1',
    'payment.seen absent, every HTLC timed out': 'stopped wont +1',
    'payment.seen failed after a call without an answer': 'stopped wont +1',
    'payment.seen failed, every HTLC timed out': 'stopped wont +1',
    'vhtlc.seen dust beside the right one': 'paying +1',
  },
  'stopped wont': {
    'refund.cosign.requested swap coin': 'stopped wont fenced +1',
    'refund.cosign.requested other coin': 'stopped wont fenced +1',
    'refund.cosign.requested no coin': 'stopped wont fenced +1',
    'payment.seen settled': 'claiming, vhtlc.claim, learns, books, FLAG',
    'vhtlc.seen dust beside the right one': 'stopped wont +2',
    'vhtlc.seen taken by our claim': 'refunded +1',
    'vhtlc.seen taken by another claim of ours': 'refunded +1',
    'vhtlc.seen on the chain, though its claim was accepted': 'refunded +1',
    'vhtlc.seen taken by our claim in a batch': 'refunded +1',
    'vhtlc.seen refunded by the client alone': 'refunded +1',
    'vhtlc.seen refunded with our signature': 'refunded +1',
    'vhtlc.seen taken by a batch that hides its leaf': 'refunded +1',
    'vhtlc.seen claimed in a mempool': 'refunded +1',
    'vhtlc.seen claimed on the chain': 'refunded +1',
    'vhtlc.seen refunded on the chain, not buried': 'refunded +1',
    'vhtlc.seen refunded on the chain': 'refunded +1',
  },
  claiming: {
    'vhtlc.prepared claim': 'claiming, vhtlc.submit claim',
    'vhtlc.accepted claim': 'claiming, vhtlc.finalize claim',
    'vhtlc.final claim': 'claimed, books',
    'vhtlc.refused claim spent': 'claiming',
    'vhtlc.refused claim recoverable': 'claiming, vhtlc.settle claim',
    'vhtlc.refused claim unrolled': 'claiming exit, vhtlc.exit claim',
    'vhtlc.refused claim late': 'claiming, vhtlc.claim, FLAG',
    'vhtlc.refused claim refused': 'claiming, vhtlc.claim, FLAG',
    'vhtlc.seen dust beside the right one': 'claiming +1',
    'vhtlc.seen taken by our claim in a batch': 'claimed, books',
    'vhtlc.seen refunded by the client alone': 'claiming, FLAG, DISTRUST',
    'vhtlc.seen refunded with our signature': 'lost, supersedes, books, FLAG',
    'vhtlc.seen spent by no leaf': 'claiming, FLAG, DISTRUST',
    'vhtlc.seen on the chain, spent by no leaf': 'claiming exit, vhtlc.exit claim, FLAG, DISTRUST',
    'vhtlc.seen on the chain, though its claim was accepted': 'claiming exit, vhtlc.exit claim',
    'vhtlc.seen claimed in a mempool': 'claiming exit, vhtlc.exit claim',
    'vhtlc.seen refunded on the chain, not buried': 'claiming exit, vhtlc.exit claim',
    'vhtlc.seen claimed on the chain': 'claimed, books',
    'vhtlc.seen refunded on the chain': 'lost, supersedes, books, FLAG',
  },
  'stopped invalid fenced': {
    'refund.cosign.requested swap coin': 'stopped invalid fenced +1',
    'refund.cosign.requested other coin': 'stopped invalid fenced +1',
    'refund.cosign.requested no coin': 'stopped invalid fenced +1',
    'payment.seen settled': 'stopped invalid fenced +1, learns, FLAG',
    'vhtlc.seen dust beside the right one': 'stopped invalid fenced +2',
    'vhtlc.seen taken by our claim': 'refunded +1',
    'vhtlc.seen taken by another claim of ours': 'refunded +1',
    'vhtlc.seen on the chain, though its claim was accepted': 'refunded +1',
    'vhtlc.seen taken by our claim in a batch': 'refunded +1',
    'vhtlc.seen refunded by the client alone': 'refunded +1',
    'vhtlc.seen refunded with our signature': 'refunded +1',
    'vhtlc.seen taken by a batch that hides its leaf': 'refunded +1',
    'vhtlc.seen claimed in a mempool': 'refunded +1',
    'vhtlc.seen claimed on the chain': 'refunded +1',
    'vhtlc.seen refunded on the chain, not buried': 'refunded +1',
    'vhtlc.seen refunded on the chain': 'refunded +1',
  },
  refunded: {
    'refund.cosign.requested swap coin': 'refunded +1',
    'refund.cosign.requested other coin': 'refunded +1',
    'refund.cosign.requested no coin': 'refunded +1',
    'vhtlc.seen exact': 'refunded +1',
    'vhtlc.seen short by one': 'refunded +1',
    'vhtlc.seen over within tolerance': 'refunded +1',
    'vhtlc.seen over the tolerance': 'refunded +1',
    'vhtlc.seen expires too soon': 'refunded +1',
    'vhtlc.seen recoverable': 'refunded +1',
    'vhtlc.seen dust beside the right one': 'refunded +2',
    'vhtlc.seen exact, clock unread': 'refunded +1',
    'vhtlc.seen exact, funding window over': 'refunded +1',
    'vhtlc.seen on the chain': 'refunded +1',
  },
  lapsed: {
    'refund.cosign.requested swap coin': 'lapsed fenced',
    'refund.cosign.requested other coin': 'lapsed fenced',
    'refund.cosign.requested no coin': 'lapsed fenced',
    'vhtlc.seen exact': 'stopped late +1',
    'vhtlc.seen short by one': 'stopped late +1',
    'vhtlc.seen over within tolerance': 'stopped late +1',
    'vhtlc.seen over the tolerance': 'stopped late +1',
    'vhtlc.seen expires too soon': 'stopped late +1',
    'vhtlc.seen recoverable': 'stopped late +1',
    'vhtlc.seen dust beside the right one': 'stopped late +2',
    'vhtlc.seen exact, clock unread': 'stopped late +1',
    'vhtlc.seen exact, funding window over': 'stopped late +1',
    'vhtlc.seen taken by our claim': 'stopped late +1',
    'vhtlc.seen taken by another claim of ours': 'stopped late +1',
    'vhtlc.seen on the chain, though its claim was accepted': 'stopped late +1',
    'vhtlc.seen taken by our claim in a batch': 'stopped late +1',
    'vhtlc.seen refunded by the client alone': 'stopped late +1',
    'vhtlc.seen refunded with our signature': 'stopped late +1',
    'vhtlc.seen spent, not readable yet': 'stopped late +1',
    'vhtlc.seen spent by no leaf': 'stopped late +1',
    'vhtlc.seen on the chain': 'stopped late +1',
    'vhtlc.seen on the chain, spent by no leaf': 'stopped late +1',
    'vhtlc.seen taken by a batch that hides its leaf': 'stopped late +1',
    'vhtlc.seen claimed in a mempool': 'stopped late +1',
    'vhtlc.seen claimed on the chain': 'stopped late +1',
    'vhtlc.seen refunded on the chain, not buried': 'stopped late +1',
    'vhtlc.seen refunded on the chain': 'stopped late +1',
  },
  'lapsed fenced': {
    'refund.cosign.requested swap coin': 'lapsed fenced',
    'refund.cosign.requested other coin': 'lapsed fenced',
    'refund.cosign.requested no coin': 'lapsed fenced',
    'vhtlc.seen exact': 'stopped late fenced +1',
    'vhtlc.seen short by one': 'stopped late fenced +1',
    'vhtlc.seen over within tolerance': 'stopped late fenced +1',
    'vhtlc.seen over the tolerance': 'stopped late fenced +1',
    'vhtlc.seen expires too soon': 'stopped late fenced +1',
    'vhtlc.seen recoverable': 'stopped late fenced +1',
    'vhtlc.seen dust beside the right one': 'stopped late fenced +2',
    'vhtlc.seen exact, clock unread': 'stopped late fenced +1',
    'vhtlc.seen exact, funding window over': 'stopped late fenced +1',
    'vhtlc.seen taken by our claim': 'stopped late fenced +1',
    'vhtlc.seen taken by another claim of ours': 'stopped late fenced +1',
    'vhtlc.seen on the chain, though its claim was accepted': 'stopped late fenced +1',
    'vhtlc.seen taken by our claim in a batch': 'stopped late fenced +1',
    'vhtlc.seen refunded by the client alone': 'stopped late fenced +1',
    'vhtlc.seen refunded with our signature': 'stopped late fenced +1',
    'vhtlc.seen spent, not readable yet': 'stopped late fenced +1',
    'vhtlc.seen spent by no leaf': 'stopped late fenced +1',
    'vhtlc.seen on the chain': 'stopped late fenced +1',
    'vhtlc.seen on the chain, spent by no leaf': 'stopped late fenced +1',
    'vhtlc.seen taken by a batch that hides its leaf': 'stopped late fenced +1',
    'vhtlc.seen claimed in a mempool': 'stopped late fenced +1',
    'vhtlc.seen claimed on the chain': 'stopped late fenced +1',
    'vhtlc.seen refunded on the chain, not buried': 'stopped late fenced +1',
    'vhtlc.seen refunded on the chain': 'stopped late fenced +1',
  },
  'stopped wont fenced': {
    'refund.cosign.requested swap coin': 'stopped wont fenced +1',
    'refund.cosign.requested other coin': 'stopped wont fenced +1',
    'refund.cosign.requested no coin': 'stopped wont fenced +1',
    'payment.seen settled': 'stopped wont fenced +1, learns, FLAG',
    'vhtlc.seen dust beside the right one': 'stopped wont fenced +2',
    'vhtlc.seen taken by our claim': 'refunded +1',
    'vhtlc.seen taken by another claim of ours': 'refunded +1',
    'vhtlc.seen on the chain, though its claim was accepted': 'refunded +1',
    'vhtlc.seen taken by our claim in a batch': 'refunded +1',
    'vhtlc.seen refunded by the client alone': 'refunded +1',
    'vhtlc.seen refunded with our signature': 'refunded +1',
    'vhtlc.seen taken by a batch that hides its leaf': 'refunded +1',
    'vhtlc.seen claimed in a mempool': 'refunded +1',
    'vhtlc.seen claimed on the chain': 'refunded +1',
    'vhtlc.seen refunded on the chain, not buried': 'refunded +1',
    'vhtlc.seen refunded on the chain': 'refunded +1',
  },
  claimed: {
    'refund.cosign.requested other coin': 'claimed',
    'vhtlc.seen dust beside the right one': 'claimed +1',
  },
  'claiming exit': {
    'vhtlc.prepared claim': 'claiming exit, vhtlc.submit claim',
    'vhtlc.accepted claim': 'claiming exit, vhtlc.finalize claim',
    'vhtlc.final claim': 'claimed, supersedes, books',
    'onchain.prepared claim': 'claiming exit, onchain.broadcast',
    'vhtlc.refused claim spent': 'claiming exit',
    'vhtlc.refused claim recoverable': 'claiming exit, vhtlc.settle claim',
    'vhtlc.refused claim unrolled': 'claiming exit, vhtlc.exit claim',
    'vhtlc.refused claim late': 'claiming, vhtlc.claim, FLAG',
    'vhtlc.refused claim refused': 'claiming, vhtlc.claim, FLAG',
    'onchain.stuck': 'claiming exit, vhtlc.exit claim',
    'onchain.final': 'claimed, supersedes, books',
    'onchain.refused spent': 'claiming exit',
    'onchain.refused refused': 'claiming exit, vhtlc.exit claim, FLAG',
    'vhtlc.seen dust beside the right one': 'claiming exit +1',
    'vhtlc.seen taken by our claim': 'claimed, supersedes, books',
    'vhtlc.seen taken by another claim of ours': 'claimed, supersedes, books',
    'vhtlc.seen taken by our claim in a batch': 'claimed, supersedes, books',
    'vhtlc.seen refunded by the client alone': 'claiming exit, FLAG, DISTRUST',
    'vhtlc.seen refunded with our signature': 'lost, supersedes, books, FLAG',
    'vhtlc.seen spent by no leaf': 'claiming exit, FLAG, DISTRUST',
    'vhtlc.seen on the chain, spent by no leaf': 'claiming exit, FLAG, DISTRUST',
    'vhtlc.seen claimed on the chain': 'claimed, supersedes, books',
    'vhtlc.seen refunded on the chain': 'lost, supersedes, books, FLAG',
  },
  lost: {
    'refund.cosign.requested other coin': 'lost',
    'vhtlc.seen dust beside the right one': 'lost +1',
  },
  'paying late maybe': {
    'payment.seen settled': 'claiming, vhtlc.claim, supersedes, learns, books',
    'payment.seen failed': 'stopped wont late maybe +1',
    'payment.seen absent, every HTLC timed out': 'stopped wont +1',
    'payment.seen failed after a call without an answer': 'stopped wont late maybe +1',
    'payment.seen failed, every HTLC timed out': 'stopped wont late maybe +1',
    'vhtlc.seen dust beside the right one': 'paying late maybe +1',
  },
  'stopped wont late maybe': {
    'refund.cosign.requested swap coin': 'stopped wont late maybe fenced +1',
    'refund.cosign.requested other coin': 'stopped wont late maybe fenced +1',
    'refund.cosign.requested no coin': 'stopped wont late maybe fenced +1',
    'payment.seen in-flight': 'stopped wont late in-flight +1',
    'payment.seen settled': 'claiming, vhtlc.claim, learns, books, FLAG',
    'payment.seen absent, every HTLC timed out': 'stopped wont +1',
    'payment.seen in-flight after a call without an answer': 'stopped wont late in-flight +1',
    'payment.seen failed, every HTLC timed out': 'stopped wont +1',
    'vhtlc.seen dust beside the right one': 'stopped wont late maybe +2',
    'vhtlc.seen taken by our claim': 'refunded late maybe +1',
    'vhtlc.seen taken by another claim of ours': 'refunded late maybe +1',
    'vhtlc.seen on the chain, though its claim was accepted': 'refunded late maybe +1',
    'vhtlc.seen taken by our claim in a batch': 'refunded late maybe +1',
    'vhtlc.seen refunded by the client alone': 'refunded late maybe +1',
    'vhtlc.seen refunded with our signature': 'refunded late maybe +1',
    'vhtlc.seen taken by a batch that hides its leaf': 'refunded late maybe +1',
    'vhtlc.seen claimed in a mempool': 'refunded late maybe +1',
    'vhtlc.seen claimed on the chain': 'refunded late maybe +1',
    'vhtlc.seen refunded on the chain, not buried': 'refunded late maybe +1',
    'vhtlc.seen refunded on the chain': 'refunded late maybe +1',
  },
  'stopped wont late maybe fenced': {
    'refund.cosign.requested swap coin': 'stopped wont late maybe fenced +1',
    'refund.cosign.requested other coin': 'stopped wont late maybe fenced +1',
    'refund.cosign.requested no coin': 'stopped wont late maybe fenced +1',
    'payment.seen in-flight': 'stopped wont late in-flight fenced +1',
    'payment.seen settled': 'stopped wont fenced +1, learns, books, FLAG',
    'payment.seen absent, every HTLC timed out': 'stopped wont fenced +1',
    'payment.seen in-flight after a call without an answer': 'stopped wont late in-flight fenced +1',
    'payment.seen failed, every HTLC timed out': 'stopped wont fenced +1',
    'vhtlc.seen dust beside the right one': 'stopped wont late maybe fenced +2',
    'vhtlc.seen taken by our claim': 'refunded late maybe +1',
    'vhtlc.seen taken by another claim of ours': 'refunded late maybe +1',
    'vhtlc.seen on the chain, though its claim was accepted': 'refunded late maybe +1',
    'vhtlc.seen taken by our claim in a batch': 'refunded late maybe +1',
    'vhtlc.seen refunded by the client alone': 'refunded late maybe +1',
    'vhtlc.seen refunded with our signature': 'refunded late maybe +1',
    'vhtlc.seen taken by a batch that hides its leaf': 'refunded late maybe +1',
    'vhtlc.seen claimed in a mempool': 'refunded late maybe +1',
    'vhtlc.seen claimed on the chain': 'refunded late maybe +1',
    'vhtlc.seen refunded on the chain, not buried': 'refunded late maybe +1',
    'vhtlc.seen refunded on the chain': 'refunded late maybe +1',
  },
  'stopped wont late in-flight': {
    'payment.seen settled': 'claiming, vhtlc.claim, learns, books, FLAG',
    'payment.seen failed': 'stopped wont late maybe +1',
    'payment.seen absent, every HTLC timed out': 'stopped wont +1',
    'payment.seen failed after a call without an answer': 'stopped wont late maybe +1',
    'payment.seen failed, every HTLC timed out': 'stopped wont +1',
    'vhtlc.seen dust beside the right one': 'stopped wont late in-flight +2',
    'vhtlc.seen taken by our claim': 'refunded late in-flight +1',
    'vhtlc.seen taken by another claim of ours': 'refunded late in-flight +1',
    'vhtlc.seen on the chain, though its claim was accepted': 'refunded late in-flight +1',
    'vhtlc.seen taken by our claim in a batch': 'refunded late in-flight +1',
    'vhtlc.seen refunded by the client alone': 'refunded late in-flight +1',
    'vhtlc.seen refunded with our signature': 'refunded late in-flight +1',
    'vhtlc.seen taken by a batch that hides its leaf': 'refunded late in-flight +1',
    'vhtlc.seen claimed in a mempool': 'refunded late in-flight +1',
    'vhtlc.seen claimed on the chain': 'refunded late in-flight +1',
    'vhtlc.seen refunded on the chain, not buried': 'refunded late in-flight +1',
    'vhtlc.seen refunded on the chain': 'refunded late in-flight +1',
  },
  'refunded late maybe': {
    'refund.cosign.requested swap coin': 'refunded late maybe +1',
    'refund.cosign.requested other coin': 'refunded late maybe +1',
    'refund.cosign.requested no coin': 'refunded late maybe +1',
    'payment.seen in-flight': 'refunded late in-flight +1',
    'payment.seen settled': 'refunded +1, learns, books, FLAG',
    'payment.seen absent, every HTLC timed out': 'refunded +1',
    'payment.seen in-flight after a call without an answer': 'refunded late in-flight +1',
    'payment.seen failed, every HTLC timed out': 'refunded +1',
    'vhtlc.seen exact': 'refunded late maybe +1',
    'vhtlc.seen short by one': 'refunded late maybe +1',
    'vhtlc.seen over within tolerance': 'refunded late maybe +1',
    'vhtlc.seen over the tolerance': 'refunded late maybe +1',
    'vhtlc.seen expires too soon': 'refunded late maybe +1',
    'vhtlc.seen recoverable': 'refunded late maybe +1',
    'vhtlc.seen dust beside the right one': 'refunded late maybe +2',
    'vhtlc.seen exact, clock unread': 'refunded late maybe +1',
    'vhtlc.seen exact, funding window over': 'refunded late maybe +1',
    'vhtlc.seen on the chain': 'refunded late maybe +1',
  },
  'stopped wont late in-flight fenced': {
    'refund.cosign.requested swap coin': 'stopped wont late in-flight fenced +1',
    'refund.cosign.requested other coin': 'stopped wont late in-flight fenced +1',
    'refund.cosign.requested no coin': 'stopped wont late in-flight fenced +1',
    'payment.seen settled': 'stopped wont fenced +1, learns, books, FLAG',
    'payment.seen failed': 'stopped wont late maybe fenced +1',
    'payment.seen absent, every HTLC timed out': 'stopped wont fenced +1',
    'payment.seen failed after a call without an answer': 'stopped wont late maybe fenced +1',
    'payment.seen failed, every HTLC timed out': 'stopped wont fenced +1',
    'vhtlc.seen dust beside the right one': 'stopped wont late in-flight fenced +2',
    'vhtlc.seen taken by our claim': 'refunded late in-flight +1',
    'vhtlc.seen taken by another claim of ours': 'refunded late in-flight +1',
    'vhtlc.seen on the chain, though its claim was accepted': 'refunded late in-flight +1',
    'vhtlc.seen taken by our claim in a batch': 'refunded late in-flight +1',
    'vhtlc.seen refunded by the client alone': 'refunded late in-flight +1',
    'vhtlc.seen refunded with our signature': 'refunded late in-flight +1',
    'vhtlc.seen taken by a batch that hides its leaf': 'refunded late in-flight +1',
    'vhtlc.seen claimed in a mempool': 'refunded late in-flight +1',
    'vhtlc.seen claimed on the chain': 'refunded late in-flight +1',
    'vhtlc.seen refunded on the chain, not buried': 'refunded late in-flight +1',
    'vhtlc.seen refunded on the chain': 'refunded late in-flight +1',
  },
  'refunded late in-flight': {
    'refund.cosign.requested swap coin': 'refunded late in-flight +1',
    'refund.cosign.requested other coin': 'refunded late in-flight +1',
    'refund.cosign.requested no coin': 'refunded late in-flight +1',
    'payment.seen settled': 'refunded +1, learns, books, FLAG',
    'payment.seen failed': 'refunded late maybe +1',
    'payment.seen absent, every HTLC timed out': 'refunded +1',
    'payment.seen failed after a call without an answer': 'refunded late maybe +1',
    'payment.seen failed, every HTLC timed out': 'refunded +1',
    'vhtlc.seen exact': 'refunded late in-flight +1',
    'vhtlc.seen short by one': 'refunded late in-flight +1',
    'vhtlc.seen over within tolerance': 'refunded late in-flight +1',
    'vhtlc.seen over the tolerance': 'refunded late in-flight +1',
    'vhtlc.seen expires too soon': 'refunded late in-flight +1',
    'vhtlc.seen recoverable': 'refunded late in-flight +1',
    'vhtlc.seen dust beside the right one': 'refunded late in-flight +2',
    'vhtlc.seen exact, clock unread': 'refunded late in-flight +1',
    'vhtlc.seen exact, funding window over': 'refunded late in-flight +1',
    'vhtlc.seen on the chain': 'refunded late in-flight +1',
  },
};

const { machine } = arkadeLightningCase;
const states = representatives(arkadeLightningCase);
const everything = explore(arkadeLightningCase);

function state(name: string): ArkadeLightningProgress {
  const progress = states.get(name);
  if (progress === undefined) throw new Error(`no state is called ${name}`);
  return progress;
}

function after(name: string, event: Event, now = clocksAt(start + 60)): SwapStep<ArkadeLightningProgress> {
  const step = machine.step(t, state(name), event, now);
  if (step === 'stay') throw new Error(`${event.is} does not move ${name}`);
  return step;
}

test('these states can be reached and no others', () => {
  expect([...states.keys()].sort()).toEqual(Object.keys(moves).sort());
});

test('fault 36: a claim that shows our secret without our signature ends nothing', () => {
  const claiming = states.get('claiming') as ArkadeLightningProgress;
  const forged = coin({ ...spentBy.clientClaim, spend: { leaf: 'claim', preimage, unsigned: true } });
  const step = machine.step(
    t,
    claiming,
    { is: 'vhtlc.seen', coins: [forged] },
    clocksAt(start + 60),
  ) as SwapStep<ArkadeLightningProgress>;
  expect({ at: step.progress.at, distrust: step.distrust, flag: step.flag }).toEqual({
    at: 'claiming',
    distrust: true,
    flag: expect.stringMatching(/fits none of its leaves/),
  });
});

test.each(Object.entries(moves))('%s moves on these events alone', (name, expected) => {
  expect(tableOf(arkadeLightningCase, state(name))).toEqual(expected);
});

test('each state has its wire status, its watches, its deadline and its promise of liquidity', () => {
  const facts = [...states]
    .filter(([name]) => !name.includes('fenced'))
    .map(([name, p]) => [
      name,
      machine.status(p),
      machine
        .watches(t, p)
        .map(({ on }) => on)
        .join(' '),
      machine.deadline(t, p),
      machine.open(t, p) ? 'open' : 'ended',
      machine.reserves(p) ? 'reserves' : '',
    ]);
  expect(facts).toEqual([
    ['pending', 'pending', 'vhtlc', t.fundBefore, 'open', 'reserves'],
    ['funded', 'clientfunded', 'vhtlc', null, 'open', 'reserves'],
    ['stopped invalid', 'clientinvalidfunded', 'vhtlc payment', later(t.vhtlc.refundLocktime, day), 'open', ''],
    ['stopped late', 'clientfundedtoolate', 'vhtlc payment', later(t.vhtlc.refundLocktime, day), 'open', ''],
    ['stopped expired', 'expired', 'vhtlc', t.vhtlc.refundLocktime, 'open', ''],
    ['paying', 'serverfunded', 'vhtlc payment', null, 'open', ''],
    ['paying late maybe', 'serverfunded', 'vhtlc payment', null, 'open', ''],
    ['stopped wont', 'serverwontfund', 'vhtlc payment', later(t.vhtlc.refundLocktime, day), 'open', ''],
    ['claiming', 'clientredeemed', 'vhtlc', null, 'open', ''],
    ['stopped wont late maybe', 'serverwontfund', 'vhtlc payment', later(t.vhtlc.refundLocktime, day), 'open', ''],
    ['refunded', 'clientrefunded', 'vhtlc', null, 'ended', ''],
    ['lapsed', 'expired', 'vhtlc', null, 'ended', ''],
    ['claimed', 'serverredeemed', 'vhtlc', null, 'ended', ''],
    ['claiming exit', 'clientredeemed', 'vhtlc', null, 'open', ''],
    ['lost', 'clientredeemedandclientrefunded', 'vhtlc', null, 'ended', ''],
    ['stopped wont late in-flight', 'serverwontfund', 'vhtlc payment', later(t.vhtlc.refundLocktime, day), 'open', ''],
    ['refunded late maybe', 'clientrefunded', 'vhtlc payment', null, 'open', ''],
    ['refunded late in-flight', 'clientrefunded', 'vhtlc payment', null, 'open', ''],
  ]);
});

test('every state says who is waited for', () => {
  expect([...states.values()].filter((p) => machine.nextAction(t, p).length < 8)).toEqual([]);
});

describe('what loses money when it is wrong', () => {
  test('a payment is started for exactly one event: a good coin in a swap whose refund nobody signed', () => {
    const starts = everything.moves.filter(({ step }) => step.effects.some((effect) => effect.do === 'pay'));
    expect([...new Set(starts.map(({ from, label }) => `${nameOf(from)}: ${label}`))]).toEqual([
      'pending: vhtlc.seen exact',
      'pending: vhtlc.seen over within tolerance',
      'pending: vhtlc.seen dust beside the right one',
    ]);
  });

  test('a payment carries the conditions of its start: the coin, the end of its life, and the heights', () => {
    expect(after('pending', { is: 'vhtlc.seen', coins: [coin()] }).effects).toEqual([
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
          coin: {
            script: t.script,
            outpoint: coinPoint,
            sourceAmount: t.sourceAmount,
            refundLocktime: t.vhtlc.refundLocktime,
            finalCltv: t.finalCltv,
            invoiceExpiresAt: t.invoiceExpiresAt,
            policy: t.policy,
          },
        },
      },
    ]);
  });

  test('nothing is signed from the moment that a payment may start until it has definitely failed', () => {
    const request: Event = { is: 'refund.cosign.requested', coins: [coinPoint] };
    const open = [...states]
      .filter(([, p]) => machine.step(t, p, request, clocksAt(start + 60)) !== 'stay')
      .map(([name]) => name);
    expect(open.filter((name) => ['funded', 'paying', 'claiming', 'claimed', 'lost'].includes(name))).toEqual([]);
  });

  test('the coin that we claimed is never part of a refund that we sign, alone or among others', () => {
    const asks = (coins: (typeof coinPoint)[]): Event => ({ is: 'refund.cosign.requested', coins });
    const answers = ['claimed', 'lost'].flatMap((name) =>
      [[coinPoint], [coinPoint, otherPoint], []].map((coins) =>
        machine.step(t, state(name), asks(coins), clocksAt(start + 60)),
      ),
    );
    expect(answers).toEqual(['stay', 'stay', 'stay', 'stay', 'stay', 'stay']);
  });

  test('fault 23: a forgotten payment has failed only once every HTLC of it timed out and is buried', () => {
    const absent: Event = { is: 'payment.seen', state: { is: 'absent' } };
    const at = (height: number | null) => machine.step(t, state('paying'), absent, clocksAt(start + 60, { height }));
    expect([at(null), at(t.maxTimeoutHeight), at(t.maxTimeoutHeight + 144)]).toEqual(['stay', 'stay', 'stay']);
    expect(at(t.maxTimeoutHeight + 145)).toMatchObject({ progress: { at: 'stopped', why: 'wont' } });
  });

  test('fault 55: a late settlement claims the largest coin that is left, not a decoy beside it', () => {
    const extra = (outpoint: typeof coinPoint, amount: bigint) => ({ outpoint, amount: sats(amount), spent: false });
    const stopped: ArkadeLightningProgress = {
      at: 'stopped',
      why: 'wont',
      reason: '',
      fenced: false,
      extras: [extra(otherPoint, 330n), extra(coinPoint, t.sourceAmount)],
      doubt: { late: 'in-flight', coin: coinPoint, surplus: sats(0n) },
    };
    expect(
      machine.step(
        t,
        stopped,
        { is: 'payment.seen', state: { is: 'settled', preimage, feeMsat: 5n } },
        clocksAt(start + 60),
      ),
    ).toMatchObject({ effects: [{ do: 'vhtlc.claim', coin: coinPoint }] });
  });

  test('before the payment was started, nothing that the node does not know ends the swap', () => {
    const absent: Event = { is: 'payment.seen', state: { is: 'absent' } };
    expect(machine.step(t, state('funded'), absent, clocksAt(start + 60, { height: t.maxTimeoutHeight + 1_000 }))).toBe(
      'stay',
    );
  });

  test('the secret of a settled payment is saved in the commit that asks for the claim', () => {
    expect(after('paying', { is: 'payment.seen', state: { is: 'settled', preimage, feeMsat: 5n } })).toMatchObject({
      learned: preimage,
      effects: [{ do: 'vhtlc.claim', coin: coinPoint }],
    });
  });

  test('a claim that the operator refused is made again, and a person is told', () => {
    const step = after('claiming', {
      is: 'vhtlc.refused',
      purpose: 'claim',
      txid: null,
      why: 'refused',
      reason: 'busy',
    });
    expect({ effects: step.effects.map((effect) => effect.do), flag: step.flag }).toEqual({
      effects: ['vhtlc.claim'],
      flag: 'The operator refused our claim: busy.',
    });
  });

  test('no deadline and no clock ends a claim', () => {
    const clocks = [t.fundBefore, t.vhtlc.refundLocktime + 90_000, t.vhtlc.refundLocktime + 9_000_000].map((wall) =>
      clocksAt(wall),
    );
    expect(clocks.map((now) => machine.step(t, state('claiming'), { is: 'clock' }, now))).toEqual([
      'stay',
      'stay',
      'stay',
    ]);
  });

  test('a payment that settles after all is claimed with, unless we signed the refund', () => {
    const settled: Event = { is: 'payment.seen', state: { is: 'settled', preimage, feeMsat: 5n } };
    expect([after('stopped wont', settled).progress.at, after('stopped wont fenced', settled).progress.at]).toEqual([
      'claiming',
      'stopped',
    ]);
    expect(after('stopped wont fenced', settled)).toMatchObject({
      effects: [],
      learned: preimage,
      flag: expect.stringContaining('settled after all') as string,
    });
  });

  test('a second coin that was listed stays listed when the operator does not show it', () => {
    const second = coin({ outpoint: otherPoint, amount: sats(5_000) });
    const listed = after('claimed', { is: 'vhtlc.seen', coins: [coin(spentBy.ourClaim), second] }).progress;
    expect({
      open: machine.open(t, listed),
      next: machine.step(t, listed, { is: 'vhtlc.seen', coins: [] }, clocksAt(start + 60)),
    }).toEqual({ open: true, next: 'stay' });
  });

  test('a surplus within the tolerance is booked, and is not on the coin twice', () => {
    const over = after('pending', {
      is: 'vhtlc.seen',
      coins: [coin({ amount: sats(t.sourceAmount + 500n) })],
    }).progress;
    const failed = machine.step(
      t,
      over,
      { is: 'payment.seen', state: { is: 'failed', reason: 'no route' } },
      clocksAt(start + 60),
    );
    expect(failed).toMatchObject({
      progress: { extras: [{ outpoint: coinPoint, amount: t.sourceAmount + 500n, spent: false }] },
    });
  });
});

test('a coin that nobody takes is watched until a day after its owner can take it alone', () => {
  const stopped = state('stopped invalid');
  const over = later(t.vhtlc.refundLocktime, day);
  const left = machine.step(t, stopped, { is: 'clock' }, clocksAt(over + 1_801));
  if (left === 'stay') throw new Error('it is watched for ever');
  const answer = machine.step(
    t,
    left.progress,
    { is: 'refund.cosign.requested', coins: [coinPoint] },
    clocksAt(over + 1_801),
  );
  expect([
    machine.step(t, stopped, { is: 'clock' }, clocksAt(over + 1_800)),
    machine.open(t, left.progress),
    machine.status(left.progress),
    answer !== 'stay' && answer.progress.at === 'stopped' && answer.progress.fenced,
  ]).toEqual(['stay', false, 'clientinvalidfunded', true]);
});
