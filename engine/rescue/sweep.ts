import type { BitcoinNetwork } from '../domain/chain.ts';
import { PortFailure } from '../domain/errors.ts';
import { noSats } from '../domain/money.ts';
import { failedOnchain } from '../legs/onchain/failures.ts';
import { scriptOfAddress } from '../legs/onchain/address.ts';
import { nothingKept } from '../legs/onchain/reserve.ts';
import { withdrawalCeiling } from '../domain/withdrawal-cost.ts';
import type { Ceilings } from '../quote/ceilings.ts';
import { bitcoinOf, bitcoinWalletOf, type Ports } from '../runtime/ports.ts';
import type { Outcome } from './swaps.ts';

export interface Sweep {
  readonly ports: Ports;
  readonly network: BitcoinNetwork;
  readonly ceilings: Ceilings;
  readonly to: string;
  readonly say: (line: string) => void;
  readonly agree: (question: string) => Promise<boolean>;
}

/** Null for an address of the network; else what is wrong with it, in one sentence. */
export function addressFailure(to: string, network: BitcoinNetwork): string | null {
  return scriptOfAddress(to, network) === null
    ? `${to} is no Bitcoin address of ${network}, nor an account on EVM chains: take one of your own wallet there, ` +
        'and look at it twice.'
    : null;
}

/**
 * Sends all that is confirmed in the Bitcoin wallet to an address of the owner. It needs no memory: what it sent spends
 * every coin that it could send again, so that a second run finds none.
 */
export async function sweep({ ports, network, ceilings, to, say, agree }: Sweep): Promise<Outcome> {
  const script = scriptOfAddress(to, network);
  if (script === null) throw new RangeError('the address of a sweep was judged before');
  const wallet = bitcoinWalletOf(ports);
  try {
    const amount = await wallet.mostSendable({ script, reserved: [], reserve: nothingKept });
    const { pending } = await wallet.balance([]);
    if (amount === noSats) {
      say(
        pending > noSats
          ? `What is in the Bitcoin wallet, ${pending} sats, waits for a block: run this again after it.`
          : 'Nothing is in the Bitcoin wallet that is worth its fee.',
      );
      return pending > noSats ? 'later' : 'done';
    }
    const mostFee = withdrawalCeiling(amount, ceilings);
    const made = await wallet.prepareSend({ script, amount, reserved: [], mostFee, doubted: true });
    const question = `Send ${amount} sats to ${to}, for a fee of ${made.fee} sats?`;
    if (!(await agree(question))) {
      say(`Not sent: ${amount} sats to ${to}, for a fee of ${made.fee} sats.`);
      return 'later';
    }
    const answer = await bitcoinOf(ports).broadcast(made.bytes);
    say(
      answer.is === 'accepted'
        ? `${amount} sats are sent to ${to} with ${made.txid}, for a fee of ${made.fee} sats. Run this again after ` +
            'its block, to see that nothing is left.'
        : `${amount} sats could not be sent to ${to}: ${answer.reason}.`,
    );
    return answer.is === 'refused' ? 'failed' : 'later';
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    say(
      failedOnchain(cause, 'too-dear')
        ? 'The fee of sending the Bitcoin wallet to your address would be above ceilings.withdrawalBps or ' +
            'ceilings.withdrawalMaxSats of the configuration, or two sources contradict each other: wait until fees ' +
            'fall, or raise those.'
        : `The Bitcoin wallet could not be sent to your address: ${cause.message}`,
    );
    return 'later';
  }
}
