// The client's states as they were kept before, and what its machines say otherwise on purpose.
import type { Outcome } from '../../engine/swap/machine.ts';

type Former = Record<string, unknown> & { readonly at: string };

/** A state as the former machine of this direction kept it. */
export function clientBefore(name: string, p: object): object {
  const state = p as Former;
  if (state.at === 'creating' || state.at === 'refused') return p;
  const { target, ...own } = state;
  const facts = target as Record<string, unknown>;
  switch (name) {
    case 'take-arkade-evm':
      return { ...own, ...facts, ...(facts['takenBack'] === true ? { claimTxid: null } : {}) };
    case 'take-evm-lightning':
      return onEvm(own);
    case 'take-evm-bitcoin':
      return evmBitcoin(own, facts);
    case 'take-bitcoin-arkade':
      return bitcoinArkade(own, facts);
    case 'take-lightning-arkade':
      return lightningArkade(own, facts);
    default:
      return own;
  }
}

const names: Readonly<Record<string, string>> = { funded: 'locked', done: 'refunded', claimed: 'paid' };

function onEvm({ takenBy, relayed: _, ...own }: Former): object {
  const at = names[own.at] ?? own.at;
  return { ...own, at, ...(at === 'paid' ? { claimTxid: takenBy } : {}) };
}

function evmBitcoin({ takenBy, relayed, ...own }: Former, facts: Record<string, unknown>): object {
  const at = own.at === 'claimed' ? own.at : (names[own.at] ?? own.at);
  const beside = { unsafe: null, takenBack: false, claimTxid: null, takenBy, relayed, ...facts };
  const shown = at === 'claiming' ? { shown: facts['shown'] === true || takenBy !== null } : {};
  // That the provider has both says it.
  return { ...own, at, ...beside, ...shown, ...(at === 'lost' ? { takenBack: true, unsafe: null } : {}) };
}

function bitcoinArkade(
  { deal, ...own }: Former,
  { unsafe, claim, takenBack, ...claiming }: Record<string, unknown>,
): object {
  const { source, ...rest } = deal as Record<string, unknown>;
  const { payBefore, confirmations, ...leg } = source as Record<string, unknown>;
  const { txid, coin } = (claim ?? {}) as Record<string, unknown>;
  const payout = takenBack === true ? 'lost' : claim === null || claim === undefined ? null : { claimTxid: txid, coin };
  return {
    ...own,
    deal: { ...rest, source: leg, payBefore, confirmations },
    payout,
    ...claiming,
    ...(own.at === 'funded' ? { why: unsafe } : {}),
  };
}

function lightningArkade(own: Former, { unsafe, claim, takenBack: _, ...claiming }: Record<string, unknown>): object {
  const { txid, coin } = (claim ?? {}) as Record<string, unknown>;
  switch (own.at) {
    case 'waiting':
      return { ...own, why: unsafe };
    case 'lapsed':
      return { ...own, at: 'ended', detail: unsafe };
    case 'claimed':
      return { ...own, claimTxid: txid, coin };
    default:
      return { ...own, ...claiming };
  }
}

const has = 'there is nothing of it to claim: it owes you the swap.';
/** One sentence for every lock. */
const sentences: Readonly<Record<string, string>> = {
  'The provider took its VHTLC back while we claimed it: if the invoice was settled, the provider owes you the payment.':
    'The provider took its VHTLC back while this node claimed it: if the invoice was settled, the provider owes you the ' +
    'payment.',
  'The provider took its VHTLC back while we claimed it: if it takes the bitcoin too, it owes you the swap.':
    'The provider took its VHTLC back while this node claimed it: your bitcoin is taken back at its locktime; if the ' +
    'provider takes it too, it owes you the swap.',
  'The provider took the bitcoin with our secret, and there is no VHTLC of it to claim: it owes you the swap.': `The provider took your bitcoin with our secret, and ${has}`,
  'The provider took your tokens with our secret, and its bitcoin back: it owes you the swap.': `The provider took your tokens with our secret, and ${has}`,
  'The provider takes the bitcoin with a secret that this node has not given away yet: the VHTLC is claimed as soon as it is there.':
    'The provider takes the bitcoin with a secret that this node has not given away yet: what it locked is claimed as ' +
    'soon as it is there.',
};

/** What a client's machine does otherwise on purpose. */
export function clientCorrected(name: string, from: Former, step: Outcome<object>): Outcome<object> {
  if (step === 'stay') return step;
  const { flag, progress, ...rest } = step;
  const next = progress as Former;
  return {
    ...rest,
    progress: progressCorrected(name, from, next),
    ...(flag === undefined ? {} : { flag: flagCorrected(name, from, flag) }),
  };
}

/** The provider took our coin with our secret, and what it locked is neither ours nor its own again. */
function isLeftToUs({ at, target }: Former, next: Former): boolean {
  const { claimTxid, takenBack } = target as Record<string, unknown>;
  if (at === 'claiming' || claimTxid !== null || takenBack === true) return false;
  return next.at === 'done' && next['over'] === false && next['proof'] !== null;
}

