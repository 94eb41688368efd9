import { ownMember } from '../../../policy/json-members';
import { scalarText } from '../../../template/values';
import { isoInstant } from '../../kernel/clock';
import { isObject, type JsonObject } from '../../kernel/json';
import type { Place } from '../../kernel/place';
import type { Random } from '../../kernel/random';
import type { ResourceSchema } from '../resource-schemas';
import { derivedParts, formOf, hasForm, nameRules, refOf } from './shapes';

interface ValuesProps {
  readonly type: string;
  /** Undefined for a type that the registry does not have, such as one of a third party. */
  readonly schema: ResourceSchema | undefined;
  readonly properties: JsonObject;
  readonly place: Place;
  /** Of this resource alone, so that the values do not depend on other resources. */
  readonly random: Random;
  readonly physicalName: (maxLength: number) => string;
  readonly nowMs: number;
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz0123456789';
const ALPHABETS: Readonly<Record<string, string>> = {
  hex: '0123456789abcdef',
  digits: '123456789',
  lower: LOWER,
  upper: LOWER.toUpperCase(),
};

const PLACEHOLDER = /\{([A-Za-z][\w.]*)(?::(\d+))?\}/g;
const ARN_NAME = /a(rn|RN)$|Arn$/;

/** The ends of attribute names that say what a value is, and its form. */
const ENDINGS: readonly (readonly [end: RegExp, form: string])[] = [
  [/(?:Url|URL|Uri|URI)$/, 'https://{lower:12}.{service}.{region}.{suffix}'],
  [
    /(?:Endpoint|Address|Domain|DomainName|Dns|DNS|DnsName|DNSName|Host|HostName)$/,
    '{lower:12}.{service}.{region}.{suffix}',
  ],
  [/Port$/, '443'],
  [/(?:Version|VersionNumber|Revision)$/, '1'],
  [/(?:Status|State)$/, 'ACTIVE'],
  [/(?:At|Time|Date|Timestamp)$/, '{now}'],
  [/AccountId$/, '{account}'],
  [/Name$/, '{name}'],
  [/(?:Id|ID|Identifier|Uuid|UUID)$/, '{uuid}'],
];

/**
 * Makes up the values of a resource that is not simulated, in the forms that AWS's have. The same seed and names give the
 * same values.
 */
export class StandInValues {
  private readonly made = new Map<string, string>();
  private readonly making = new Set<string>();

  constructor(private readonly props: ValuesProps) {}

  /** The value of `Ref`. Without a schema, it is a physical name. */
  ref(): string {
    const { type, schema } = this.props;
    const parts = refOf(type) ?? schema?.ref ?? [];
    return parts.length === 0 ? this.name() : parts.map(part => this.text(part)).join('|');
  }

  /** A value of `Fn::GetAtt`: text, or a list of texts. */
  attribute(name: string): string | readonly string[] {
    const given = memberAt(this.props.properties, name);
    if (Array.isArray(given) && given.every(item => typeof item === 'string')) return given;
    const form = formOf(this.props.type, name);
    if (Array.isArray(form)) return form.map((item: string) => this.expand(item));
    const kind = this.props.schema?.attributes.get(name);
    return kind === 'list' ? [this.text(name.replace(/s$/, ''))] : this.text(name);
  }

  /** A property's value where the template sets it, otherwise one that is made up once. */
  private text(name: string): string {
    const known = scalarText(memberAt(this.props.properties, name)) ?? this.made.get(name);
    if (known !== undefined) return known;
    // An ARN whose template names the attribute that holds the ARN.
    if (this.making.has(name)) return this.name();
    this.making.add(name);
    const text = this.makeUp(name);
    this.making.delete(name);
    this.made.set(name, text);
    return text;
  }

  private makeUp(name: string): string {
    const { type, schema } = this.props;
    const form = formOf(type, name);
    if (typeof form === 'string') return this.expand(form);
    const kind = schema?.attributes.get(name);
    if (kind === 'number') return '0';
    if (kind === 'boolean') return 'false';
    if (ARN_NAME.test(name)) return this.arn(name);
    // A name that the template leaves to CloudFormation.
    if (schema?.ref.includes(name) && (schema.properties.has(name) || name === 'Id')) return this.name();
    const ending = ENDINGS.find(([end]) => end.test(name))?.[1] ?? '{name}';
    return this.expand(ending);
  }

  private arn(name: string): string {
    const { type, schema } = this.props;
    const [, service = '', kind = ''] = type.split('::');
    const isOwn =
      schema?.ref.includes(name) || ['arn', 'resourcearn', `${kind}arn`.toLowerCase()].includes(name.toLowerCase());
    if (isOwn && schema?.arn !== undefined) return this.expand(schema.arn.replaceAll('${', '{'));
    const what = name.replace(ARN_NAME, '').split('.').at(-1) || kind;
    return this.expand(`arn:{partition}:${service.toLowerCase()}:{region}:{account}:${what.toLowerCase()}/{name}`);
  }

  private expand(form: string): string {
    return form.replace(PLACEHOLDER, (_, name: string, length: string | undefined) =>
      length === undefined ? this.named(name) : this.draw(ALPHABETS[name] ?? LOWER, Number(length)),
    );
  }

  private draw(alphabet: string, length: number): string {
    let text = '';
    for (let i = 0; i < length; i += 1) text += alphabet[this.props.random.integer(0, alphabet.length - 1)];
    return text;
  }

  private named(name: string): string {
    const { place, random, nowMs, type, schema, properties } = this.props;
    const fixed: Readonly<Record<string, string>> = {
      region: place.region,
      account: place.account,
      partition: place.partition,
      suffix: place.urlSuffix,
      service: (type.split('::')[1] ?? '').toLowerCase(),
      now: isoInstant(nowMs),
      streamlabel: isoInstant(nowMs).replace('Z', ''),
      ...derivedParts(properties, place.region),
    };
    const here = fixed[name] ?? fixed[name.toLowerCase()];
    if (here !== undefined) return this.expand(here);
    if (name === 'name') return this.name();
    if (name === 'uuid') return random.uuid();
    if (hasForm(type, name)) return this.text(name);
    if (schema && !schema.properties.has(name) && !schema.attributes.has(name)) return this.variable(name);
    return this.text(name);
  }

  /** A variable of an ARN's template that is no name of the schema: usually another name for the identifier. */
  private variable(name: string): string {
    const { schema } = this.props;
    const sameName = [...(schema?.properties ?? [])].find(it => it.toLowerCase() === name.toLowerCase());
    if (sameName !== undefined) return this.text(sameName);
    const identifier = schema?.ref.findLast(it => !ARN_NAME.test(it));
    if (identifier !== undefined) return this.text(identifier);
    const own = ['Name', `${this.props.type.split('::')[2]}Name`].find(it => schema?.properties.has(it));
    return own === undefined ? this.name() : this.text(own);
  }

  private name(): string {
    const { type, physicalName } = this.props;
    const { isLowerCase, longest } = nameRules(type);
    const name = physicalName(longest);
    return isLowerCase ? name.toLowerCase() : name;
  }
}

/** The member at a path such as `Endpoint.Port`. */
function memberAt(members: JsonObject, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (isObject(value) ? ownMember(value, name) : undefined), members);
}
