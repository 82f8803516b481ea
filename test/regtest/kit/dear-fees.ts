import { toHex } from '../../../engine/domain/hex.ts';
import { openPayer } from '../../ports/bitcoin-payer.ts';
import type { Chain } from './chain.ts';

const coinAmount = 100_000n;
/** Of a transaction with one Taproot input and one output. */
const vsize = 111n;
/** So many transactions of a block count in btcd's estimate, and so many blocks outweigh what a story paid before. */
const [ofBlock, mostBlocks] = [10, 20];

/**
 * Brings what btcd estimates for `within` blocks to a rate, in sats per virtual byte, by transactions that paid it and waited so long. What else
 * lies in the mempool stays there.
 */
export async function raiseFees({ btcd, miner, faucet }: Chain, rate: bigint, within: number): Promise<void> {
  const payer = openPayer('somebody in a hurry');
  const { txid, hex } = await faucet.pay(
    Array.from({ length: ofBlock * mostBlocks }, () => ({ to: payer.script, amount: coinAmount })),
  );
  await miner.mineBlock({ transactions: [Uint8Array.from(Buffer.from(hex, 'hex'))] });
  const waiting: Uint8Array[][] = [];
  for (let block = 0; block < mostBlocks; block++) {
    const dear = Array.from({ length: ofBlock }, (_, i) =>
      payer.pay({
        from: [{ outpoint: { txid, vout: ofBlock * block + i }, amount: coinAmount }],
        to: [{ script: payer.script, amount: coinAmount - rate * vsize }],
      }),
    );
    await btcd.rpc.batch(dear.map((bytes) => ['sendrawtransaction', toHex(bytes)]));
    waiting.push(dear);
    await miner.mineBlock({ transactions: waiting.length < within ? [] : (waiting.shift() ?? []) });
    const estimate = (await btcd.rpc.call<number>('estimatefee', within)) * 1e5;
    if (Math.abs(estimate - Number(rate)) < 1) return;
  }
  throw new Error(`btcd does not come to estimate ${rate} sats per virtual byte for ${within} blocks`);
}
