import { arkadeBitcoinRecord, type ArkadeBitcoinRecord } from '../../../contract/directions/arkade-bitcoin.ts';
import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import { sats } from '../../../domain/money.ts';
import { expectedAt, height, isRead, type Clocks, type ReadClocks } from '../../../domain/time.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import { offeredHtlc, wrongClaimHeight, wrongTarget } from '../../htlc.ts';
import type { ArkadeLeg, BitcoinLeg, Deal } from '../../terms.ts';
import {
  deriveVhtlc,
  distrust,
  frameOf,
  objection,
  read,
  wrongAmounts,
  wrongFrame,
  wrongHash,
  wrongRefundTime,
  wrongSender,
  type Objection,
} from '../../verify.ts';
import { fundingWindow } from '../../window.ts';
import type { TakeArkadeBitcoinTerms } from './terms.ts';

/**
 * The provider's coin must leave us time to claim however late we pay, our coins be ours again in bounded time, and
 * never before the provider's: nobody who means it offers both legs to one side.
 */
function wrongTimes(record: ArkadeBitcoinRecord, terms: TakeArkadeBitcoinTerms, now: ReadClocks): Objection {
  const { vhtlc_refund_locktime: locktime, btc_refund_locktime: end } = record;
  return (
    wrongRefundTime(record, terms, now) ??
    wrongClaimHeight(record, terms, now, Math.max(0, fundingWindow(terms).over - now.wall)) ??
    objection(
      terms.restored !== undefined || (expectedAt(height(end), now) ?? 0) < locktime,
      `its bitcoin can be taken back from block ${end} on only, after our own refund at ${locktime}: no provider pays that`,
    )
  );
}

/** Where we would send coins, or the sentence for which nobody is shown the address. */
export function verifyArkadeBitcoin(
  given: unknown,
  terms: TakeArkadeBitcoinTerms,
  now: Clocks,
): Deal<ArkadeLeg, BitcoinLeg> | Refusal {
  const record = read(arkadeBitcoinRecord, given);
  if (isRefusal(record)) return record;
  if (!isRead(now)) return distrust('the Bitcoin chain, by whose height its coin is judged, cannot be read now');
  const wrong =
    wrongFrame(record, terms, { source: bitcoinOn('Arkade'), target: bitcoinOn('Bitcoin') }) ??
    wrongAmounts(record, terms) ??
    wrongHash(record, terms) ??
    wrongSender(record, terms) ??
    wrongTarget(record, terms) ??
    wrongTimes(record, terms, now);
  if (wrong !== null) return distrust(wrong);
  const vhtlc = deriveVhtlc(record, terms, 'sender');
  if (isRefusal(vhtlc)) return vhtlc;
  const target = offeredHtlc(record, terms, { amount: sats(BigInt(record.target_amount)), now });
  if (isRefusal(target)) return target;
  return {
    ...frameOf(record),
    source: { on: 'arkade', amount: sats(BigInt(record.source_amount)), ...vhtlc },
    target,
  };
}
