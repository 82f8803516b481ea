import { sats } from '../../engine/domain/money.ts';
import { unix, type Clocks } from '../../engine/domain/time.ts';
import type { LockTerms } from '../../engine/legs/evm/swap-key.ts';
import { htlcAddress, htlcScript, type HtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { coinLockLegs } from '../../engine/legs/onchain/timelocks.ts';
import { defaultPolicy as policy } from '../../engine/legs/timeout-policy.ts';
import { bitcoinEvm, type BitcoinEvmProgress, type BitcoinEvmTerms } from '../../engine/swap/directions/bitcoin-evm.ts';
import { arkadeEvmCase, arkadeEvmTerms, clocksOn, evmSeen, lockIs, network, seenLock } from './arkade-evm-cases.ts';
import { bitcoin, bitcoinArkadeCase, bitcoinArkadeTerms, fresh, lookAt } from './bitcoin-arkade-cases.ts';
import { clocksAt, start, type Case, type Telling } from './cases.ts';

const at = { ...clocksAt(start), [network]: { mtp: start, height: 1_000 } };
const legs = coinLockLegs({ clocks: at, network, policy, confirmations: 1 });
if ('refusal' in legs) throw new Error(legs.sentence);
// The lock is the very one of a swap from Arkade, and the coin of one from Bitcoin: what is told of them there is told
// here.
const lock: LockTerms = { ...arkadeEvmTerms.lock, timelock: BigInt(legs.timelock) };
const htlc: HtlcTerms = { ...bitcoinArkadeTerms.htlc, form: 'p2tr', refundLocktime: legs.refundLocktime };

const { sourceAmount, feeSats, networkFeeSats, keyIndex, toleranceBps, htlcSince } = bitcoinArkadeTerms;
const { targetSats, contracts, pegged, target, targetAmount, floor, targetAddress, gasless, since, burial } =
  arkadeEvmTerms;

export const bitcoinEvmTerms: BitcoinEvmTerms = {
  hash: arkadeEvmTerms.hash,
  ...{ sourceAmount, feeSats, networkFeeSats, keyIndex, toleranceBps, htlcSince, policy, htlc },
  htlcScript: htlcScript(htlc).pkScript,
  htlcAddress: htlcAddress(htlc, 'regtest'),
  confirmations: 1,
  fundBefore: legs.fundBefore,
  giveBefore: legs.giveBefore,
  lockBefore: legs.lockBefore,
  ...{ targetSats, network, contracts, lock, pegged, target, targetAmount, floor, targetAddress, gasless },
  ...{ since, burial },
};
const t = bitcoinEvmTerms;

/** With the clock of the EVM chain beside that of Bitcoin: as far as it is told, or true to a second. */
function onBoth(now: Clocks): Clocks {
  return network in now || now.bitcoin.mtp === null ? now : { ...now, [network]: { mtp: now.wall, height: 1_000 } };
}

/** Median time past of the cases is half an hour behind. */
const tooLate = t.giveBefore + 1_801;
const refundable = t.htlc.refundLocktime + 1_801;
const ofOurs: readonly Telling[] = arkadeEvmCase.events.filter(({ event: { is } }) => /^(evm|claim)/.test(is));
/** Coins of every other kind are told of in swaps to Arkade. */
const coins =
  /^htlc.seen (nothing|right|right, in a mempool|short by one|dust|paid twice|another right one in its place|claimed|claimed and buried|refunded|refunded and buried)$/;
const ofTheirs: readonly Telling[] = bitcoinArkadeCase.events
  .filter(({ label, event }) => coins.test(label) || ('leg' in event && event.leg === 'bitcoin'))
  .map((telling) => ({ ...telling, now: onBoth(telling.now) }));

function look(label: string, on: Clocks, ...coins: Parameters<typeof bitcoin>): Telling {
  return {
    label: `htlc.seen ${label}`,
    event: lookAt(
      coins.map((coin) => bitcoin(coin)),
      on.wall,
    ),
    now: on,
  };
}

function clock(label: string, now: Clocks): Telling {
  return { label: `clock, ${label}`, event: { is: 'clock' }, now };
}

/** What decides on either chain: how many coins lie beside the swap's own, and which transaction it was, do not. */
export function alike(p: BitcoinEvmProgress): string {
  const wide = p as typeof p & { readonly sent?: string | null; readonly reverts?: number; readonly shallow?: object };
  const { sent, reverts = 0, shallow = {} } = wide;
  const marks = ['doubt', 'redeemTxid', 'returnTxid', 'fundTxid'].filter((mark) => mark in p);
  const ours = [sent === null ? 'adopted' : '', Math.min(reverts, 3), JSON.stringify(shallow, whether)];
  return [bitcoinArkadeCase.alike?.(p as never), ...marks, ...ours].join();
}

/** Of times and words, whether there are any. */
function whether(name: string, value: unknown): unknown {
  return name === 'missing' || name === 'refusal' || name === 'halted' ? true : value;
}

export const bitcoinEvmCase: Case<BitcoinEvmTerms, BitcoinEvmProgress> = {
  machine: bitcoinEvm,
  terms: t,
  first: fresh as BitcoinEvmProgress,
  alike,
  events: [
    ...ofTheirs,
    ...ofOurs,
    look('nothing, funding window over', clocksOn(t.fundBefore)),
    look('dust, funding window over', clocksOn(t.fundBefore), { amount: sats(1_000) }),
    look('right, EVM clock unread', clocksOn(start + 60, null), {}),
    look('right, too late on the EVM chain', clocksOn(start + 60, t.lockBefore + 1), {}),
    look('right, too late by median time past', clocksOn(tooLate), {}),
    look('right and in a mempool, too late by median time past', clocksOn(tooLate), { height: null }),
    {
      label: 'evm.seen claimed, the bitcoin about to be its client’s',
      event: evmSeen([seenLock(lockIs.claimed)]),
      now: clocksOn(t.htlc.refundLocktime - 60),
    },
    clock('funding window over', clocksOn(t.fundBefore)),
    clock('one second before the timelock', clocksOn(unix(legs.timelock - 1))),
    clock('timelock passed by the wall alone', clocksOn(legs.timelock + 60, legs.timelock - 1)),
    clock('timelock passed', clocksOn(legs.timelock)),
    clock('the client’s refund opens', clocksOn(refundable)),
    clock('a day after the client’s refund opened', clocksOn(refundable + 86_400)),
  ],
};
