/** Fuses of Electron in the order of their wire, version 1 (packages/fuses of electron/fuses). */
const fuseNames = [
  'runAsNode',
  'enableCookieEncryption',
  'enableNodeOptionsEnvironmentVariable',
  'enableNodeCliInspectArguments',
  'enableEmbeddedAsarIntegrityValidation',
  'onlyLoadAppFromAsar',
  'loadBrowserProcessSpecificV8Snapshot',
  'grantFileProtocolExtraPrivileges',
] as const;

const sentinel = Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX');

/** The fuses of a packed program: after a sentinel a version, a count, and one sign for each, `1` on, `0` off. */
export function readFuses(program: Buffer): Record<string, boolean> {
  const at = program.indexOf(sentinel);
  if (at < 0) throw new Error('no fuse wire is in this program');
  const [version, count = 0] = program.subarray(at + sentinel.length);
  if (version !== 1) throw new Error(`a fuse wire of version ${version} is not known`);
  const signs = program.subarray(at + sentinel.length + 2, at + sentinel.length + 2 + count).toString('latin1');
  return Object.fromEntries(fuseNames.map((name, place) => [name, signs[place] === '1']));
}
