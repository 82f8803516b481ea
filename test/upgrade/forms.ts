import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { asXOnly } from '../../engine/domain/hash.ts';
import { sats } from '../../engine/domain/money.ts';
import { encode } from '../../engine/store/codec.ts';
import {
  arkadeExit,
  arkadeExitEffect,
  type ArkadeExitProgress,
  type ArkadeExitTerms,
} from '../../engine/swap/jobs/exit-arkade.ts';
import { openingEffects } from '../../engine/swap/halves/lightning/hold/waiting.ts';
import type { Effect, Machine } from '../../engine/swap/machine.ts';
import { withdrawalEffect } from '../../engine/swap/jobs/withdrawal.ts';
import {
  bitcoinWithdrawalEffect,
  type BitcoinWithdrawalProgress,
  type BitcoinWithdrawalTerms,
} from '../../engine/swap/jobs/withdrawal-bitcoin.ts';
import type { TakeArkadeBitcoinTerms } from '../taker/taken.ts';
import type { TakeArkadeEvmTerms } from '../taker/taken.ts';
import type { TakeBitcoinArkadeTerms } from '../taker/taken.ts';
import type { TakeEvmArkadeTerms } from '../taker/taken.ts';
import type { TakeBitcoinEvmTerms } from '../taker/taken.ts';
import type { TakeEvmBitcoinTerms } from '../taker/taken.ts';
import type { TakeEvmLightningTerms } from '../taker/taken.ts';
import type { TakeBitcoinLightningTerms } from '../taker/taken.ts';
import type { TakeLightningBitcoinTerms } from '../taker/taken.ts';
import type { TakeLightningEvmTerms } from '../taker/taken.ts';
import { bitcoinWithdrawalCase } from '../swap/withdrawal-bitcoin-cases.ts';
import {
  arkadeLightningCase,
  arkadeWithdrawalCase,
  clocksAt,
  coinPoint,
  lightningArkadeCase,
  lightningArkadeTerms,
  lightningWithdrawalCase,
  start,
  txid,
  type Case,
} from '../swap/cases.ts';
import { explore } from '../swap/explore.ts';
import { takeArkadeBitcoinCase } from '../taker/arkade-bitcoin-cases.ts';
import { takeArkadeEvmCase } from '../taker/arkade-evm-cases.ts';
import { takeBitcoinCase } from '../taker/bitcoin-arkade-cases.ts';
import { takeEvmArkadeCase } from '../taker/evm-arkade-cases.ts';
import { takeBitcoinEvmCase } from '../taker/bitcoin-evm-cases.ts';
import { takeEvmBitcoinCase } from '../taker/evm-bitcoin-cases.ts';
import { takeEvmLightningCase } from '../taker/evm-lightning-cases.ts';
import { takeLightningEvmCase } from '../taker/lightning-evm-cases.ts';
import { takeBitcoinLightningCase } from '../taker/bitcoin-lightning-cases.ts';
import { takeLightningBitcoinCase } from '../taker/lightning-bitcoin-cases.ts';
import { takeArkadeCase, takeArkadeTerms, takeLightningCase, takeLightningTerms } from '../taker/cases.ts';
import type {
  TakeArkadeBitcoinProgress,
  TakeArkadeEvmProgress,
  TakeArkadeLightningProgress,
  TakeBitcoinArkadeProgress,
  TakeEvmArkadeProgress,
  TakeBitcoinEvmProgress,
  TakeEvmBitcoinProgress,
  TakeEvmLightningProgress,
  TakeLightningArkadeProgress,
  TakeBitcoinLightningProgress,
  TakeLightningBitcoinProgress,
  TakeLightningEvmProgress,
} from '../taker/taken.ts';
import { takenArkadeBitcoin } from '../../engine/taker/directions/arkade-bitcoin.ts';
import { takenArkadeEvm } from '../../engine/taker/directions/arkade-evm.ts';
import { takenArkadeLightning } from '../../engine/taker/directions/arkade-lightning.ts';
import { takenBitcoinArkade } from '../../engine/taker/directions/bitcoin-arkade.ts';
import { takenEvmArkade } from '../../engine/taker/directions/evm-arkade.ts';
import { takenBitcoinEvm } from '../../engine/taker/directions/bitcoin-evm.ts';
import { takenEvmBitcoin } from '../../engine/taker/directions/evm-bitcoin.ts';
import { takenEvmLightning } from '../../engine/taker/directions/evm-lightning.ts';
import { takenLightningArkade } from '../../engine/taker/directions/lightning-arkade.ts';
import { takenLightningEvm } from '../../engine/taker/directions/lightning-evm.ts';
import { takenBitcoinLightning } from '../../engine/taker/directions/bitcoin-lightning.ts';
import { takenLightningBitcoin } from '../../engine/taker/directions/lightning-bitcoin.ts';

