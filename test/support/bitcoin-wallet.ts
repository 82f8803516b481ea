import { isRefusal, type Refusal } from '../../engine/domain/errors.ts';
import { sats, tokenAmount } from '../../engine/domain/money.ts';
import type { Withdrawal } from '../../engine/contract/owner/wallets.ts';
import { scriptOfAddress } from '../../engine/legs/onchain/address.ts';
import { createBitcoinPort } from './sandbox-ports/bitcoin.ts';
import type { TestNode } from './node.ts';
import type { World } from './world.ts';

/** An address of BIP-173's test vectors with regtest's prefix: nobody of these tests has its key. */
export const payee = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

interface Owner {
  readonly world: World;
  readonly node: TestNode;
}

export function scriptOf(address: string): Uint8Array {
  const script = scriptOfAddress(address, 'regtest');
  if (script === null) throw new Error(`not an address: ${address}`);
  return script;
}

export function accepted<T>(answer: T | Refusal): T {
  if (isRefusal(answer)) throw new Error(answer.sentence);
  return answer;
}

/** Coins of these amounts for the node's Bitcoin wallet, in one block. */
export async function deposit({ world, node }: Owner, ...amounts: number[]): Promise<void> {
  for (const amount of amounts) {
    const { address } = accepted(await node.service.owner.walletAddress('bitcoin', { asset: null, amount: null }));
    world.bitcoin.faucet(scriptOf(address), sats(amount));
  }
  await world.mine(1);
}

export async function withdraw({ node }: Owner, amount: number, address = payee): Promise<Withdrawal> {
  return accepted(await node.service.owner.withdraw('bitcoin', { address, amount: tokenAmount(amount), asset: null }));
}

/** What lies at the payee, by the chain. */
export async function paidOut({ world }: Owner): Promise<bigint[]> {
  return (await createBitcoinPort(world.bitcoin).coins([scriptOf(payee)])).map(({ amount }) => amount);
}

/** The transactions that wait for a block. */
export function inMempool({ world }: Owner): string[] {
  return world.bitcoin.mempool().map(({ tx }) => tx.txid);
}

/** What the ledger says that a withdrawal cost, in sats. */
export function bookedFor(node: TestNode, id: string): bigint {
  return -node.store.ledger.of(id).reduce((sum, { amount }) => sum + amount, 0n) / 1_000n;
}

/** What its miners got for it. */
export function costOf(world: World, node: TestNode, id: string): bigint {
  const { txid = '' } = (node.store.swaps.byId(id)?.progress ?? {}) as { txid?: string };
  const of = (name: string) => {
    const transaction = world.bitcoin.transaction(name);
    if (transaction === undefined) throw new Error(`there is no transaction ${name}`);
    return transaction.tx;
  };
  const { inputs, outputs } = of(txid);
  const spent = inputs.reduce((sum, { spends }) => sum + (of(spends.txid).outputs[spends.vout]?.amount ?? 0n), 0n);
  return outputs.reduce((left, { amount }) => left - amount, spent);
}
