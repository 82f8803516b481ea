import type { RestoreOutcome, RestoreProviderState, restoreReasons } from '../../../engine/domain/taker.ts';
import { plural } from './plural.ts';

const outcomes: Readonly<Record<RestoreOutcome, string>> = {
  reopened: 'Goes on here',
  held: 'Was here already',
  over: 'Ended, no money of yours is in it',
  refused: 'Refused',
  later: 'Not yet',
};

const reasons: Readonly<Record<(typeof restoreReasons)[number], string>> = {
  unreadable: 'It cannot be read as a swap.',
  'unknown-direction': 'This version of Sluice does not know swaps of this kind.',
  'not-ours': 'None of your keys is in it.',
  'record-wrong': 'It does not fit your words and the networks, so nothing is done with it.',
  'network-away': 'A network that it needs is not connected. Connect it, then look again.',
};

const providers: Readonly<Record<RestoreProviderState, string>> = {
  waiting: 'is asked next',
  asking: 'is being asked',
  done: 'has answered',
  silent: 'does not answer: look again later',
  cut: 'has more swaps than Sluice asks for, or was cut off',
};

/** Loaded with its page. */
export const restore = {
  title: 'Look for my swaps',
  lead:
    'Your words bring back your keys. Providers know which swaps were made with them: Sluice asks each one, checks ' +
    'every answer by itself, and goes on with what is right.',
  again:
    'Words that were used elsewhere go on at keys far from all known ones: a secret once shown protects ' +
    'nothing a second time. Nodes like this one find such swaps again; other providers and wallets may not. So keep ' +
    'the rescue bundle, and name every provider here that you swapped with. If a provider hides a swap, its key ' +
    'is known only from a claim in your Arkade or Bitcoin wallet, and may be reused without one. So restore ' +
    'words once, and keep the folder.',
  provider: 'A provider you swapped with',
  providerHint: 'Its https address. Leave it empty to ask this node and the providers in the settings.',
  look: 'Look for my swaps',
  looking: (judged: number) =>
    `Sluice is looking… ${judged === 0 ? '' : `${judged} ${plural(judged, { one: 'record', other: 'records' })} checked so far.`}`,
  outcomes,
  reasons,
  providers,
  thisNode: 'This node',
  asked: 'Asked',
  none: 'No swap of yours is known there',
  noneMeans:
    'If you swapped with somebody else, name that provider and look again. A provider that is gone for good can ' +
    'tell nothing: use the rescue bundle.',
  result: (total: number, reopened: number) =>
    `${total} ${plural(total, { one: 'swap', other: 'swaps' })} known there, ${reopened} ${plural(reopened, { one: 'goes', other: 'go' })} on ` +
    'here now.',
  leftOut: (count: number) => `${count} more are not listed.`,
  swaps: 'Result of each',
  open: 'Open it',
};
