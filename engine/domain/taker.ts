import type { Network } from './chain.ts';

/*
 * A swap of the owner's own as codes: who has to do what, why something is not possible, and why it ended. Whoever
 * shows it has the words; no sentence is made in the engine.
 */

/** The screen that a swap is on. */
export const takerPhases = ['creating', 'pay', 'wait', 'claim', 'refund', 'over'] as const;
export type TakerPhase = (typeof takerPhases)[number];

/** How it ended. `lost`: the other side took what was ours, and owes it. */
export const takerOutcomes = ['finished', 'returned', 'unpaid', 'refused', 'lost'] as const;
export type TakerOutcome = (typeof takerOutcomes)[number];

export const takerAttentions = ['none', 'waiting', 'needs-you', 'danger'] as const;
export type TakerAttention = (typeof takerAttentions)[number];

/** Whose turn it is. `payer`: whoever pays the invoice. */
export const takerActors = ['you', 'provider', 'node', 'payer', 'nobody'] as const;
export type TakerActor = (typeof takerActors)[number];

/** What is done next, or was done: an actor's act. */
export const stepCodes = [
  /** The provider opens the swap, and its record is checked. */
  'create',
  /** What the swap costs is paid. */
  'pay',
  /** The network confirms what was paid. */
  'confirm',
  /** The provider locks its side. */
  'lock',
  /** The network confirms what the provider locked: we claim nothing that may vanish. */
  'confirm-lock',
  /** The provider pays the invoice. */
  'pay-out',
  /** An exchange shall bring what was agreed: its price is waited for. */
  'exchange',
  /** We claim what the provider locked. */
  'claim',
  /** The networks are looked at for what became of a swap that was found again. */
  'look',
  /** The provider signs our refund. */
  'sign-refund',
  /** Our refund opens by its locktime. */
  'await-refund',
  /** What was paid comes back by a refund of ours. */
  'refund',
  /** A payment over Lightning goes back by itself. */
  'payment-returns',
  /** It arrived. */
  'finished',
  /** It came back. */
  'returned',
  /** Nothing is to be done any more, and nothing moved. */
  'closed',
] as const;
export type StepCode = (typeof stepCodes)[number];

/**
 * What was seen of the payment of a swap, and where it is: the one ground on which a person is told that it is safe, on
 * its way, or not to be paid again. A phase is none.
 */
export const paidStates = [
  /** Nothing of it was seen anywhere. */
  'none',
  /** A wallet of this node pays it, or gave the signature that does: it is not seen at its place yet. */
  'leaving',
  /** The provider says so, or shows it by its own lock: over Lightning nobody else can see it. */
  'told',
  /** It stands at the place of the swap, and is ours until the provider takes it with the secret. */
  'stands',
  /** It was there, and what took it cannot be read yet. */
  'unclear',
  /** The provider took it with the secret. */
  'taken',
  /** It came back. */
  'back',
] as const;
export type PaidState = (typeof paidStates)[number];

/** Why a refund stands as it does. */
export const whyCodes = [
  /** Nothing of ours is there. */
  'nothing-paid',
  /** The provider may still finish; it may be asked all the same. */
  'in-progress',
  /** The provider has locked its side, and signs no refund while that lock stands. */
  'provider-locked',
  /** The provider will not finish, and is asked to sign. */
  'provider-out',
  /** It was asked and did not sign; alone from the locktime on. */
  'provider-declined',
  /** The locktime has passed: nobody is needed. */
  'locktime-passed',
  /** Nobody's help is needed, but the locktime has to pass. */
  'locktime',
  /** Over Lightning nothing can be asked back: it comes back by itself unless the swap finishes. */
  'returns-by-itself',
  /** More was paid than the swap needs. */
  'surplus',
  /** The swap is finished: what was paid is the provider's. */
  'spent',
] as const;
export type WhyCode = (typeof whyCodes)[number];

/** Why it was refused, or why a person must look at it. */
export const reasonCodes = [
  /** The provider said no, in words of its own. */
  'provider-refused',
  /** The provider did not answer in time. */
  'provider-silent',
  /** Its record is not what was asked for. */
  'record-wrong',
  /** It ended the swap. */
  'provider-ended',
  /** It never locked its side. */
  'never-locked',
  /** What it locked could not be claimed safely. */
  'lock-unsafe',
  /** The exchange on the way brings less than was agreed now. */
  'price-away',
  /** The exchange never brought what was agreed: the token of the lock itself was paid out. */
  'not-exchanged',
  /** It took its lock back while we claimed it. */
  'taken-back',
  /** A refund did not work, and is tried again. */
  'refund-declined',
  /** What came to the account of an EVM chain could not be locked yet, and is tried again. */
  'not-locked',
  /** Something that a person must look at. */
  'flagged',
] as const;
export type ReasonCode = (typeof reasonCodes)[number];

