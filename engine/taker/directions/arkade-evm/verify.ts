import { arkadeEvmRecord, type ArkadeEvmRecord } from '../../../contract/directions/arkade-evm.ts';
import { isRefusal, type Refusal } from '../../../domain/errors.ts';
import { toHex } from '../../../domain/hex.ts';
import { laterOf, unix, type Clocks } from '../../../domain/time.ts';
import { leastOut } from '../../../domain/slippage.ts';
import { bitcoinOn, type TokenInfo } from '../../../domain/token.ts';
import { evmTime } from '../../../legs/evm/timelocks.ts';
import { locktimePassed } from '../../../legs/timelocks.ts';
import { tokenInfo } from '../../../swap/halves/evm/record.ts';
import type { EvmLeg } from '../../evm/terms.ts';
import { isAddress, pairIn, peggedInfo, satsDown, serviceIn, wrongLock } from '../../evm/verify.ts';
import type { ArkadeLeg, Deal } from '../../terms.ts';
import { deriveVhtlc, distrust, keyIn, objection, read, wrongFrame, wrongHash, type Objection } from '../../verify.ts';
import type { TakeArkadeEvmTerms } from './terms.ts';

/** Above a quarter of the source the difference is no fee any more. */
const mostCostBps = 2_500n;

/** What comes out: the token of the lock, all of it, or as much of another one as was agreed. */
function wrongTarget(record: ArkadeEvmRecord, { targetAmount, exchange }: TakeArkadeEvmTerms): Objection {
  const target = BigInt(record.target_amount);
  if (exchange === undefined)
    return (
      objection(target >= targetAmount, `it pays out ${target} units, at least ${targetAmount} were agreed`) ??
      objection(
        record.evm_expected_sats === record.target_amount,
        `its lock would hold ${record.evm_expected_sats} units, it pays out ${record.target_amount}`,
      )
    );
  const least = leastOut(target, exchange.slippageBps);
  const fees = record.fee_sats;
  return (
    objection(least >= exchange.least, `${least} units would arrive at least, ${exchange.least} were agreed`) ??
    objection(BigInt(fees) <= exchange.mostFees, `its fees are ${fees} sats, ${exchange.mostFees} were quoted`)
  );
}

function wrongAmounts(record: ArkadeEvmRecord, terms: TakeArkadeEvmTerms): Objection {
  const texts = [record.target_amount, record.evm_expected_sats];
  if (texts.some((text) => !/^\d{1,40}$/.test(text))) return 'its amounts are more than there is';
  const cost = terms.sourceAmount - satsDown(BigInt(record.evm_expected_sats), terms);
  // A token with more decimals than bitcoin is cut off to whole sats.
  const rounded = terms.pegged.decimals > 8 ? 1n : 0n;
  const fees = BigInt(record.fee_sats);
  return (
    objection(
      record.source_amount === terms.sourceAmount.toString(),
      `it asks for ${record.source_amount} sats, ${terms.sourceAmount} were agreed`,
    ) ??
    wrongTarget(record, terms) ??
    objection(
      cost === fees || cost === fees + rounded,
      `its fees of ${fees} sats are not the ${cost} that its lock is short of what it asks for`,
    ) ??
    objection(
      cost * 10_000n <= terms.sourceAmount * mostCostBps,
      `its fees take ${cost} of ${terms.sourceAmount} sats, more than a quarter`,
    )
  );
}

/** Our own coins must not be locked for absurdly long, and the lock must leave us time to claim however late we pay. */
function wrongTimes(record: ArkadeEvmRecord, terms: TakeArkadeEvmTerms, now: Clocks): Objection {
  const { policy, chain, exchange } = terms;
  const locktime = record.vhtlc_refund_locktime;
  const timelock = record.evm_refund_locktime;
  const time = evmTime(now, chain);
  // An exchange may have to be waited for, before a claim has to begin.
  const needed = policy.leastClaimTime + (exchange === undefined ? 0 : policy.margin);
  if (time === null) return 'the clock of the EVM chain, by which its lock is judged, cannot be read now';
  return (
    objection(!locktimePassed(unix(locktime), now.bitcoin), `its refund locktime ${locktime} has passed`) ??
    objection(
      locktime <= laterOf(now) + policy.longestLeg,
      `its refund opens at ${locktime} only, more than ${policy.longestLeg} seconds from now`,
    ) ??
    objection(
      timelock >= time + needed,
      `its lock can be taken back at ${timelock}, less than ${needed} seconds from now`,
    ) ??
    objection(
      timelock < locktime,
      `its lock can be taken back at ${timelock} only, after our own refund at ${locktime}: no provider locks that`,
    )
  );
}

function wantedInfo(terms: TakeArkadeEvmTerms): TokenInfo {
  return terms.exchange === undefined ? peggedInfo(terms) : tokenInfo(terms.chain, terms.exchange.token);
}

/** Where we would send coins, or the sentence for which nobody is shown the address. */
export function verifyArkadeEvm(
  given: unknown,
  terms: TakeArkadeEvmTerms,
  now: Clocks,
): Deal<ArkadeLeg, EvmLeg> | Refusal {
  const record = read(arkadeEvmRecord, given);
  if (isRefusal(record)) return record;
  const wrong =
    wrongFrame(record, terms, { source: bitcoinOn('Arkade'), target: wantedInfo(terms) }) ??
    wrongLock(record, terms) ??
    wrongAmounts(record, terms) ??
    wrongHash(record, terms) ??
    objection(record.sender_pk === toHex(terms.key), 'its refund key is not ours') ??
    objection(
      record.target_evm_address !== undefined && isAddress(record.target_evm_address, terms.destination),
      'its destination is not ours',
    ) ??
    objection(
      record.bridge_target_chain === undefined && record.bridge_target_token_address === undefined,
      'it goes on over a bridge that nobody asked for',
    ) ??
    objection(
      record.btc_claim_txid === undefined && record.btc_fund_txid === undefined,
      'it names transactions although nothing was paid',
    ) ??
    wrongTimes(record, terms, now);
  if (wrong !== null) return distrust(wrong);
  const contracts = pairIn(record, terms);
  const service = serviceIn(record, terms);
  if (contracts === null || service === null) return distrust('its lock is none that this node knows');
  const vhtlc = deriveVhtlc({ ...record, arkade_vhtlc_address: record.btc_vhtlc_address }, terms, {
    sender: keyIn(toHex(terms.key)),
    receiver: keyIn(record.receiver_pk),
  });
  if (isRefusal(vhtlc)) return vhtlc;
  const amount = BigInt(record.evm_expected_sats);
  return {
    swapId: record.id,
    // The record has one field for all fees.
    costs: [{ part: 'service', sats: BigInt(record.fee_sats) }],
    source: { on: 'arkade', amount: terms.sourceAmount, ...vhtlc },
    target: {
      on: 'evm',
      amount,
      network: terms.chain,
      contracts,
      lock: {
        preimageHash: terms.hash,
        amount,
        token: terms.pegged.address,
        refundAddress: service,
        claimAddress: terms.account,
        timelock: BigInt(record.evm_refund_locktime),
      },
    },
  };
}
