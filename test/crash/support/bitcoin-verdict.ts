import type { ArkadeBitcoinRecord } from '../../../engine/contract/directions/arkade-bitcoin.ts';
import type { BitcoinArkadeRecord } from '../../../engine/contract/directions/bitcoin-arkade.ts';
import type { LightningBitcoinRecord } from '../../../engine/contract/directions/lightning-bitcoin.ts';
import type { BitcoinLightningRecord } from '../../../engine/contract/directions/bitcoin-lightning.ts';
import type { HoldState, PaymentState } from '../../../engine/legs/lightning/port.ts';
import type { BitcoinLeg, Traced } from './bitcoin-oracle.ts';
import { fromEvmFaults, ownLock, type BitcoinEvmRecord, type EvmBitcoinRecord, type EvmLeg } from './evm-verdict.ts';
import type { Fate } from './wallet.ts';

/** No transaction of a test is worth more. */
const mostFee = 20_000n;

/**
 * A client's coin on the chain, and the VHTLC that the service made for it: each to one of them, and not both to one.
 */
export function bitcoinArkadeFaults(record: BitcoinArkadeRecord, locks: readonly Fate[], leg: BitcoinLeg): string[] {
  const target = BigInt(record.target_amount);
  const { faults, claimed } = clientsCoins(record, leg);
  if (locks.length > 1) faults.push(`the node locked ${locks.length} times`);
  for (const { amount } of locks)
    if (amount !== target) faults.push(`the lock holds ${amount} sats, agreed were ${target}`);
  const has = locks.some(({ spent }) => spent === 'claim');
  return [...faults, ...toOneSide(has, claimed, 'the VHTLC')];
}

/** A client's coin on the chain, and the lock that the service made for it. */
export function bitcoinEvmFaults(record: BitcoinEvmRecord, leg: BitcoinLeg, evm: EvmLeg): string[] {
  const { faults, claimed } = clientsCoins(record, leg);
  const lock = ownLock(record, evm);
  return [...faults, ...lock.faults, ...toOneSide(lock.redeemed, claimed, 'the lock')];
}

/** Coins that the client paid, and how many of them the service claimed. */
function clientsCoins({ source_amount }: { readonly source_amount: string }, leg: BitcoinLeg) {
  const faults = standing(leg);
  const claimed = leg.filter(({ spent }) => spent === 'claim');
  if (claimed.length > 1) faults.push(`the node claimed ${claimed.length} coins of the client`);
  for (const { amount } of claimed)
    if (amount < BigInt(source_amount)) faults.push(`the node claimed ${amount} sats, agreed were ${source_amount}`);
  return { faults, claimed: claimed.length };
}

function toOneSide(has: boolean, claimed: number, ours: string): string[] {
  if (has && claimed === 0)
    return [`the client has ${ours} and its bitcoin, as in clientrefundedserverfunded: the node lost it`];
  return !has && claimed > 0 ? ['both legs are ours: the node has the bitcoin, and the client got nothing'] : [];
}

/**
 * A client's lock on an EVM chain, and the coin that the service funded for it: each to one of them, and not both to
 * one.
 */
export function evmBitcoinFaults(record: EvmBitcoinRecord, leg: BitcoinLeg, evm: EvmLeg): string[] {
  return [
    ...standing(leg),
    ...fundedOnce(record, leg),
    ...fromEvmFaults(
      record,
      evm,
      leg.some(({ spent }) => spent === 'claim'),
    ),
  ];
}

function standing(leg: BitcoinLeg): string[] {
  return leg.flatMap(({ outpoint, amount, spent, by }) => [
    ...(spent === 'unspent' ? [`coin ${outpoint} of ${amount} sats is left behind`] : []),
    ...(spent === 'unread' ? [`coin ${outpoint} was taken by neither condition`] : []),
    ...(by !== null && !by.mined ? [`what takes the coin ${outpoint} waits for ever: ${by.txid}`] : []),
  ]);
}

/** A payment that was held, and the coin that the service funded for it: each to one of them, and not both to one. */
export function lightningBitcoinFaults(
  record: LightningBitcoinRecord,
  hold: HoldState['is'] | null,
  leg: BitcoinLeg,
): string[] {
  const faults = [...standing(leg), ...fundedOnce(record, leg)];
  const has = leg.some(({ spent }) => spent === 'claim');
  if (hold === 'settled' && !has) faults.push('the node took the payment, and the client got nothing on chain');
  if (hold !== 'settled' && has)
    faults.push(`the client has our coin and the held payment is ${hold}: the node lost it`);
  if (hold === 'held' || hold === 'open') faults.push(`the invoice is still ${hold}`);
  return faults;
}

/** A client's VHTLC, and the coin that the service funded for it: each to one of them, and not both to one. */
export function arkadeBitcoinFaults(record: ArkadeBitcoinRecord, coins: readonly Fate[], leg: BitcoinLeg): string[] {
  const faults = [...standing(leg), ...fundedOnce(record, leg)];
  const claimed = coins.filter(({ spent }) => spent === 'claim').length;
  const has = leg.some(({ spent }) => spent === 'claim');
  if (claimed > 1) faults.push(`the node claimed ${claimed} coins of the client`);
  if (has && claimed === 0) faults.push('the client has our coin and its VHTLC: the node lost it');
  if (!has && claimed > 0) faults.push('the node has the VHTLC, and the client got nothing on chain');
  return faults;
}

/** A client's coin on the chain, and the payment that the service made for it. */
export function bitcoinLightningFaults(
  record: BitcoinLightningRecord,
  payment: PaymentState | null,
  leg: BitcoinLeg,
): string[] {
  const faults = standing(leg);
  const claimed = leg.filter(({ spent }) => spent === 'claim');
  const isPaid = payment?.is === 'settled';
  if (payment?.is === 'in-flight') faults.push('the payment is still in flight');
  if (claimed.length > 1) faults.push(`the node claimed ${claimed.length} coins of the client`);
  for (const { amount } of claimed)
    if (amount < BigInt(record.source_amount))
      faults.push(`the node claimed ${amount} sats, agreed were ${record.source_amount}`);
  if (isPaid && claimed.length === 0) faults.push('the node paid the invoice, and did not take the coin');
  if (!isPaid && claimed.length > 0) faults.push(`the node took the coin, and the payment is ${payment?.is}`);
  return faults;
}

function fundedOnce({ target_amount }: Pick<EvmBitcoinRecord, 'target_amount'>, leg: BitcoinLeg): string[] {
  const target = BigInt(target_amount);
  return [
    ...(leg.length > 1 ? [`the node funded ${leg.length} times`] : []),
    ...leg
      .filter(({ amount }) => amount !== target)
      .map(({ amount }) => `the coin holds ${amount} sats, agreed were ${target}`),
  ];
}

/** What the node says that it has must be what the chain leaves to its keys. */
export function walletFaults({ held, fees }: Traced, stated: bigint): string[] {
  return [
    ...(held === stated ? [] : [`the node says that it has ${stated} sats on chain, and its keys have ${held}`]),
    ...[...fees].filter(([, fee]) => fee > mostFee).map(([txid, fee]) => `the node paid ${fee} sats for ${txid}`),
  ];
}
