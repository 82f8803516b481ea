import manifest from '../package.json' with { type: 'json' };

/** What `/version` says. The commit is set by whoever packages a build. */
export const version = { tag: manifest.version, commit: process.env['SLUICE_COMMIT'] ?? '' };
