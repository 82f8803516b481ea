import { CSVMultisigTapscript, MultisigTapscript, type Transaction, VtxoScript } from '@arkade-os/sdk';
import { hex } from '@scure/base';
import { sats } from '../../../engine/domain/money.ts';
import type { Operator } from '../../../engine/sandbox/world/arkade/operator.ts';
import type { BitcoinWorld } from '../../../engine/sandbox/world/bitcoin/chain.ts';
import { type Party, type TestCoin, type TestVhtlc, signerOf } from './support.ts';

/** A boarding address: with the operator at any time, alone after the boarding exit delay. */
export function boardingScript(
  operator: Operator,
  owner: Party,
  delay = Number(operator.info().boardingExitDelay),
): TestVhtlc {
  const refund = MultisigTapscript.encode({ pubkeys: [owner.xOnly, signerOf(operator)] }).script;
  const exitLate = CSVMultisigTapscript.encode({
    timelock: { type: 'seconds', value: BigInt(delay) },
    pubkeys: [owner.xOnly],
  }).script;
  const none = new Uint8Array();
  return {
    script: new VtxoScript([refund, exitLate]),
    leaves: { claim: none, refund, late: none, exitClaim: none, exitRefund: none, exitLate },
    preimage: none,
  };
}

/** A coin on the chain at a boarding address, in the mempool until a block comes. */
export function ashore(chain: BitcoinWorld, of: TestVhtlc, value: number): TestCoin {
  const outpoint = chain.faucet(of.script.pkScript, sats(value));
  if (outpoint === null) throw new Error('the faucet is dry');
  return { ...outpoint, value, of };
}

/** Signs the inputs of a commitment transaction that spend these coins, and no other. */
export async function signsFor(
  coins: readonly TestCoin[],
  owner: Party,
  commitment: Transaction,
): Promise<Transaction> {
  const inputs = Array.from({ length: commitment.inputsLength }, (_, i) => i).filter((i) => {
    const { txid, index } = commitment.getInput(i);
    return coins.some((coin) => txid !== undefined && coin.txid === hex.encode(txid) && coin.vout === index);
  });
  for (const i of inputs) {
    const coin = coins.find(
      ({ vout, txid }) =>
        vout === commitment.getInput(i).index && txid === hex.encode(commitment.getInput(i).txid ?? new Uint8Array()),
    );
    if (coin !== undefined)
      commitment.updateInput(i, { tapLeafScript: [coin.of.script.findLeaf(hex.encode(coin.of.leaves.refund))] });
  }
  return owner.identity.sign(commitment, inputs);
}
