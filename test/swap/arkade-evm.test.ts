import { describe, expect, test } from 'vitest';
import { decode, encode } from '../../engine/store/codec.ts';
import type { ArkadeEvmProgress } from '../../engine/swap/arkade-evm/terms.ts';
import { viewArkadeEvm } from '../../engine/swap/arkade-evm/view.ts';
import type { Step } from '../../engine/swap/machine.ts';
import { arkadeEvmCase, arkadeEvmTerms as t, claimRequest, clocksOn, evmTxid, lockEnds } from './arkade-evm-cases.ts';
import { coin, coinPoint, start } from './cases.ts';
import { explore } from './explore.ts';
import { movesTo, nameOf } from './table.ts';

type P = ArkadeEvmProgress;
const { machine, events } = arkadeEvmCase;

/** A state by its name and by what else decides: what is signed, and what was seen. */
function named(p: P): string {
  const standing = p.at !== 'claimed' && p.at !== 'lost';
  const marks: readonly (readonly [boolean, string])[] = [
    ['doubt' in p, 'doubtful'],
    ['halted' in p && p.at !== 'claiming', 'halted'],
    [standing && 'sent' in p && p.sent === null, 'adopted'],
    [p.at === 'refunding' && p.refundTxid !== null, 'signed'],
    [p.at === 'refunding' && p.redeemTxid !== undefined, 'overtaken'],
    [p.at === 'refunding' && p.relay !== null, 'with a relay'],
    [p.at === 'relaying' && p.relay.txid !== null, 'signed'],
    [p.at === 'refunded' && p.returned !== undefined, 'after ours'],
    ['reverts' in p && p.reverts >= 3, 'worn out'],
  ];
  return [nameOf(p), ...marks.flatMap(([has, mark]) => (has ? [mark] : []))].join(' ');
}

function inWords(step: Step<P>): string {
  const words = movesTo(step).replace(nameOf(step.progress), named(step.progress));
  return step.interrupts === true ? `${words}, interrupts` : words;
}

