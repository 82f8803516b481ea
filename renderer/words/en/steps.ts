import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import type { StepCode, TakerOutcome } from '../../../engine/domain/taker.ts';

/** Amounts and networks of a swap in words. */
export interface Sides {
  readonly give: string;
  readonly giveOn: string;
  readonly get: string;
  readonly getOn: string;
}

type Actor = TakerSwap['turn']['who'];

/** What a step is called before, while and after it is done. */
export const stepTitles: Readonly<Record<StepCode, (sides: Sides, done: boolean) => string>> = {
  create: (_, done) => (done ? 'The provider’s terms are checked' : 'The provider opens the swap, Sluice checks it'),
  pay: ({ give, giveOn }, done) => (done ? `You paid ${give} on ${giveOn}` : `You pay ${give} on ${giveOn}`),
  confirm: ({ giveOn }, done) => (done ? `${giveOn} confirmed your payment` : `${giveOn} confirms your payment`),
  lock: ({ get, getOn }, done) =>
    done ? `The provider locked ${get} on ${getOn}` : `The provider locks ${get} on ${getOn}`,
  'confirm-lock': ({ getOn }, done) =>
    done ? `${getOn} confirmed the provider’s lock` : `${getOn} confirms the provider’s lock`,
  'pay-out': (_, done) => (done ? 'The provider paid the invoice' : 'The provider pays the invoice'),
  exchange: (_, done) => (done ? 'The exchange paid what was agreed' : 'The exchange has to pay what was agreed'),
  claim: ({ get }, done) =>
    done ? `Sluice claimed ${get} for you` : `Sluice claims ${get} for you, even with this window closed`,
  look: (_, done) => (done ? 'Sluice found the outcome' : 'Sluice checks the networks for the outcome'),
  'sign-refund': (_, done) => (done ? 'The provider signed your refund' : 'The provider signs your refund'),
  'await-refund': (_, done) => (done ? 'The refund opened' : 'The refund opens at its date'),
  refund: ({ give }, done) => (done ? `Sluice took ${give} back` : `Sluice takes ${give} back`),
  'payment-returns': ({ give }, done) =>
    done ? `The payment of ${give} was never completed` : `The payment of ${give} goes back by itself`,
  finished: ({ get, getOn }) => `${get} on ${getOn}`,
  returned: ({ give }) => `${give} are yours again`,
  closed: () => 'The swap ends, nothing was paid',
};

/** The heading while a step is what everybody waits for. */
export const stepHeadings: Readonly<Record<StepCode, (sides: Sides) => string>> = {
  create: () => 'The provider opens the swap',
  pay: ({ give, giveOn }) => `Pay ${give} on ${giveOn}`,
  confirm: ({ giveOn }) => `${giveOn} is confirming your payment`,
  lock: ({ get }) => `The provider is locking ${get}`,
  'confirm-lock': ({ get, getOn }) => `${getOn} is confirming ${get} for you`,
  'pay-out': () => 'The provider is paying the invoice',
  exchange: ({ get }) => `Sluice is waiting for a price that brings ${get}`,
  claim: ({ get }) => `Sluice is claiming ${get} for you`,
  look: () => 'Sluice is checking the outcome of this swap',
  'sign-refund': ({ give }) => `Your ${give} are coming back`,
  'await-refund': ({ give }) => `Your ${give} are coming back`,
  refund: ({ give }) => `Your ${give} are coming back`,
  'payment-returns': ({ give }) => `The payment of ${give} is going back`,
  finished: ({ get }) => `${get} arrived`,
  returned: ({ give }) => `Your ${give} are back`,
  closed: () => 'This swap is ending',
};

/** What is to be done, behind the name of whoever has to do it. */
export const turnActs: Readonly<Record<StepCode, string>> = {
  create: 'Opens the swap',
  pay: 'Pays',
  confirm: 'Confirms the payment in a block',
  lock: 'Locks its side',
  'confirm-lock': 'Confirms the provider’s lock',
  'pay-out': 'Pays the invoice',
  exchange: 'Waits for a better price; at its date it claims the bitcoin token itself',
  claim: 'Claims what is yours',
  look: 'Checks the networks for the outcome: pay nothing',
  'sign-refund': 'Signs your refund',
  'await-refund': 'The refund opens at its date',
  refund: 'Takes your money back',
  'payment-returns': 'The payment goes back',
  finished: 'Nothing',
  returned: 'Nothing',
  closed: 'Nothing: do not pay any more',
};

export const actors: Readonly<Record<Actor, string>> = {
  you: 'You',
  provider: 'The provider',
  node: 'Your Sluice',
  payer: 'Whoever pays the invoice',
  nobody: 'Nobody',
};

export const outcomes: Readonly<Record<TakerOutcome, string>> = {
  finished: 'Finished',
  returned: 'Returned',
  unpaid: 'Never paid',
  refused: 'Not made',
  lost: 'Lost',
};
