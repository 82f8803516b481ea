import { connectArkade } from '../../../engine/adapters/arkade/connect.ts';
import { createKeys } from '../../../engine/adapters/keys/keys.ts';
import type { ArkadeBitcoinRecord } from '../../../engine/contract/directions/arkade-bitcoin.ts';
import type { ArkadeEvmRecord } from '../../../engine/contract/directions/arkade-evm.ts';
import type { ArkadeLightningRecord } from '../../../engine/contract/directions/arkade-lightning.ts';
import type { BitcoinArkadeRecord } from '../../../engine/contract/directions/bitcoin-arkade.ts';
import type { EvmArkadeRecord } from '../../../engine/contract/directions/evm-arkade.ts';
import type { LightningArkadeRecord } from '../../../engine/contract/directions/lightning-arkade.ts';
import { asHash160, asSha256, asXOnly, type Hash160, type XOnly } from '../../../engine/domain/hash.ts';
import { fromHex, toHex } from '../../../engine/domain/hex.ts';
import { outpointKey } from '../../../engine/domain/outpoint.ts';
import { seconds, unix } from '../../../engine/domain/time.ts';
import { hash160OfSha256 } from '../../../engine/legs/secret.ts';
import { arkadePrefix, encodeArkadeAddress } from '../../../engine/legs/arkade/address.ts';
import type { ArkadePort } from '../../../engine/legs/arkade/port.ts';
import type { CollabRefund } from '../../../engine/legs/arkade/refund-request.ts';
import type { VhtlcSpend } from '../../../engine/legs/arkade/transaction.ts';
import type { Vtxo } from '../../../engine/legs/arkade/vtxo.ts';
import { vhtlcScript } from '../../../engine/legs/arkade/script.ts';
import { readSpend } from '../../../engine/legs/arkade/spend.ts';
import type { VhtlcTerms } from '../../../engine/legs/arkade/terms.ts';
import { createControls, type SandboxControls } from '../../../engine/sandbox/controls.ts';
import type { SandboxEndpoints } from '../../../engine/sandbox/endpoints.ts';

/** Ours names the token of its lock. */
export type EvmArkadeLock = EvmArkadeRecord & { readonly wbtc_address: string };

/** A record whose VHTLC the service funded. */
export type ClaimableRecord = LightningArkadeRecord | BitcoinArkadeRecord | EvmArkadeLock;

/** A record whose VHTLC the client funded. */
export type RefundableRecord = ArkadeLightningRecord | ArkadeEvmRecord | ArkadeBitcoinRecord;

export type ArkadeRecord = ClaimableRecord | RefundableRecord;

/** A coin at a swap's script and how it was spent; `unread` when the operator does not show the spender. */
export interface Fate {
  readonly outpoint: string;
  readonly amount: bigint;
  readonly spent: 'unspent' | 'claim' | 'refund' | 'refund-without-receiver' | 'unread';
}

/** A client of the node that speaks to the networks by itself and knows nothing but its records. */
export interface Wallet {
  readonly address: string;
  readonly script: Uint8Array;
  readonly publicKey: string;
  readonly controls: SandboxControls;
  readonly port: ArkadePort;
  terms(record: ArkadeRecord): VhtlcTerms;
  /** Every coin that ever was at the record's VHTLC, as the operator's indexer tells it. */
  fates(record: ArkadeRecord): Promise<Fate[]>;
  /** Signs what takes the coins of the VHTLC with the secret; called, it is sent. */
  claimReady(record: ClaimableRecord, secret: Uint8Array): Promise<() => Promise<void>>;
  /** Takes the coins of the VHTLC with the secret. */
  claim(record: ClaimableRecord, secret: Uint8Array): Promise<void>;
  refundAlone(record: RefundableRecord): Promise<void>;
  /** Signs our half, has the node sign through `cosign`, and submits. */
  refundTogether(record: RefundableRecord, cosign: (half: CollabRefund) => Promise<CollabRefund>): Promise<void>;
  /** Finishes a refund that the operator accepted, and whose answer was lost: until then its coin is nobody's. */
  finishRefund(record: RefundableRecord): Promise<void>;
  /** Of a claim that its operator accepted and whose answer was lost: until it is final nobody has its coin. */
  finishClaim(record: ClaimableRecord): Promise<void>;
  balance(script: Uint8Array): Promise<bigint>;
}

const key = { branch: 'taker', index: 0 } as const;

