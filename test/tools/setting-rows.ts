import { directionNames } from '../../engine/domain/chain.ts';

/** As much of a JSON schema as that of the configuration has. */
export interface SchemaNode {
  readonly type?: string | readonly string[];
  readonly default?: unknown;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly SchemaNode[];
  readonly items?: SchemaNode;
  readonly prefixItems?: readonly SchemaNode[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
}

export interface SettingRow {
  readonly name: string;
  readonly takes: string;
  /** As JSON; null where it has none. */
  readonly standard: string | null;
  readonly means: string;
}

const directions: ReadonlySet<string> = new Set(directionNames);
/** What a key of a record is. */
const keyOf: Readonly<Record<string, string>> = {
  evm: '<chain id>',
  'caps.perNetworkSats': '<network>',
  explorers: '<network>',
};

/** Every setting below a node of the schema, in its order; what all directions have alike stands once. */
export function settingRows(schema: SchemaNode, at = ''): SettingRow[] {
  const object = objectOf(schema);
  if (object === undefined) return [rowOf(schema, at)];
  const own = schema.description === undefined ? [] : [rowOf(schema, at)];
  if (object.properties === undefined) {
    const key = keyOf[at];
    if (key === undefined) throw new Error(`no name is known here for the keys of ${at}: add it to ${import.meta.url}`);
    return [...own, ...settingRows(object.additionalProperties as SchemaNode, `${at}.${key}`)];
  }
  const keys = new Set<string>();
  const below = Object.entries(object.properties).flatMap(([name, node]) => {
    const key = directions.has(name) ? '<direction>' : name;
    if (keys.has(key) || key.startsWith('$')) return [];
    keys.add(key);
    return settingRows(node, at === '' ? key : `${at}.${key}`);
  });
  return [...own, ...below];
}

function objectOf(node: SchemaNode): SchemaNode | undefined {
  if (node.type === 'object') return node;
  const objects = node.anyOf?.filter(({ type }) => type === 'object') ?? [];
  return objects.length === 1 ? objects[0] : undefined;
}

function rowOf(node: SchemaNode, name: string): SettingRow {
  const standard = objectOf(node) === undefined && node.default !== undefined ? JSON.stringify(node.default) : null;
  return { name, takes: takes(node), standard, means: node.description ?? '' };
}

function takes(node: SchemaNode): string {
  if (node.enum !== undefined) return node.enum.map((value) => `\`${value}\``).join(', ');
  if (node.anyOf !== undefined)
    return [...new Set(node.anyOf.map(takes))].filter((one) => one !== 'null').join(', or ') + orNull(node.anyOf);
  if (node.prefixItems !== undefined) return `a list of ${node.prefixItems.length}`;
  if (node.items !== undefined) return 'a list of texts';
  if (node.type === 'integer' || node.type === 'number') return numberOf(node);
  const types = [node.type ?? 'text'].flat();
  return types.map((type) => words[type] ?? type).join(' or ');
}

/** In satoshis: as far as amounts go, which says nothing of a setting. */
const allTheBitcoinThereIs = 2_100_000_000_000_000;

const words: Readonly<Record<string, string>> = { string: 'text', boolean: 'true or false', object: 'an object' };

function orNull(nodes: readonly SchemaNode[]): string {
  return nodes.some(({ type }) => type === 'null') ? ' or null' : '';
}

function numberOf({ type, minimum, maximum }: SchemaNode): string {
  const kind = type === 'integer' ? 'whole number' : 'number';
  const most = maximum === undefined || maximum >= allTheBitcoinThereIs ? null : maximum;
  if (minimum === undefined && most === null) return kind;
  if (most === null) return `${kind} from ${String(minimum)}`;
  return minimum === undefined ? `${kind} to ${most}` : `${kind} from ${minimum} to ${most}`;
}
