import { isObject, type JsonObject, listOfOneOrMore } from '../../policy/json-members';
import type { RoleQuestion, ServiceQuestion } from '../../template/access/access-question';
import { denialsIn, type PolicyKind } from '../../template/access/may-do';
import type { PolicyDocument } from '../../template/access/policy-document';

type Question = RoleQuestion | ServiceQuestion;

/** What is left out of a Deny. */
type Exemption =
  | { readonly kind: 'condition'; readonly operator: string; readonly key: string; readonly value: string }
  | { readonly kind: 'resource'; readonly arn: string }
  /** The whole statement. */
  | { readonly kind: 'all' };

/** A Deny of a policy, and what is left out of it. */
export interface Narrowing {
  /** As it is now. */
  readonly statement: JsonObject;
  readonly by: Exemption;
}

function inList(list: unknown, value: string): readonly unknown[] {
  return [...new Set([...(list === undefined ? [] : listOfOneOrMore(list)), value])];
}

/** Adds a comparison, or a value to an existing one: a negated operator holds only if none of its values matches. */
function withComparison(
  statement: JsonObject,
  { operator, key, value }: Exemption & { kind: 'condition' },
): JsonObject {
  const block = isObject(statement['Condition']) ? statement['Condition'] : {};
  const there = isObject(block[operator]) ? block[operator] : {};
  const spelled = Object.keys(there).find(it => it.toLowerCase() === key.toLowerCase()) ?? key;
  const values = inList(there[spelled], value);
  const compared = { ...there, [spelled]: values.length === 1 ? value : values };
  return { ...statement, Condition: { ...block, [operator]: compared } };
}

function exceptResource(statement: JsonObject, arn: string): JsonObject {
  const { Resource, ...rest } = statement;
  const listed = Resource === undefined ? ['*'] : listOfOneOrMore(Resource);
  if (!listed.includes('*')) return { ...statement, Resource: listed.filter(it => it !== arn) };
  return { ...rest, NotResource: inList(statement['NotResource'], arn) };
}

/** What is left of a statement; undefined if nothing is. */
function narrowed(statement: JsonObject, all: readonly Exemption[]): JsonObject | undefined {
  return all.reduce<JsonObject | undefined>((left, by) => {
    if (left === undefined || by.kind === 'all') return undefined;
    return by.kind === 'condition' ? withComparison(left, by) : exceptResource(left, by.arn);
  }, statement);
}

/** The document with these statements narrowed or removed. */
export function narrowedDocument<Document extends { readonly Statement?: unknown }>(
  document: Document,
  narrowings: readonly Narrowing[],
): Document {
  const statements = listOfOneOrMore(document.Statement).flatMap(it => {
    const own = narrowings.filter(({ statement }) => JSON.stringify(statement) === JSON.stringify(it));
    return isObject(it)
      ? (narrowed(
          it,
          own.map(({ by }) => by),
        ) ?? [])
      : [it];
  });
  return { ...document, Statement: statements };
}

/** The document as it was before it was narrowed. Statements that were removed stay away. */
export function asItWas(document: JsonObject, narrowings: readonly Narrowing[]): JsonObject {
  const before = new Map(
    narrowings.map(({ statement }) => [
      JSON.stringify(narrowedDocument({ Statement: statement }, narrowings).Statement),
      statement,
    ]),
  );
  const statements = listOfOneOrMore(document['Statement']).map(it => before.get(JSON.stringify([it])) ?? it);
  return { ...document, Statement: statements };
}

function isAboutOnly(statement: JsonObject, roleArn: string): boolean {
  const { Principal: named } = statement;
  return (
    isObject(named) && Object.keys(named).length === 1 && listOfOneOrMore(named['AWS']).every(it => it === roleArn)
  );
}

/** Ways to leave a request out of a Deny, the narrowest first. */
function candidates(statement: JsonObject, kind: PolicyKind, question: Question): readonly Exemption[] {
  const all: Exemption = { kind: 'all' };
  const unless = (operator: string, key: string, value: string): readonly Exemption[] => [
    { kind: 'condition', operator, key, value },
    all,
  ];
  if (kind !== 'resource') {
    const isOnly = listOfOneOrMore(statement['Resource'] ?? '*').every(it => it === question.resource);
    return isOnly ? [all] : [{ kind: 'resource', arn: question.resource }, all];
  }
  if ('roleArn' in question) {
    const { roleArn } = question;
    return isAboutOnly(statement, roleArn) ? [all] : unless('ArnNotEquals', 'aws:PrincipalArn', roleArn);
  }
  const { sourceArn } = question;
  return sourceArn === undefined
    ? unless('BoolIfExists', 'aws:PrincipalIsAWSService', 'false')
    : unless('ArnNotEquals', 'aws:SourceArn', sourceArn);
}

/** What leaves these requests out of a document's Deny statements. Empty if no Deny is about them. */
export function narrowingsFor(
  document: PolicyDocument,
  kind: PolicyKind,
  asked: readonly Question[],
): readonly Narrowing[] {
  return listOfOneOrMore(document.Statement)
    .filter(isObject)
    .flatMap(statement => {
      const found: Exemption[] = [];
      for (const question of asked) {
        const isDenied = (...by: readonly Exemption[]) => {
          const left = narrowed(statement, [...found, ...by]);
          return left !== undefined && denialsIn({ Statement: [left] }, kind, question).length > 0;
        };
        const by = isDenied() ? candidates(statement, kind, question).find(it => !isDenied(it)) : undefined;
        if (by) found.push(by);
      }
      return found.map(by => ({ statement, by }));
    });
}

/** Says how a Deny is narrowed. */
export function narrowingText({ by }: Narrowing): string {
  if (by.kind === 'all') return 'Remove the statement';
  return by.kind === 'condition'
    ? `Add the condition ${by.operator} ${by.key} ${by.value} to the statement`
    : `Leave ${by.arn} out of the resources of the statement`;
}
