import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { TakerQuote } from '../../../engine/contract/taker-quotes.ts';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import type { TakerWays } from '../../../engine/contract/taker-ways.ts';
import { takerDirections, takerInvoices, type TakerDirection } from '../../../engine/domain/chain.ts';
import { text, type Json } from '../../stories/client/http.ts';
import { eventually, startWireNode, type WireNode } from '../../stories/wire-node.ts';
import { freePort, guard } from './daemon.ts';
import type { EvmChainOfStage } from './evm-chain.ts';
import { nodeFiles } from './node-files.ts';
import type { Stage } from './stage.ts';

/** What a swap may say that its direction does not. */
export interface Wish {
  readonly bolt11?: string;
  readonly gasless?: boolean;
}

/**
 * A node of ours that only swaps, with the stage's node as its provider: on a Bitcoin node of its own, without
 * Lightning.
 */
export interface TakingNode {
  readonly node: WireNode;
  /** Opens one for so many sats, at what was quoted; answers once it can be paid. */
  open(direction: TakerDirection, sats: number, wish?: Wish): Promise<TakerSwap>;
  swap(id: string): Promise<TakerSwap>;
  /** Pays what it asks for, from a stranger's wallets. */
  pay(swap: TakerSwap): Promise<void>;
  stop(): Promise<void>;
}

export async function startTakingNode(
  { net, operator, node: provider, wallet }: Stage,
  evm: EvmChainOfStage,
): Promise<TakingNode> {
  const under = mkdtempSync(join(net.folder, 'taking-'));
  const files = await nodeFiles(under, net.memory, {
    arkade: { url: operator.url },
    evm: evm.config,
    taker: { providers: [provider.url] },
  });
  const node = await startWireNode({
    mode: ['--config', files.config],
    args: ['--port', String(await freePort()), '--passphrase-file', files.passphraseFile],
    folder: files.folder,
    onStart: guard,
  });
  // Claims are sent by its own account where the provider does not: without gas for that nothing is begun there.
  const { address } = await node.owner('POST', `/owner/wallets/evm:${evm.chainId}/address`, {});
  await evm.give(text({ address }, 'address') as `0x${string}`, evm.coin, 10n ** 19n);

  const onEvm = (direction: TakerDirection): Json => (direction.includes('evm') ? { evm_chain_id: evm.chainId } : {});
  const swap = async (id: string) => (await node.owner('GET', `/owner/taker/swaps/${id}`)) as unknown as TakerSwap;

  /** For the side that the create of the direction fixes. */
  async function quoteFor(direction: TakerDirection, sats: number): Promise<TakerQuote | undefined> {
    const [source, target] = direction.split('-');
    const { quotes } = await node.owner('POST', '/owner/taker/quotes', {
      direction,
      side: source === 'lightning' || target === 'evm' ? 'source' : 'target',
      amount: String(sats),
      ...onEvm(direction),
    });
    return (quotes as unknown as TakerQuote[]).find(({ provider_url }) => provider_url === provider.url);
  }

  async function everyWay(): Promise<void> {
    await eventually(
      async () => (await node.owner('GET', '/owner/taker/ways'))['ways'] as unknown as TakerWays['ways'],
      (ways) => takerDirections.every((one) => ways.some(({ direction }) => direction === one)),
      120_000,
    );
  }

  await everyWay();
  return {
    node,
    swap,
    async open(direction, sats, { bolt11, gasless } = {}) {
      const quote = await eventually(
        () => quoteFor(direction, sats),
        (row) => row?.why === null,
        60_000,
      );
      const invoice = takerInvoices[direction] === 'owner' ? (bolt11 ?? (await wallet.invoice(sats)).bolt11) : null;
      const { id } = await node.owner('POST', '/owner/taker/swaps', {
        direction,
        amount_sats: sats,
        provider_url: provider.url,
        most_source_amount: quote?.source_amount ?? null,
        least_target_amount: quote?.target_amount ?? null,
        ...(invoice === null ? {} : { invoice }),
        ...(gasless === undefined ? {} : { gasless }),
        ...onEvm(direction),
        ...(direction.endsWith('-evm') ? { target_address: `0x${randomBytes(20).toString('hex')}` } : {}),
      });
      return eventually(
        () => swap(String(id)),
        ({ phase }) => phase === 'pay',
        60_000,
      );
    },
    async pay({ pay: to, give }) {
      if (to === null) throw new Error('it does not say where to pay');
      switch (to.kind) {
        case 'invoice':
          return void wallet.pay(to.text);
        case 'arkade':
          return void (await operator.faucet(to.text, Number(to.amount)));
        case 'bitcoin':
          return void (await net.faucet.pay([{ to: to.text, amount: BigInt(to.amount) }]));
        case 'evm': {
          // The token takes no signature: the account sends its approval itself.
          const account = to.text as `0x${string}`;
          await evm.give(account, evm.coin, 10n ** 18n);
          await evm.give(account, give.token ?? '', BigInt(to.amount));
        }
      }
    },
    stop: () => node.stop(),
  };
}
