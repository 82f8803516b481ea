import { toHex } from '../../../../domain/hex.ts';
import type { Outpoint } from '../../../../domain/outpoint.ts';
import { bitcoinOn } from '../../../../domain/token.ts';
import { locktimeOf } from '../../../../legs/onchain/locktime.ts';
import type { OnchainTargetTerms, Placed, Redeem } from './terms.ts';

/** A state, as far as a record says something of it. */
export interface Shown extends Partial<Pick<Placed, 'output'>> {
  readonly at: string;
  readonly redeem?: Redeem;
  readonly returned?: Pick<Placed, 'output'>;
}

/** Our coin, once somebody shows it: before that it may never be sent. */
export function outputOf({ at, output, returned }: Shown): Outpoint | null {
  if (at === 'refunded') return returned?.output ?? null;
  return at === 'funding' ? null : (output ?? null);
}

/** What every record says of a coin of ours, and of its claim. */
export function coinView(p: Shown) {
  const output = outputOf(p);
  return {
    ...(output === null ? {} : { btc_fund_txid: output.txid, btc_fund_vout: output.vout }),
    // One that we only signed for may never be sent: it is told of once the chain shows it.
    ...(p.redeem === undefined || p.redeem.unsigned === true ? {} : { btc_claim_txid: p.redeem.txid }),
  };
}

/** The target side of a record whose HTLC ends at a height. A wrong field here makes a client refuse to pay. */
export function targetView(t: OnchainTargetTerms, p: Shown) {
  return {
    target_amount: t.targetAmount.toString(),
    target_token: bitcoinOn('Bitcoin'),
    btc_htlc_address: t.htlcAddress,
    btc_htlc_script_version: 2,
    btc_refund_locktime: locktimeOf(t.htlc),
    btc_server_refund_pk: toHex(t.htlc.refunder),
    btc_user_claim_pk: toHex(t.htlc.claimer),
    ...(t.targetAddress === null ? {} : { target_btc_address: t.targetAddress }),
    ...coinView(p),
  };
}
