import { CSVMultisigTapscript } from '@arkade-os/sdk';
import type { ArkInfo, ArkProvider, IndexerProvider } from '@arkade-os/sdk';
import { Address, NETWORK, OutScript, TEST_NETWORK } from '@scure/btc-signer';
import type { BitcoinNetwork } from '../../domain/chain.ts';
import type { PublicKey, XOnly } from '../../domain/hash.ts';
import { asPublicKey, xOnlyOf } from '../../domain/hash.ts';
import { fromHex } from '../../domain/hex.ts';
import type { Sats } from '../../domain/money.ts';
import { sats } from '../../domain/money.ts';
import type { Unix } from '../../domain/time.ts';
import { seconds } from '../../domain/time.ts';
import { arkadeFailure } from '../../legs/arkade/failures.ts';
import { type OperatorInfo, checkOperator, exitDelayInSeconds } from '../../legs/arkade/operator.ts';
import type { WalletTerms } from '../../legs/arkade/vtxo.ts';
import type { KeyRef } from '../../legs/signer.ts';
import { isDigestMismatch, request } from './failures.ts';
import type { CallKind } from './failures.ts';

/** A signed message to the operator: proof and the exact text that it commits to. */
export interface SignedText {
  readonly proof: string;
  readonly message: string;
}

/** The SDK's provider, and one request more than it knows: the queued intents over the coins of a proof. */
export interface OperatorProvider extends ArkProvider {
  getIntents(intent: SignedText): Promise<SignedText[]>;
}

/**
 * What the scripts of the node's own wallet were made of so far, as this node saw it: durable, and no operator's word.
 */
export interface WalletMemory {
  /** Null before first contact with any operator. */
  terms(): readonly WalletTerms[] | null;
  keep(terms: readonly WalletTerms[]): void;
}

export interface ArkadeOptions {
  readonly ark: OperatorProvider;
  readonly indexer: IndexerProvider;
  /** The private key that a reference names, 32 bytes. */
  readonly keys: (ref: KeyRef) => Uint8Array;
  readonly clock: { wall(): Unix; mtp(): Unix | null };
  readonly network: BitcoinNetwork;
  /** Left out by who has no wallet to keep: the process remembers for itself. */
  readonly memory?: WalletMemory;
}

/** What the operator published, judged and parsed. */
export interface OperatorSettings {
  readonly info: OperatorInfo;
  readonly raw: ArkInfo;
  readonly signer: XOnly;
  /** Signers of before, as it says: what is ours under one is for `WalletMemory` to tell. */
  readonly deprecated: readonly XOnly[];
  readonly forfeitKey: PublicKey;
  readonly forfeitScript: Uint8Array;
  readonly unroll: CSVMultisigTapscript.Type;
  readonly unrollScript: Uint8Array;
  readonly exitDelay: { type: 'seconds' | 'blocks'; value: bigint };
  readonly dust: Sats;
}

export interface Operator {
  /** Read at most `maxAge` milliseconds ago. */
  settings(maxAge?: number): Promise<OperatorSettings>;
  /** One request; repeated once when the operator's settings had changed. */
  call<T>(what: string, kind: CallKind, work: (ark: OperatorProvider) => Promise<T>, limit?: number): Promise<T>;
  /**
   * One request that was made for the operator's present settings; never repeated, for under others it would be another
   * one.
   */
  once<T>(what: string, work: (ark: OperatorProvider) => Promise<T>): Promise<T>;
  read<T>(what: string, work: (indexer: IndexerProvider) => Promise<T>): Promise<T>;
}

const regtestNetwork = { ...TEST_NETWORK, bech32: 'bcrt' };
const addressNetworks = {
  mainnet: NETWORK,
  signet: TEST_NETWORK,
  mutinynet: TEST_NETWORK,
  regtest: regtestNetwork,
} as const;

/**
 * Signers of before that are read of an operator: whoever changes its key more often than that is none to stay with.
 */
const mostFormer = 16;

/** Milliseconds for which settings are trusted; a change is also noticed by the digest of the next call. */
const freshFor = 60_000;

export function createOperator({ ark, indexer, network }: ArkadeOptions): Operator {
  let last: { at: number; settings: OperatorSettings } | null = null;

  async function settings(maxAge = freshFor): Promise<OperatorSettings> {
    if (last && performance.now() - last.at < maxAge) return last.settings;
    const raw = await request('info', 'read', () => ark.getInfo());
    last = { at: performance.now(), settings: parseInfo(raw, network) };
    return last.settings;
  }

  async function call<T>(
    what: string,
    kind: CallKind,
    work: (ark: OperatorProvider) => Promise<T>,
    limit?: number,
  ): Promise<T> {
    try {
      return await request(what, kind, () => work(ark), limit);
    } catch (error) {
      if (!isDigestMismatch(error)) throw error;
      await settings(0);
      return request(what, kind, () => work(ark), limit);
    }
  }

  async function once<T>(what: string, work: (ark: OperatorProvider) => Promise<T>): Promise<T> {
    try {
      return await request(what, 'write', () => work(ark));
    } catch (error) {
      if (!isDigestMismatch(error)) throw error;
      throw arkadeFailure('operator-changed', 'safe', `the Arkade operator changed its settings before ${what}`, error);
    }
  }

  return { settings, call, once, read: (what, work) => request(what, 'read', () => work(indexer)) };
}

function parseInfo(raw: ArkInfo, network: BitcoinNetwork): OperatorSettings {
  let forfeitKey: PublicKey;
  let signer: XOnly;
  let deprecated: readonly XOnly[];
  let unrollScript: Uint8Array;
  try {
    forfeitKey = asPublicKey(fromHex(raw.forfeitPubkey));
    signer = xOnlyOf(asPublicKey(fromHex(raw.signerPubkey)));
    deprecated = raw.deprecatedSigners.slice(-mostFormer).map(({ pubkey }) => xOnlyOf(asPublicKey(fromHex(pubkey))));
    unrollScript = fromHex(raw.checkpointTapscript);
  } catch (cause) {
    throw arkadeFailure(
      'operator-refused',
      'never',
      'the Arkade operator publishes invalid keys: do not use this operator',
      cause,
    );
  }
  const wrong = checkOperator(
    {
      network: raw.network,
      forfeitKey,
      checkpointTapscript: unrollScript,
      exitDelay: Number(raw.unilateralExitDelay),
      dust: sats(raw.dust),
    },
    network,
  );
  if (wrong) throw arkadeFailure('operator-refused', 'never', wrong);
  const limit = (amount: bigint): Sats | null => (amount < 0n ? null : sats(amount));
  return {
    raw,
    signer,
    deprecated,
    forfeitKey,
    unrollScript,
    forfeitScript: OutScript.encode(Address(addressNetworks[network]).decode(raw.forfeitAddress)),
    unroll: CSVMultisigTapscript.decode(unrollScript),
    exitDelay: { type: raw.unilateralExitDelay < 512n ? 'blocks' : 'seconds', value: raw.unilateralExitDelay },
    dust: sats(raw.dust),
    info: {
      network,
      signer,
      formerSigners: deprecated,
      exitDelay: exitDelayInSeconds(Number(raw.unilateralExitDelay)),
      dust: sats(raw.dust),
      minAmount: raw.vtxoMinAmount > 0n ? sats(raw.vtxoMinAmount) : null,
      maxAmount: limit(raw.vtxoMaxAmount),
      sessionSeconds: seconds(Number(raw.sessionDuration)),
      digest: raw.digest,
      version: raw.version,
    },
  };
}