/** A stored text, with the version of the form that it is of. */
export interface Stored {
  readonly version: number;
  readonly text: string;
}

/** Stored texts of every form that terms, progress and effects have. */
export interface Forms {
  readonly terms: Readonly<Record<string, readonly Stored[]>>;
  readonly progress: Readonly<Record<string, readonly Stored[]>>;
  readonly effects: readonly string[];
}

const now = clocksAt(start);
const exitTerms: ArkadeExitTerms = {
  coins: [{ outpoint: coinPoint, amount: sats(70_000), signer: asXOnly(new Uint8Array(32).fill(4)), exitDelay: 512 }],
};
const prepared = { txid: txid.refund, spends: coinPoint, amount: sats(70_000), rate: 2, capped: false, height: 9 };
const exitCase: Case<ArkadeExitTerms, ArkadeExitProgress> = {
  machine: arkadeExit,
  terms: exitTerms,
  first: { at: 'choosing' },
  events: [
    { label: 'prepared', event: { is: 'sweep.prepared', ...prepared }, now },
    { label: 'stuck', event: { is: 'onchain.stuck', leg: 'arkade', txid: txid.refund, leastRate: 3 }, now },
    { label: 'final', event: { is: 'onchain.final', leg: 'arkade', txid: txid.refund, fee: sats(300) }, now },
    {
      label: 'refused',
      event: { is: 'onchain.refused', leg: 'arkade', txid: txid.refund, why: 'refused', reason: 'dust' },
      now,
    },
  ],
};

const creating: { readonly at: 'creating' } = { at: 'creating' };
const refused = { at: 'refused', reason: 'provider-refused', detail: 'the provider is away' } as const;
const bitcoinTerms: BitcoinWithdrawalTerms = { ...bitcoinWithdrawalCase.terms, mostFee: sats(2_000), told: true };

interface MachineForms {
  readonly machine: string;
  readonly versions: { readonly terms: number; readonly progress: number };
  readonly terms: readonly unknown[];
  readonly progress: readonly unknown[];
  readonly effects: readonly Effect[];
}

function formsOf<T, P extends { readonly at: string }>(
  of: Case<T, P>,
  more: { readonly terms?: readonly T[]; readonly progress?: readonly P[]; readonly effects?: readonly Effect[] } = {},
): MachineForms {
  const { states, moves } = explore(of);
  const machine: Machine<T, P> = of.machine;
  return {
    machine: machine.name,
    versions: { terms: machine.shape.terms.version, progress: machine.shape.progress.version },
    terms: [of.terms, ...(more.terms ?? [])],
    progress: [...states, ...(more.progress ?? [])],
    effects: [...moves.flatMap(({ step }) => step.effects), ...(more.effects ?? [])],
  };
}

