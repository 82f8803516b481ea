import { xOnlyOf, type PublicKey, type Sha256, type XOnly } from '../domain/hash.ts';
import type { Sats } from '../domain/money.ts';
import type { Outpoint, Txid } from '../domain/outpoint.ts';
import type { Locktime } from '../domain/time.ts';
import type { VhtlcTerms } from '../legs/arkade/terms.ts';
import type { MusigHtlcTerms } from '../legs/onchain/htlc.ts';
import { locktimeOf } from '../legs/onchain/locktime.ts';
import type { ArkadeBitcoinProgress, ArkadeBitcoinTerms } from '../swap/directions/arkade-bitcoin.ts';
import type { ArkadeLightningProgress, ArkadeLightningTerms } from '../swap/directions/arkade-lightning.ts';
import type { BitcoinArkadeProgress, BitcoinArkadeTerms } from '../swap/directions/bitcoin-arkade.ts';
import type { BitcoinLightningProgress, BitcoinLightningTerms } from '../swap/directions/bitcoin-lightning.ts';
import type { LightningArkadeProgress, LightningArkadeTerms } from '../swap/directions/lightning-arkade.ts';
import type { LightningBitcoinProgress, LightningBitcoinTerms } from '../swap/directions/lightning-bitcoin.ts';
import { sourceView } from '../swap/halves/arkade/claim/view.ts';
import type { ArkadeTarget } from '../swap/halves/arkade/fund/terms.ts';
import { targetView } from '../swap/halves/arkade/fund/view.ts';
import type { OnchainSourceTerms } from '../swap/halves/bitcoin/claim/terms.ts';
import type { ExtraCoin } from '../swap/halves/extra-coins.ts';
import { coinView as sourceCoin } from '../swap/halves/bitcoin/claim/view.ts';
import { coinView as targetCoin, outputOf } from '../swap/halves/bitcoin/fund/view.ts';
import type { DoorSwap } from './swap.ts';

interface Lock {
  readonly address: string;
  readonly serverKey: PublicKey;
  readonly clientKey: XOnly;
  readonly amount: Sats;
  readonly timeout: Locktime;
  /** What funded it, and what took it from there; null while that was not seen. */
  readonly fundTxid: Txid | null;
  readonly takeTxid: Txid | null;
}

export interface ArkLock extends Lock {
  readonly on: 'ARK';
  readonly terms: VhtlcTerms;
}

export interface BtcLock extends Lock {
  readonly on: 'BTC';
  readonly terms: MusigHtlcTerms;
  /** The coin that the swap goes by; null while that was not seen. */
  readonly coin: Outpoint | null;
  /** A block holds it: a client's needs more of them before anything is given for it, which the status says. */
  readonly confirmed: boolean;
  /** Of a client's: our claim is signed, by the script, and its client may sign one with us. */
  readonly claims: boolean;
}

/** What a swap is made of, and what is seen of it. */
export interface Sides {
  readonly hash: Sha256;
  /** What its client locks; null where it gives over Lightning. */
  readonly source: ArkLock | BtcLock | null;
  /** What we lock; null where its client is paid over Lightning. */
  readonly target: ArkLock | BtcLock | null;
  /** What we pay, or are paid by; null for neither. */
  readonly bolt11: string | null;
  /** Coins at the client's lock beside the one that the swap goes by. */
  readonly besides: readonly ExtraCoin[];
}

/** Of the terms and the state that its machine keeps. */
export function sidesOf({ pair, entry: { row } }: DoorSwap): Sides {
  switch (pair.direction) {
    case 'arkade-lightning': {
      const [terms, progress] = [row.terms as ArkadeLightningTerms, row.progress as ArkadeLightningProgress];
      const { hash } = terms;
      const bolt11 = namedIn(terms);
      return { hash, source: arkSource(terms, progress), target: null, bolt11, besides: besidesOf(progress) };
    }
    case 'bitcoin-lightning': {
      const [terms, progress] = [row.terms as BitcoinLightningTerms, row.progress as BitcoinLightningProgress];
      const { hash } = terms;
      const bolt11 = namedIn(terms);
      return { hash, source: btcSource(terms, progress), target: null, bolt11, besides: besidesOf(progress) };
    }
    case 'lightning-arkade': {
      const [terms, progress] = [row.terms as LightningArkadeTerms, row.progress as LightningArkadeProgress];
      const bolt11 = 'bolt11' in progress ? progress.bolt11 : null;
      return {
        hash: terms.hash,
        source: null,
        target: arkTarget(terms, progress, terms.clientKeyText),
        bolt11,
        besides: [],
      };
    }
    case 'lightning-bitcoin': {
      const [terms, progress] = [row.terms as LightningBitcoinTerms, row.progress as LightningBitcoinProgress];
      const bolt11 = 'bolt11' in progress ? progress.bolt11 : null;
      return { hash: terms.hash, source: null, target: btcTarget(terms, progress), bolt11, besides: [] };
    }
    case 'arkade-bitcoin': {
      const [terms, progress] = [row.terms as ArkadeBitcoinTerms, row.progress as ArkadeBitcoinProgress];
      const sides = { source: arkSource(terms, progress), target: btcTarget(terms, progress) };
      return { hash: terms.hash, ...sides, bolt11: null, besides: besidesOf(progress) };
    }
    case 'bitcoin-arkade': {
      const [terms, progress] = [row.terms as BitcoinArkadeTerms, row.progress as BitcoinArkadeProgress];
      const { sha256: hash, htlc } = terms;
      if (hash === undefined || htlc.form !== 'musig') throw new Error(`swap ${row.id} was opened by another door`);
      const source = btcSource({ ...terms, htlc }, progress);
      const target = arkTarget(terms, progress, terms.claimKeyText);
      return { hash, source, target, bolt11: null, besides: besidesOf(progress) };
    }
  }
}