/**
 * Why an order was refused before anything was paid; the text is somebody else's, or says what is wrong with the
 * record.
 */
export type RefusalReason = Extract<ReasonCode, 'provider-refused' | 'provider-silent' | 'record-wrong'>;

export const refundStates = ['none', 'possible', 'later', 'running', 'done'] as const;
export type RefundState = (typeof refundStates)[number];

export const costParts = ['service', 'network', 'gasless', 'exchange'] as const;
type CostPart = (typeof costParts)[number];

/** Part of what a swap costs, proven by its record; in sats. */
export interface Cost {
  readonly part: CostPart;
  readonly sats: bigint;
}

/** Why a provider has no offer for what was asked. */
export const noOfferCodes = [
  /** It did not answer in time. */
  'away',
  /** Its owner stopped new swaps. */
  'paused',
  /** It does not swap this way, or not over this token. */
  'pair-missing',
  'below-minimum',
  'above-maximum',
  /** It said no, in words of its own. */
  'declined',
  /** What it answers is nothing that a provider answers. */
  'unreadable',
] as const;
export type NoOfferCode = (typeof noOfferCodes)[number];

/** What can become of a swap, before it is made: `operator` is that of Arkade, `node` this one being off. */
export const takerCases = ['usual', 'slow', 'provider', 'operator', 'node'] as const;

/** Why an address is no provider that can be swapped with. */
export const providerFaults = ['away', 'unreadable', 'nothing-offered'] as const;
export type ProviderFault = (typeof providerFaults)[number];

/** What the owner's list is narrowed to. */
export const takerShows = ['all', 'open', 'needs-you', 'finished', 'returned'] as const;
export type TakerShow = (typeof takerShows)[number];

/** What a swap is found by in the owner's list, as its terms and progress say it; see `engine/taker/listing.ts`. */
export interface TakerListing {
  /** Null while it goes on. */
  readonly outcome: TakerOutcome | null;
  /** Networks of what is given and of what comes out. */
  readonly give: Network;
  readonly get: Network;
  /** Found by any of them, or by how it begins; an amount (`=100`) only as a whole. */
  readonly words: readonly string[];
}

export const takerTransactions = ['fund', 'lock', 'claim', 'refund', 'exit'] as const;
export type TakerTransaction = (typeof takerTransactions)[number];

/** What became of a record that a provider answered to a restore. */
export const restoreOutcomes = [
  /** It goes on here. */
  'reopened',
  /** It is here already. */
  'held',
  /** Nothing of ours is in it any more. */
  'over',
  /** Nothing is done with it. */
  'refused',
  /** What it is judged by cannot be read now. */
  'later',
] as const;
export type RestoreOutcome = (typeof restoreOutcomes)[number];

/** Why a record was not reopened. */
export const restoreReasons = [
  /** It is no record that anything could be made of. */
  'unreadable',
  /** This build takes no swaps in its direction. */
  'unknown-direction',
  /** No key of the seed is in it. */
  'not-ours',
  /** It is not what the seed, the operator and the chains make of it. */
  'record-wrong',
  /** A network that it needs is not connected, or does not answer. */
  'network-away',
] as const;

/**
 * What of a swap that was reopened is its provider's word alone: neither the seed nor a network says it.
 */
export const restoreDoubts = [
  /** How much was agreed: it is only compared with what was paid, where a network shows that. */
  'amounts',
  /** That anything was paid for it: over Lightning no network shows that, nor by whom. */
  'paid',
  /** That its secret opens nothing else: a provider may hide another swap of the same key, and make this one up. */
  'only-one',
] as const;
export type RestoreDoubt = (typeof restoreDoubts)[number];

/** How far a provider was asked. `cut`: it answered more than is looked at. */
export const restoreProviderStates = ['waiting', 'asking', 'done', 'silent', 'cut'] as const;
export type RestoreProviderState = (typeof restoreProviderStates)[number];

export const restoreStates = ['never', 'running', 'done'] as const;
