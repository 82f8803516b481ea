import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Abi, type Hex, parseAbi } from 'viem';

export type ContractName =
  | 'HTLCErc20'
  | 'HTLCCoordinator'
  | 'HTLCNative'
  | 'HTLCNativeCoordinator'
  | 'CCTPBridgeAdapter'
  | 'Account'
  | 'Actor'
  | 'Exchange'
  | 'FalseToken'
  | 'FeeToken'
  | 'HookToken'
  | 'Messenger'
  | 'SilentToken'
  | 'TestToken';

interface Artifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
  readonly runtime: Hex;
}

/** The run over mutants puts the folder of a mutant before those of the project. */
const folders = [
  ...[process.env['SLUICE_MUTANT']].filter((folder) => folder !== undefined),
  fileURLToPath(new URL('../../../resources/contracts/compiled', import.meta.url)),
  fileURLToPath(new URL('./compiled', import.meta.url)),
];

const artifacts = new Map<string, Artifact>();
for (const folder of [...folders].reverse())
  for (const file of readdirSync(folder))
    if (file !== 'build.json')
      artifacts.set(file.replace('.json', ''), JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as Artifact);

export function artifactOf(name: ContractName): Artifact {
  const artifact = artifacts.get(name);
  if (artifact === undefined) throw new Error(`nothing is compiled by the name of ${name}`);
  return artifact;
}

/** Permit2's own errors, of which there is no artifact here. */
const permit2Errors = parseAbi([
  'error InvalidNonce()',
  'error InvalidSigner()',
  'error InvalidSignature()',
  'error SignatureExpired(uint256)',
]);

/** Every error that any contract here may end with. */
export function errors(): Abi {
  const ours = [...artifacts.values()].flatMap(({ abi }) => abi.filter((item) => item.type === 'error'));
  const names = new Set<string>();
  return [...ours, ...permit2Errors].filter(({ name }) => !names.has(name) && names.add(name));
}

/** The code that is deployed at Permit2's address on every chain. */
export function permit2Code(): Hex {
  const file = new URL('../../../resources/contracts/permit2-runtime.hex', import.meta.url);
  return readFileSync(file, 'utf8').trim() as Hex;
}
