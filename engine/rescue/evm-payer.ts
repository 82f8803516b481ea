import { bytesToHex, keccak256 } from 'viem/utils';
import { chainIdOf, type EvmNetwork } from '../domain/chain.ts';
import { nativeCoin, type EvmAddress } from '../domain/evm.ts';
import { transactionSignedBy } from '../legs/evm/account.ts';
import type { EvmCall, EvmPort, EvmTransaction, SignedTransaction } from '../legs/evm/port.ts';
import type { TakerEvmKey } from '../legs/evm/taker-key.ts';
import { priceOf, raised } from '../runtime/networks/evm/gas.ts';
import { evmOf, takerAccountsOf, type Ports } from '../runtime/ports.ts';
import type { Done } from './leg.ts';

/*
 * The node's own queue of an account takes what a machine asks for, from the account of the node alone. Beside it this
 * pays for what that leaves: an account without gas, where another one of the seed may have some or its owner is told
 * what to send; a lock that the words alone find; a swap that its owner names; and what is sent away at the end.
 */

/** Of the account of swaps of our own: it is one for all of them. */
export const walletKey: TakerEvmKey = { scheme: 'wallet', index: 0 };

export interface EvmPatience {
  /** Blocks after which what ended a lock is there for good. */
  readonly burial: (network: EvmNetwork) => number;
  /** Milliseconds that a transaction is waited for, and between two looks. */
  readonly mined: number;
  readonly look: number;
}

/** An account of the seed that pays for the gas of a transaction. */
export interface Payer {
  readonly account: EvmAddress;
  /** The first nonce that is not mined: whatever was left waiting there is replaced. */
  nonce(): Promise<number>;
  sign(transaction: EvmTransaction): SignedTransaction;
}

/** The account of the node. */
export function ownPayer(port: EvmPort): Payer {
  return {
    account: port.account(),
    nonce: async () => (await port.nonces()).mined,
    sign: (transaction) => port.sign(transaction),
  };
}

/** The account of its own swaps. */
export function takerPayer(ports: Ports, network: EvmNetwork, key: TakerEvmKey): Payer {
  const accounts = takerAccountsOf(ports);
  const account = accounts.accountOf(key);
  return {
    account,
    nonce: async () => (await evmOf(ports, network).minedOf(account)).mined,
    sign(transaction) {
      const bytes = transactionSignedBy(chainIdOf(network), transaction, (digest) => {
        const { v, r, s } = accounts.sign(digest, key);
        return { r, s, yParity: v === 27 ? 0 : 1 };
      });
      return { txid: keccak256(bytes).slice(2), bytes };
    },
  };
}

export interface Sending {
  readonly port: EvmPort;
  readonly call: EvmCall;
  readonly gas: bigint;
  readonly patience: Pick<EvmPatience, 'mined' | 'look'>;
}

/** Milliseconds to the first look, and twice as long to each further one: some chains are quick. */
const firstLook = 250;
/** Raises of a fee in one run, where a transaction with the same nonce waits. */
const mostRaises = 24;

/** By the first of the payers that has the gas; waits until it is mined. */
export async function sendBy(payers: readonly Payer[], { port, call, gas, patience }: Sending): Promise<Done> {
  let fees = await port.gasFees();
  const needed = gas * priceOf(fees) + call.value;
  const held = await Promise.all(payers.map(({ account }) => port.balance(nativeCoin, account)));
  const at = held.findIndex((has) => has >= needed);
  const payer = payers[at];
  const has = held[at] ?? 0n;
  if (payer === undefined) {
    const accounts = payers.map(({ account }, i) => `${bytesToHex(account)} has ${held[i]}`).join(' wei, and ');
    return {
      is: 'failed',
      sentence: `the account ${accounts} wei for gas, and ${needed} are needed: send it some, and run this again`,
    };
  }
  for (let raises = 0; raises < mostRaises; raises++) {
    const { txid, bytes } = payer.sign({ ...call, nonce: await payer.nonce(), gas, fees });
    const answer = await port.broadcast(bytes);
    if (answer.is === 'refused') return { is: 'failed', sentence: `the chain refuses it: ${answer.reason}` };
    if (answer.is === 'nonce-used')
      return { is: 'later', sentence: 'another transaction of the account was mined just now' };
    if (answer.is === 'accepted') return mined(port, txid, patience);
    if (has < gas * priceOf(raised(fees)) + call.value) break;
    fees = raised(fees);
  }
  return { is: 'later', sentence: 'a transaction of the account waits with a higher fee than it can pay' };
}

async function mined(port: EvmPort, txid: string, patience: Sending['patience']): Promise<Done> {
  const end = performance.now() + patience.mined;
  for (let wait = firstLook; ; wait *= 2) {
    const receipt = await port.receipt(txid);
    if (receipt !== null)
      return receipt.ok
        ? { is: 'done', sentence: `done with 0x${txid}` }
        : { is: 'failed', sentence: `0x${txid} was mined and reverted: run this again` };
    if (performance.now() > end) return { is: 'later', sentence: `sent with 0x${txid}, and not mined yet` };
    await new Promise((resolve) => setTimeout(resolve, Math.min(wait, patience.look)));
  }
}
