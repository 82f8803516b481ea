import { badRequest, OperatorError } from './errors.ts';
import { type OperatorSettings, stagesOf } from './settings.ts';

/** A setting as the admin port names it: what it says, and what a new value changes here. */
interface Entry {
  readonly name: string;
  /** In the answer to a change. */
  readonly log: string;
  read(settings: OperatorSettings): string;
  change(value: number, settings: OperatorSettings): Partial<OperatorSettings>;
}

const numbers = {
  banThreshold: 'banThreshold',
  banDuration: 'banDuration',
  unilateralExitDelay: 'exitDelay',
  publicUnilateralExitDelay: 'publicExitDelay',
  checkpointExitDelay: 'checkpointExitDelay',
  boardingExitDelay: 'boardingExitDelay',
  vtxoTreeExpiry: 'vtxoExpiry',
  vtxoMaxAmount: 'vtxoMaxAmount',
  maxTxWeight: 'maxTxWeight',
  maxOpReturnOutputs: 'maxOpReturnOutputs',
} as const satisfies Record<string, keyof OperatorSettings>;

const entries: readonly Entry[] = [
  entry(
    'sessionDuration',
    ({ sessionDuration }) => sessionDuration,
    (value) => ({ sessionDuration: value, stages: stagesOf(value) }),
  ),
  // -1 means dust.
  entry(
    'vtxoMinAmount',
    ({ vtxoMinAmount, dust }) => (vtxoMinAmount === dust ? -1 : vtxoMinAmount),
    (value, { dust }) => ({ vtxoMinAmount: value < 0 ? dust : value }),
  ),
  ...Object.entries(numbers).map(([name, own]) =>
    entry(
      name,
      (settings) => settings[own],
      (value) => ({ [own]: value }),
    ),
  ),
];

/** What arkd has beside, at its defaults: the sandbox does not play them. */
const fixed = {
  unrolledVtxoMinExpiryMargin: '10',
  roundMinParticipantsCount: '1',
  roundMaxParticipantsCount: '128',
  utxoMinAmount: '-1',
  utxoMaxAmount: '-1',
  settlementMinExpiryGap: '0',
  assetTxMaxWeightRatio: 0.5,
  noteUriPrefix: '',
  buildVersionHeader: '',
  buildVersionHeaderRequired: false,
  batchTrigger: '',
} as const;

export function printSettings(settings: OperatorSettings, updatedAt: number): Readonly<Record<string, unknown>> {
  const own = Object.fromEntries(entries.map(({ name, read }) => [name, read(settings)]));
  return {
    ...own,
    digestHeaderRequired: settings.digestHeaderRequired,
    ...fixed,
    updatedAt: new Date(updatedAt * 1_000).toISOString().replace('.000Z', 'Z'),
  };
}

/** The settings after a change, and the names of those that it set. */
export function readChange(
  settings: OperatorSettings,
  wanted: Readonly<Record<string, unknown>>,
): { settings: OperatorSettings; changeLog: string[] } {
  const changed = entries.filter(({ name }) => wanted[name] !== undefined);
  const played = Object.keys(wanted).find((name) => name in fixed);
  if (played !== undefined) throw new OperatorError(12, `the sandbox operator does not play ${played}`);
  const next = changed.reduce<OperatorSettings>(
    (so, { name, change }) => ({ ...so, ...change(wholeNumber(name, wanted[name]), so) }),
    settings,
  );
  checkRelations(next);
  const { digestHeaderRequired = settings.digestHeaderRequired } = wanted;
  if (typeof digestHeaderRequired !== 'boolean')
    throw badRequest(`invalid value for digestHeaderRequired: ${JSON.stringify(digestHeaderRequired)}`);
  const changeLog = changed.map(({ log }) => log);
  return {
    settings: { ...next, digestHeaderRequired },
    changeLog:
      digestHeaderRequired === settings.digestHeaderRequired ? changeLog : [...changeLog, 'digest_header_required'],
  };
}

function checkRelations(settings: OperatorSettings): void {
  const { exitDelay, publicExitDelay, checkpointExitDelay, boardingExitDelay, vtxoExpiry, sessionDuration } = settings;
  if (sessionDuration < 2)
    throw new OperatorError(13, `invalid session duration (${sessionDuration}s), must be at least 2s`);
  if (exitDelay === boardingExitDelay)
    throw new OperatorError(13, 'unilateral exit delay and boarding exit delay must be different');
  const ofTime = checkpointExitDelay >= 512;
  const others = {
    'vtxo tree expiry': vtxoExpiry,
    'unilateral exit delay': exitDelay,
    'public unilateral exit delay': publicExitDelay,
    'boarding exit delay': boardingExitDelay,
  };
  const odd = Object.entries(others).find(([, delay]) => delay >= 512 !== ofTime);
  if (odd !== undefined)
    throw new OperatorError(
      13,
      `all delays must be above or below value 512 (checkpoint exit delay and ${odd[0]} type mismatch)`,
    );
}

function entry(name: string, read: (settings: OperatorSettings) => number, change: Entry['change']): Entry {
  return {
    name,
    log: name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    read: (settings) => String(read(settings)),
    change,
  };
}

function wholeNumber(name: string, value: unknown): number {
  const number = typeof value === 'string' || typeof value === 'number' ? Number(value) : NaN;
  if (!Number.isSafeInteger(number)) throw badRequest(`invalid value for ${name}: ${JSON.stringify(value)}`);
  return number;
}
