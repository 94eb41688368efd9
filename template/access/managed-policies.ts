import type { PolicyDocument } from './policy-document';

/** A managed policy of AWS whose document is known, at least in part. */
interface AwsManagedPolicy {
  readonly document: PolicyDocument;
  /**
   * The services (`sqs`), and single actions (`ec2:CreateNetworkInterface`), of which the document has all that the policy
   * says. Undefined if the document is whole.
   */
  readonly services: ReadonlySet<string> | undefined;
}

type Statements = readonly Readonly<Record<string, unknown>>[];

/** The form of managed-policies.json. `.scripts/managed-policies.mjs` makes it, and says what it carries. */
interface Data {
  readonly services: readonly string[];
  readonly whole: Readonly<Record<string, Statements>>;
  readonly parts: Readonly<Record<string, Statements>>;
  readonly nothing: readonly string[];
}

const OF_AWS = /^arn:[^:]+:iam::aws:policy\/(.+)$/;

/** The name of a managed policy of AWS with its path, as in `service-role/AWSLambdaRole`; undefined for any other ARN. */
export function awsPolicyName(arn: string): string | undefined {
  return OF_AWS.exec(arn)?.[1];
}

/** What is known of one policy, by its name. It stays the same object, so that a compiled document can be found by it. */
const found = new Map<string, AwsManagedPolicy>();

let data: (Omit<Data, 'services'> & { readonly services: ReadonlySet<string> }) | undefined;

/** Loads the documents on first use, because most commands need none. */
function loaded(): NonNullable<typeof data> {
  if (data) return data;
  const read: Data = require('./managed-policies.json');
  data = { ...read, services: new Set(read.services) };
  return data;
}

/**
 * The document of a managed policy of AWS. Undefined if it is not known here: AWS has more policies than these.
 *
 * @see https://docs.aws.amazon.com/aws-managed-policy/latest/reference/policy-list.html
 */
export function awsManagedPolicy(arn: string): AwsManagedPolicy | undefined {
  const name = awsPolicyName(arn);
  if (name === undefined) return undefined;
  const policy = found.get(name) ?? read(name);
  if (policy) found.set(name, policy);
  return policy;
}

function read(name: string): AwsManagedPolicy | undefined {
  const { whole, parts, nothing, services } = loaded();
  const part = Object.hasOwn(parts, name) ? parts[name] : nothing.includes(name) ? [] : undefined;
  if (part) return { document: documentOf(part, PART), services };
  const all = Object.hasOwn(whole, name) ? whole[name] : undefined;
  return all && { document: documentOf(all, undefined), services: undefined };
}

/** The names of all policies whose documents are known. */
export function awsPolicyNames(): readonly string[] {
  const { whole, parts, nothing } = loaded();
  return [...Object.keys(whole), ...Object.keys(parts), ...nothing];
}

/** Tells the reader of a document that it is not whole. */
const PART = 'only the statements about simulated services';

/** Completes what the file leaves out. */
function documentOf(statements: Statements, Id: string | undefined): PolicyDocument {
  const completed = statements.map(statement => ({
    Effect: 'Allow',
    ...('NotResource' in statement ? {} : { Resource: '*' }),
    ...statement,
  }));
  return { Version: '2012-10-17', ...(Id === undefined ? {} : { Id }), Statement: completed };
}