function progressCorrected(name: string, from: Former, next: Former): Former {
  switch (name) {
    case 'take-arkade-evm':
      // That is waited for, as in every other direction.
      if (isLeftToUs(from, next)) {
        const { refundTxid: _, over: __, ...rest } = next;
        return { ...rest, at: 'funded', notBefore: null, declined: null };
      }
      // A claim that its chain showed, and does not any more, is none.
      return next['takenBack'] === true ? { ...next, claimTxid: null } : next;
    case 'take-evm-bitcoin':
      return next.at === 'lost' ? { ...next, takenBack: true, unsafe: null } : next;
    default:
      return next;
  }
}

function flagCorrected(name: string, from: Former, flag: string): string {
  const sentence = sentences[flag];
  // It is said at once where it has both.
  return sentence !== undefined && name === 'take-bitcoin-arkade' && from.at === 'claiming' && isTaken(from)
    ? `The provider took your bitcoin with our secret, and ${has}`
    : (sentence ?? flag);
}

function isTaken(p: Former): boolean {
  const coins = (p['coins'] ?? []) as readonly { readonly spend?: { readonly by: string } | null }[];
  return (p['proof'] ?? p['takenBy'] ?? null) !== null || coins.some(({ spend }) => spend?.by === 'claim');
}

/** A look ends what the clock ended: nothing is called unpaid that nobody looked at (facts/faults.md 124). */
function isLastLook({ at }: Former, event: { readonly is: string } | null): boolean {
  const { is, coins = [] } = (event ?? { is: '' }) as { readonly is: string; readonly coins?: readonly unknown[] };
  const isLook = is === 'vhtlc.seen' && coins.length === 0;
  return (is === 'clock' || isLook) && (at === 'waiting' || at === 'done' || at === 'claimed');
}

/** The provider takes a coin of ours with the secret. */
function isTaking(event: { readonly is: string } | null): boolean {
  const { coins = [] } = (event ?? {}) as { readonly coins?: readonly { readonly spend?: unknown }[] };
  return event?.is === 'vhtlc.seen' && coins.some(({ spend }) => (spend as { leaf?: string } | null)?.leaf === 'claim');
}

/** An answer of the former machine that was wrong, or less than another direction's. */
export function isMended(name: string, what: string, p: object, event: { readonly is: string } | null): boolean {
  const state = p as Former;
  const { takenBack, claimTxid, claim } = (state['target'] ?? {}) as Record<string, unknown>;
  // With the secret out its lock is all that is left to us, and is claimed.
  const isOut = state.at === 'funded' && isTaken(state) && (claim ?? claimTxid ?? null) === null;
  if (isOut && /^(steps|nextAction|facts times)/.test(what)) return true;
  // That the provider took its own back is said, with why it would not sign.
  if (takenBack === true && /^facts (reason|detail)/.test(what)) return true;
  switch (`${name} ${what}`) {
    case 'take-evm-bitcoin facts times':
      // By the clock that judges the claim.
      return state.at === 'claiming';
    case 'take-bitcoin-arkade step':
      // Why what is locked would not be claimed is facts before our coin is seen, and stays when it comes again.
      return (
        (state.at === 'waiting' && event?.is === 'vhtlc.seen') || (state.at !== 'funded' && event?.is === 'htlc.seen')
      );
    case 'take-bitcoin-arkade status':
      // While a coin goes back, the rest is said as in every other stage.
      return state.at === 'refunding';
    case 'take-bitcoin-arkade rescue':
      // The coin that is claimed is facts.
      return state.at === 'claiming';
    case 'take-arkade-evm step':
      if (isLastLook(state, event)) return true;
      // The provider has our coin with the secret: its lock is claimed whatever the time is, and until that is over
      // nothing ends the swap (facts/faults.md 118).
      // Another coin of ours is ours once the provider took one, whatever came first (facts/faults.md 119).
      if (state.at === 'claimed') return isTaken(state);
      if (isTaken(state)) return state.at === 'claiming' || (claimTxid ?? null) === null;
      // A claim that its chain shows is none that was withheld.
      if (state.at === 'claiming' && claimTxid !== null && event?.is === 'provider.claim-withheld') return true;
      return isTaking(event);
    case 'take-arkade-lightning step':
      return isLastLook(state, event);
    case 'take-arkade-evm watches':
      return isTaken(state) && (state.at === 'asking' || state.at === 'refunding');
    case 'take-arkade-evm rescue':
      // Its lock is ours to claim then, and is not once it is claimed.
      return isTaken(state) || claimTxid !== null;
    case 'take-arkade-evm status':
      // That the provider took its lock back is said as in every other direction, and so is that it has our coin.
      return takenBack === true || (state.at === 'claimed' && isTaken(state));
    case 'take-evm-lightning steps':
    case 'take-evm-lightning steps turn':
    case 'take-evm-lightning steps phase':
    case 'take-evm-lightning nextAction':
      // A refund that we signed is on its way.
      return state['relayed'] === true;
    default:
      return false;
  }
}
