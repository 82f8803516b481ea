/** A running operator and the chain that it follows, as the environment names them. */
export interface GivenOperator {
  /** Its public REST and SSE. */
  readonly url: string;
  readonly adminUrl: string;
  /** JSON-RPC of the btcd that it follows; plain http where there is no certificate. */
  readonly btcd: {
    readonly url: string;
    readonly user: string;
    readonly password: string;
    readonly caFile: string | null;
  };
  /** A command that ends the operator and starts it again; left out, nobody ends it. */
  readonly restart?: string;
}

/** Why there is none, for the name of what is skipped. */
export interface NoOperator {
  readonly absent: string;
}

const variables = {
  url: 'SLUICE_REGTEST_ARKD_URL',
  adminUrl: 'SLUICE_REGTEST_ARKD_ADMIN_URL',
  btcd: 'SLUICE_REGTEST_BTCD_URL',
} as const;

/** An operator cannot be built here: it runs already, and these variables say where. */
export function givenOperator(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): GivenOperator | NoOperator {
  const missing = Object.values(variables).filter((name) => (environment[name] ?? '') === '');
  if (missing.length > 0) return { absent: `no real operator is given: set ${missing.join(', ')}` };
  const read = (name: string): string => (environment[name] ?? '').replace(/\/+$/, '');
  const { origin, username, password } = new URL(read(variables.btcd));
  return {
    url: read(variables.url),
    adminUrl: read(variables.adminUrl),
    btcd: { url: origin, user: decodeURIComponent(username), password: decodeURIComponent(password), caFile: null },
    ...restartOf(environment),
  };
}

/** Optional: without it the stories in which the operator is killed say that they leave a given one alone. */
function restartOf(environment: Readonly<Record<string, string | undefined>>): { restart?: string } {
  const command = environment['SLUICE_REGTEST_ARKD_RESTART'] ?? '';
  return command === '' ? {} : { restart: command };
}
