import { type Sats, sats } from '../../../domain/money.ts';
import type { Conviction } from './convictions.ts';
import { badRequest, OperatorError } from './errors.ts';
import type { Intent } from './intent.ts';
import type { IntentQueue } from './intents.ts';
import { mintNote, mostNoteSats } from './notes.ts';
import { type OperatorWallet, walletAddress } from './operator-wallet.ts';
import { printSettings, readChange } from './settings-table.ts';
import type { IntentFee, OperatorSettings } from './settings.ts';
import type { OperatorState } from './state.ts';
import type { Sweeps } from './sweeps.ts';

/** What the owner of the operator can do, as arkd's admin port offers it. */
export interface OperatorAdmin {
  readonly wallet: OperatorWallet;
  walletAddress(): string;
  /** Vouchers over an amount each, as text. */
  note(amount: number, quantity: number): string[];
  settings(): Readonly<Record<string, unknown>>;
  change(wanted: Readonly<Record<string, unknown>>): string[];
  intentFee(): IntentFee;
  setIntentFee(fee: Partial<IntentFee>): void;
  intents(): readonly Intent[];
  readonly sweeps: Sweeps;
  convictions(script: string): Conviction[];
  pardon(id: string): void;
}

const mostNotes = 1_000;

export function openAdmin(
  state: OperatorState,
  queue: IntentQueue,
  sweeps: Sweeps,
  wallet: OperatorWallet,
  configure: (change: Partial<OperatorSettings>) => void,
): OperatorAdmin {
  let updatedAt = state.clock.now();

  function mint(amount: Sats): string {
    const { text, coin } = mintNote(amount, state.clock.now());
    state.coins.add(coin);
    return text;
  }
  return {
    wallet,
    walletAddress: () => walletAddress(state),
    note(amount, quantity) {
      if (!Number.isSafeInteger(amount) || amount <= 0) throw badRequest('amount must be greater than 0');
      if (BigInt(amount) > mostNoteSats) throw badRequest(`amount must be at most ${mostNoteSats}`);
      if (!Number.isSafeInteger(quantity) || quantity < 1 || quantity > mostNotes)
        throw badRequest(`quantity must be from 1 to ${mostNotes}`);
      return state.journal.atomically(() => Array.from({ length: quantity }, () => mint(sats(amount))));
    },
    settings: () => printSettings(state.settings, updatedAt),
    change(wanted) {
      const { settings, changeLog } = readChange(state.settings, wanted);
      configure(settings);
      updatedAt = state.clock.now();
      return changeLog;
    },
    intentFee: () => state.settings.intentFee,
    setIntentFee(fee) {
      configure({ intentFee: { ...state.settings.intentFee, ...fee } });
    },
    intents: () => queue.all(),
    sweeps,
    convictions: (script) => state.convictions.byScript(script),
    pardon(id) {
      if (!state.convictions.pardon(id)) throw new OperatorError(13, `conviction with id ${id} not found`);
    },
  };
}