function all(): MachineForms[] {
  return [
    formsOf(lightningArkadeCase, { effects: openingEffects(lightningArkadeTerms) }),
    formsOf(arkadeLightningCase),
    formsOf(arkadeWithdrawalCase, { effects: [withdrawalEffect(arkadeWithdrawalCase.terms)] }),
    formsOf(lightningWithdrawalCase),
    formsOf<BitcoinWithdrawalTerms, BitcoinWithdrawalProgress>(bitcoinWithdrawalCase, {
      terms: [bitcoinTerms, { ...bitcoinTerms, within: 144 }],
      effects: [bitcoinTerms, { ...bitcoinTerms, within: 144 }].map((one) => bitcoinWithdrawalEffect(one)),
    }),
    formsOf(exitCase, { effects: [arkadeExitEffect(exitTerms)] }),
    formsOf<typeof takeLightningTerms, TakeLightningArkadeProgress>(takeLightningCase, {
      progress: [creating, refused],
      effects: takenLightningArkade.effects(takeLightningTerms),
    }),
    formsOf<typeof takeArkadeTerms, TakeArkadeLightningProgress>(takeArkadeCase, {
      progress: [creating, refused],
      effects: takenArkadeLightning.effects(takeArkadeTerms),
    }),
    formsOf<TakeBitcoinArkadeTerms, TakeBitcoinArkadeProgress>(takeBitcoinCase, {
      progress: [creating, refused],
      effects: takenBitcoinArkade.effects(takeBitcoinCase.terms),
    }),
    formsOf<TakeArkadeEvmTerms, TakeArkadeEvmProgress>(takeArkadeEvmCase, {
      progress: [creating, refused],
      effects: takenArkadeEvm.effects(takeArkadeEvmCase.terms),
    }),
    formsOf<TakeLightningEvmTerms, TakeLightningEvmProgress>(takeLightningEvmCase, {
      progress: [creating, refused],
      effects: takenLightningEvm.effects(takeLightningEvmCase.terms),
    }),
    formsOf<TakeBitcoinEvmTerms, TakeBitcoinEvmProgress>(takeBitcoinEvmCase, {
      progress: [creating, refused],
      effects: takenBitcoinEvm.effects(takeBitcoinEvmCase.terms),
    }),
    formsOf<TakeEvmLightningTerms, TakeEvmLightningProgress>(takeEvmLightningCase, {
      progress: [creating, refused],
      effects: takenEvmLightning.effects(takeEvmLightningCase.terms),
    }),
    formsOf<TakeBitcoinLightningTerms, TakeBitcoinLightningProgress>(takeBitcoinLightningCase, {
      progress: [creating, refused],
      effects: takenBitcoinLightning.effects(takeBitcoinLightningCase.terms),
    }),
    formsOf<TakeLightningBitcoinTerms, TakeLightningBitcoinProgress>(takeLightningBitcoinCase, {
      progress: [creating, refused],
      effects: takenLightningBitcoin.effects(takeLightningBitcoinCase.terms),
    }),
    formsOf<TakeEvmBitcoinTerms, TakeEvmBitcoinProgress>(takeEvmBitcoinCase, {
      progress: [creating, refused],
      effects: takenEvmBitcoin.effects(takeEvmBitcoinCase.terms),
    }),
    formsOf<TakeArkadeBitcoinTerms, TakeArkadeBitcoinProgress>(takeArkadeBitcoinCase, {
      progress: [creating, refused],
      effects: takenArkadeBitcoin.effects(takeArkadeBitcoinCase.terms),
    }),
    formsOf<TakeEvmArkadeTerms, TakeEvmArkadeProgress>(takeEvmArkadeCase, {
      progress: [creating, refused],
      effects: takenEvmArkade.effects(takeEvmArkadeCase.terms),
    }),
  ];
}

/** Words that tell one form from another; any other text is only text. */
const telling = new Set(['at', 'do', 'is', 'why', 'leaf', 'purpose', 'branch', 'late', 'said', 'direction', 'where']);

function formOf(value: unknown, name = ''): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return telling.has(name) ? value : 'text';
  if (value instanceof Uint8Array) return 'bytes';
  if (Array.isArray(value)) return `[${[...new Set(value.map((one) => formOf(one)))].sort().join()}]`;
  if (typeof value !== 'object') return typeof value;
  return `{${Object.entries(value)
    .map(([key, inner]) => `${key}:${formOf(inner, key)}`)
    .sort()
    .join()}}`;
}

/** One of each form. */
function distinct(values: readonly unknown[]): string[] {
  const byForm = new Map<string, string>();
  for (const value of values) if (!byForm.has(formOf(value))) byForm.set(formOf(value), encode(value));
  return [...byForm.values()];
}

/** What this build would write. */
export function formsNow(): Forms {
  const machines = all();
  const stored = (part: 'terms' | 'progress') =>
    Object.fromEntries(
      machines.map((one) => [one.machine, distinct(one[part]).map((text) => ({ version: one.versions[part], text }))]),
    );
  return {
    terms: stored('terms'),
    progress: stored('progress'),
    effects: distinct(machines.flatMap(({ effects }) => effects)),
  };
}

export function writeForms(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(formsNow(), null, 1)}\n`);
}