/** Every state, and every event of the catalogue that moves it. An event that is not listed leaves the state alone. */
const moves: Record<string, Record<string, string>> = {
  pending: {
    'refund.cosign.requested swap coin': 'pending fenced',
    'refund.cosign.requested other coin': 'pending fenced',
    'vhtlc.seen nothing, funding window over': 'stopped expired',
    'vhtlc.seen exact, too late on the EVM chain': 'stopped late +1',
    'vhtlc.seen exact, funding window over': 'stopped late +1',
    'vhtlc.seen exact': 'funded, evm.send',
    'vhtlc.seen short by one': 'stopped invalid +1',
    'vhtlc.seen expires too soon': 'stopped invalid +1',
    'vhtlc.seen dust beside the right one': 'funded +1, evm.send',
  },
  'pending fenced': {
    'refund.cosign.requested swap coin': 'pending fenced',
    'refund.cosign.requested other coin': 'pending fenced',
    'vhtlc.seen nothing, funding window over': 'stopped expired fenced',
    'vhtlc.seen exact, EVM clock unread': 'stopped late fenced +1',
    'vhtlc.seen exact, too late on the EVM chain': 'stopped late fenced +1',
    'vhtlc.seen exact, funding window over': 'stopped late fenced +1',
    'vhtlc.seen exact': 'stopped late fenced +1',
    'vhtlc.seen short by one': 'stopped late fenced +1',
    'vhtlc.seen expires too soon': 'stopped late fenced +1',
    'vhtlc.seen dust beside the right one': 'stopped late fenced +2',
    'vhtlc.seen taken by our claim': 'stopped late fenced +1',
    'vhtlc.seen refunded by the client alone': 'stopped late fenced +1',
    'vhtlc.seen refunded with our signature': 'stopped late fenced +1',
  },
  'stopped expired': {
    'refund.cosign.requested swap coin': 'stopped expired fenced',
    'refund.cosign.requested other coin': 'stopped expired fenced',
    'vhtlc.seen exact, EVM clock unread': 'stopped late +1',
    'vhtlc.seen exact, too late on the EVM chain': 'stopped late +1',
    'vhtlc.seen exact, funding window over': 'stopped late +1',
    'vhtlc.seen exact': 'stopped late +1',
    'vhtlc.seen short by one': 'stopped late +1',
    'vhtlc.seen expires too soon': 'stopped late +1',
    'vhtlc.seen dust beside the right one': 'stopped late +2',
    'vhtlc.seen taken by our claim': 'refunded +1',
    'vhtlc.seen refunded by the client alone': 'refunded +1',
    'vhtlc.seen refunded with our signature': 'refunded +1',
    'clock, locktime passed': 'lapsed',
  },
  'stopped late': {
    'refund.cosign.requested swap coin': 'stopped late fenced +1',
    'refund.cosign.requested other coin': 'stopped late fenced +1',
    'vhtlc.seen dust beside the right one': 'stopped late +2',
    'vhtlc.seen taken by our claim': 'refunded +1',
    'vhtlc.seen refunded by the client alone': 'refunded +1',
    'vhtlc.seen refunded with our signature': 'refunded +1',
  },
  funded: {
    'evm.prepared lock': 'locking',
    'evm.refused lock': 'stopped wont doubtful +1',
    'evm.stands lock': 'funded halted',
    'evm.seen active': 'locked adopted, supersedes',
    'evm.seen claimed': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refunded': 'locked adopted, supersedes',
    'evm.seen refundedDeep': 'locked adopted, supersedes',
    'evm.seen active in another block': 'locked adopted, supersedes',
    'evm.seen claimed, the VHTLC about to open': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'funded +1',
  },
  'stopped invalid': {
    'refund.cosign.requested swap coin': 'stopped invalid fenced +1',
    'refund.cosign.requested other coin': 'stopped invalid fenced +1',
    'vhtlc.seen dust beside the right one': 'stopped invalid +2',
    'vhtlc.seen taken by our claim': 'refunded +1',
    'vhtlc.seen refunded by the client alone': 'refunded +1',
    'vhtlc.seen refunded with our signature': 'refunded +1',
  },
  'stopped expired fenced': {
    'refund.cosign.requested swap coin': 'stopped expired fenced',
    'refund.cosign.requested other coin': 'stopped expired fenced',
    'vhtlc.seen exact, EVM clock unread': 'stopped late fenced +1',
    'vhtlc.seen exact, too late on the EVM chain': 'stopped late fenced +1',
    'vhtlc.seen exact, funding window over': 'stopped late fenced +1',
    'vhtlc.seen exact': 'stopped late fenced +1',
    'vhtlc.seen short by one': 'stopped late fenced +1',
    'vhtlc.seen expires too soon': 'stopped late fenced +1',
    'vhtlc.seen dust beside the right one': 'stopped late fenced +2',
    'vhtlc.seen taken by our claim': 'refunded +1',
    'vhtlc.seen refunded by the client alone': 'refunded +1',
    'vhtlc.seen refunded with our signature': 'refunded +1',
    'clock, locktime passed': 'lapsed fenced',
  },
  'stopped late fenced': {
    'refund.cosign.requested swap coin': 'stopped late fenced +1',
    'refund.cosign.requested other coin': 'stopped late fenced +1',
    'vhtlc.seen dust beside the right one': 'stopped late fenced +2',
    'vhtlc.seen taken by our claim': 'refunded +1',
    'vhtlc.seen refunded by the client alone': 'refunded +1',
    'vhtlc.seen refunded with our signature': 'refunded +1',
  },
  refunded: {
    'refund.cosign.requested swap coin': 'refunded +1',
    'refund.cosign.requested other coin': 'refunded +1',
    'vhtlc.seen exact, EVM clock unread': 'refunded +1',
    'vhtlc.seen exact, too late on the EVM chain': 'refunded +1',
    'vhtlc.seen exact, funding window over': 'refunded +1',
    'vhtlc.seen exact': 'refunded +1',
    'vhtlc.seen short by one': 'refunded +1',
    'vhtlc.seen expires too soon': 'refunded +1',
    'vhtlc.seen dust beside the right one': 'refunded +2',
  },
  lapsed: {
    'refund.cosign.requested swap coin': 'lapsed fenced',
    'refund.cosign.requested other coin': 'lapsed fenced',
    'vhtlc.seen exact, EVM clock unread': 'stopped late +1',
    'vhtlc.seen exact, too late on the EVM chain': 'stopped late +1',
    'vhtlc.seen exact, funding window over': 'stopped late +1',
    'vhtlc.seen exact': 'stopped late +1',
    'vhtlc.seen short by one': 'stopped late +1',
    'vhtlc.seen expires too soon': 'stopped late +1',
    'vhtlc.seen dust beside the right one': 'stopped late +2',
    'vhtlc.seen taken by our claim': 'stopped late +1',
    'vhtlc.seen refunded by the client alone': 'stopped late +1',
    'vhtlc.seen refunded with our signature': 'stopped late +1',
  },
  locking: {
    'evm.sent lock reverted and buried': 'stopped wont doubtful +1',
    'evm.sent lock gone': 'funded, evm.send',
    'evm.seen active': 'locked',
    'evm.seen claimed': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen refunded': 'locked',
    'evm.seen refundedDeep': 'locked',
    'evm.seen active in another block': 'locked',
    'evm.seen claimed, the VHTLC about to open': 'claiming, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'locking +1',
  },
  'stopped wont doubtful': {
    'evm.seen nothing': 'stopped wont +1',
    'evm.seen active': 'locked adopted, supersedes',
    'evm.seen claimed': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refunded': 'locked adopted, supersedes',
    'evm.seen refundedDeep': 'locked adopted, supersedes',
    'evm.seen active in another block': 'locked adopted, supersedes',
    "evm.seen a stranger's of the hash": 'stopped wont +1',
    'evm.seen claimed, the VHTLC about to open': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'stopped wont doubtful +2',
    'vhtlc.seen taken by our claim': 'refunded +1',
    'vhtlc.seen refunded by the client alone': 'refunded +1',
    'vhtlc.seen refunded with our signature': 'refunded +1',
  },
  'funded halted': {
    'evm.prepared lock': 'locking',
    'evm.refused lock': 'stopped wont doubtful +1',
    'evm.stands lock': 'funded halted',
    'evm.seen nothing': 'funded, evm.send',
    'evm.seen active': 'locked adopted, supersedes',
    'evm.seen claimed': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen forged': 'funded, evm.send',
    'evm.seen claimedDeep': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refunded': 'locked adopted, supersedes',
    'evm.seen refundedDeep': 'locked adopted, supersedes',
    'evm.seen active in another block': 'locked adopted, supersedes',
    "evm.seen a stranger's of the hash": 'funded, evm.send',
    'evm.seen claimed, the VHTLC about to open': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'funded halted +1',
  },
  'locked adopted': {
    'evm.seen claimed': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'locked adopted',
    'evm.seen claimed, the VHTLC about to open': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'claim.requested': 'relaying adopted, evm.send, learns',
    'vhtlc.seen dust beside the right one': 'locked adopted +1',
    'clock, timelock passed': 'refunding adopted, evm.send, interrupts',
    'clock, locktime passed': 'refunding adopted, evm.send, interrupts',
  },
  'claiming adopted': {
    'evm.seen refunded': 'claiming adopted, FLAG',
    'evm.seen refundedDeep': 'claiming adopted, FLAG',
    'vhtlc.prepared claim': 'claiming adopted, vhtlc.submit claim',
    'vhtlc.final claim': 'claimed, books',
    'vhtlc.seen dust beside the right one': 'claiming adopted +1',
    'vhtlc.seen taken by our claim': 'claimed, books',
    'vhtlc.seen refunded by the client alone': 'lost, supersedes, books, FLAG',
    'vhtlc.seen refunded with our signature': 'lost, supersedes, books, FLAG',
  },
  'stopped invalid fenced': {
    'refund.cosign.requested swap coin': 'stopped invalid fenced +1',
    'refund.cosign.requested other coin': 'stopped invalid fenced +1',
    'vhtlc.seen dust beside the right one': 'stopped invalid fenced +2',
    'vhtlc.seen taken by our claim': 'refunded +1',
    'vhtlc.seen refunded by the client alone': 'refunded +1',
    'vhtlc.seen refunded with our signature': 'refunded +1',
  },
  'lapsed fenced': {
    'refund.cosign.requested swap coin': 'lapsed fenced',
    'refund.cosign.requested other coin': 'lapsed fenced',
    'vhtlc.seen exact, EVM clock unread': 'stopped late fenced +1',
    'vhtlc.seen exact, too late on the EVM chain': 'stopped late fenced +1',
    'vhtlc.seen exact, funding window over': 'stopped late fenced +1',
    'vhtlc.seen exact': 'stopped late fenced +1',
    'vhtlc.seen short by one': 'stopped late fenced +1',
    'vhtlc.seen expires too soon': 'stopped late fenced +1',
    'vhtlc.seen dust beside the right one': 'stopped late fenced +2',
    'vhtlc.seen taken by our claim': 'stopped late fenced +1',
    'vhtlc.seen refunded by the client alone': 'stopped late fenced +1',
    'vhtlc.seen refunded with our signature': 'stopped late fenced +1',
  },
  locked: {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.seen claimed': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'locked',
    'evm.seen claimed, the VHTLC about to open': 'claiming, vhtlc.claim, supersedes, learns',
    'claim.requested': 'relaying, evm.send, learns',
    'vhtlc.seen dust beside the right one': 'locked +1',
    'clock, timelock passed': 'refunding, evm.send, interrupts',
    'clock, locktime passed': 'refunding, evm.send, interrupts',
  },
  claiming: {
    'evm.seen refunded': 'claiming, FLAG',
    'evm.seen refundedDeep': 'claiming, FLAG',
    'vhtlc.prepared claim': 'claiming, vhtlc.submit claim',
    'vhtlc.final claim': 'claimed, books',
    'vhtlc.seen dust beside the right one': 'claiming +1',
    'vhtlc.seen taken by our claim': 'claimed, books',
    'vhtlc.seen refunded by the client alone': 'lost, supersedes, books, FLAG',
    'vhtlc.seen refunded with our signature': 'lost, supersedes, books, FLAG',
  },
  'stopped wont': {
    'refund.cosign.requested swap coin': 'stopped wont fenced +1',
    'refund.cosign.requested other coin': 'stopped wont fenced +1',
    'vhtlc.seen dust beside the right one': 'stopped wont +2',
    'vhtlc.seen taken by our claim': 'refunded +1',
    'vhtlc.seen refunded by the client alone': 'refunded +1',
    'vhtlc.seen refunded with our signature': 'refunded +1',
  },
  returned: {
    'refund.cosign.requested swap coin': 'returned fenced +1',
    'refund.cosign.requested other coin': 'returned fenced +1',
    'vhtlc.seen dust beside the right one': 'returned +2',
    'vhtlc.seen taken by our claim': 'refunded after ours +1',
    'vhtlc.seen refunded by the client alone': 'refunded after ours +1',
    'vhtlc.seen refunded with our signature': 'refunded after ours +1',
  },
  'relaying adopted': {
    'evm.prepared relay-claim': 'relaying adopted signed',
    'evm.refused relay-claim': 'locked adopted',
    'evm.stands relay-claim': 'relaying halted adopted',
    'evm.seen claimed': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'relaying adopted',
    'evm.seen claimed, the VHTLC about to open': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'relaying adopted +1',
    'clock, timelock passed': 'refunding adopted with a relay, evm.send, interrupts',
    'clock, locktime passed': 'refunding adopted with a relay, evm.send, interrupts',
  },
  'refunding adopted': {
    'evm.prepared refund': 'refunding adopted signed',
    'evm.stands refund': 'refunding halted adopted',
    'evm.seen claimed': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen claimed, the VHTLC about to open': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding adopted +1',
  },
  claimed: {
    'refund.cosign.requested other coin': 'claimed',
    'vhtlc.seen dust beside the right one': 'claimed +1',
  },
  lost: {
    'refund.cosign.requested other coin': 'lost',
    'vhtlc.seen dust beside the right one': 'lost +1',
  },
  relaying: {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.prepared relay-claim': 'relaying signed',
    'evm.refused relay-claim': 'locked',
    'evm.stands relay-claim': 'relaying halted',
    'evm.seen claimed': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'relaying',
    'evm.seen claimed, the VHTLC about to open': 'claiming, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'relaying +1',
    'clock, timelock passed': 'refunding with a relay, evm.send, interrupts',
    'clock, locktime passed': 'refunding with a relay, evm.send, interrupts',
  },
  refunding: {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.prepared refund': 'refunding signed',
    'evm.stands refund': 'refunding halted',
    'evm.seen claimed': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen claimed, the VHTLC about to open': 'claiming, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding +1',
  },
  'stopped wont fenced': {
    'refund.cosign.requested swap coin': 'stopped wont fenced +1',
    'refund.cosign.requested other coin': 'stopped wont fenced +1',
    'vhtlc.seen dust beside the right one': 'stopped wont fenced +2',
    'vhtlc.seen taken by our claim': 'refunded +1',
    'vhtlc.seen refunded by the client alone': 'refunded +1',
    'vhtlc.seen refunded with our signature': 'refunded +1',
  },
  'returned fenced': {
    'refund.cosign.requested swap coin': 'returned fenced +1',
    'refund.cosign.requested other coin': 'returned fenced +1',
    'vhtlc.seen dust beside the right one': 'returned fenced +2',
    'vhtlc.seen taken by our claim': 'refunded after ours +1',
    'vhtlc.seen refunded by the client alone': 'refunded after ours +1',
    'vhtlc.seen refunded with our signature': 'refunded after ours +1',
  },
  'refunded after ours': {
    'refund.cosign.requested swap coin': 'refunded after ours +1',
    'refund.cosign.requested other coin': 'refunded after ours +1',
    'vhtlc.seen exact, EVM clock unread': 'refunded after ours +1',
    'vhtlc.seen exact, too late on the EVM chain': 'refunded after ours +1',
    'vhtlc.seen exact, funding window over': 'refunded after ours +1',
    'vhtlc.seen exact': 'refunded after ours +1',
    'vhtlc.seen short by one': 'refunded after ours +1',
    'vhtlc.seen expires too soon': 'refunded after ours +1',
    'vhtlc.seen dust beside the right one': 'refunded after ours +2',
  },
  'relaying adopted signed': {
    'evm.prepared relay-claim': 'relaying adopted signed',
    'evm.sent relay-claim waiting': 'relayed adopted',
    'evm.sent relay-claim mined': 'relayed adopted',
    'evm.sent relay-claim mined by a variant': 'relayed adopted',
    'evm.sent relay-claim reverted': 'locked adopted',
    'evm.sent relay-claim reverted and buried': 'locked adopted',
    'evm.sent relay-claim gone': 'locked adopted',
    'evm.seen claimed': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'relaying adopted signed',
    'evm.seen claimed, the VHTLC about to open': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'relaying adopted signed +1',
    'clock, timelock passed': 'refunding adopted with a relay, evm.send, interrupts',
    'clock, locktime passed': 'refunding adopted with a relay, evm.send, interrupts',
  },
  'relaying halted adopted': {
    'evm.prepared relay-claim': 'relaying adopted signed',
    'evm.refused relay-claim': 'locked adopted',
    'evm.stands relay-claim': 'relaying halted adopted',
    'evm.seen active': 'locked adopted',
    'evm.seen claimed': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen forged': 'locked adopted',
    'evm.seen claimedDeep': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'locked adopted',
    'evm.seen claimed, the VHTLC about to open': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'relaying halted adopted +1',
    'clock, timelock passed': 'refunding adopted with a relay, evm.send, interrupts',
    'clock, locktime passed': 'refunding adopted with a relay, evm.send, interrupts',
  },
  'refunding adopted with a relay': {
    'evm.prepared refund': 'refunding adopted signed with a relay',
    'evm.stands refund': 'refunding halted adopted with a relay',
    'evm.seen claimed': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen claimed, the VHTLC about to open': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding adopted with a relay +1',
  },
  'refunding adopted signed': {
    'evm.prepared refund': 'refunding adopted signed',
    'evm.sent refund reverted and buried': 'refunding adopted, evm.send',
    'evm.sent refund gone': 'refunding adopted, evm.send',
    'evm.seen claimed': 'refunding adopted signed overtaken, learns',
    'evm.seen claimedDeep': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen claimed, the VHTLC about to open': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding adopted signed +1',
  },
  'refunding halted adopted': {
    'evm.prepared refund': 'refunding adopted signed',
    'evm.stands refund': 'refunding halted adopted',
    'evm.seen active': 'refunding adopted, evm.send',
    'evm.seen claimed': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding adopted, evm.send',
    'evm.seen claimed, the VHTLC about to open': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding halted adopted +1',
  },
  'relaying signed': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.prepared relay-claim': 'relaying signed',
    'evm.sent relay-claim waiting': 'relayed',
    'evm.sent relay-claim mined': 'relayed',
    'evm.sent relay-claim mined by a variant': 'relayed',
    'evm.sent relay-claim reverted': 'locked',
    'evm.sent relay-claim reverted and buried': 'locked',
    'evm.sent relay-claim gone': 'locked',
    'evm.seen claimed': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'relaying signed',
    'evm.seen claimed, the VHTLC about to open': 'claiming, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'relaying signed +1',
    'clock, timelock passed': 'refunding with a relay, evm.send, interrupts',
    'clock, locktime passed': 'refunding with a relay, evm.send, interrupts',
  },
  'relaying halted': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.prepared relay-claim': 'relaying signed',
    'evm.refused relay-claim': 'locked',
    'evm.stands relay-claim': 'relaying halted',
    'evm.seen active': 'locked',
    'evm.seen claimed': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen forged': 'locked',
    'evm.seen claimedDeep': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'locked',
    'evm.seen claimed, the VHTLC about to open': 'claiming, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'relaying halted +1',
    'clock, timelock passed': 'refunding with a relay, evm.send, interrupts',
    'clock, locktime passed': 'refunding with a relay, evm.send, interrupts',
  },
  'refunding with a relay': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.prepared refund': 'refunding signed with a relay',
    'evm.stands refund': 'refunding halted with a relay',
    'evm.seen claimed': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen claimed, the VHTLC about to open': 'claiming, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding with a relay +1',
  },
  'refunding signed': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.prepared refund': 'refunding signed',
    'evm.sent refund reverted and buried': 'refunding, evm.send',
    'evm.sent refund gone': 'refunding, evm.send',
    'evm.seen claimed': 'refunding signed overtaken, learns',
    'evm.seen claimedDeep': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen claimed, the VHTLC about to open': 'claiming, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding signed +1',
  },
  'refunding halted': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.prepared refund': 'refunding signed',
    'evm.stands refund': 'refunding halted',
    'evm.seen active': 'refunding, evm.send',
    'evm.seen claimed': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding, evm.send',
    'evm.seen claimed, the VHTLC about to open': 'claiming, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding halted +1',
  },
  'relayed adopted': {
    'evm.sent relay-claim mined': 'relayed adopted',
    'evm.sent relay-claim mined by a variant': 'relayed adopted',
    'evm.sent relay-claim reverted': 'locked adopted',
    'evm.sent relay-claim reverted and buried': 'locked adopted',
    'evm.sent relay-claim gone': 'locked adopted',
    'evm.seen claimed': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'relayed adopted',
    'evm.seen claimed, the VHTLC about to open': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'relayed adopted +1',
    'clock, timelock passed': 'refunding adopted with a relay, evm.send, interrupts',
    'clock, locktime passed': 'refunding adopted with a relay, evm.send, interrupts',
  },
  'refunding adopted signed with a relay': {
    'evm.prepared refund': 'refunding adopted signed with a relay',
    'evm.sent refund reverted and buried': 'refunding adopted with a relay, evm.send',
    'evm.sent refund gone': 'refunding adopted with a relay, evm.send',
    'evm.seen claimed': 'refunding adopted signed overtaken with a relay, learns',
    'evm.seen claimedDeep': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen claimed, the VHTLC about to open': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding adopted signed with a relay +1',
  },
  'refunding halted adopted with a relay': {
    'evm.prepared refund': 'refunding adopted signed with a relay',
    'evm.stands refund': 'refunding halted adopted with a relay',
    'evm.seen active': 'refunding adopted with a relay, evm.send',
    'evm.seen claimed': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding adopted with a relay, evm.send',
    'evm.seen claimed, the VHTLC about to open': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding halted adopted with a relay +1',
  },
  'refunding adopted signed overtaken': {
    'evm.prepared refund': 'refunding adopted signed overtaken',
    'evm.sent refund reverted and buried': 'refunding adopted overtaken, evm.send',
    'evm.sent refund gone': 'refunding adopted overtaken, evm.send',
    'evm.seen active': 'refunding adopted signed',
    'evm.seen claimedDeep': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding adopted signed',
    'evm.seen claimed, the VHTLC about to open': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding adopted signed overtaken +1',
  },
  relayed: {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.sent relay-claim mined': 'relayed',
    'evm.sent relay-claim mined by a variant': 'relayed',
    'evm.sent relay-claim reverted': 'locked',
    'evm.sent relay-claim reverted and buried': 'locked',
    'evm.sent relay-claim gone': 'locked',
    'evm.seen claimed': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'relayed',
    'evm.seen claimed, the VHTLC about to open': 'claiming, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'relayed +1',
    'clock, timelock passed': 'refunding with a relay, evm.send, interrupts',
    'clock, locktime passed': 'refunding with a relay, evm.send, interrupts',
  },
  'refunding signed with a relay': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.prepared refund': 'refunding signed with a relay',
    'evm.sent refund reverted and buried': 'refunding with a relay, evm.send',
    'evm.sent refund gone': 'refunding with a relay, evm.send',
    'evm.seen claimed': 'refunding signed overtaken with a relay, learns',
    'evm.seen claimedDeep': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen claimed, the VHTLC about to open': 'claiming, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding signed with a relay +1',
  },
  'refunding halted with a relay': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.prepared refund': 'refunding signed with a relay',
    'evm.stands refund': 'refunding halted with a relay',
    'evm.seen active': 'refunding with a relay, evm.send',
    'evm.seen claimed': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding with a relay, evm.send',
    'evm.seen claimed, the VHTLC about to open': 'claiming, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding halted with a relay +1',
  },
  'refunding signed overtaken': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.prepared refund': 'refunding signed overtaken',
    'evm.sent refund reverted and buried': 'refunding overtaken, evm.send',
    'evm.sent refund gone': 'refunding overtaken, evm.send',
    'evm.seen active': 'refunding signed',
    'evm.seen claimedDeep': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding signed',
    'evm.seen claimed, the VHTLC about to open': 'claiming, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding signed overtaken +1',
  },
  'refunding adopted signed overtaken with a relay': {
    'evm.prepared refund': 'refunding adopted signed overtaken with a relay',
    'evm.sent refund reverted and buried': 'refunding adopted overtaken with a relay, evm.send',
    'evm.sent refund gone': 'refunding adopted overtaken with a relay, evm.send',
    'evm.seen active': 'refunding adopted signed with a relay',
    'evm.seen claimedDeep': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding adopted signed with a relay',
    'evm.seen claimed, the VHTLC about to open': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding adopted signed overtaken with a relay +1',
  },
  'refunding adopted overtaken': {
    'evm.prepared refund': 'refunding adopted signed overtaken',
    'evm.stands refund': 'refunding halted adopted overtaken',
    'evm.seen active': 'refunding adopted',
    'evm.seen claimed': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding adopted',
    'evm.seen claimed, the VHTLC about to open': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding adopted overtaken +1',
  },
  'refunding signed overtaken with a relay': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.prepared refund': 'refunding signed overtaken with a relay',
    'evm.sent refund reverted and buried': 'refunding overtaken with a relay, evm.send',
    'evm.sent refund gone': 'refunding overtaken with a relay, evm.send',
    'evm.seen active': 'refunding signed with a relay',
    'evm.seen claimedDeep': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding signed with a relay',
    'evm.seen claimed, the VHTLC about to open': 'claiming, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding signed overtaken with a relay +1',
  },
  'refunding overtaken': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.prepared refund': 'refunding signed overtaken',
    'evm.stands refund': 'refunding halted overtaken',
    'evm.seen active': 'refunding',
    'evm.seen claimed': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding',
    'evm.seen claimed, the VHTLC about to open': 'claiming, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding overtaken +1',
  },
  'refunding adopted overtaken with a relay': {
    'evm.prepared refund': 'refunding adopted signed overtaken with a relay',
    'evm.stands refund': 'refunding halted adopted overtaken with a relay',
    'evm.seen active': 'refunding adopted with a relay',
    'evm.seen claimed': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding adopted with a relay',
    'evm.seen claimed, the VHTLC about to open': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding adopted overtaken with a relay +1',
  },
  'refunding halted adopted overtaken': {
    'evm.prepared refund': 'refunding adopted signed overtaken',
    'evm.stands refund': 'refunding halted adopted overtaken',
    'evm.seen active': 'refunding adopted, evm.send',
    'evm.seen claimed': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding adopted, evm.send',
    'evm.seen claimed, the VHTLC about to open': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding halted adopted overtaken +1',
  },
  'refunding overtaken with a relay': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.prepared refund': 'refunding signed overtaken with a relay',
    'evm.stands refund': 'refunding halted overtaken with a relay',
    'evm.seen active': 'refunding with a relay',
    'evm.seen claimed': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding with a relay',
    'evm.seen claimed, the VHTLC about to open': 'claiming, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding overtaken with a relay +1',
  },
  'refunding halted overtaken': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.prepared refund': 'refunding signed overtaken',
    'evm.stands refund': 'refunding halted overtaken',
    'evm.seen active': 'refunding, evm.send',
    'evm.seen claimed': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding, evm.send',
    'evm.seen claimed, the VHTLC about to open': 'claiming, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding halted overtaken +1',
  },
  'refunding halted adopted overtaken with a relay': {
    'evm.prepared refund': 'refunding adopted signed overtaken with a relay',
    'evm.stands refund': 'refunding halted adopted overtaken with a relay',
    'evm.seen active': 'refunding adopted with a relay, evm.send',
    'evm.seen claimed': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding adopted with a relay, evm.send',
    'evm.seen claimed, the VHTLC about to open': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding halted adopted overtaken with a relay +1',
  },
  'refunding halted overtaken with a relay': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.prepared refund': 'refunding signed overtaken with a relay',
    'evm.stands refund': 'refunding halted overtaken with a relay',
    'evm.seen active': 'refunding with a relay, evm.send',
    'evm.seen claimed': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding with a relay, evm.send',
    'evm.seen claimed, the VHTLC about to open': 'claiming, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding halted overtaken with a relay +1',
  },
  'locked adopted worn out': {
    'evm.seen claimed': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'locked adopted worn out',
    'evm.seen claimed, the VHTLC about to open': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'locked adopted worn out +1',
    'clock, timelock passed': 'refunding adopted, evm.send, interrupts',
    'clock, locktime passed': 'refunding adopted, evm.send, interrupts',
  },
  'locked worn out': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.seen claimed': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'locked worn out',
    'evm.seen claimed, the VHTLC about to open': 'claiming, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'locked worn out +1',
    'clock, timelock passed': 'refunding, evm.send, interrupts',
    'clock, locktime passed': 'refunding, evm.send, interrupts',
  },
};

