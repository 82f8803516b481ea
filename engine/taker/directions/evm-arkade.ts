import { evmArkadeRecord } from '../../contract/directions/evm-arkade.ts';
import { toHex } from '../../domain/hex.ts';
import { latestByChain } from '../../legs/timelocks.ts';
import { priceFromEvm, requestFromEvm } from '../evm/order-from.ts';
import { lockOf, wrongRefundTime } from '../evm/verify.ts';
import { toArkade } from '../sides/arkade.ts';
import { fromEvm } from '../sides/evm.ts';
import { taken } from '../taken.ts';
import { dealt, objection, vhtlcLeg, wrongClaimDelay, wrongHash, wrongReceiver } from '../verify.ts';

/**
 * Tokens of ours are locked by our signature, the provider locks on Arkade, and our claim there shows it the secret.
 */
export const takenEvmArkade = taken('evm-arkade', evmArkadeRecord, {
  ours: 'receiver_pk',
  price: priceFromEvm,
  source: fromEvm,
  target: toArkade,
  request: (t) => ({
    arkade_htlc_script_version: 1,
    hash_lock: `0x${toHex(t.hash)}`,
    receiver_pk: toHex(t.key),
    target_address: t.targetAddress,
    amount_out: Number(t.targetAmount),
    ...requestFromEvm(t),
  }),
  unread: 'the Bitcoin clock, by which its VHTLC is judged, cannot be read now',
  wrong(record, terms, now) {
    const { policy } = terms;
    const { vhtlc_refund_locktime: lock, evm_refund_locktime: timelock } = record;
    // However late in the window we lock.
    const paidBy = latestByChain(now.bitcoin, policy) + policy.fundingWindow;
    return (
      wrongHash(record, terms) ??
      wrongReceiver(record, terms) ??
      objection(
        lock >= paidBy + policy.leastClaimTime,
        `its VHTLC can be taken back at ${lock}, less than ${policy.leastClaimTime} seconds after the tokens may be locked`,
      ) ??
      // Ours again never before the provider's: nobody who means it offers both legs to one side.
      objection(timelock > lock, `our refund opens at ${timelock}, before its VHTLC could be taken back at ${lock}`) ??
      wrongRefundTime(record, terms, now) ??
      wrongClaimDelay(record, terms)
    );
  },
  deal(record, terms) {
    const vhtlc = { ...record, arkade_vhtlc_address: record.btc_vhtlc_address };
    return dealt(record, lockOf(record, terms), vhtlcLeg(vhtlc, terms, 'receiver'));
  },
});
