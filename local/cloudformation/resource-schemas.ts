import SCHEMAS from './resource-schemas.json';

/** The values of `Fn::GetAtt` that an attribute can have. */
type AttributeKind = 'text' | 'number' | 'boolean' | 'list' | 'object';

/** What the CloudFormation registry's schema says of a resource type. `.scripts/resource-schemas.mjs` distils it. */
export interface ResourceSchema {
  /** What `Ref` returns: names of properties and attributes. CloudFormation joins several with `|`. */
  readonly ref: readonly string[];
  /** The resource's ARN, with names of properties and attributes as `${Name}`. Undefined if it has none. */
  readonly arn: string | undefined;
  readonly properties: ReadonlySet<string>;
  /** The properties at the top level that a template must set. */
  readonly required: readonly string[];
  /**
   * Properties whose change always replaces the resource, nested ones too: `KeySchema`, `DnsOptions.PrivateDnsPreference`.
   * `*` stands for any item of a list, or any member of a map.
   */
  readonly createOnly: readonly string[];
  /** Properties whose change sometimes replaces the resource, as CloudFormation's documentation says. */
  readonly sometimesCreateOnly: readonly string[];
  /** The attributes of `Fn::GetAtt`. */
  readonly attributes: ReadonlyMap<string, AttributeKind>;
}

const LINES: Readonly<Record<string, string>> = SCHEMAS;

const KINDS: Readonly<Record<string, AttributeKind>> = { '#': 'number', '?': 'boolean', '[': 'list', '{': 'object' };

const read = new Map<string, ResourceSchema>();

/** The schema of a resource type, such as `AWS::S3::Bucket`; undefined for one that the registry does not have. */
export function schemaOf(type: string): ResourceSchema | undefined {
  const known = read.get(type);
  if (known) return known;
  const line = Object.hasOwn(LINES, type) ? LINES[type] : undefined;
  if (line === undefined) return undefined;
  const schema = parseSchema(line);
  read.set(type, schema);
  return schema;
}

/** Every resource type of the registry, in alphabetical order. */
export function resourceTypeNames(): readonly string[] {
  return Object.keys(LINES);
}

function parseSchema(line: string): ResourceSchema {
  const [ref = '', arn = '', properties = '', attributes = ''] = line.split('|');
  const all = items(properties).map(item => {
    const name = item.replace(/[!^~]+$/, '');
    return { name, flags: item.slice(name.length) };
  });
  const withFlag = (flag: string) => all.filter(({ flags }) => flags.includes(flag)).map(({ name }) => name);
  return {
    ref: items(ref),
    arn: arn === '' ? undefined : arn,
    properties: new Set(all.map(({ name }) => name).filter(name => !name.includes('.'))),
    required: withFlag('!'),
    createOnly: withFlag('^'),
    sometimesCreateOnly: withFlag('~'),
    attributes: new Map(
      items(attributes).map(item => {
        const kind = KINDS[item.slice(-1)];
        return kind ? [item.slice(0, -1), kind] : [item, 'text'];
      }),
    ),
  };
}

const items = (text: string): readonly string[] => (text === '' ? [] : text.split(','));
