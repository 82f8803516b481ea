// The walk of `test/desktop/walks` on the daemons that a provider runs, with the sandbox's operator on their chain.
import { grantAccess } from 'ln-service';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { program } from '../desktop/browser.ts';
import { walkTheChecklist, type OwnersNetworks } from '../desktop/walks/checklist-walk.ts';
import { startEvmChain } from './kit/evm-chain.ts';
import type { BitcoinNode } from './kit/bitcoin-node.ts';
import { lightningWallet } from './kit/lightning-wallet.ts';
import type { Lnd } from './kit/lnd.ts';
import { startNet } from './kit/net.ts';
import { onEachPair, type Chains } from './kit/on-daemons.ts';
import { startOperator } from './kit/operator.ts';

if (program !== undefined)
  onEachPair(
    'the checklist is walked from an empty folder to a stranger who is served',
    (over) => walkTheChecklist('the-checklist-is-walked-on-real-daemons', () => daemons(over)),
    { lnd: true },
  );

async function daemons(over: Chains): Promise<OwnersNetworks> {
  const [net, evm] = await Promise.all([
    startNet({ lnds: ['ours', 'theirs'], over: over.bitcoin }),
    startEvmChain(over.evm),
  ]);
  const operator = await startOperator(net.node, join(net.folder, 'operator'));
  const wallet = lightningWallet(net.lnd('theirs'));
  const { rpc, contracts, peggedToken, ...others } = evm.config[137];
  return {
    timing: { serviceLegSeconds: 7_200, fastBlockSeconds: 10, medianTimeLagSeconds: 600 },
    arkadeUrl: operator.url,
    lnd: {
      socket: net.lnd('ours').socket,
      cert: readFileSync(net.lnd('ours').certFile, 'utf8'),
      bake: (command) => bakeBy(net.lnd('ours'), command),
    },
    bitcoin: fieldsOf(net.node),
    evm: {
      rpcs: rpc,
      pegged: peggedToken,
      ...contracts,
      others,
      give: (address, token, amount) => evm.give(address as `0x${string}`, token, amount),
    },
    payOnArkade: (address, sats) => operator.faucet(address, sats),
    payOnBitcoin: (address, sats) => net.faucet.pay([{ to: address, amount: BigInt(sats) }]),
    mine: () => net.miner.mine(1),
    pay: async (bolt11) => wallet.pay(bolt11),
    payment: (hash) => wallet.payment(hash),
    async stop() {
      await operator.stop();
      await Promise.all([net.stop(), evm.stop()]);
    },
  };
}

/** What `lncli` would: a macaroon of the rights that the command names, and of no other. */
async function bakeBy({ lnd }: Lnd, command: string): Promise<string> {
  const permissions = command.split(' ').filter((word) => /^\w+:\S+$/.test(word));
  const { macaroon } = await grantAccess({ lnd, permissions });
  return Buffer.from(macaroon, 'base64').toString('hex');
}

function fieldsOf({ url, user, password, caFile, cookieFile }: BitcoinNode): Record<string, string> {
  return {
    'Address of Bitcoin Core': url,
    ...(cookieFile === null
      ? { 'User name': user, Password: password }
      : { 'Cookie file of Bitcoin Core': cookieFile }),
    ...(caFile === null ? {} : { 'Certificate file of the Bitcoin node': caFile }),
  };
}
