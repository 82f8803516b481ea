// The checklist on the page of a node whose networks are a sandbox's, connected as an owner's own.
import { describe } from 'vitest';
import { startNetworks } from '../../connections/own-node.ts';
import { program } from '../browser.ts';
import { walkTheChecklist, type OwnersNetworks } from './checklist-walk.ts';

describe.skipIf(program === undefined)('the checklist', () => {
  walkTheChecklist('the-checklist-is-walked', ofTheSandbox);
});

async function ofTheSandbox(): Promise<OwnersNetworks> {
  const { endpoints, controls, stop } = await startNetworks();
  const chain = endpoints.evm?.['137'];
  if (chain === undefined) throw new Error('the sandbox has no chain 137');
  const { rpcUrl, secondRpcUrl, htlc, coordinator, tokens, dex } = chain;
  const { quoter = '', router = '' } = dex ?? {};
  return {
    timing: { serviceLegSeconds: 7_200, fastBlockSeconds: 10, medianTimeLagSeconds: 600 },
    arkadeUrl: endpoints.arkade.url,
    lnd: {
      socket: endpoints.lnd.socket,
      cert: Buffer.from(endpoints.lnd.cert, 'base64').toString(),
      bake: async () => endpoints.lnd.macaroon,
    },
    bitcoin: { 'Esplora servers': endpoints.bitcoin.esploraUrl },
    evm: {
      rpcs: [rpcUrl, secondRpcUrl],
      pegged: tokens[0]?.address ?? '',
      htlc,
      coordinator,
      others: { tokens: tokens.slice(1).map(({ address }) => address), dex: { quoter, router } },
      give: (address, token, amount) => controls.evmFaucet('137', { address, token, amount: String(amount) }),
    },
    payOnArkade: (address, amount) => controls.arkadeFaucet({ address, amount }),
    payOnBitcoin: (address, amount) => controls.bitcoinFaucet({ address, amount }),
    mine: () => controls.mine(1),
    pay: async (bolt11) => (await controls.lightningPay(bolt11)).payment_hash,
    payment: async (hash) => (await controls.lightningPayment(hash)).state,
    stop,
  };
}
