// What we claim on Arkade may have left for the Bitcoin chain, and there we fund.
import type { Event } from '../../engine/swap/machine.ts';
import { sats } from '../../engine/domain/money.ts';
import type { ArkadeBitcoinProgress } from '../../engine/swap/directions/arkade-bitcoin.ts';
import type { EvmBitcoinProgress } from '../../engine/swap/directions/evm-bitcoin.ts';
import { coinPoint, txid } from './cases.ts';
import { bitcoinTx, evmBitcoinCase } from './evm-bitcoin-cases.ts';
import { explore } from './explore.ts';

type Claiming = Extract<ArkadeBitcoinProgress, { at: 'claiming' }>;

function isWaiting(p: EvmBitcoinProgress): p is Extract<EvmBitcoinProgress, { at: 'claiming' }> {
  return p.at === 'claiming' && p.end === null && p.funding !== null && !p.buried;
}

/** Our coin is claimed by its client; ours is claimed on the chain, for it left the operator. Nothing is buried. */
export function leavingBoth(): Claiming {
  const ours = explore(evmBitcoinCase).states.find(isWaiting);
  if (ours === undefined) throw new Error('no claim of a coin waits for its block');
  const { output, funding, buried, redeem, spends, end } = ours;
  const coin = { coin: coinPoint, surplus: sats(0), extras: [] };
  return { at: 'claiming', ...coin, claimTxid: txid.claim, exit: true, output, funding, buried, redeem, spends, end };
}

/** What funds our coin is buried, and what claims the other. */
export const fundingIsFinal: Event = { is: 'onchain.final', leg: 'bitcoin', txid: bitcoinTx.fund, fee: sats(300) };
export const claimIsFinal: Event = { is: 'onchain.final', leg: 'arkade', txid: txid.claim, fee: sats(200) };
