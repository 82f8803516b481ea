import { mnemonicToSeedSync } from '@scure/bip39';
import { p2tr } from '@scure/btc-signer';
import { OperatorError } from './errors.ts';
import { chainParameters } from './settings.ts';
import type { OperatorState } from './state.ts';

/** How far the operator's own wallet is: nothing works until it is there, unlocked and in step with the chain. */
export interface OperatorWallet {
  status(): WalletStatus;
  /** Only where there is none. */
  create(mnemonic: string, password: string): void;
  unlock(password: string): void;
  /** Puts it into any state, for tests of what waits for an operator. */
  set(status: Partial<WalletStatus>): void;
  /** Throws what a service answers until the wallet is ready. */
  checkReady(service: 'ark' | 'indexer'): void;
}

export interface WalletStatus {
  readonly initialized: boolean;
  readonly unlocked: boolean;
  readonly synced: boolean;
}

/** The sandbox's operator comes ready. Its keys are its own: a wallet made anew only opens the door again. */
export function openOperatorWallet(): OperatorWallet {
  let status: WalletStatus = { initialized: true, unlocked: true, synced: true };
  let secret: string | null = null;

  return {
    status: () => status,
    create(mnemonic, password) {
      if (status.initialized)
        throw new OperatorError(13, 'rpc error: code = Unknown desc = wallet already initialized');
      if (password === '') throw new OperatorError(3, 'missing wallet password');
      mnemonicToSeedSync(mnemonic);
      secret = password;
      status = { initialized: true, unlocked: false, synced: false };
    },
    unlock(password) {
      if (!status.initialized) throw new OperatorError(13, 'rpc error: code = Unknown desc = wallet not initialized');
      if (secret !== null && password !== secret)
        throw new OperatorError(13, 'rpc error: code = Unknown desc = invalid password');
      status = { initialized: true, unlocked: true, synced: true };
    },
    set(change) {
      status = { ...status, ...change };
      if (!status.initialized) secret = null;
    },
    checkReady(service) {
      if (!status.initialized || !status.unlocked) throw new OperatorError(14, 'server not ready');
      if (!status.synced) throw new OperatorError(9, `${service} service not ready: wallet is locked or syncing`);
    },
  };
}

export function walletAddress(state: OperatorState): string {
  return p2tr(state.keys.wallet.xOnly, undefined, chainParameters(state.network)).address ?? '';
}
