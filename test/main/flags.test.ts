import { expect, test } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { readFlags } from '../../main/flags.ts';

test('every flag is read, and what is not given is not decided here', () => {
  expect([
    readFlags([]),
    readFlags(['--sandbox', '--config', 'f', '--data-dir', 'd', '--port', '0', '--passphrase-file', 'p', '--mine']),
  ]).toEqual([
    { sandbox: false, config: null, dataDir: null, port: null, passphraseFile: null, passphraseFd: null, mine: false },
    { sandbox: true, config: 'f', dataDir: 'd', port: 0, passphraseFile: 'p', passphraseFd: null, mine: true },
  ]);
});

test('a passphrase is named once, by a file or by a descriptor', () => {
  const read = (...args: string[]) => {
    const answer = readFlags(args);
    return isRefusal(answer) ? answer.sentence : answer.passphraseFd;
  };
  expect([
    read('--passphrase-fd', '3'),
    read('--passphrase-fd', 'three'),
    read('--passphrase-fd', '3', '--passphrase-file', 'p'),
  ]).toEqual([
    3,
    '--passphrase-fd takes the number of an open file descriptor, not "three".',
    '--passphrase-file and --passphrase-fd exclude each other: keep one.',
  ]);
});

test('an unknown flag, a stray word and a port that is none are refused by name', () => {
  const sentences = [['--sanbox'], ['regtest'], ['--port', 'http'], ['--port', '65536'], ['--config']].map((args) => {
    const answer = readFlags(args);
    return isRefusal(answer) ? answer.sentence : 'accepted';
  });
  expect(sentences).toEqual([
    expect.stringMatching(/'--sanbox'.*there are --sandbox, --config/),
    expect.stringContaining("'regtest'"),
    '--port takes a number from 0 to 65535, not "http".',
    '--port takes a number from 0 to 65535, not "65536".',
    expect.stringContaining("'--config <value>'"),
  ]);
});