const states = new Map<string, P>();
for (const progress of explore(arkadeEvmCase).states)
  if (!states.has(named(progress))) states.set(named(progress), progress);

function state<A extends P['at']>(at: A): P & { at: A } {
  const progress = states.get(at);
  if (progress === undefined) throw new Error(`no state ${at}`);
  return progress as P & { at: A };
}

describe('arkade to evm', () => {
  test.each([...states])('%s moves by these events and by no others', (name, progress) => {
    const table: Record<string, string> = {};
    for (const { label, event, now } of events) {
      const step = machine.step(t, progress, event, now);
      if (step !== 'stay') table[label] = inWords(step);
    }
    expect(table).toEqual(moves[name]);
  });

  test('every state is kept in a form that can be read again', () => {
    const { shape } = machine;
    const kept = explore(arkadeEvmCase).states;
    expect(kept.map((p) => shape.progress.read(decode(encode(p)), shape.progress.version))).toEqual(kept);
    expect(shape.terms.read(decode(encode(t)), shape.terms.version)).toEqual(t);
  });

  test('every state of the table is reached, and no other', () => {
    expect([...states.keys()].sort()).toEqual(Object.keys(moves).sort());
  });

  test('locks exactly what was agreed, while the coin of the client stands and there is time to claim', () => {
    const step = machine.step(t, arkadeEvmCase.first, { is: 'vhtlc.seen', coins: [coin()] }, clocksOn(start + 60));
    expect(step === 'stay' ? null : step.effects).toEqual([
      {
        do: 'evm.send',
        network: t.network,
        contracts: t.contracts,
        act: { is: 'lock', lock: t.lock },
        deadline: t.lockBefore,
        value: t.sourceAmount,
        onlyIf: {
          notAfter: t.lockBefore,
          backing: {
            script: t.script,
            outpoint: coinPoint,
            sourceAmount: t.sourceAmount,
            refundLocktime: t.vhtlc.refundLocktime,
            network: t.network,
            timelock: lockEnds,
            policy: t.policy,
          },
        },
      },
    ]);
  });

  test("a relay carries the client's own signature and is due before our lock ends", () => {
    const step = machine.step(t, state('locked'), claimRequest, clocksOn(start + 60));
    const { is: _, secret, ...request } = claimRequest;
    expect(step === 'stay' ? null : [step.effects, step.learned]).toEqual([
      [
        {
          do: 'evm.send',
          network: t.network,
          contracts: t.contracts,
          act: { is: 'relay-claim', lock: t.lock, ...request },
          deadline: lockEnds,
          value: t.sourceAmount,
        },
      ],
      secret,
    ]);
  });

  test('our refund is due before the client can take the VHTLC, with the margin to spare', () => {
    const step = machine.step(t, state('locked'), { is: 'clock' }, clocksOn(lockEnds));
    const deadline = t.vhtlc.refundLocktime - t.policy.mtpLag - t.policy.margin;
    expect(step === 'stay' ? null : step.effects).toMatchObject([{ act: { is: 'refund', lock: t.lock }, deadline }]);
    expect(deadline).toBeGreaterThan(lockEnds);
  });

  test('the lock is looked at from before it is made until its end is settled', () => {
    const looked = [...states].filter(([, p]) => machine.watches(t, p).some(({ on }) => on === 'evm-lock'));
    expect([...new Set(looked.map(([, { at }]) => at))].sort()).toEqual([
      'claiming',
      'funded',
      'locked',
      'locking',
      'refunding',
      'relayed',
      'relaying',
      'stopped',
    ]);
  });
});

