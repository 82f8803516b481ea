import { answerHelp } from './help.ts';

/** What `npm start` and `npm run headless` take: they start the same node. */
const flags = {
  '--sandbox': 'simulated networks and test money; the default without a configuration',
  '--config FILE': 'the configuration, JSON: resources/config.schema.json names every setting',
  '--data-dir DIR': "where keys and swaps are kept; else the platform's folder for data",
  '--port NUMBER': 'port of the API and the page on 127.0.0.1; 0: a free one; default 7733',
  '--passphrase-file FILE': 'file with the passphrase of the seed, if the keychain does not open it',
  '--passphrase-fd NUMBER': 'the same from an open file descriptor, as a supervisor hands it over',
  '--mine': 'sandbox: mine blocks automatically',
};

export function answerHostHelp(command: 'npm start' | 'npm run headless', what: string): void {
  answerHelp(`${command} -- [--sandbox | --config FILE] [--data-dir DIR] [--port NUMBER]`, what, flags);
}
