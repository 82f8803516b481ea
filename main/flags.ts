import { parseArgs } from 'node:util';
import { isRefusal, refuse, type Refusal } from '../engine/domain/errors.ts';
import { readPassphraseFlags, type PassphraseFlags } from './passphrase.ts';

export interface HostFlags extends PassphraseFlags {
  readonly sandbox: boolean;
  readonly config: string | null;
  readonly dataDir: string | null;
  readonly port: number | null;
  /** In the sandbox, let blocks come on their own where somebody waits for one. */
  readonly mine: boolean;
}

export function readFlags(args: readonly string[]): HostFlags | Refusal {
  try {
    const { values } = parseArgs({
      args: [...args],
      strict: true,
      options: {
        sandbox: { type: 'boolean', default: false },
        config: { type: 'string' },
        'data-dir': { type: 'string' },
        port: { type: 'string' },
        'passphrase-file': { type: 'string' },
        'passphrase-fd': { type: 'string' },
        mine: { type: 'boolean', default: false },
      },
    });
    const port = values.port;
    if (port !== undefined && (!/^\d{1,5}$/.test(port) || Number(port) > 65_535))
      return refuse('invalid', `--port takes a number from 0 to 65535, not "${port}".`);
    const passphrase = readPassphraseFlags(values);
    if (isRefusal(passphrase)) return passphrase;
    return {
      sandbox: values.sandbox,
      config: values.config ?? null,
      dataDir: values['data-dir'] ?? null,
      port: port === undefined ? null : Number(port),
      ...passphrase,
      mine: values.mine,
    };
  } catch (error) {
    return refuse(
      'invalid',
      `${(error as Error).message.split('. ')[0]}: there are --sandbox, --config, --data-dir, --port, ` +
        '--passphrase-file, --passphrase-fd and --mine.',
    );
  }
}
