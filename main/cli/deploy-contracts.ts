import { readFileSync, statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isRefusal, refuse, type Refusal } from '../../engine/domain/errors.ts';
import type { EvmAddress } from '../../engine/domain/evm.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { answerHelp } from '../help.ts';

const usage = 'npm run deploy-contracts -- --rpc URL --key-file FILE [--chain ID] [--send]';

/** The private key of a file that only its owner may read. */
function keyOf(file: string): Uint8Array | Refusal {
  const open = process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0;
  if (open) return refuse('invalid', `${file} can be read by others: chmod 600 it, it moves what the account holds.`);
  const text = readFileSync(file, 'utf8').trim().replace(/^0x/, '');
  if (!/^[0-9a-fA-F]{64}$/.test(text))
    return refuse('invalid', `${file} holds no private key of 32 bytes in hexadecimal.`);
  return fromHex(text);
}

const named = (address: EvmAddress): string => `0x${toHex(address)}`;

async function deploy(): Promise<string | Refusal> {
  const { values } = parseArgs({
    options: {
      rpc: { type: 'string' },
      'key-file': { type: 'string' },
      chain: { type: 'string' },
      send: { type: 'boolean', default: false },
    },
  });
  const { rpc, 'key-file': keyFile, chain, send } = values;
  if (rpc === undefined || keyFile === undefined) return refuse('invalid', `Usage: ${usage}`);
  if (chain !== undefined && !/^\d+$/.test(chain)) return refuse('invalid', `--chain takes a number, not "${chain}".`);
  const key = keyOf(keyFile);
  if (isRefusal(key)) return key;
  const { deployContracts } = await import('../../engine/index.ts');
  const report = await deployContracts({
    rpc,
    chainId: chain === undefined ? null : Number(chain),
    key,
    send,
    onSent: (name, transaction) => console.log(`${name} is sent in ${transaction}.`),
  });
  if (isRefusal(report)) return report;
  const { chainId, account, balance, contracts, gasPrice } = report;
  const gas = contracts.reduce((sum, contract) => sum + (contract.was === 'not sent' ? (contract.gas ?? 0n) : 0n), 0n);
  return [
    `Chain ${chainId}, paid by ${named(account)}, which has ${balance} wei.`,
    ...contracts.map(
      ({ name, address, was }) => `${name} ${named(address)}: ${was === 'there' ? 'is there already' : was}.`,
    ),
    ...report.published.map(
      ({ version, htlc, coordinator }) =>
        `Published there by others, version ${version}: HTLC ${named(htlc)}, coordinator ${named(coordinator)}.`,
    ),
    ...(gas === 0n
      ? ['All of them match, in code and answers, the contracts that this node signs for.']
      : [
          `This was a rehearsal: it would take ${gas} gas, ${gas * gasPrice} wei at the present price. --send does it.`,
        ]),
  ].join('\n');
}

answerHelp(usage, 'Deploys the HTLC contracts on an EVM chain, unless the chain has them.', {
  '--rpc URL': 'an RPC of the chain',
  '--key-file FILE': 'the private key of the account that pays, a file with mode 0600',
  '--chain ID': 'refuse any other chain than this one',
  '--send': 'send the transactions; without it the gas is only estimated',
});

const answer = await deploy().catch((error: NodeJS.ErrnoException) =>
  refuse(
    'invalid',
    error.code?.startsWith('ERR_PARSE_ARGS') === true
      ? `${error.message.split('. ')[0]}. Usage: ${usage}`
      : `Not deployed: ${error.message}.`,
  ),
);
if (isRefusal(answer)) {
  console.error(answer.sentence);
  process.exitCode = 1;
} else {
  console.log(answer);
}
