import { describe, expect, test } from 'vitest';
import { decode, encode } from '../../engine/store/codec.ts';
import { viewArkadeEvm, type ArkadeEvmProgress } from '../../engine/swap/directions/arkade-evm.ts';
import type { Event, SwapStep } from '../../engine/swap/machine.ts';
import {
  arkadeEvmCase,
  arkadeEvmTerms as t,
  claimRequest,
  clocksOn,
  evmSeen,
  evmTxid,
  lockEnds,
  lockIs,
  seenLock,
} from './arkade-evm-cases.ts';
import { coin, coinPoint, start } from './cases.ts';
import { explore } from './explore.ts';
import { movesTo, nameOf } from './table.ts';

type P = ArkadeEvmProgress;
const { machine, events } = arkadeEvmCase;

/** A state by its name and by what else decides: what is signed, and what was seen. */
function named(p: P): string {
  const standing = p.at !== 'claimed' && p.at !== 'lost';
  const shallow = p.at === 'claimed' ? p.shallow : undefined;
  const marks: readonly (readonly [boolean, string])[] = [
    ['doubt' in p, 'doubtful'],
    ['halted' in p && p.at !== 'claiming', 'halted'],
    [standing && 'sent' in p && p.sent === null, 'adopted'],
    [p.at === 'refunding' && p.refundTxid !== null, 'signed'],
    [p.at === 'refunding' && p.redeemTxid !== undefined, 'overtaken'],
    [p.at === 'refunded' && p.returned !== undefined, 'after ours'],
    ['reverts' in p && p.reverts >= 3, 'worn out'],
    [shallow !== undefined, 'shallow'],
    [shallow?.missing !== undefined, 'missing'],
    [shallow?.halted !== undefined, 'halted'],
    [shallow?.flagged === true, 'flagged'],
    [(shallow?.reverts ?? 0) >= 3, 'worn out'],
  ];
  return [nameOf(p), ...marks.flatMap(([has, mark]) => (has ? [mark] : []))].join(' ');
}

function inWords(step: SwapStep<P>): string {
  const words = movesTo(step).replace(nameOf(step.progress), named(step.progress));
  return step.interrupts?.includes('evm') === true ? `${words}, interrupts` : words;
}

