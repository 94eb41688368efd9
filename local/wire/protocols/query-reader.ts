import type { NormalizedSchema } from '@smithy/core/schema';
import { scalarFromText } from './scalars';
import { inMember, ShapeError } from './shape-error';

/** The parameters of a request, as the tree their dotted names make: `MessageAttributes.entry.1.Name`. */
export class QueryNode {
  value: string | undefined;
  private readonly children = new Map<string, QueryNode>();

  static of(parameters: Iterable<readonly [string, string]>): QueryNode {
    const root = new QueryNode();
    for (const [name, value] of parameters) {
      let node = root;
      for (const part of name.split('.')) node = node.enter(part);
      node.value = value;
    }
    return root;
  }

  child(name: string): QueryNode | undefined {
    return this.children.get(name);
  }

  /** The children named 1, 2, 3 … in their order; gaps close up. */
  numbered(): readonly QueryNode[] {
    return [...this.children]
      .filter(([name]) => /^\d+$/.test(name))
      .sort(([a], [b]) => Number(a) - Number(b))
      .map(([, node]) => node);
  }

  private enter(name: string): QueryNode {
    const known = this.children.get(name);
    if (known) return known;
    const child = new QueryNode();
    this.children.set(name, child);
    return child;
  }
}

/**
 * A value of the schema's shape from query parameters. A list is `Name.member.1` (or `Name.1` where the schema says
 * flattened), a map is `Name.entry.1.key` and `Name.entry.1.value`, under the names the schema gives.
 *
 * @param member the name of the member that holds the value, or the list or map it is in
 * @throws ShapeError naming the member, the rule and the value
 * @see https://smithy.io/2.0/aws/protocols/aws-query-protocol.html
 */
function readQuery(schema: NormalizedSchema, node: QueryNode, member: string): unknown {
  if (schema.isUnitSchema()) return {};
  if (schema.isStructSchema()) return readStructure(schema, node);
  const { xmlFlattened } = schema.getMergedTraits();
  if (schema.isListSchema()) {
    const item = schema.getValueSchema();
    const list = xmlFlattened ? node : node.child(item.getMergedTraits().xmlName ?? 'member');
    return (list?.numbered() ?? []).map((entry, i) => readMember(item, entry, i + 1, member));
  }
  if (schema.isMapSchema()) return readMap(schema, xmlFlattened ? node : node.child('entry'), member);
  if (node.value === undefined) throw new ShapeError('must be a single value', 'members');
  return scalarFromText(schema, node.value, member);
}

/** The members of a structure that were given. */
export function readStructure(schema: NormalizedSchema, node: QueryNode): Readonly<Record<string, unknown>> {
  const members: [string, unknown][] = [];
  for (const [name, member] of schema.structIterator()) {
    const given = node.child(member.getMergedTraits().xmlName ?? name);
    if (given) members.push([name, readMember(member, given, name)]);
  }
  return Object.fromEntries(members);
}

function readMember(schema: NormalizedSchema, node: QueryNode, name: string | number, member = String(name)): unknown {
  try {
    return readQuery(schema, node, member);
  } catch (error) {
    throw inMember(name, error);
  }
}

function readMap(
  schema: NormalizedSchema,
  entries: QueryNode | undefined,
  member: string,
): Readonly<Record<string, unknown>> {
  const item = schema.getValueSchema();
  const keyName = schema.getKeySchema().getMergedTraits().xmlName ?? 'key';
  const valueName = item.getMergedTraits().xmlName ?? 'value';
  const members = (entries?.numbered() ?? []).map((entry, i): [string, unknown] => {
    const key = entry.child(keyName)?.value;
    const value = entry.child(valueName);
    if (key === undefined || !value) {
      throw new ShapeError(`must have a ${keyName} and a ${valueName}`, key).within(i + 1);
    }
    return [key, readMember(item, value, key, member)];
  });
  return Object.fromEntries(members);
}
