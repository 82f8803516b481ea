import { sha256 } from '@noble/hashes/sha2.js';
import { CSVMultisigTapscript } from '@arkade-os/sdk';
import { NETWORK, TEST_NETWORK, p2tr, p2wpkh } from '@scure/btc-signer';
import { taprootTweakPrivKey } from '@scure/btc-signer/utils.js';
import { toHex } from '../../../domain/hex.ts';
import { type KeyPair, keyPair } from './key-pair.ts';
import type { RelativeDelay } from './script.ts';
import type { DeprecatedSigner, SignerBook } from './signers.ts';

/** What an owner of the operator may set. Delays below 512 are blocks, the others seconds in steps of 512. */
export interface OperatorSettings {
  readonly exitDelay: number;
  /** The one that /v1/info shows, no shorter than the one enforced. */
  readonly publicExitDelay: number;
  readonly boardingExitDelay: number;
  readonly checkpointExitDelay: number;
  /** Life of a coin that a batch or the faucet made, seconds. */
  readonly vtxoExpiry: number;
  readonly dust: number;
  readonly vtxoMinAmount: number;
  /** -1: no limit. */
  readonly vtxoMaxAmount: number;
  readonly maxTxWeight: number;
  readonly maxOpReturnOutputs: number;
  /** Convictions of one script that ban it, and for how many seconds each counts. */
  readonly banThreshold: number;
  readonly banDuration: number;
  /** CEL programs, empty for no fee. */
  readonly intentFee: IntentFee;
  /** Seconds that a round may take; the stages follow from it unless they are given. */
  readonly sessionDuration: number;
  /** Milliseconds of the three stages of a round. */
  readonly stages: Stages;
  /** Requests without a digest are refused, and event streams have none to send. */
  readonly digestHeaderRequired: boolean;
}

export interface Stages {
  readonly registration: number;
  readonly confirmation: number;
  readonly finalization: number;
}

/** arkd gives a sixth to registration and halves the rest, no stage being shorter than a second. */
export function stagesOf(sessionDuration: number): Stages {
  const registration = Math.max(1_000, (sessionDuration * 1_000) / 6);
  const rest = Math.max(1_000, (sessionDuration * 1_000 - registration) / 2);
  return { registration, confirmation: rest, finalization: rest };
}

export interface IntentFee {
  readonly offchainInput: string;
  readonly offchainOutput: string;
  readonly onchainInput: string;
  readonly onchainOutput: string;
}

export const defaultSettings: OperatorSettings = {
  exitDelay: 1_536,
  publicExitDelay: 1_536,
  boardingExitDelay: 3_072,
  checkpointExitDelay: 1_536,
  vtxoExpiry: 604_672,
  dust: 330,
  vtxoMinAmount: 330,
  vtxoMaxAmount: -1,
  maxTxWeight: 40_000,
  maxOpReturnOutputs: 3,
  banThreshold: 3,
  banDuration: 300,
  intentFee: { offchainInput: '', offchainOutput: '', onchainInput: '', onchainOutput: '' },
  sessionDuration: 2,
  // Signatures are in within a tenth of a second, and within a second or two on a machine that has much else to do:
  // only a round in which somebody is silent takes this long.
  stages: { ...stagesOf(2), confirmation: 2_000, finalization: 8_000 },
  digestHeaderRequired: false,
};

export interface OperatorKeys {
  /** Receives forfeits, unrolled checkpoints and swept batches. */
  readonly forfeit: KeyPair;
  /** The operator's share in batch trees. */
  readonly tree: KeyPair;
  /** Owns the chain coins that commitment transactions spend. */
  readonly wallet: WalletKey;
}

/** A key with the output that it owns by itself (BIP-86), and what spends that. */
export interface WalletKey extends KeyPair {
  readonly script: Uint8Array;
  readonly outputSecret: Uint8Array;
}

export function operatorKeys(seed: Uint8Array): OperatorKeys {
  const wallet = keyPair(seed, 'wallet');
  return {
    forfeit: keyPair(seed, 'forfeit'),
    tree: keyPair(seed, 'tree'),
    wallet: { ...wallet, script: p2tr(wallet.xOnly).script, outputSecret: taprootTweakPrivKey(wallet.secret) },
  };
}

export function delayOf(value: number): RelativeDelay {
  return { type: value < 512 ? 'blocks' : 'seconds', value: BigInt(value) };
}

export function checkpointExitScript(settings: OperatorSettings, keys: OperatorKeys): Uint8Array {
  return CSVMultisigTapscript.encode({ timelock: delayOf(settings.checkpointExitDelay), pubkeys: [keys.forfeit.xOnly] })
    .script;
}

export type OperatorNetwork = 'regtest' | 'signet' | 'bitcoin';

export function chainParameters(network: OperatorNetwork): typeof NETWORK {
  if (network === 'bitcoin') return NETWORK;
  return network === 'regtest' ? { ...TEST_NETWORK, bech32: 'bcrt' } : TEST_NETWORK;
}

export function forfeitPayment(network: OperatorNetwork, keys: OperatorKeys): { address: string; script: Uint8Array } {
  const payment = p2wpkh(keys.forfeit.publicKey, chainParameters(network));
  return { address: payment.address ?? '', script: payment.script };
}

/** /v1/info as arkd prints it. */
export interface InfoBody {
  readonly version: string;
  readonly signerPubkey: string;
  readonly forfeitPubkey: string;
  readonly forfeitAddress: string;
  readonly checkpointTapscript: string;
  readonly network: string;
  readonly sessionDuration: string;
  readonly unilateralExitDelay: string;
  readonly boardingExitDelay: string;
  readonly utxoMinAmount: string;
  readonly utxoMaxAmount: string;
  readonly vtxoMinAmount: string;
  readonly vtxoMaxAmount: string;
  readonly dust: string;
  readonly fees: { readonly intentFee: IntentFee; readonly txFeeRate: string };
  readonly scheduledSession: null;
  readonly deprecatedSigners: readonly DeprecatedSigner[];
  readonly serviceStatus: Record<string, never>;
  readonly digest: string;
  readonly maxTxWeight: string;
  readonly maxOpReturnOutputs: string;
}

export function infoBody(
  network: OperatorNetwork,
  settings: OperatorSettings,
  keys: OperatorKeys,
  signers: SignerBook,
): InfoBody {
  const body: InfoBody = {
    version: '',
    signerPubkey: toHex(signers.current().publicKey),
    forfeitPubkey: toHex(keys.forfeit.publicKey),
    forfeitAddress: forfeitPayment(network, keys).address,
    checkpointTapscript: toHex(checkpointExitScript(settings, keys)),
    network,
    sessionDuration: String(settings.sessionDuration),
    unilateralExitDelay: String(settings.publicExitDelay),
    boardingExitDelay: String(settings.boardingExitDelay),
    utxoMinAmount: String(settings.dust),
    utxoMaxAmount: '-1',
    vtxoMinAmount: String(settings.vtxoMinAmount),
    vtxoMaxAmount: String(settings.vtxoMaxAmount),
    dust: String(settings.dust),
    fees: { intentFee: settings.intentFee, txFeeRate: '0' },
    scheduledSession: null,
    deprecatedSigners: signers.deprecated(),
    serviceStatus: {},
    digest: '',
    maxTxWeight: String(settings.maxTxWeight),
    maxOpReturnOutputs: String(settings.maxOpReturnOutputs),
  };
  // Any change of a setting counts, those that are not shown here included.
  return { ...body, digest: toHex(sha256(new TextEncoder().encode(JSON.stringify([body, settings])))) };
}