export async function openWallet(endpoints: SandboxEndpoints, seed: Uint8Array): Promise<Wallet> {
  const controls = createControls(endpoints);
  const keys = createKeys(seed, 'regtest');
  let mtp = 0;
  const refresh = async () => {
    ({ mtp } = (await controls.state()).bitcoin);
  };
  await refresh();
  const port = connectArkade(endpoints.arkade.url, {
    keys: keys.privateKey,
    clock: { wall: () => unix(Math.floor(Date.now() / 1_000)), mtp: () => unix(mtp) },
    network: 'regtest',
  });
  const { publicKey } = keys.signer(key);
  const { signer: operator } = await port.info();
  const { address, script } = await port.address();

  function terms(record: ArkadeRecord): VhtlcTerms {
    return termsOf(record, operator);
  }

  function coinsOf(record: ArkadeRecord): Promise<Vtxo[]> {
    return port.coins([vhtlcScript(terms(record)).pkScript]);
  }

  async function send(prepared: { readonly bytes: Uint8Array }): Promise<void> {
    const answer = await port.submit(prepared.bytes);
    if (answer.is === 'accepted') await port.finalize(answer.bytes);
    else if (answer.is !== 'final')
      throw new Error(`the operator says ${answer.is}${'reason' in answer ? `: ${answer.reason}` : ''}`);
  }

  /** A claim whose answer was lost is handed in again as it was: its coin counts as spent from the first time on. */
  const claims = new Map<string, () => Promise<void>>();

  /** The last one of each record; its coin counts as spent from the operator's answer on, whoever heard that. */
  const refunds = new Map<string, Uint8Array>();

  function refund(record: RefundableRecord, prepared: { readonly bytes: Uint8Array }): Promise<void> {
    refunds.set(record.id, prepared.bytes);
    return send(prepared);
  }

  async function unspent(record: ArkadeRecord): Promise<Vtxo[]> {
    const coins = (await coinsOf(record)).filter((coin) => !coin.spent);
    if (coins.length === 0) throw new Error('no coin of the VHTLC is unspent');
    return coins;
  }

  async function claimReady(record: ClaimableRecord, secret: Uint8Array): Promise<() => Promise<void>> {
    const coins = await unspent(record);
    const prepared = await port.prepareClaim({ terms: terms(record), key, coins, preimage: secret, to: script });
    return () => send(prepared);
  }

  return {
    address,
    script,
    publicKey: toHex(publicKey),
    controls,
    port,
    terms,
    fates: (record) => fatesAt(port, terms(record)),
    claimReady,
    async claim(record, secret) {
      const claim = claims.get(record.id) ?? (await claimReady(record, secret));
      claims.set(record.id, claim);
      await claim();
    },
    async refundAlone(record) {
      await refresh();
      const coins = await unspent(record);
      await refund(record, await port.prepareRefund({ terms: terms(record), key, coins, to: script }));
    },
    async refundTogether(record, cosign) {
      const half = await port.buildCollabRefund({
        terms: terms(record),
        key,
        coins: await unspent(record),
        to: script,
      });
      await refund(record, await port.mergeCollabRefund(half, await cosign(half), key));
    },
    async finishClaim(record) {
      const claim = claims.get(record.id);
      if (claim !== undefined && (await fatesAt(port, terms(record))).some(({ spent }) => spent === 'claim'))
        await claim();
    },
    async finishRefund(record) {
      const bytes = refunds.get(record.id);
      if (bytes !== undefined && (await port.state(bytes)) === 'accepted') await send({ bytes });
    },
    balance: (of) => balanceAt(port, of),
  };
}

/** The VHTLC that the fields of a record make; throws when they do not make its address. */
export function termsOf(record: ArkadeRecord, operator: XOnly): VhtlcTerms {
  const made: VhtlcTerms = {
    sender: keyIn(record.sender_pk),
    receiver: keyIn(record.receiver_pk),
    operator,
    hash: hashIn(record.hash_lock),
    refundLocktime: unix(record.vhtlc_refund_locktime),
    claimDelay: seconds(record.unilateral_claim_delay),
    refundDelay: seconds(record.unilateral_refund_delay),
    refundWithoutReceiverDelay: seconds(record.unilateral_refund_without_receiver_delay),
  };
  const derived = encodeArkadeAddress({
    prefix: arkadePrefix('regtest'),
    operator,
    outputKey: vhtlcScript(made).outputKey,
  });
  if (derived !== addressOf(record))
    throw new Error(`the VHTLC of the record is ${addressOf(record)}, its terms make ${derived}`);
  return made;
}

export function hasVhtlc(record: object): record is ArkadeRecord {
  return 'vhtlc_refund_locktime' in record;
}

export function addressOf(record: ArkadeRecord): string {
  return 'btc_vhtlc_address' in record ? record.btc_vhtlc_address : record.arkade_vhtlc_address;
}

/** Every coin that was ever at a VHTLC and how it was spent, read from the transactions that the operator shows. */
export async function fatesAt(port: ArkadePort, terms: VhtlcTerms): Promise<Fate[]> {
  const coins = await port.coins([vhtlcScript(terms).pkScript]);
  const txs = await port.virtualTxs(coins.flatMap((coin) => coin.spentIn ?? coin.spentBy ?? []));
  return coins.map((coin) => {
    const bytes = txs.get(coin.spentIn ?? coin.spentBy ?? '');
    const spend: VhtlcSpend | null =
      bytes === undefined ? null : readSpend(terms, bytes, { ...coin.outpoint, amount: coin.amount });
    return {
      outpoint: outpointKey(coin.outpoint),
      amount: coin.amount,
      spent: coin.spent ? (spend === null || spend.leaf === 'off-length' ? 'unread' : spend.leaf) : 'unspent',
    };
  });
}

export async function balanceAt(port: ArkadePort, script: Uint8Array): Promise<bigint> {
  return (await port.coins([script])).filter((coin) => !coin.spent).reduce((sum, coin) => sum + coin.amount, 0n);
}

/** Records carry the one hash of the secret or the other. */
function hashIn(text: string): Hash160 {
  const bytes = fromHex(text.replace(/^0x/, ''));
  return bytes.length === 20 ? asHash160(bytes) : hash160OfSha256(asSha256(bytes));
}

/** Records carry keys of 33 or 32 bytes; scripts take 32. */
function keyIn(text: string): XOnly {
  const bytes = fromHex(text);
  return asXOnly(bytes.length === 33 ? bytes.subarray(1) : bytes);
}
