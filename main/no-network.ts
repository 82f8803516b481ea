import { refuse, type Refusal } from '../engine/domain/errors.ts';
import { boundName } from './folder.ts';

/** Refuses what needs networks where none is configured: the sandbox alone runs without. */
export function noNetwork(config: string | null, nothingTo: string): Refusal {
  const what = 'network, and bitcoin, arkade, lnd or evm with the endpoints of your own';
  return refuse(
    'invalid',
    config === null
      ? `No network is configured, so there is nothing to ${nothingTo}: name the configuration with --config, with ` +
          `${what}.`
      : `The configuration ${config} connects no network, so there is nothing to ${nothingTo}: add ${what}.`,
  );
}

/** Refuses a rescue out of a sandbox, whose money and networks are made up and end with it. */
export function sandboxFolder(folder: string): Refusal | null {
  return boundName(folder) === 'sandbox'
    ? refuse(
        'invalid',
        `${folder} is the data folder of a sandbox, whose money is made up and whose networks run with it alone, ` +
          'so there is nothing to bring home: ' +
          `start it with "npm run headless -- --sandbox --data-dir ${folder}", and its node claims and refunds ` +
          'what is open.',
      )
    : null;
}
