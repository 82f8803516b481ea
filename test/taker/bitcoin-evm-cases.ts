import { unix } from '../../engine/domain/time.ts';
import { htlcAddress, htlcScript, type HtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { defaultPolicy as policy } from '../../engine/legs/timeout-policy.ts';
import type { TakeBitcoinEvmTerms } from './taken.ts';
import type { EvmLeg } from '../../engine/taker/evm/terms.ts';
import type { PaidLeg } from '../../engine/taker/halves/bitcoin/fund/terms.ts';
import type { Deal } from '../../engine/taker/terms.ts';
import { start, type Case, type Telling } from '../swap/cases.ts';
import { evmClocksAt } from '../swap/evm-lightning-cases.ts';
import { nameOf } from '../swap/table.ts';
import { deal as onEvm, events as ofArkadeEvm, terms as arkadeEvmTerms } from './arkade-evm-cases.ts';
import { deal as onBitcoin, takeBitcoinCase } from './bitcoin-arkade-cases.ts';
import { noLock, takeBitcoinEvm, type TakeBitcoinEvmProgress } from './taken.ts';

const { operator: _, ...order } = arkadeEvmTerms;
/** Exactly the coin of a swap to Arkade: what is told of it there is told here. */
export const terms: TakeBitcoinEvmTerms = { ...order, sourceAmount: onBitcoin.source.amount };

const htlc: HtlcTerms = {
  ...onBitcoin.source.htlc,
  form: 'p2tr',
  refundLocktime: unix(start + policy.clientLeg),
};
export const deal: Deal<PaidLeg, EvmLeg> = {
  ...onEvm,
  source: {
    ...onBitcoin.source,
    htlc,
    script: htlcScript(htlc).pkScript,
    address: htlcAddress(htlc, 'regtest'),
    confirmations: 1,
  },
};

/** Median time past of the cases is half an hour behind. */
const unlocked = evmClocksAt(htlc.refundLocktime + 1_801);
function late(telling: Telling): Telling {
  const { label, event } = telling;
  const isLook = event.is === 'htlc.seen' && label.includes('the locktime is over');
  return {
    ...telling,
    ...(isLook ? { event: { ...event, mtp: unlocked.bitcoin.mtp } as Telling['event'] } : {}),
    now: telling.now.wall > start + policy.clientLeg / 2 ? unlocked : evmClocksAt(telling.now.wall),
  };
}
/** What lies at the address, and what the owner asks for. */
const ofOurs: readonly Telling[] = takeBitcoinCase.events
  .filter(({ event }) => {
    if ('leg' in event) return event.leg === 'bitcoin';
    return event.is === 'htlc.seen' || event.is === 'provider.seen' || event.is === 'refund.requested';
  })
  .map(late);
const ofLock = ofArkadeEvm.filter(({ event: { is } }) => is.startsWith('evm.') || /^provider\.[^s]/.test(is));

export const takeBitcoinEvmCase: Case<TakeBitcoinEvmTerms, TakeBitcoinEvmProgress> = {
  machine: takeBitcoinEvm,
  terms,
  first: { at: 'waiting', deal, said: 'pending', coins: [], lookUntil: null, target: noLock },
  alike: (p) => {
    if (!('deal' in p)) return p.at;
    const { lockTxid, unsafe, claimTxid, takenBack } = p.target;
    const marks = ['over', 'halted', 'by', 'sent', 'alone', 'declined'].map((mark) =>
      String({ ...p.target, ...p }[mark as 'deal']),
    );
    const coins = p.coins.map(
      ({ outpoint, amount, mined, spend }) => `${outpoint.vout} ${amount} ${mined} ${spend?.by} ${spend?.mined}`,
    );
    const facts = [lockTxid !== null, unsafe !== null, claimTxid, takenBack];
    return [nameOf(p), ...facts, p.lookUntil, ...coins, ...marks].join();
  },
  events: [
    ...ofOurs,
    ...ofLock,
    { label: 'the owner does not want it', event: { is: 'cancel.requested' }, now: evmClocksAt(start + 600) },
    { label: 'a quarter of an hour', event: { is: 'clock' }, now: evmClocksAt(start + 1_500) },
    { label: 'the timelock', event: { is: 'clock' }, now: evmClocksAt(Number(deal.target.lock.timelock) + 60) },
    { label: 'the locktime', event: { is: 'clock' }, now: unlocked },
    ...ofLock
      .filter(({ label }) => label === 'the lock' || label === 'claimed' || label === 'taken back')
      .map((one) => ({ ...one, label: `${one.label}, our bitcoin is ours again`, now: unlocked })),
  ],
};