/** Our lock for what the client gave, which a copy of the database forgot. */
const sightings = {
  'evm.seen active': 'locked adopted',
  'evm.seen active in another block': 'locked adopted',
  'evm.seen claimed': 'claiming adopted, vhtlc.claim, learns',
  'evm.seen claimed, the VHTLC about to open': 'claiming adopted, vhtlc.claim, learns',
  'evm.seen claimedDeep': 'claiming adopted, vhtlc.claim, learns',
  'evm.seen refunded': 'locked adopted',
  'evm.seen refundedDeep': 'locked adopted',
};

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
    ...sightings,
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
    'evm.already-done lock': 'funded halted',
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
    ...sightings,
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
    'vhtlc.seen taken by our claim': 'refunded doubtful +1',
    'vhtlc.seen refunded by the client alone': 'refunded doubtful +1',
    'vhtlc.seen refunded with our signature': 'refunded doubtful +1',
  },
  'refunded doubtful': {
    'evm.seen nothing': 'refunded +1',
    'evm.seen active': 'locked adopted, supersedes',
    'evm.seen claimed': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refunded': 'locked adopted, supersedes',
    'evm.seen refundedDeep': 'locked adopted, supersedes',
    'evm.seen active in another block': 'locked adopted, supersedes',
    "evm.seen a stranger's of the hash": 'refunded +1',
    'evm.seen claimed, the VHTLC about to open': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen exact': 'refunded doubtful +1',
    'vhtlc.seen short by one': 'refunded doubtful +1',
    'vhtlc.seen dust beside the right one': 'refunded doubtful +2',
    'vhtlc.seen expires too soon': 'refunded doubtful +1',
    'vhtlc.seen exact, EVM clock unread': 'refunded doubtful +1',
    'vhtlc.seen exact, funding window over': 'refunded doubtful +1',
    'vhtlc.seen exact, too late on the EVM chain': 'refunded doubtful +1',
  },
  'funded halted': {
    'evm.prepared lock': 'locking',
    'evm.refused lock': 'stopped wont doubtful +1',
    'evm.already-done lock': 'funded halted',
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
    'claim.requested': 'relaying relay asked adopted, evm.send, learns',
    'vhtlc.seen dust beside the right one': 'locked adopted +1',
    'clock, timelock passed': 'refunding adopted, evm.send, interrupts',
    'clock, locktime passed': 'refunding adopted, evm.send, interrupts',
  },
  'claiming adopted': {
    'evm.seen refunded': 'claiming adopted, FLAG',
    'evm.seen refundedDeep': 'claiming adopted, FLAG',
    'vhtlc.prepared claim': 'claiming adopted, vhtlc.submit claim',
    'vhtlc.final claim': 'claimed shallow, books',
    'vhtlc.seen dust beside the right one': 'claiming adopted +1',
    'vhtlc.seen refunded by the client alone': 'claiming adopted, FLAG, DISTRUST',
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
    'claim.requested': 'relaying relay asked, evm.send, learns',
    'vhtlc.seen dust beside the right one': 'locked +1',
    'clock, timelock passed': 'refunding, evm.send, interrupts',
    'clock, locktime passed': 'refunding, evm.send, interrupts',
  },
  claiming: {
    'evm.seen refunded': 'claiming, FLAG',
    'evm.seen refundedDeep': 'claiming, FLAG',
    'vhtlc.prepared claim': 'claiming, vhtlc.submit claim',
    'vhtlc.final claim': 'claimed shallow, books',
    'vhtlc.seen dust beside the right one': 'claiming +1',
    'vhtlc.seen refunded by the client alone': 'claiming, FLAG, DISTRUST',
    'vhtlc.seen refunded with our signature': 'lost, supersedes, books, FLAG',
  },
  'stopped wont': {
    ...sightings,
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
  'relaying relay asked adopted': {
    'evm.prepared relay-claim': 'relaying relay sent adopted',
    'evm.refused relay-claim': 'locked adopted',
    'evm.already-done relay-claim': 'relaying relay asked halted adopted',
    'evm.seen claimed': 'claiming relay asked adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming relay asked adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'relaying relay asked adopted',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay asked adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'relaying relay asked adopted +1',
    'clock, timelock passed': 'refunding relay asked adopted, evm.send, interrupts',
    'clock, locktime passed': 'refunding relay asked adopted, evm.send, interrupts',
  },
  'refunding adopted': {
    'evm.prepared refund': 'refunding adopted signed',
    'evm.already-done refund': 'refunding halted adopted',
    'evm.seen claimed': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen claimed, the VHTLC about to open': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding adopted +1',
  },
  claimed: { 'refund.cosign.requested other coin': 'claimed', 'vhtlc.seen dust beside the right one': 'claimed +1' },
  lost: {
    'evm.seen claimedDeep': 'lost, supersedes',
    'evm.seen refundedDeep': 'refunded after ours, supersedes, books, FLAG',
    'refund.cosign.requested other coin': 'lost',
    'vhtlc.seen dust beside the right one': 'lost +1',
  },
  'relaying relay asked': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.prepared relay-claim': 'relaying relay sent',
    'evm.refused relay-claim': 'locked',
    'evm.already-done relay-claim': 'relaying relay asked halted',
    'evm.seen claimed': 'claiming relay asked, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming relay asked, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'relaying relay asked',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay asked, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'relaying relay asked +1',
    'clock, timelock passed': 'refunding relay asked, evm.send, interrupts',
    'clock, locktime passed': 'refunding relay asked, evm.send, interrupts',
  },
  refunding: {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.prepared refund': 'refunding signed',
    'evm.already-done refund': 'refunding halted',
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
  'relaying relay sent adopted': {
    'evm.prepared relay-claim': 'relaying relay sent adopted',
    'evm.sent relay-claim taken': 'relayed relay sent adopted',
    'evm.sent relay-claim mined': 'relayed relay sent adopted',
    'evm.sent relay-claim mined by a variant': 'relayed relay sent adopted',
    'evm.sent relay-claim reverted': 'locked adopted',
    'evm.sent relay-claim reverted and buried': 'locked adopted',
    'evm.sent relay-claim gone': 'locked adopted',
    'evm.seen claimed': 'claiming relay sent adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming relay sent adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'relaying relay sent adopted',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay sent adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'relaying relay sent adopted +1',
    'clock, timelock passed': 'refunding relay sent adopted, evm.send, interrupts',
    'clock, locktime passed': 'refunding relay sent adopted, evm.send, interrupts',
  },
  'relaying relay asked halted adopted': {
    'evm.prepared relay-claim': 'relaying relay sent adopted',
    'evm.refused relay-claim': 'locked adopted',
    'evm.already-done relay-claim': 'relaying relay asked halted adopted',
    'evm.seen active': 'locked adopted',
    'evm.seen claimed': 'claiming relay asked adopted, vhtlc.claim, supersedes, learns',
    'evm.seen forged': 'locked adopted',
    'evm.seen claimedDeep': 'claiming relay asked adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'locked adopted',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay asked adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'relaying relay asked halted adopted +1',
    'clock, timelock passed': 'refunding relay asked adopted, evm.send, interrupts',
    'clock, locktime passed': 'refunding relay asked adopted, evm.send, interrupts',
  },
  'claiming relay asked adopted': {
    'evm.seen refunded': 'claiming relay asked adopted, FLAG',
    'evm.seen refundedDeep': 'claiming relay asked adopted, FLAG',
    'vhtlc.prepared claim': 'claiming relay asked adopted, vhtlc.submit claim',
    'vhtlc.final claim': 'claimed shallow, books',
    'vhtlc.seen dust beside the right one': 'claiming relay asked adopted +1',
    'vhtlc.seen refunded by the client alone': 'claiming relay asked adopted, FLAG, DISTRUST',
    'vhtlc.seen refunded with our signature': 'lost relay asked, supersedes, books, FLAG',
  },
  'refunding relay asked adopted': {
    'evm.prepared refund': 'refunding relay asked adopted signed',
    'evm.already-done refund': 'refunding relay asked halted adopted',
    'evm.seen claimed': 'claiming relay asked adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming relay asked adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay asked adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding relay asked adopted +1',
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
    'evm.already-done refund': 'refunding halted adopted',
    'evm.seen active': 'refunding adopted, evm.send',
    'evm.seen claimed': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding adopted, evm.send',
    'evm.seen claimed, the VHTLC about to open': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding halted adopted +1',
  },
  'relaying relay sent': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.prepared relay-claim': 'relaying relay sent',
    'evm.sent relay-claim taken': 'relayed relay sent',
    'evm.sent relay-claim mined': 'relayed relay sent',
    'evm.sent relay-claim mined by a variant': 'relayed relay sent',
    'evm.sent relay-claim reverted': 'locked',
    'evm.sent relay-claim reverted and buried': 'locked',
    'evm.sent relay-claim gone': 'locked',
    'evm.seen claimed': 'claiming relay sent, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming relay sent, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'relaying relay sent',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay sent, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'relaying relay sent +1',
    'clock, timelock passed': 'refunding relay sent, evm.send, interrupts',
    'clock, locktime passed': 'refunding relay sent, evm.send, interrupts',
  },
  'relaying relay asked halted': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.prepared relay-claim': 'relaying relay sent',
    'evm.refused relay-claim': 'locked',
    'evm.already-done relay-claim': 'relaying relay asked halted',
    'evm.seen active': 'locked',
    'evm.seen claimed': 'claiming relay asked, vhtlc.claim, supersedes, learns',
    'evm.seen forged': 'locked',
    'evm.seen claimedDeep': 'claiming relay asked, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'locked',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay asked, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'relaying relay asked halted +1',
    'clock, timelock passed': 'refunding relay asked, evm.send, interrupts',
    'clock, locktime passed': 'refunding relay asked, evm.send, interrupts',
  },
  'claiming relay asked': {
    'evm.seen refunded': 'claiming relay asked, FLAG',
    'evm.seen refundedDeep': 'claiming relay asked, FLAG',
    'vhtlc.prepared claim': 'claiming relay asked, vhtlc.submit claim',
    'vhtlc.final claim': 'claimed shallow, books',
    'vhtlc.seen dust beside the right one': 'claiming relay asked +1',
    'vhtlc.seen refunded by the client alone': 'claiming relay asked, FLAG, DISTRUST',
    'vhtlc.seen refunded with our signature': 'lost relay asked, supersedes, books, FLAG',
  },
  'refunding relay asked': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.prepared refund': 'refunding relay asked signed',
    'evm.already-done refund': 'refunding relay asked halted',
    'evm.seen claimed': 'claiming relay asked, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming relay asked, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay asked, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding relay asked +1',
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
    'evm.already-done refund': 'refunding halted',
    'evm.seen active': 'refunding, evm.send',
    'evm.seen claimed': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding, evm.send',
    'evm.seen claimed, the VHTLC about to open': 'claiming, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding halted +1',
  },
  'relayed relay sent adopted': {
    'evm.sent relay-claim mined': 'relayed relay sent adopted',
    'evm.sent relay-claim mined by a variant': 'relayed relay sent adopted',
    'evm.sent relay-claim reverted': 'locked adopted',
    'evm.sent relay-claim reverted and buried': 'locked adopted',
    'evm.sent relay-claim gone': 'locked adopted',
    'evm.seen claimed': 'claiming relay sent adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming relay sent adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'relayed relay sent adopted',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay sent adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'relayed relay sent adopted +1',
    'clock, timelock passed': 'refunding relay sent adopted, evm.send, interrupts',
    'clock, locktime passed': 'refunding relay sent adopted, evm.send, interrupts',
  },
  'claiming relay sent adopted': {
    'evm.sent relay-claim mined': 'claiming relay sent adopted',
    'evm.sent relay-claim mined by a variant': 'claiming relay sent adopted',
    'evm.sent relay-claim reverted': 'claiming relay sent adopted',
    'evm.sent relay-claim reverted and buried': 'claiming relay sent adopted',
    'evm.seen refunded': 'claiming relay sent adopted, FLAG',
    'evm.seen refundedDeep': 'claiming relay sent adopted, FLAG',
    'vhtlc.prepared claim': 'claiming relay sent adopted, vhtlc.submit claim',
    'vhtlc.final claim': 'claimed relay sent shallow, books',
    'vhtlc.seen dust beside the right one': 'claiming relay sent adopted +1',
    'vhtlc.seen refunded by the client alone': 'claiming relay sent adopted, FLAG, DISTRUST',
    'vhtlc.seen refunded with our signature': 'lost relay sent, supersedes, books, FLAG',
  },
  'refunding relay sent adopted': {
    'evm.sent relay-claim mined': 'refunding relay sent adopted',
    'evm.sent relay-claim mined by a variant': 'refunding relay sent adopted',
    'evm.sent relay-claim reverted': 'refunding relay sent adopted',
    'evm.sent relay-claim reverted and buried': 'refunding relay sent adopted',
    'evm.prepared refund': 'refunding relay sent adopted signed',
    'evm.already-done refund': 'refunding relay sent halted adopted',
    'evm.seen claimed': 'claiming relay sent adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming relay sent adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay sent adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding relay sent adopted +1',
  },
  'lost relay asked': {
    'evm.seen claimedDeep': 'lost relay asked, supersedes',
    'evm.seen refundedDeep': 'refunded after ours, supersedes, books, FLAG',
    'refund.cosign.requested other coin': 'lost relay asked',
    'vhtlc.seen dust beside the right one': 'lost relay asked +1',
  },
  'refunding relay asked adopted signed': {
    'evm.prepared refund': 'refunding relay asked adopted signed',
    'evm.sent refund reverted and buried': 'refunding relay asked adopted, evm.send',
    'evm.sent refund gone': 'refunding relay asked adopted, evm.send',
    'evm.seen claimed': 'refunding relay asked adopted signed overtaken, learns',
    'evm.seen claimedDeep': 'claiming relay asked adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay asked adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding relay asked adopted signed +1',
  },
  'refunding relay asked halted adopted': {
    'evm.prepared refund': 'refunding relay asked adopted signed',
    'evm.already-done refund': 'refunding relay asked halted adopted',
    'evm.seen active': 'refunding relay asked adopted, evm.send',
    'evm.seen claimed': 'claiming relay asked adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming relay asked adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding relay asked adopted, evm.send',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay asked adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding relay asked halted adopted +1',
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
  'relayed relay sent': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.sent relay-claim mined': 'relayed relay sent',
    'evm.sent relay-claim mined by a variant': 'relayed relay sent',
    'evm.sent relay-claim reverted': 'locked',
    'evm.sent relay-claim reverted and buried': 'locked',
    'evm.sent relay-claim gone': 'locked',
    'evm.seen claimed': 'claiming relay sent, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming relay sent, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'relayed relay sent',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay sent, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'relayed relay sent +1',
    'clock, timelock passed': 'refunding relay sent, evm.send, interrupts',
    'clock, locktime passed': 'refunding relay sent, evm.send, interrupts',
  },
  'claiming relay sent': {
    'evm.sent relay-claim mined': 'claiming relay sent',
    'evm.sent relay-claim mined by a variant': 'claiming relay sent',
    'evm.sent relay-claim reverted': 'claiming relay sent',
    'evm.sent relay-claim reverted and buried': 'claiming relay sent',
    'evm.seen refunded': 'claiming relay sent, FLAG',
    'evm.seen refundedDeep': 'claiming relay sent, FLAG',
    'vhtlc.prepared claim': 'claiming relay sent, vhtlc.submit claim',
    'vhtlc.final claim': 'claimed relay sent shallow, books',
    'vhtlc.seen dust beside the right one': 'claiming relay sent +1',
    'vhtlc.seen refunded by the client alone': 'claiming relay sent, FLAG, DISTRUST',
    'vhtlc.seen refunded with our signature': 'lost relay sent, supersedes, books, FLAG',
  },
  'refunding relay sent': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.sent relay-claim mined': 'refunding relay sent',
    'evm.sent relay-claim mined by a variant': 'refunding relay sent',
    'evm.sent relay-claim reverted': 'refunding relay sent',
    'evm.sent relay-claim reverted and buried': 'refunding relay sent',
    'evm.prepared refund': 'refunding relay sent signed',
    'evm.already-done refund': 'refunding relay sent halted',
    'evm.seen claimed': 'claiming relay sent, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming relay sent, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay sent, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding relay sent +1',
  },
  'refunding relay asked signed': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.prepared refund': 'refunding relay asked signed',
    'evm.sent refund reverted and buried': 'refunding relay asked, evm.send',
    'evm.sent refund gone': 'refunding relay asked, evm.send',
    'evm.seen claimed': 'refunding relay asked signed overtaken, learns',
    'evm.seen claimedDeep': 'claiming relay asked, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay asked, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding relay asked signed +1',
  },
  'refunding relay asked halted': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.prepared refund': 'refunding relay asked signed',
    'evm.already-done refund': 'refunding relay asked halted',
    'evm.seen active': 'refunding relay asked, evm.send',
    'evm.seen claimed': 'claiming relay asked, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming relay asked, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding relay asked, evm.send',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay asked, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding relay asked halted +1',
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
  'claimed relay sent': {
    'refund.cosign.requested other coin': 'claimed relay sent',
    'vhtlc.seen dust beside the right one': 'claimed relay sent +1',
  },
  'lost relay sent': {
    'evm.seen claimedDeep': 'lost relay sent, supersedes',
    'evm.seen refundedDeep': 'refunded after ours, supersedes, books, FLAG',
    'refund.cosign.requested other coin': 'lost relay sent',
    'vhtlc.seen dust beside the right one': 'lost relay sent +1',
  },
  'refunding relay sent adopted signed': {
    'evm.sent relay-claim mined': 'refunding relay sent adopted signed',
    'evm.sent relay-claim mined by a variant': 'refunding relay sent adopted signed',
    'evm.sent relay-claim reverted': 'refunding relay sent adopted signed',
    'evm.sent relay-claim reverted and buried': 'refunding relay sent adopted signed',
    'evm.prepared refund': 'refunding relay sent adopted signed',
    'evm.sent refund reverted and buried': 'refunding relay sent adopted, evm.send',
    'evm.sent refund gone': 'refunding relay sent adopted, evm.send',
    'evm.seen claimed': 'refunding relay sent adopted signed overtaken, learns',
    'evm.seen claimedDeep': 'claiming relay sent adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay sent adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding relay sent adopted signed +1',
  },
  'refunding relay sent halted adopted': {
    'evm.sent relay-claim mined': 'refunding relay sent halted adopted',
    'evm.sent relay-claim mined by a variant': 'refunding relay sent halted adopted',
    'evm.sent relay-claim reverted': 'refunding relay sent halted adopted',
    'evm.sent relay-claim reverted and buried': 'refunding relay sent halted adopted',
    'evm.prepared refund': 'refunding relay sent adopted signed',
    'evm.already-done refund': 'refunding relay sent halted adopted',
    'evm.seen active': 'refunding relay sent adopted, evm.send',
    'evm.seen claimed': 'claiming relay sent adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming relay sent adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding relay sent adopted, evm.send',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay sent adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding relay sent halted adopted +1',
  },
  'refunding relay asked adopted signed overtaken': {
    'evm.prepared refund': 'refunding relay asked adopted signed overtaken',
    'evm.sent refund reverted and buried': 'refunding relay asked adopted overtaken, evm.send',
    'evm.sent refund gone': 'refunding relay asked adopted overtaken, evm.send',
    'evm.seen active': 'refunding relay asked adopted signed',
    'evm.seen claimedDeep': 'claiming relay asked adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding relay asked adopted signed',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay asked adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding relay asked adopted signed overtaken +1',
  },
  'refunding adopted overtaken': {
    'evm.prepared refund': 'refunding adopted signed overtaken',
    'evm.already-done refund': 'refunding halted adopted overtaken',
    'evm.seen active': 'refunding adopted',
    'evm.seen claimed': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding adopted',
    'evm.seen claimed, the VHTLC about to open': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding adopted overtaken +1',
  },
  'refunding relay sent signed': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.sent relay-claim mined': 'refunding relay sent signed',
    'evm.sent relay-claim mined by a variant': 'refunding relay sent signed',
    'evm.sent relay-claim reverted': 'refunding relay sent signed',
    'evm.sent relay-claim reverted and buried': 'refunding relay sent signed',
    'evm.prepared refund': 'refunding relay sent signed',
    'evm.sent refund reverted and buried': 'refunding relay sent, evm.send',
    'evm.sent refund gone': 'refunding relay sent, evm.send',
    'evm.seen claimed': 'refunding relay sent signed overtaken, learns',
    'evm.seen claimedDeep': 'claiming relay sent, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay sent, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding relay sent signed +1',
  },
  'refunding relay sent halted': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.sent relay-claim mined': 'refunding relay sent halted',
    'evm.sent relay-claim mined by a variant': 'refunding relay sent halted',
    'evm.sent relay-claim reverted': 'refunding relay sent halted',
    'evm.sent relay-claim reverted and buried': 'refunding relay sent halted',
    'evm.prepared refund': 'refunding relay sent signed',
    'evm.already-done refund': 'refunding relay sent halted',
    'evm.seen active': 'refunding relay sent, evm.send',
    'evm.seen claimed': 'claiming relay sent, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming relay sent, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding relay sent, evm.send',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay sent, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding relay sent halted +1',
  },
  'refunding relay asked signed overtaken': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.prepared refund': 'refunding relay asked signed overtaken',
    'evm.sent refund reverted and buried': 'refunding relay asked overtaken, evm.send',
    'evm.sent refund gone': 'refunding relay asked overtaken, evm.send',
    'evm.seen active': 'refunding relay asked signed',
    'evm.seen claimedDeep': 'claiming relay asked, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding relay asked signed',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay asked, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding relay asked signed overtaken +1',
  },
  'refunding overtaken': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.prepared refund': 'refunding signed overtaken',
    'evm.already-done refund': 'refunding halted overtaken',
    'evm.seen active': 'refunding',
    'evm.seen claimed': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding',
    'evm.seen claimed, the VHTLC about to open': 'claiming, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding overtaken +1',
  },
  'refunding relay sent adopted signed overtaken': {
    'evm.sent relay-claim mined': 'refunding relay sent adopted signed overtaken',
    'evm.sent relay-claim mined by a variant': 'refunding relay sent adopted signed overtaken',
    'evm.sent relay-claim reverted': 'refunding relay sent adopted signed overtaken',
    'evm.sent relay-claim reverted and buried': 'refunding relay sent adopted signed overtaken',
    'evm.prepared refund': 'refunding relay sent adopted signed overtaken',
    'evm.sent refund reverted and buried': 'refunding relay sent adopted overtaken, evm.send',
    'evm.sent refund gone': 'refunding relay sent adopted overtaken, evm.send',
    'evm.seen active': 'refunding relay sent adopted signed',
    'evm.seen claimedDeep': 'claiming relay sent adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding relay sent adopted signed',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay sent adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding relay sent adopted signed overtaken +1',
  },
  'refunding relay asked adopted overtaken': {
    'evm.prepared refund': 'refunding relay asked adopted signed overtaken',
    'evm.already-done refund': 'refunding relay asked halted adopted overtaken',
    'evm.seen active': 'refunding relay asked adopted',
    'evm.seen claimed': 'claiming relay asked adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming relay asked adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding relay asked adopted',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay asked adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding relay asked adopted overtaken +1',
  },
  'refunding halted adopted overtaken': {
    'evm.prepared refund': 'refunding adopted signed overtaken',
    'evm.already-done refund': 'refunding halted adopted overtaken',
    'evm.seen active': 'refunding adopted, evm.send',
    'evm.seen claimed': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding adopted, evm.send',
    'evm.seen claimed, the VHTLC about to open': 'claiming adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding halted adopted overtaken +1',
  },
  'refunding relay sent signed overtaken': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.sent relay-claim mined': 'refunding relay sent signed overtaken',
    'evm.sent relay-claim mined by a variant': 'refunding relay sent signed overtaken',
    'evm.sent relay-claim reverted': 'refunding relay sent signed overtaken',
    'evm.sent relay-claim reverted and buried': 'refunding relay sent signed overtaken',
    'evm.prepared refund': 'refunding relay sent signed overtaken',
    'evm.sent refund reverted and buried': 'refunding relay sent overtaken, evm.send',
    'evm.sent refund gone': 'refunding relay sent overtaken, evm.send',
    'evm.seen active': 'refunding relay sent signed',
    'evm.seen claimedDeep': 'claiming relay sent, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding relay sent signed',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay sent, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding relay sent signed overtaken +1',
  },
  'refunding relay asked overtaken': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.prepared refund': 'refunding relay asked signed overtaken',
    'evm.already-done refund': 'refunding relay asked halted overtaken',
    'evm.seen active': 'refunding relay asked',
    'evm.seen claimed': 'claiming relay asked, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming relay asked, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding relay asked',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay asked, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding relay asked overtaken +1',
  },
  'refunding halted overtaken': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.prepared refund': 'refunding signed overtaken',
    'evm.already-done refund': 'refunding halted overtaken',
    'evm.seen active': 'refunding, evm.send',
    'evm.seen claimed': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding, evm.send',
    'evm.seen claimed, the VHTLC about to open': 'claiming, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding halted overtaken +1',
  },
  'refunding relay sent adopted overtaken': {
    'evm.sent relay-claim mined': 'refunding relay sent adopted overtaken',
    'evm.sent relay-claim mined by a variant': 'refunding relay sent adopted overtaken',
    'evm.sent relay-claim reverted': 'refunding relay sent adopted overtaken',
    'evm.sent relay-claim reverted and buried': 'refunding relay sent adopted overtaken',
    'evm.prepared refund': 'refunding relay sent adopted signed overtaken',
    'evm.already-done refund': 'refunding relay sent halted adopted overtaken',
    'evm.seen active': 'refunding relay sent adopted',
    'evm.seen claimed': 'claiming relay sent adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming relay sent adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding relay sent adopted',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay sent adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding relay sent adopted overtaken +1',
  },
  'refunding relay asked halted adopted overtaken': {
    'evm.prepared refund': 'refunding relay asked adopted signed overtaken',
    'evm.already-done refund': 'refunding relay asked halted adopted overtaken',
    'evm.seen active': 'refunding relay asked adopted, evm.send',
    'evm.seen claimed': 'claiming relay asked adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming relay asked adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding relay asked adopted, evm.send',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay asked adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding relay asked halted adopted overtaken +1',
  },
  'refunding relay sent overtaken': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.sent relay-claim mined': 'refunding relay sent overtaken',
    'evm.sent relay-claim mined by a variant': 'refunding relay sent overtaken',
    'evm.sent relay-claim reverted': 'refunding relay sent overtaken',
    'evm.sent relay-claim reverted and buried': 'refunding relay sent overtaken',
    'evm.prepared refund': 'refunding relay sent signed overtaken',
    'evm.already-done refund': 'refunding relay sent halted overtaken',
    'evm.seen active': 'refunding relay sent',
    'evm.seen claimed': 'claiming relay sent, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming relay sent, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding relay sent',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay sent, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding relay sent overtaken +1',
  },
  'refunding relay asked halted overtaken': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.prepared refund': 'refunding relay asked signed overtaken',
    'evm.already-done refund': 'refunding relay asked halted overtaken',
    'evm.seen active': 'refunding relay asked, evm.send',
    'evm.seen claimed': 'claiming relay asked, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming relay asked, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding relay asked, evm.send',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay asked, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding relay asked halted overtaken +1',
  },
  'refunding relay sent halted adopted overtaken': {
    'evm.sent relay-claim mined': 'refunding relay sent halted adopted overtaken',
    'evm.sent relay-claim mined by a variant': 'refunding relay sent halted adopted overtaken',
    'evm.sent relay-claim reverted': 'refunding relay sent halted adopted overtaken',
    'evm.sent relay-claim reverted and buried': 'refunding relay sent halted adopted overtaken',
    'evm.prepared refund': 'refunding relay sent adopted signed overtaken',
    'evm.already-done refund': 'refunding relay sent halted adopted overtaken',
    'evm.seen active': 'refunding relay sent adopted, evm.send',
    'evm.seen claimed': 'claiming relay sent adopted, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming relay sent adopted, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding relay sent adopted, evm.send',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay sent adopted, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding relay sent halted adopted overtaken +1',
  },
  'refunding relay sent halted overtaken': {
    'evm.sent lock gone': 'stopped wont doubtful +1, supersedes, FLAG',
    'evm.sent relay-claim mined': 'refunding relay sent halted overtaken',
    'evm.sent relay-claim mined by a variant': 'refunding relay sent halted overtaken',
    'evm.sent relay-claim reverted': 'refunding relay sent halted overtaken',
    'evm.sent relay-claim reverted and buried': 'refunding relay sent halted overtaken',
    'evm.prepared refund': 'refunding relay sent signed overtaken',
    'evm.already-done refund': 'refunding relay sent halted overtaken',
    'evm.seen active': 'refunding relay sent, evm.send',
    'evm.seen claimed': 'claiming relay sent, vhtlc.claim, supersedes, learns',
    'evm.seen claimedDeep': 'claiming relay sent, vhtlc.claim, supersedes, learns',
    'evm.seen refundedDeep': 'returned +1, supersedes',
    'evm.seen active in another block': 'refunding relay sent, evm.send',
    'evm.seen claimed, the VHTLC about to open': 'claiming relay sent, vhtlc.claim, supersedes, learns',
    'vhtlc.seen dust beside the right one': 'refunding relay sent halted overtaken +1',
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
  'claimed shallow': {
    'evm.seen nothing': 'claimed shallow missing',
    'evm.seen nothing, asked before': 'claimed shallow missing',
    'evm.seen active': 'claimed shallow missing',
    'evm.seen claimedDeep': 'claimed',
    'evm.seen refundedDeep': 'claimed, FLAG',
    'evm.seen active in another block': 'claimed shallow missing',
    "evm.seen a stranger's of the hash": 'claimed shallow missing',
    'refund.cosign.requested other coin': 'claimed shallow',
    'vhtlc.seen dust beside the right one': 'claimed shallow +1',
  },
  'claimed shallow missing': {
    'evm.seen claimed': 'claimed shallow',
    'evm.seen forged': 'claimed shallow',
    'evm.seen claimedDeep': 'claimed',
    'evm.seen refundedDeep': 'claimed, FLAG',
    'evm.seen claimed, the VHTLC about to open': 'claimed shallow',
    'claim.requested': 'claimed relay asked shallow missing, evm.send',
    'claim.requested after the timelock': 'claimed relay asked shallow missing, evm.send',
    'refund.cosign.requested other coin': 'claimed shallow missing',
    'vhtlc.seen dust beside the right one': 'claimed shallow missing +1',
  },
  'claimed relay asked shallow missing': {
    'evm.prepared relay-claim': 'claimed relay sent shallow missing',
    'evm.refused relay-claim': 'claimed shallow missing',
    'evm.already-done relay-claim': 'claimed relay asked shallow missing halted',
    'evm.seen claimed': 'claimed relay asked shallow',
    'evm.seen forged': 'claimed relay asked shallow',
    'evm.seen claimedDeep': 'claimed, supersedes',
    'evm.seen refundedDeep': 'claimed, supersedes, FLAG',
    'evm.seen claimed, the VHTLC about to open': 'claimed relay asked shallow',
    'refund.cosign.requested other coin': 'claimed relay asked shallow missing',
    'vhtlc.seen dust beside the right one': 'claimed relay asked shallow missing +1',
  },
  'claimed relay sent shallow': {
    'evm.sent relay-claim taken': 'claimed relay sent shallow',
    'evm.sent relay-claim mined': 'claimed relay sent shallow',
    'evm.sent relay-claim mined by a variant': 'claimed relay sent shallow',
    'evm.sent relay-claim reverted': 'claimed shallow',
    'evm.sent relay-claim reverted and buried': 'claimed shallow',
    'evm.sent relay-claim gone': 'claimed shallow',
    'evm.seen nothing': 'claimed relay sent shallow missing',
    'evm.seen nothing, asked before': 'claimed relay sent shallow missing',
    'evm.seen active': 'claimed relay sent shallow missing',
    'evm.seen claimedDeep': 'claimed relay sent',
    'evm.seen refundedDeep': 'claimed relay sent, FLAG',
    'evm.seen active in another block': 'claimed relay sent shallow missing',
    "evm.seen a stranger's of the hash": 'claimed relay sent shallow missing',
    'refund.cosign.requested other coin': 'claimed relay sent shallow',
    'vhtlc.seen dust beside the right one': 'claimed relay sent shallow +1',
  },
  'claimed relay sent shallow missing': {
    'evm.sent relay-claim taken': 'claimed relay sent shallow missing',
    'evm.sent relay-claim mined': 'claimed relay sent shallow missing',
    'evm.sent relay-claim mined by a variant': 'claimed relay sent shallow missing',
    'evm.sent relay-claim reverted': 'claimed shallow missing',
    'evm.sent relay-claim reverted and buried': 'claimed shallow missing',
    'evm.sent relay-claim gone': 'claimed shallow missing',
    'evm.seen claimed': 'claimed relay sent shallow',
    'evm.seen forged': 'claimed relay sent shallow',
    'evm.seen claimedDeep': 'claimed relay sent',
    'evm.seen refundedDeep': 'claimed relay sent, FLAG',
    'evm.seen claimed, the VHTLC about to open': 'claimed relay sent shallow',
    'refund.cosign.requested other coin': 'claimed relay sent shallow missing',
    'vhtlc.seen dust beside the right one': 'claimed relay sent shallow missing +1',
  },
  'claimed relay asked shallow missing halted': {
    'evm.prepared relay-claim': 'claimed relay sent shallow missing',
    'evm.refused relay-claim': 'claimed shallow missing',
    'evm.already-done relay-claim': 'claimed relay asked shallow missing halted',
    'evm.seen nothing': 'claimed shallow missing',
    'evm.seen active': 'claimed shallow missing',
    'evm.seen claimed': 'claimed shallow',
    'evm.seen forged': 'claimed shallow',
    'evm.seen claimedDeep': 'claimed, supersedes',
    'evm.seen refundedDeep': 'claimed, supersedes, FLAG',
    'evm.seen active in another block': 'claimed shallow missing',
    "evm.seen a stranger's of the hash": 'claimed shallow missing',
    'evm.seen claimed, the VHTLC about to open': 'claimed shallow',
    'refund.cosign.requested other coin': 'claimed relay asked shallow missing halted',
    'vhtlc.seen dust beside the right one': 'claimed relay asked shallow missing halted +1',
  },
  'claimed relay asked shallow': {
    'evm.prepared relay-claim': 'claimed relay sent shallow',
    'evm.refused relay-claim': 'claimed shallow',
    'evm.already-done relay-claim': 'claimed relay asked shallow halted',
    'evm.seen nothing': 'claimed relay asked shallow missing',
    'evm.seen nothing, asked before': 'claimed relay asked shallow missing',
    'evm.seen active': 'claimed relay asked shallow missing',
    'evm.seen claimedDeep': 'claimed, supersedes',
    'evm.seen refundedDeep': 'claimed, supersedes, FLAG',
    'evm.seen active in another block': 'claimed relay asked shallow missing',
    "evm.seen a stranger's of the hash": 'claimed relay asked shallow missing',
    'refund.cosign.requested other coin': 'claimed relay asked shallow',
    'vhtlc.seen dust beside the right one': 'claimed relay asked shallow +1',
  },
  'claimed relay asked shallow halted': {
    'evm.prepared relay-claim': 'claimed relay sent shallow',
    'evm.refused relay-claim': 'claimed shallow',
    'evm.already-done relay-claim': 'claimed relay asked shallow halted',
    'evm.seen nothing': 'claimed shallow',
    'evm.seen nothing, asked before': 'claimed relay asked shallow missing halted',
    'evm.seen active': 'claimed shallow',
    'evm.seen claimed': 'claimed shallow',
    'evm.seen forged': 'claimed shallow',
    'evm.seen claimedDeep': 'claimed, supersedes',
    'evm.seen refundedDeep': 'claimed, supersedes, FLAG',
    'evm.seen active in another block': 'claimed shallow',
    "evm.seen a stranger's of the hash": 'claimed shallow',
    'evm.seen claimed, the VHTLC about to open': 'claimed shallow',
    'refund.cosign.requested other coin': 'claimed relay asked shallow halted',
    'vhtlc.seen dust beside the right one': 'claimed relay asked shallow halted +1',
  },
  'claimed shallow missing worn out': {
    'evm.seen claimed': 'claimed shallow worn out',
    'evm.seen forged': 'claimed shallow worn out',
    'evm.seen claimedDeep': 'claimed',
    'evm.seen refundedDeep': 'claimed, FLAG',
    'evm.seen claimed, the VHTLC about to open': 'claimed shallow worn out',
    'refund.cosign.requested other coin': 'claimed shallow missing worn out',
    'vhtlc.seen dust beside the right one': 'claimed shallow missing worn out +1',
  },
  'claimed shallow worn out': {
    'evm.seen nothing': 'claimed shallow missing worn out',
    'evm.seen nothing, asked before': 'claimed shallow missing worn out',
    'evm.seen active': 'claimed shallow missing worn out',
    'evm.seen claimedDeep': 'claimed',
    'evm.seen refundedDeep': 'claimed, FLAG',
    'evm.seen active in another block': 'claimed shallow missing worn out',
    "evm.seen a stranger's of the hash": 'claimed shallow missing worn out',
    'refund.cosign.requested other coin': 'claimed shallow worn out',
    'vhtlc.seen dust beside the right one': 'claimed shallow worn out +1',
  },
};

