import { readOperatorEndpoints, type SandboxEndpoints } from '../../engine/sandbox/endpoints.ts';

/** Null while no whole sandbox has ever come up in the folder, or the file is none of ours. */
export function readEndpoints(dataDir: string): SandboxEndpoints | null {
  const endpoints: Partial<SandboxEndpoints> | null = readOperatorEndpoints(dataDir);
  return endpoints?.bitcoin !== undefined && endpoints.lnd !== undefined ? (endpoints as SandboxEndpoints) : null;
}
