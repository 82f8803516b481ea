import { RawTx } from '@scure/btc-signer';
import { toHex } from '../../../engine/domain/hex.ts';
import { outpointKey } from '../../../engine/domain/outpoint.ts';
import type { Coin } from '../../../engine/sandbox/world/bitcoin/ledger.ts';
import { isCoinbase, parseTx } from '../../../engine/sandbox/world/bitcoin/tx.ts';
import type { Chain } from './chain.ts';
import { indexOf } from './chain-index.ts';
import { judgesOn } from './judges.ts';

export interface Replay {
  /** How many spends were put to both: those that were mined, and each with a witness that is another. */
  readonly mined: number;
  readonly spoilt: number;
  /** Each with what they say. */
  readonly differences: readonly string[];
}

/**
 * Mines a chain anew from `from` on, in a node of its own, of the chain's kind, and puts every spend of it to both
 * before its block comes.
 */
export async function replayed(chain: Chain, from: number): Promise<Replay> {
  const { blocks } = await indexOf(() => chain.node.rpc)();
  const judge = await chain.another();
  const judged = judgesOn(() => judge.rpc);
  const coins = new Map<string, Coin>();
  let [mined, spoilt] = [0, 0];
  const differences: string[] = [];
  const raw = await chain.node.rpc.batch<string>(blocks.map(({ hash }) => ['getblock', hash, 0]));
  await judge.rpc.batch(raw.slice(1, from).map((hex) => ['submitblock', hex]));
  for (const { height, transactions } of blocks) {
    for (const { bytes, txid } of transactions) {
      const tx = parseTx(bytes);
      if (height >= from && !isCoinbase(tx)) {
        const spent = tx.inputs.map(({ spends }) => {
          const coin = coins.get(outpointKey(spends));
          if (coin === undefined) throw new Error(`nothing brought ${outpointKey(spends)}`);
          return coin.height === height ? { ...coin, height: null } : coin;
        });
        const others = spoiltOf(bytes);
        const verdicts = await judged([bytes, ...others].map((one) => ({ bytes: one, coins: spent })));
        for (const [i, { node, sandbox }] of verdicts.entries())
          if (node !== sandbox || (i === 0 && !node))
            differences.push(
              `${txid}, ${i === 0 ? 'as it is' : `spoilt ${i}`}: ${chain.node.kind} ${node}, sandbox ${sandbox}`,
            );
        [mined, spoilt] = [mined + 1, spoilt + others.length];
        await judge.rpc.call('sendrawtransaction', toHex(bytes));
      }
      for (const [vout, { amount, script }] of tx.outputs.entries())
        coins.set(outpointKey({ txid, vout }), {
          outpoint: { txid, vout },
          amount,
          script,
          height,
          coinbase: isCoinbase(tx),
        });
    }
    if (height < from) continue;
    const refused = await judge.rpc.call<string | null>('submitblock', raw[height]);
    if (refused !== null) throw new Error(`the Bitcoin node does not take block ${height}: ${refused}`);
  }
  await judge.stop();
  return { mined, spoilt, differences };
}

/** The witness of each input with one bit of an item changed, or an item less, or one more. */
function spoiltOf(bytes: Uint8Array): Uint8Array[] {
  const { witnesses = [] } = RawTx.decode(bytes);
  return witnesses.flatMap((witness, input) =>
    spoiltWitnesses(witness).map((one) => {
      const tx = RawTx.decode(bytes.slice());
      return RawTx.encode({ ...tx, witnesses: witnesses.with(input, one) });
    }),
  );
}

function spoiltWitnesses(witness: readonly Uint8Array[]): Uint8Array[][] {
  const flipped = (item: Uint8Array, at: number) => Uint8Array.from(item, (byte, i) => (i === at ? byte ^ 1 : byte));
  const others = witness.flatMap((item, i) => [
    ...(item.length === 0 ? [] : [witness.with(i, flipped(item, 0)), witness.with(i, flipped(item, item.length - 1))]),
    witness.with(i, Uint8Array.of(...item, 0)),
    witness.toSpliced(i, 1),
    witness.toSpliced(i, 0, Uint8Array.of(1)),
  ]);
  return others.filter((one) => one.length > 0);
}