describe('the record', () => {
  const record = (p: P) =>
    viewArkadeEvm({ id: 'an id', createdAt: start, status: machine.status(p), network: 'regtest' }, t, p);

  test('names both legs, the fee with the network fee in it, and addresses with their checksum', () => {
    expect(record(arkadeEvmCase.first)).toMatchObject({
      status: 'pending',
      fee_sats: 260,
      source_amount: '100260',
      target_amount: '100000',
      chain: 'Polygon',
      evm_chain_id: 137,
      evm_expected_sats: '100000',
      evm_htlc_kind: 'erc20',
      evm_htlc_version: 4,
      evm_refund_locktime: lockEnds,
      client_evm_address: '0x3333333333333333333333333333333333333333',
      target_token: { chain: '137', token_id: '0x1111111111111111111111111111111111111111' },
    });
  });

  test('has the transactions of both legs as they become known, the Arkade ones under both names', () => {
    const txids = (p: P) =>
      Object.fromEntries(
        Object.entries(record(p))
          .filter(([name]) => name.endsWith('_txid'))
          .sort(),
      );
    const funded = { arkade_fund_txid: coinPoint.txid, btc_fund_txid: coinPoint.txid };
    expect(txids(arkadeEvmCase.first)).toEqual({});
    expect(txids(state('funded'))).toEqual(funded);
    expect(txids(state('locked'))).toEqual({ ...funded, evm_fund_txid: `0x${evmTxid.lock}` });
    expect(txids(state('relayed'))).toMatchObject({ evm_claim_txid: `0x${evmTxid.relay}` });
    expect(txids(state('claimed'))).toEqual({
      ...funded,
      arkade_claim_txid: 'b2'.repeat(32),
      btc_claim_txid: 'b2'.repeat(32),
      evm_fund_txid: `0x${evmTxid.lock}`,
      evm_claim_txid: `0x${evmTxid.client}`,
    });
  });
});
