import { refuse } from '../../domain/errors.ts';
import { isRead, unix, type ReadClocks } from '../../domain/time.ts';
import { bitcoinOn } from '../../domain/token.ts';
import type { ValueOf } from '../../legs/shape.ts';
import { claimTime, vhtlcSpan } from '../../legs/spans.ts';
import { claimOnArkade } from '../halves/arkade/claim/half.ts';
import type { ArkadeClaimTerms } from '../halves/arkade/claim/terms.ts';
import { fundOnArkade } from '../halves/arkade/fund/half.ts';
import type { ArkadeFundTerms } from '../halves/arkade/fund/terms.ts';
import { operatorThen } from '../restore/operator.ts';
import { arkadeFields, toArkadeFields } from '../shape.ts';
import type { ArkadeLeg, OrderTerms } from '../terms.ts';
import {
  bitcoinUnread,
  distrust,
  objection,
  vhtlcLeg,
  wrongClaimDelay,
  wrongReceiver,
  wrongRefundTime,
  wrongSender,
  type Objection,
  type VhtlcFields,
} from '../verify.ts';
import { fundingWindow } from '../window.ts';
import type { Late, Source, Target } from './agreed.ts';

const token = () => bitcoinOn('Arkade');
const span = ({ vhtlc_refund_locktime: locktime }: VhtlcFields) => vhtlcSpan(unix(locktime));

type FromArkade = OrderTerms & ArkadeFundTerms & ValueOf<typeof arkadeFields>;
type ToArkade = OrderTerms & ArkadeClaimTerms & ValueOf<typeof toArkadeFields>;
interface ToArkadeRecord extends VhtlcFields {
  readonly target_arkade_address?: string | undefined;
}

/** Coins of ours at a VHTLC. */
export const fromArkade: Source<VhtlcFields, FromArkade, typeof arkadeFields, ArkadeLeg> = {
  ...{ fields: arkadeFields, token, fund: fundOnArkade },
  ordered: (from) => ({ operator: from.operator() }),
  recovered: (record, { operator, agreed: { network } }) => ({
    operator: operatorThen(record, operator(), { side: 'source', network }),
  }),
  leg(record, terms, now) {
    const wrong = wrongSender(record, terms) ?? wrongRefundTime(record, terms, now);
    return wrong === null ? vhtlcLeg(record, terms, 'sender') : distrust(wrong);
  },
  given: 'its VHTLC may be paid',
  within: (_, terms, now) => Math.max(0, fundingWindow(terms).over - now.wall),
  back: { opens: 'our refund opens', span },
};

/** A VHTLC that is claimed to our own wallet: nobody's word says where. */
export const toArkade: Target<ToArkadeRecord, ToArkade, typeof toArkadeFields, ArkadeLeg> = {
  ...{ fields: toArkadeFields, token, claim: claimOnArkade },
  async ordered(from) {
    const operator = from.operator();
    const targetAddress = await from.arkadeAddress();
    if (targetAddress === null) return refuse('unavailable', 'No Arkade operator is connected: try again later.');
    return { operator, targetAddress };
  },
  recovered: (record, { operator, arkadeAddress, agreed: { network } }) => ({
    operator: operatorThen(record, operator(), { side: 'target', network }),
    targetAddress: arkadeAddress,
  }),
  instead: ({ arkadeAddress }) => ({ target_arkade_address: arkadeAddress }),
  leg(record, terms, now, late) {
    if (!isRead(now)) return distrust(bitcoinUnread);
    const wrong =
      wrongReceiver(record, terms) ?? wrongClaimTime(record, terms, now, late) ?? wrongClaimDelay(record, terms);
    return wrong === null ? vhtlcLeg(record, terms, 'receiver') : distrust(wrong);
  },
  end: span,
};

/** The VHTLC must leave us time to claim, however late we give. */
function wrongClaimTime(record: VhtlcFields, { policy }: OrderTerms, now: ReadClocks, late: Late): Objection {
  const left = claimTime(span(record), now, policy);
  return objection(
    left !== null && left >= late.within + policy.leastClaimTime,
    `its VHTLC can be taken back at ${record.vhtlc_refund_locktime}, less than ${policy.leastClaimTime} seconds ` +
      `after ${late.given}`,
  );
}
