import { chainIdOf, evmNetwork, isEvm, type EvmNetwork, type Network } from '../../domain/chain.ts';
import type { ServiceContext } from '../context.ts';
import type { Needed } from '../networks/reader.ts';
import { jobOn } from './deployment.ts';
import { done, failed, faultIn, rowsOf, todo, warningsIn, type Rows, type Step } from './step.ts';

/** Checks of the doctor that have steps of their own. */
export const apart = {
  contracts: ['contracts'],
  liquidity: ['gas', 'channels', 'chain wallet', 'liquidity', 'reserve'],
} as const;

/** Each network that can be connected, as it answers now, and the contracts of each EVM chain. */
export function networkSteps(context: ServiceContext, rows: Rows, bakeCommand: string): Step[] {
  const { config } = context;
  const chains = Object.keys(config.evm).map(evmNetwork);
  return [
    networkOf(context, rows, 'bitcoin', {
      act: 'Set bitcoin.core (url, and cookieFile or user and password) or bitcoin.esplora, best both.',
    }),
    networkOf(context, rows, 'lightning', {
      act:
        'Run the command where lnd runs, then give lnd.socket, lnd.cert and lnd.macaroon: as files, as their ' +
        'content, or as an lndconnect: link.',
      command: bakeCommand,
    }),
    networkOf(context, rows, 'arkade', { act: 'Set arkade.url to the operator that you trust.' }),
    ...(chains.length === 0
      ? [
          todo({
            id: 'evm',
            part: 'network',
            sentence: 'No EVM chain is connected: pairs with tokens are not offered.',
            act: 'Set evm.<chain id>.rpc, best two of different providers.',
          }),
        ]
      : chains.flatMap((network) => [
          networkOf(context, rows, network, { act: `Set evm.${chainIdOf(network)}.rpc.` }),
          contractsOf(context, rows, network),
        ])),
  ];
}

function networkOf(
  { networks, markets }: ServiceContext,
  rows: Rows,
  network: Network & Needed,
  { act, command }: { readonly act: string; readonly command?: string },
): Step {
  const own = rowsOf(rows, network, { not: [...apart.contracts, ...apart.liquidity] });
  const step = { id: network, part: 'network', network, ...(command === undefined ? {} : { command }) } as const;
  const fault = faultIn(own);
  // The doctor asks anew, and the node reads every few seconds: either may know first.
  const missing = networks.missing(network);
  if (!own.some(({ result, check }) => result !== 'warn' || check !== 'connection'))
    return todo({ ...step, sentence: own[0]?.sentence ?? 'It is not connected.', act });
  const warnings = warningsIn(own);
  if (fault !== null) return failed({ ...step, needed: true, sentence: fault, warnings });
  if (missing !== null)
    return failed({
      ...step,
      needed: true,
      sentence: 'The connection works, but the node has not read its state yet.',
      act: 'Look again in a moment.',
    });
  if (isEvm(network) && markets.on(network) === null)
    return failed({ ...step, needed: true, sentence: unreadMarket(network), warnings });
  const passed = own.find(({ check, result }) => check === 'connection' && result === 'pass');
  return done({ ...step, needed: true, sentence: passed?.sentence ?? 'It answers.', warnings });
}

/** Until then no pair over the chain is listed, whatever else is right. */
function unreadMarket(network: EvmNetwork): string {
  const at = `evm.${chainIdOf(network)}`;
  return (
    'It answers, but what swaps lock there, a token or the exchange could not be read: look again in a moment, then ' +
    `correct ${at}.peggedToken, ${at}.tokens or ${at}.dex.`
  );
}

function contractsOf(context: ServiceContext, rows: Rows, network: EvmNetwork): Step {
  const { evm } = context.config;
  const id = `${chainIdOf(network)}`;
  const own = rowsOf(rows, network, { only: apart.contracts });
  const step = { id: `contracts:${network}`, part: 'contracts', network, needed: true } as const;
  const command = `npm run deploy-contracts -- --rpc ${evm[id]?.rpc[0] ?? 'URL'} --chain ${id} --key-file FILE`;
  const act =
    `Deploy them on the page, or by POST /owner/contracts/${network} with the most_wei that GET shows: the account of ` +
    'this node pays, and no more than that. The command does the same from another account, without a node.';
  const [fault, warnings] = [faultIn(own), warningsIn(own)];
  const job = jobOn(context, network);
  if (job?.open === true) return todo({ ...step, sentence: job.sentence, act: 'Wait until it is over.', warnings });
  if (fault !== null && job?.failed === true)
    return failed({ ...step, sentence: job.sentence, act, command, warnings });
  if (fault !== null) return failed({ ...step, sentence: fault, act, command, warnings });
  // One row alone says that they could not be looked at; else each of them has its row.
  if (own.length < 2) return todo({ ...step, sentence: own[0]?.sentence ?? 'No RPC answers, so nobody looked yet.' });
  const ours = own.filter(({ result }) => result === 'pass').length;
  const sentence = `${ours} of ${own.length} contracts on the chain are those of this build, byte for byte.`;
  return done({ ...step, sentence, warnings });
}
