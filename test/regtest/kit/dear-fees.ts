import { toHex } from '../../../engine/domain/hex.ts';
import { openPayer } from '../../ports/bitcoin-payer.ts';
import type { BitcoinNode } from './bitcoin-node.ts';
import type { Chain } from './chain.ts';

const coinAmount = 100_000n;
/** Of a transaction with one Taproot input and one output. */
const vsize = 111n;
/** So many transactions of a block count in an estimate, and so many blocks outweigh what a story paid before. */
const [ofBlock, mostBlocks] = [10, 20];
/**
 * Core's estimate falls to whatever rate is always mined: so many that pay half stay behind, longer than it looks back.
 */
const leftBehind = 40;

/**
 * Brings what the node estimates for `within` blocks to a rate, in sats per virtual byte, by transactions that paid it
 * and waited so long, and on Core by others that pay half and wait in vain. What else lies in the mempool stays there.
 */
export async function raiseFees({ node, miner, faucet }: Chain, rate: bigint, within: number): Promise<void> {
  const payer = openPayer('somebody in a hurry');
  const { txid, hex } = await faucet.pay(
    Array.from({ length: ofBlock * mostBlocks + leftBehind }, () => ({ to: payer.script, amount: coinAmount })),
  );
  await miner.mineBlock({ transactions: [Uint8Array.from(Buffer.from(hex, 'hex'))] });
  const paying = (vout: number, perByte: bigint): Uint8Array =>
    payer.pay({
      from: [{ outpoint: { txid, vout }, amount: coinAmount }],
      to: [{ script: payer.script, amount: coinAmount - perByte * vsize }],
    });
  const send = (all: readonly Uint8Array[]) => node.rpc.batch(all.map((bytes) => ['sendrawtransaction', toHex(bytes)]));

  const behind = Array.from({ length: node.kind === 'core' ? leftBehind : 0 }, (_, i) => ofBlock * mostBlocks + i);
  await send(behind.map((vout) => paying(vout, rate / 2n)));
  const waiting: Uint8Array[][] = [];
  for (let block = 0; block < mostBlocks; block++) {
    const dear = Array.from({ length: ofBlock }, (_, i) => paying(ofBlock * block + i, rate));
    await send(dear);
    waiting.push(dear);
    await miner.mineBlock({ transactions: waiting.length < within ? [] : (waiting.shift() ?? []) });
    if (Math.abs((await estimated(node, within)) - Number(rate)) >= 1) continue;
    // Those in vain make room: the same coins are spent at the rate.
    if (behind.length > 0) await miner.mineBlock({ transactions: behind.map((vout) => paying(vout, rate)) });
    return;
  }
  throw new Error(`the Bitcoin node does not come to estimate ${rate} sats per virtual byte for ${within} blocks`);
}

/** Sats per virtual byte; zero where the node has no estimate yet. */
async function estimated({ kind, rpc }: BitcoinNode, within: number): Promise<number> {
  const perKilobyte =
    kind === 'btcd'
      ? await rpc.call<number>('estimatefee', within)
      : (await rpc.call<{ feerate?: number }>('estimatesmartfee', within)).feerate;
  return (perKilobyte ?? 0) * 1e5;
}
