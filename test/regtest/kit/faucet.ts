import { Address, OutScript, TEST_NETWORK, Transaction, p2wpkh } from '@scure/btc-signer';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { assembleBlock } from './block.ts';
import type { Rpc } from './rpc.ts';

export const regtest = { ...TEST_NETWORK, bech32: 'bcrt' };

export interface Payee {
  readonly to: string | Uint8Array;
  readonly amount: bigint;
}

/** Pays out of the first coinbases of the chain, 149 coins of 50 bitcoin. */
export interface Faucet {
  readonly script: Uint8Array;
  /** Sends to addresses or scripts, at 2 sats per vbyte; the outputs are in the order of the payees. The hex is told for tests that send it again. */
  pay(payees: readonly Payee[]): Promise<{ txid: string; hex: string }>;
}

interface Coin {
  readonly txid: string;
  readonly index: number;
  readonly amount: bigint;
}

const key = new Uint8Array(32).fill(7);
const wallet = p2wpkh(secp256k1.getPublicKey(key, true), regtest);
/** Soft forks are active from 432 on, absolute locktimes in blocks from 1351 on. */
const startHeight = 1_400;
const blockInterval = 600;
/** Coinbases pay half from here on. */
const halving = 150;
const feeRate = 2n;

/** Makes a chain of 1,400 blocks that ends now, and with it the faucet. */
export async function bootstrap(rpc: () => Rpc): Promise<Faucet> {
  const coins: Coin[] = [];
  const blocks: string[] = [];
  const now = Math.floor(Date.now() / 1_000);
  for (let height = 1, parent = await rpc().call<string>('getblockhash', 0); height <= startHeight; height++) {
    const block = assembleBlock({ height, parent, time: now - (startHeight - height) * blockInterval, script: wallet.script, transactions: [] });
    if (height < halving) coins.push({ txid: block.coinbase.txid, index: 0, amount: block.coinbase.amount });
    blocks.push(block.hex);
    parent = block.hash;
  }
  for (let from = 0; from < blocks.length; from += 200) {
    const refused = (await rpc().batch<string | null>(blocks.slice(from, from + 200).map((hex) => ['submitblock', hex]))).find((answer) => answer !== null);
    if (refused !== undefined) throw new Error(`btcd does not take the first blocks: ${refused}`);
  }
  return {
    script: wallet.script,
    async pay(payees) {
      const transaction = payment(coins, payees);
      const hex = await rpc().call<string>('sendrawtransaction', transaction.hex).then(() => transaction.hex);
      return { txid: transaction.id, hex };
    },
  };
}

function payment(coins: Coin[], payees: readonly Payee[]): Transaction {
  const wanted = payees.reduce((sum, payee) => sum + payee.amount, 0n);
  const transaction = new Transaction();
  let gathered = 0n;
  while (gathered < wanted + 50_000n) {
    const coin = coins.shift();
    if (coin === undefined) throw new Error('the faucet is dry');
    gathered += coin.amount;
    transaction.addInput({ txid: coin.txid, index: coin.index, sequence: 0xfffffffd, witnessUtxo: { script: wallet.script, amount: coin.amount } });
  }
  for (const { to, amount } of payees) transaction.addOutput({ script: typeof to === 'string' ? OutScript.encode(Address(regtest).decode(to)) : to, amount });
  const size = BigInt(11 + 68 * transaction.inputsLength + 43 * (payees.length + 1));
  const change = gathered - wanted - size * feeRate;
  transaction.addOutput({ script: wallet.script, amount: change });
  transaction.sign(key);
  transaction.finalize();
  coins.push({ txid: transaction.id, index: payees.length, amount: change });
  return transaction;
}
