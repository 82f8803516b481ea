import { answerHelp } from './help.ts';

/** What `npm start` and `npm run headless` take: they start the same node. */
const flags = {
  '--sandbox': 'networks of its own, with made-up money; also where nothing is configured',
  '--config FILE': 'the configuration, JSON: resources/config.schema.json names every setting',
  '--data-dir DIR': "where keys and swaps are kept; else the platform's folder for data",
  '--port NUMBER': 'port of the API and the page on 127.0.0.1; 0: a free one; default 7733',
  '--passphrase-file FILE': "opens the seed where the system's keychain does not",
  '--passphrase-fd NUMBER': 'the same from an open file descriptor, as a supervisor hands it over',
  '--mine': 'in the sandbox, blocks come by themselves where somebody waits for one',
};

export function answerHostHelp(command: 'npm start' | 'npm run headless', what: string): void {
  answerHelp(`${command} -- [--sandbox | --config FILE] [--data-dir DIR] [--port NUMBER]`, what, flags);
}
