import { isObject, type JsonObject, listOfOneOrMore } from './json-members';

/** What AWS accepts in one resource-based policy. A member is missing if AWS publishes no such limit. */
interface ResourcePolicyLimits {
  readonly bytes: number;
  readonly statements?: number;
  /** In one statement. */
  readonly principals?: number;
  /** In one statement. */
  readonly conditions?: number;
  /** In one statement. */
  readonly actions?: number;
}

/**
 * The limits of policies that grow with an app. None of them can be raised.
 *
 * **Assumption SQS-23:** AWS does not publish whether a queue's limits of 50 principals and 10 conditions apply to a
 * statement or to the whole policy, or what counts as a condition. Here they apply to a statement, and a condition is
 * one operator with one key, whatever the length of its list: queues with 20 statements of one condition each exist,
 * and so do lists of more than 20 source ARNs. A queue with 11 conditions in two statements would settle it.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-policies.html
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-language-api-permissions-reference.html
 * @see https://docs.aws.amazon.com/kms/latest/developerguide/limits.html
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
export const RESOURCE_POLICY_LIMITS = {
  queue: { bytes: 8_192, statements: 20, principals: 50, conditions: 10, actions: 7 },
  topic: { bytes: 30_720, statements: 100, principals: 200 },
  key: { bytes: 32_768 },
  function: { bytes: 20_480 },
} as const satisfies Readonly<Record<string, ResourcePolicyLimits>>;

export type PolicyOwner = keyof typeof RESOURCE_POLICY_LIMITS;

export interface PolicyExcess {
  readonly what: keyof ResourcePolicyLimits;
  readonly count: number;
  readonly limit: number;
}

function statementsOf(document: unknown): readonly unknown[] {
  return isObject(document) && document['Statement'] !== undefined ? listOfOneOrMore(document['Statement']) : [];
}

function most(counts: readonly number[]): number {
  return Math.max(0, ...counts);
}

function listed(value: unknown): number {
  return value === undefined ? 0 : listOfOneOrMore(value).length;
}

function principalsIn({ Principal, NotPrincipal }: JsonObject): number {
  const element = Principal ?? NotPrincipal;
  if (!isObject(element)) return listed(element);
  return Object.values(element).reduce<number>((sum, value) => sum + listed(value), 0);
}

function conditionsIn({ Condition }: JsonObject): number {
  const operators = isObject(Condition) ? Object.values(Condition) : [];
  return operators.reduce<number>((sum, keys) => sum + (isObject(keys) ? Object.keys(keys).length : 1), 0);
}

/**
 * Returns the limits that a policy exceeds, its statements first.
 *
 * @param bytes the size of its JSON text, as far as it is known
 */
export function policyExcesses(owner: PolicyOwner, document: unknown, bytes: number): readonly PolicyExcess[] {
  const limits: ResourcePolicyLimits = RESOURCE_POLICY_LIMITS[owner];
  const all = statementsOf(document);
  const statements = all.filter(isObject);
  const counts: Readonly<Record<keyof ResourcePolicyLimits, number>> = {
    statements: all.length,
    actions: most(statements.map(({ Action, NotAction }) => listed(Action ?? NotAction))),
    principals: most(statements.map(principalsIn)),
    conditions: most(statements.map(conditionsIn)),
    bytes,
  };
  return EXCESSES.flatMap((what): PolicyExcess[] => {
    const limit = limits[what];
    return limit !== undefined && counts[what] > limit ? [{ what, count: counts[what], limit }] : [];
  });
}

const EXCESSES = ['statements', 'actions', 'principals', 'conditions', 'bytes'] as const;

/** The text of an excess, to follow the name of a policy: `has 21 statements, but SQS accepts at most 20`. */
export function excessText(owner: PolicyOwner, { what, count, limit }: PolicyExcess): string {
  const where = what === 'statements' || what === 'bytes' ? '' : ' in one statement';
  const [have, most] = [count, limit].map(it => it.toLocaleString('en-US'));
  return `has ${have} ${what}${where}, but ${SERVICES[owner]} accepts at most ${most}`;
}

const SERVICES: Readonly<Record<PolicyOwner, string>> = { queue: 'SQS', topic: 'SNS', key: 'KMS', function: 'Lambda' };

const ARN_OPERATORS: readonly string[] = ['ArnEquals', 'ArnLike'];
const SOURCE_ARN = 'aws:sourcearn';

/** Sids that aws-cdk-lib and `dlo doctor` generate. A Sid that a user chose is kept, and its statement stays as it is. */
const GENERATED_SID = /^Allow(?:EventRule|sns|events)/;

/** A statement that allows something to named sources. */
interface Sourced {
  readonly statement: JsonObject;
  readonly sources: readonly unknown[];
  /** The statement with other sources in place of its own, and without its Sid. */
  readonly with: (sources: unknown) => JsonObject;
}

function sourced(statement: unknown): Sourced | undefined {
  if (!isObject(statement) || statement['Effect'] !== 'Allow') return undefined;
  const { Sid, Condition, ...rest } = statement;
  if (Sid !== undefined && !(typeof Sid === 'string' && GENERATED_SID.test(Sid))) return undefined;
  if (!isObject(Condition)) return undefined;
  for (const operator of ARN_OPERATORS) {
    const keys = Condition[operator];
    const key = isObject(keys) ? Object.keys(keys).find(name => name.toLowerCase() === SOURCE_ARN) : undefined;
    if (!isObject(keys) || key === undefined) continue;
    const filled = (sources: unknown) => ({
      ...rest,
      Condition: { ...Condition, [operator]: { ...keys, [key]: sources } },
    });
    return { statement, sources: listOfOneOrMore(keys[key]), with: filled };
  }
  return undefined;
}

/**
 * Joins statements that differ only in `aws:SourceArn` into one with a list of source ARNs, which allows exactly the
 * same. A queue policy has at most 20 statements, but a queue may have more sources.
 *
 * @param statements of a template or of a policy: their values may be texts or intrinsic functions
 */
export function joinedSources(statements: readonly unknown[]): readonly unknown[] {
  const groups = new Map<string, Sourced[]>();
  for (const statement of statements) {
    const found = sourced(statement);
    const group = JSON.stringify(found?.with('') ?? statement);
    groups.set(group, [...(groups.get(group) ?? []), ...(found ? [found] : [])]);
  }
  const written = new Set<string>();
  return statements.flatMap(statement => {
    const group = JSON.stringify(sourced(statement)?.with('') ?? statement);
    const members = groups.get(group) ?? [];
    const [first] = members;
    if (first === undefined || members.length === 1) return [statement];
    if (written.has(group)) return [];
    written.add(group);
    const bySource = new Map(members.flatMap(it => it.sources).map(source => [JSON.stringify(source), source]));
    const sources = [...bySource.values()];
    return [first.with(sources.length === 1 ? sources[0] : sources)];
  });
}