/** The client locks on Arkade. */
function arkSource(terms: Parameters<typeof sourceView>[0], progress: Parameters<typeof sourceView>[1]): ArkLock {
  return arkLock(terms, terms.vhtlc.sender, terms.sourceAmount, sourceView(terms, progress));
}

/** We lock on Arkade. */
function arkTarget(terms: ArkadeTarget, progress: Parameters<typeof targetView>[1], claimKey: string): ArkLock {
  return arkLock(terms, terms.vhtlc.receiver, terms.targetAmount, targetView(terms, progress, claimKey));
}

function arkLock(
  { vhtlc, address, serverKey }: Pick<ArkadeTarget, 'vhtlc' | 'address' | 'serverKey'>,
  clientKey: XOnly,
  amount: Sats,
  shown: { readonly arkade_fund_txid?: Txid | undefined; readonly arkade_claim_txid?: Txid | undefined },
): ArkLock {
  return {
    on: 'ARK',
    terms: vhtlc,
    address,
    serverKey,
    clientKey,
    amount,
    timeout: vhtlc.refundLocktime,
    fundTxid: shown.arkade_fund_txid ?? null,
    takeTxid: shown.arkade_claim_txid ?? null,
  };
}

type SourceProgress = Parameters<typeof sourceCoin>[0] & {
  readonly spends?: readonly Txid[];
  readonly inBlock?: boolean;
};

/** The client locks on the Bitcoin chain. */
function btcSource(
  terms: Omit<OnchainSourceTerms, 'htlc'> & { readonly htlc: MusigHtlcTerms },
  progress: SourceProgress,
): BtcLock {
  const shown = sourceCoin(progress);
  return {
    on: 'BTC',
    terms: terms.htlc,
    address: terms.htlcAddress,
    serverKey: terms.htlc.claimer,
    clientKey: xOnlyOf(terms.htlc.refunder),
    amount: terms.sourceAmount,
    timeout: locktimeOf(terms.htlc),
    fundTxid: shown.btc_fund_txid ?? null,
    takeTxid: shown.btc_claim_txid ?? null,
    coin: progress.coin ?? null,
    confirmed: isInBlock(progress),
    claims: progress.at === 'claiming' && (progress.spends ?? []).length > 0,
  };
}

/** Of the coin that is shown. */
function isInBlock({ at, inBlock, extras }: SourceProgress): boolean {
  // Other terms are agreed to for a coin in a block, or may be: of these it is noted with each coin.
  if (at === 'pending' || at === 'unnamed') return extras?.[0]?.mined === true;
  return at !== 'seen' || inBlock === true;
}

/** We lock on the Bitcoin chain. */
function btcTarget(
  terms: ArkadeBitcoinTerms | LightningBitcoinTerms,
  progress: Parameters<typeof outputOf>[0] & { readonly buried?: boolean; readonly inBlock?: boolean },
): BtcLock {
  const shown = targetCoin(progress);
  return {
    on: 'BTC',
    terms: terms.htlc,
    address: terms.htlcAddress,
    serverKey: terms.htlc.refunder,
    clientKey: xOnlyOf(terms.htlc.claimer),
    amount: terms.targetAmount,
    timeout: locktimeOf(terms.htlc),
    fundTxid: shown.btc_fund_txid ?? null,
    takeTxid: shown.btc_claim_txid ?? null,
    coin: outputOf(progress),
    confirmed: progress.buried === true || progress.inBlock === true,
    claims: false,
  };
}

/** The invoice that we pay; null while it is not named. */
function namedIn({ bolt11 }: { readonly bolt11: string }): string | null {
  return bolt11 === '' ? null : bolt11;
}

function besidesOf(progress: object): Sides['besides'] {
  return 'extras' in progress ? (progress.extras as Sides['besides']) : [];
}
