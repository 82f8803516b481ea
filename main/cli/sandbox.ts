// `npm run sandbox`: the sandbox networks alone, for a node started later or for a client of one's own.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isRefusal, refuse, type Refusal } from '../../engine/domain/errors.ts';
import { runSandboxProgram } from '../../engine/sandbox-program.ts';
import { defaultFolder, makeFolder } from '../folder.ts';
import { answerHelp } from '../help.ts';
import { takenPort } from '../port.ts';

type Flags = Parameters<typeof runSandboxProgram>[0];

function readFlags(): Flags | Refusal {
  try {
    const { values } = parseArgs({
      options: {
        'data-dir': { type: 'string' },
        port: { type: 'string', default: '0' },
        'bitcoin-rpc': { type: 'string' },
        'bitcoin-rpc-ca': { type: 'string' },
        'parent-pipe': { type: 'boolean', default: false },
      },
    });
    if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535)
      return refuse('invalid', `--port takes a number from 0 to 65535, not "${values.port}".`);
    const dataDir = resolve(values['data-dir'] ?? defaultFolder('sandbox', process.platform, process.env));
    const bitcoinRpc = readNode(values['bitcoin-rpc'], values['bitcoin-rpc-ca']);
    if (isRefusal(bitcoinRpc)) return bitcoinRpc;
    return {
      dataDir,
      port: Number(values.port),
      parentPipe: values['parent-pipe'],
      ...(bitcoinRpc === null ? {} : { bitcoinRpc }),
    };
  } catch (error) {
    return refuse(
      'invalid',
      `${(error as Error).message.split('. ')[0]}: known are --data-dir, --port, --bitcoin-rpc, --bitcoin-rpc-ca ` +
        'and --parent-pipe.',
    );
  }
}

function readNode(
  url: string | undefined,
  caFile: string | undefined,
): NonNullable<Flags['bitcoinRpc']> | null | Refusal {
  if (url === undefined)
    return caFile === undefined
      ? null
      : refuse(
          'invalid',
          '--bitcoin-rpc-ca names the certificate of a Bitcoin node: give the node too, with --bitcoin-rpc.',
        );
  if (caFile === undefined) return { url };
  try {
    return { url, ca: readFileSync(caFile, 'utf8') };
  } catch (error) {
    return refuse(
      'invalid',
      `--bitcoin-rpc-ca ${caFile} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}): give ` +
        'the file with the PEM certificate of the Bitcoin node.',
    );
  }
}

async function run(): Promise<number> {
  const flags = readFlags();
  const refusal = isRefusal(flags) ? flags : ((await takenPort(flags.port)) ?? makeFolder(flags.dataDir));
  if (refusal !== null || isRefusal(flags)) {
    console.error(refusal?.sentence);
    return 1;
  }
  return runSandboxProgram(flags);
}

answerHelp(
  'npm run sandbox -- [--data-dir DIR] [--port NUMBER]',
  'Runs the networks of the sandbox alone, without a node.',
  {
    '--data-dir DIR': "where they are kept; else the sandbox's usual folder",
    '--port NUMBER': 'control port on 127.0.0.1; default: a free one',
    '--bitcoin-rpc URL': 'only an Arkade operator, on the clock of this Bitcoin node',
    '--bitcoin-rpc-ca FILE': 'the certificate of that node',
    '--parent-pipe': 'end when standard input ends',
  },
);
process.exit(await run());
