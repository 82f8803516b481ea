import { sha256 } from '@noble/hashes/sha2.js';
import { hex } from '@scure/base';
import { randomBytes } from 'node:crypto';
import { connectArkade } from '../../../engine/adapters/arkade/connect.ts';
import { rpcAt } from '../../../engine/adapters/evm/rpc.ts';
import { createKeys } from '../../../engine/adapters/keys/keys.ts';
import { unix } from '../../../engine/domain/time.ts';
import { readChain } from '../../crash/support/chain-reader.ts';
import { fatesAt, termsOf, type ArkadeRecord, type Fate } from '../../crash/support/wallet.ts';
import { read } from '../../stories/client/esplora.ts';
import type { Json } from '../../stories/client/http.ts';
import { eventually } from '../../stories/wire-node.ts';
import type { EvmChainOfStage } from './evm-chain.ts';

/** How a coin of an HTLC on the Bitcoin chain was taken, by the witness of what took it. */
export type TakenBy = 'the key of both' | 'the secret' | 'the refund leaf';

/** How the legs of a swap ended, each as its network tells it; nothing comes from the node. */
export interface Sights {
  /** As `endOfCoin` tells it. */
  coin(coin: { readonly txid: string; readonly vout: number }, hash: string): Promise<TakenBy>;
  /** What its contract logged last of the only lock of a hash; "reverted" where one of the transactions was. */
  lock(hash: string, transactions: readonly string[]): Promise<'active' | 'redeemed' | 'refunded' | 'reverted'>;
  /** By which leaf the only coin of a VHTLC was spent. */
  vhtlc(record: Json): Promise<Fate['spent']>;
}

interface Networks {
  readonly esplora: string;
  readonly arkade: string;
  readonly evm: Pick<EvmChainOfStage, 'chainId' | 'htlc' | 'rpcUrl'>;
}

/** Waits for a transaction that takes the coin, in the mempool or in a block. */
export async function endOfCoin(
  esplora: string,
  { txid, vout }: { readonly txid: string; readonly vout: number },
  hash: string,
): Promise<TakenBy> {
  const { txid: spender, vin } = await eventually(
    () => read<{ spent: boolean; txid?: string; vin?: number }>(esplora, `/tx/${txid}/outspend/${vout}`),
    ({ spent }) => spent,
  );
  const inputs = (await read<{ vin: { witness: string[] }[] }>(esplora, `/tx/${spender ?? ''}`)).vin;
  return takenBy(inputs[vin ?? 0]?.witness ?? [], hash);
}

export async function openSights({ esplora, arkade, evm }: Networks): Promise<Sights> {
  const now = () => unix(Math.floor(Date.now() / 1_000));
  const port = connectArkade(arkade, {
    keys: createKeys(randomBytes(64), 'regtest').privateKey,
    clock: { wall: now, mtp: now },
    network: 'regtest',
  });
  const { signer } = await port.info();
  const askEvm = rpcAt(evm.rpcUrl);
  const chain = readChain(String(evm.chainId), evm.htlc, askEvm);

  return {
    coin: (coin, hash) => endOfCoin(esplora, coin, hash),
    async lock(hash, transactions) {
      const [one, ...others] = await chain.locks(hash);
      if (one === undefined || others.length > 0) throw new Error(`${others.length + 1} locks, or none, have ${hash}`);
      for (const transaction of transactions) {
        const receipt = (await askEvm('eth_getTransactionReceipt', transaction)) as { status: string } | null;
        if (receipt?.status !== '0x1') return 'reverted';
      }
      return one.end;
    },
    async vhtlc(record) {
      const [one, ...others] = await fatesAt(port, termsOf(record as unknown as ArkadeRecord, signer));
      if (one === undefined || others.length > 0) throw new Error('the VHTLC has another number of coins than one');
      return one.spent;
    },
  };
}

function takenBy(witness: readonly string[], hash: string): TakenBy {
  if (witness.length === 1 && witness[0]?.length === 128) return 'the key of both';
  const isSecret = (item: string) => item.length === 64 && hex.encode(sha256(hex.decode(item))) === hash;
  if (witness.some(isSecret)) return 'the secret';
  // Signature, leaf, control block.
  if (witness.length === 3) return 'the refund leaf';
  throw new Error(`nobody knows what takes a coin by ${JSON.stringify(witness)}`);
}
