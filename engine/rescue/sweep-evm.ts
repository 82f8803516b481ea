import { hexToBytes, isAddress } from 'viem/utils';
import type { Config } from '../config.ts';
import { evmNetwork, type EvmNetwork } from '../domain/chain.ts';
import { PortFailure } from '../domain/errors.ts';
import { checksummed } from '../domain/evm-address.ts';
import { asEvmAddress, nativeCoin, type EvmAddress } from '../domain/evm.ts';
import { payCall } from '../legs/evm/calls.ts';
import type { EvmCall, EvmPort } from '../legs/evm/port.ts';
import { priceOf } from '../runtime/networks/evm/gas.ts';
import { evmOf, isAbsent, type Ports } from '../runtime/ports.ts';
import { ownPayer, sendBy, takerPayer, walletKey, type EvmPatience, type Payer } from './evm-payer.ts';
import { worst } from './bring-home.ts';
import type { Done } from './leg.ts';
import type { Outcome } from './swaps.ts';

export interface SweepEvm {
  readonly ports: Ports;
  readonly evm: Config['evm'];
  readonly patience: Pick<EvmPatience, 'mined' | 'look'>;
  readonly to: EvmAddress;
  readonly say: (line: string) => void;
  readonly agree: (question: string) => Promise<boolean>;
}

/** Gas of a transfer beyond what one of nothing takes: the place of the new owner in the token's books. */
const firstTime = 60_000n;

/** An account of EVM chains as people write it; null for anything else. One with a wrong checksum (EIP-55) is none. */
export function evmAccountIn(text: string): EvmAddress | null {
  return isAddress(text) ? asEvmAddress(hexToBytes(text)) : null;
}

/**
 * Sends the tokens that the configuration names, and then the coin of each chain but for its gas, from both accounts of
 * the seed to one of the owner's. It needs no memory: what was sent is not there any more.
 */
export async function sweepEvm(options: SweepEvm): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (const [id, { peggedToken, tokens }] of Object.entries(options.evm)) {
    const network = evmNetwork(Number(id));
    const goods = [...(peggedToken === null ? [] : [peggedToken]), ...tokens];
    await reached(network, options, outcomes, async () => {
      const port = evmOf(options.ports, network);
      for (const payer of [ownPayer(port), takerPayer(options.ports, network, walletKey)]) {
        const from = { network, port, payer };
        // A token that does not answer keeps nothing else back.
        for (const token of goods)
          await reached(network, options, outcomes, async () => {
            outcomes.push(await sendToken(token, from, options));
          });
        outcomes.push(await sendCoin(from, options));
      }
    });
  }
  return worst(...outcomes);
}

/** What does not answer now is tried again in another run. */
async function reached(
  network: EvmNetwork,
  { say }: Pick<SweepEvm, 'say'>,
  outcomes: Outcome[],
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    if (isAbsent(cause)) return;
    say(`What the accounts hold on ${network} could not be sent to your address: ${cause.message}`);
    outcomes.push('later');
  }
}

interface From {
  readonly network: EvmNetwork;
  readonly port: EvmPort;
  readonly payer: Payer;
}

async function sendToken(token: EvmAddress, from: From, options: SweepEvm): Promise<Outcome> {
  const amount = await from.port.balance(token, from.payer.account);
  if (amount === 0n) return 'done';
  const gas = await gasOf(payCall({ token, to: options.to, amount: 0n }), from.port);
  const call = payCall({ token, to: options.to, amount });
  return send({ call, gas: gas + firstTime, what: `${amount} of ${checksummed(token)}` }, from, options);
}

/** What is left after the gas at its dearest stays where it is, and pays for no other transaction. */
async function sendCoin(from: From, options: SweepEvm): Promise<Outcome> {
  const { port, payer } = from;
  const gas = await gasOf(payCall({ token: nativeCoin, to: options.to, amount: 0n }), port);
  const most = (gas * priceOf(await port.gasFees()) * 9n) / 8n;
  const amount = (await port.balance(nativeCoin, payer.account)) - most;
  if (amount <= most) return 'done';
  const call = payCall({ token: nativeCoin, to: options.to, amount });
  return send({ call, gas, what: `${amount} wei` }, from, options);
}

/** Of a call that moves nothing, which anybody may try. */
async function gasOf(call: EvmCall, port: EvmPort): Promise<bigint> {
  const tried = await port.simulate(call);
  return tried.is === 'passes' ? (tried.gas * 5n) / 4n : firstTime;
}

async function send(
  { call, gas, what }: { readonly call: EvmCall; readonly gas: bigint; readonly what: string },
  { network, port, payer }: From,
  { to, say, agree, patience }: SweepEvm,
): Promise<Outcome> {
  const moved = `${what} on ${network} from ${checksummed(payer.account)} to ${checksummed(to)}`;
  if (!(await agree(`Send ${moved}, for at most ${gas * priceOf(await port.gasFees())} wei of gas?`))) {
    say(`Not sent: ${moved}.`);
    return 'later';
  }
  const done: Done = await sendBy([payer], { port, call, gas, patience });
  say(`${moved}: ${done.sentence}.`);
  return done.is;
}
