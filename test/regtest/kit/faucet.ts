import { Address, OutScript, TEST_NETWORK, Transaction, p2wpkh } from '@scure/btc-signer';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { assembleBlock } from './block.ts';
import { RpcError, type Rpc } from './rpc.ts';

export const regtest = { ...TEST_NETWORK, bech32: 'bcrt' };

export interface Payee {
  readonly to: string | Uint8Array;
  readonly amount: bigint;
}

/** Pays out of the first coinbases of the chain, 149 coins of 50 bitcoin. */
export interface Faucet {
  readonly script: Uint8Array;
  /**
   * Sends to addresses or scripts, at 2 sats per vbyte; the outputs are in the order of the payees. The hex is told for
   * tests that send it again.
   */
  pay(payees: readonly Payee[]): Promise<{ txid: string; hex: string }>;
}

interface Coin {
  readonly txid: string;
  readonly index: number;
  readonly amount: bigint;
}

const key = new Uint8Array(32).fill(7);
const wallet = p2wpkh(secp256k1.getPublicKey(key, true), regtest);
export const faucetScript = wallet.script;
const faucetAddress = Address(regtest).encode(OutScript.decode(faucetScript));
const nobody = Uint8Array.of(0x51);
/** Soft forks are active from 432 on, absolute locktimes in blocks from 1351 on. */
const startHeight = 1_400;
const blockInterval = 600;
/** Coinbases pay half from here on. */
const halving = 150;
const feeRate = 2n;
/** Sats that a net of two lnds takes, and as much again. */
const enough = 400_000_000n;
const rounds = 6;
const harvest = 40;
const maturity = 100;
const pageSize = 20;

/** Makes a chain of 1,400 blocks that ends now, and with it the faucet. */
export async function bootstrap(rpc: () => Rpc): Promise<Faucet> {
  const coins: Coin[] = [];
  const blocks: string[] = [];
  const now = Math.floor(Date.now() / 1_000);
  for (let height = 1, parent = await rpc().call<string>('getblockhash', 0); height <= startHeight; height++) {
    const block = assembleBlock({
      height,
      parent,
      time: now - (startHeight - height) * blockInterval,
      script: faucetScript,
      transactions: [],
    });
    if (height < halving) coins.push({ txid: block.coinbase.txid, index: 0, amount: block.coinbase.amount });
    blocks.push(block.hex);
    parent = block.hash;
  }
  for (let from = 0; from < blocks.length; from += 200) {
    const refused = (
      await rpc().batch<string | null>(blocks.slice(from, from + 200).map((hex) => ['submitblock', hex]))
    ).find((answer) => answer !== null);
    if (refused !== undefined) throw new Error(`the Bitcoin node does not take the first blocks: ${refused}`);
  }
  return faucetOf(rpc, coins);
}

/** The faucet of a chain that others began: what its key has there already, and what some more blocks pay. */
export async function gather(
  rpc: () => Rpc,
  mine: (count: number, script: Uint8Array) => Promise<void>,
): Promise<Faucet> {
  for (let round = 0; round < rounds; round++) {
    const coins = await spendable(rpc());
    if (total(coins) >= enough) return faucetOf(rpc, coins);
    await mine(harvest, faucetScript);
    await mine(maturity, nobody);
  }
  throw new Error(
    'the blocks of this chain pay too little by now to fill the faucet: give the operator a chain of fewer than ' +
      `${2 * startHeight} blocks`,
  );
}

interface FaucetTx {
  readonly txid: string;
  readonly confirmations?: number;
  readonly vin: readonly { readonly coinbase?: string }[];
  readonly vout: readonly {
    readonly n: number;
    readonly value: number;
    readonly scriptPubKey: { readonly hex: string };
  }[];
}

function total(coins: readonly Coin[]): bigint {
  return coins.reduce((sum, coin) => sum + coin.amount, 0n);
}

/** The oldest first, until there is enough. Needs btcd's index of addresses. */
async function spendable(rpc: Rpc): Promise<Coin[]> {
  const script = Buffer.from(faucetScript).toString('hex');
  const coins: Coin[] = [];
  for (let skip = 0; ; skip += pageSize) {
    const page = await rpc
      .call<FaucetTx[]>('searchrawtransactions', faucetAddress, 1, skip, pageSize)
      .catch((error: unknown) => {
        // What btcd says of an address that it never saw.
        if (error instanceof RpcError && error.code === -5) return [];
        throw error;
      });
    const ripe = page.filter(
      ({ vin, confirmations = 0 }) =>
        confirmations > (vin.some(({ coinbase }) => coinbase !== undefined) ? maturity : 0),
    );
    for (const { txid, vout } of ripe) {
      for (const { n, value } of vout.filter(({ scriptPubKey }) => scriptPubKey.hex === script)) {
        if ((await rpc.call('gettxout', txid, n, true)) !== null)
          coins.push({ txid, index: n, amount: BigInt(Math.round(value * 1e8)) });
      }
    }
    if (page.length < pageSize || total(coins) >= enough) return coins;
  }
}

function faucetOf(rpc: () => Rpc, coins: Coin[]): Faucet {
  return {
    script: faucetScript,
    async pay(payees) {
      const transaction = payment(coins, payees);
      const hex = await rpc()
        .call<string>('sendrawtransaction', transaction.hex)
        .then(() => transaction.hex);
      return { txid: transaction.id, hex };
    },
  };
}

function payment(coins: Coin[], payees: readonly Payee[]): Transaction {
  const total = payees.reduce((sum, payee) => sum + payee.amount, 0n);
  const transaction = new Transaction();
  let gathered = 0n;
  while (gathered < total + 50_000n) {
    const coin = coins.shift();
    if (coin === undefined) throw new Error('the faucet is dry');
    gathered += coin.amount;
    transaction.addInput({
      txid: coin.txid,
      index: coin.index,
      sequence: 0xfffffffd,
      witnessUtxo: { script: faucetScript, amount: coin.amount },
    });
  }
  for (const { to, amount } of payees)
    transaction.addOutput({
      script: typeof to === 'string' ? OutScript.encode(Address(regtest).decode(to)) : to,
      amount,
    });
  const size = BigInt(11 + 68 * transaction.inputsLength + 43 * (payees.length + 1));
  const change = gathered - total - size * feeRate;
  transaction.addOutput({ script: faucetScript, amount: change });
  transaction.sign(key);
  transaction.finalize();
  coins.push({ txid: transaction.id, index: payees.length, amount: change });
  return transaction;
}