const states = new Map<string, P>();
for (const progress of explore(arkadeEvmCase).states)
  if (!states.has(named(progress))) states.set(named(progress), progress);

function state(at: string): P {
  const progress = states.get(at);
  if (progress === undefined) throw new Error(`no state ${at}`);
  return progress;
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

  test('every state is kept in a form that can be read again', { timeout: 60_000 }, () => {
    const { shape } = machine;
    const all = explore(arkadeEvmCase).states;
    expect(all.map((p) => shape.progress.read(decode(encode(p)), shape.progress.version))).toEqual(all);
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
      'claimed',
      'claiming',
      'funded',
      'locked',
      'locking',
      'lost',
      'refunded',
      'refunding',
      'relayed',
      'relaying',
      'stopped',
    ]);
  });
});

describe('what loses money when it is wrong', () => {
  const unclaimed = evmSeen([seenLock(lockIs.active)], lockEnds + 60);
  const acts = (p: P, event: Event, now = clocksOn(lockEnds + 60)) => {
    const step = machine.step(t, p, event, now);
    return step === 'stay' ? [] : step.effects.map((effect) => (effect.do === 'evm.send' ? effect.act.is : effect.do));
  };

  test('fault 120, evm: a lock that may stand is looked for, though the client has its own again', () => {
    const back = state('refunded doubtful');
    expect([machine.open(t, back), machine.rescue?.(t, back)]).toMatchObject([true, { refund: { lock: t.lock } }]);
    expect(acts(back, { is: 'refund.cosign.requested', coins: [coin().outpoint] })).toEqual([]);
    const stands = machine.step(t, back, unclaimed, clocksOn(lockEnds + 60));
    if (stands === 'stay') throw new Error('the lock is not seen');
    expect([stands.progress.at, acts(stands.progress, { is: 'clock' })]).toEqual(['locked', ['refund']]);
    const none = machine.step(t, back, evmSeen([], lockEnds + 60), clocksOn(lockEnds + 60));
    expect(none === 'stay' || machine.open(t, none.progress)).toBe(false);
  });

  test('fault 15, evm: a claim whose block goes after we claimed opens no refund of our lock', () => {
    const done = [...states].filter(([, { at }]) => ['claiming', 'claimed'].includes(at)).map(([, p]) => p);
    expect(new Set(done.map(({ at }) => at))).toEqual(new Set(['claiming', 'claimed']));
    const late = [lockEnds, lockEnds + 60, t.vhtlc.refundLocktime + 1_801].map((wall) => clocksOn(wall));
    const effects = late.flatMap((now) =>
      done.flatMap((p) => [unclaimed, { is: 'clock' } as const].flatMap((event) => acts(p, event, now))),
    );
    expect(effects).toEqual([]);
  });

  test('fault 129, evm: with its own again, a client whose claim goes with its block has our lock no more', () => {
    const lost = state('lost');
    expect([machine.open(t, lost), machine.rescue?.(t, lost)]).toMatchObject([true, { refund: { lock: t.lock } }]);
    // Not before its timelock, which is the client's.
    expect(acts(lost, unclaimed, clocksOn(start + 60))).toEqual([]);
    const refunds = machine.step(t, lost, unclaimed, clocksOn(lockEnds + 60));
    if (refunds === 'stay') throw new Error('our lock is left to whoever has the secret');
    expect(refunds.effects).toMatchObject([{ act: { is: 'refund', lock: t.lock } }]);
    expect(machine.step(t, refunds.progress, unclaimed, clocksOn(lockEnds + 90))).toBe('stay');
    const back = machine.step(t, refunds.progress, evmSeen([seenLock(lockIs.refundedDeep)]), clocksOn(lockEnds + 120));
    expect(back).toMatchObject({
      progress: { at: 'refunded', returned: {} },
      ledger: [{ kind: 'loss', amount: t.lock.amount }],
    });
    // A claim that is buried keeps it, and nothing is looked at any more.
    const over = machine.step(t, lost, evmSeen([seenLock(lockIs.claimedDeep)]), clocksOn(lockEnds + 60));
    expect(over === 'stay' || machine.open(t, over.progress)).toBe(false);
  });

  test('fault 15, evm: a claim that is lost and not brought back for an hour is told to the owner once', () => {
    const active = evmSeen([seenLock(lockIs.active)]);
    const lost = state('claimed shallow missing');
    const [soon, late, later] = [3_600, 3_660, 7_200].map((passed) =>
      machine.step(t, lost, active, clocksOn(start + passed)),
    );
    expect([soon, machine.open(t, lost), machine.status(lost)]).toEqual(['stay', true, 'serverredeemed']);
    expect(late).toMatchObject({
      flag: expect.stringContaining(
        `100000 units of the token 0x${'11'.repeat(20)} in our lock are due to 0x${'33'.repeat(20)}`,
      ),
      effects: [],
    });
    expect(later).not.toBe('stay');
    if (late === undefined || late === 'stay') throw new Error('nobody was told');
    expect(machine.step(t, late.progress, active, clocksOn(start + 9_000))).toBe('stay');
    expect(acts(late.progress, claimRequest)).toEqual(['relay-claim']);
    expect(acts(state('claimed relay sent shallow missing'), claimRequest)).toEqual([]);
  });

  test('an owner who is told of a lost claim is told to wait for a request only where one is relayed', () => {
    const active = evmSeen([seenLock(lockIs.active)]);
    const flags = ['claimed shallow missing', 'claimed shallow missing worn out'].map((name) => {
      const step = machine.step(t, state(name), active, clocksOn(start + 3_660));
      return step === 'stay' ? null : [step.flag?.split('lock back. ')[1], acts(step.progress, claimRequest)];
    });
    expect(flags).toEqual([
      ['The claim is relayed when the client asks again: see that it does.', ['relay-claim']],
      [
        'Too many relays of it failed, and no more are made: see that the client claims by a transaction of its ' +
          'own, or pay it by hand.',
        [],
      ],
    ]);
  });

  test('a swap whose claim is buried is over, and watches its address alone', () => {
    const { shallow: _, ...before } = state('claimed shallow') as P & { at: 'claimed' };
    const row = machine.shape.progress.read(decode(encode(before)), 1);
    expect([row, machine.open(t, row), machine.watches(t, row).map(({ on }) => on)]).toEqual([
      before,
      false,
      ['vhtlc'],
    ]);
  });

  test('fault 17, evm: a claim in the last block wins over a refund not signed, and is waited for after', () => {
    const claimed = evmSeen([seenLock(lockIs.claimed)], lockEnds + 60);
    const buried = evmSeen([seenLock(lockIs.claimedDeep)], lockEnds + 60);
    expect([
      acts(state('locked'), claimed),
      acts(state('refunding'), claimed),
      acts(state('refunding signed'), claimed),
      acts(state('refunding signed'), buried),
      acts(state('refunding signed'), claimed, clocksOn(t.vhtlc.refundLocktime - 60)),
    ]).toEqual([['vhtlc.claim'], ['vhtlc.claim'], [], ['vhtlc.claim'], ['vhtlc.claim']]);
  });

  test('fault 40, evm: no refund is signed while our lock stands, is on its way, or was claimed', () => {
    const ask: Event = { is: 'refund.cosign.requested', coins: [coinPoint] };
    const signs = [...states]
      .filter(([, p]) => machine.step(t, p, ask, clocksOn(start + 60)) !== 'stay')
      .map(([, { at }]) => at);
    expect([...new Set(signs)].sort()).toEqual(['lapsed', 'pending', 'refunded', 'returned', 'stopped']);
  });

  test('fault 34, evm: a relay that was mined and reverted leaves the lock to a later claim', () => {
    const reverted = { is: 'mined', by: evmTxid.relay, ok: false, confirmations: 1, cost: 1n } as const;
    const step = machine.step(
      t,
      [...states.values()].find(({ at }) => at === 'relayed') ?? state('locked'),
      { is: 'evm.sent', purpose: 'relay-claim', txid: evmTxid.relay, state: reverted },
      clocksOn(start + 60),
    );
    expect(step).toMatchObject({ progress: { at: 'locked', reverts: 1 }, effects: [] });
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
    expect(txids(state('relaying relay sent'))).not.toHaveProperty('evm_claim_txid');
    expect(txids(state('relayed relay sent'))).toMatchObject({ evm_claim_txid: `0x${evmTxid.bumped}` });
    expect(txids(state('claimed shallow'))).toEqual({
      ...funded,
      arkade_claim_txid: 'b2'.repeat(32),
      btc_claim_txid: 'b2'.repeat(32),
      evm_fund_txid: `0x${evmTxid.lock}`,
      evm_claim_txid: `0x${evmTxid.client}`,
    });
  });
});
