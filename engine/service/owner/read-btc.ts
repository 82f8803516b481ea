import type { WithdrawRequest } from '../../contract/owner/wallets.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { sats, type Sats, type TokenAmount } from '../../domain/money.ts';

/** Why a wallet of bitcoin does not serve an asset; null where it does. */
export function notBtc(asset: string | null): Refusal | null {
  return asset === null || asset === 'btc'
    ? null
    : refuse('invalid', `asset is ${asset}; this wallet holds btc only: leave asset out.`);
}

/** What a withdrawal of bitcoin is asked for, in sats. */
export interface BtcPayment<Amount> {
  readonly amount: Amount;
  /** Null for what the owner's settings allow. */
  readonly maxFee: Sats | null;
}

type Request<Amount> = Pick<WithdrawRequest, 'asset' | 'maxFee'> & { readonly amount: Amount };

export function readBtc(request: Request<TokenAmount>): BtcPayment<Sats> | Refusal;
export function readBtc(request: Request<TokenAmount | 'all'>): BtcPayment<Sats | 'all'> | Refusal;
export function readBtc({ asset, amount, maxFee }: Request<TokenAmount | 'all'>): BtcPayment<Sats | 'all'> | Refusal {
  const otherAsset = notBtc(asset);
  if (otherAsset !== null) return otherAsset;
  const sent = amount === 'all' ? amount : readSats('amount', amount);
  if (typeof sent === 'object') return sent;
  const most = maxFee === null || maxFee === undefined ? null : readSats('max_fee', maxFee);
  return isRefusal(most) ? most : { amount: sent, maxFee: most };
}

function readSats(name: string, units: TokenAmount): Sats | Refusal {
  return units > BigInt(Number.MAX_SAFE_INTEGER)
    ? refuse('invalid', `${name} is ${units} sats, more than there are: give a smaller one.`)
    : sats(units);
}
