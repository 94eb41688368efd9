import { isObject, type JsonObject, listOfOneOrMore, parseObject } from '../../policy/json-members';
import { joinedSources, RESOURCE_POLICY_LIMITS } from '../../policy/resource-policy';
import type { AwsCall, Fix } from './fix';
import { freeId } from './grant-access';
import { asItWas, type Narrowing, narrowedDocument } from './narrow-denial';

/** A call that replaces a whole policy, with that policy. */
interface Replacing {
  /** The resource of the policy. */
  readonly target: string;
  readonly policy: JsonObject;
  readonly having: (policy: string) => AwsCall;
}

function hasStatements(policy: string): boolean {
  return listOfOneOrMore(parseObject(policy)?.['Statement']).length > 0;
}

function ofQueue({ input }: AwsCall): Omit<Replacing, 'policy'> & { text: unknown } {
  const { QueueUrl, Attributes } = input;
  const attributes = isObject(Attributes) ? Attributes : {};
  const having = (Policy: string): AwsCall => ({
    service: 'sqs',
    operation: 'SetQueueAttributes',
    // A policy without statements is refused, and an empty text removes the policy.
    input: { ...input, Attributes: { ...attributes, Policy: hasStatements(Policy) ? Policy : '' } },
  });
  return { target: String(QueueUrl), text: attributes['Policy'], having };
}

function ofTopic(call: AwsCall): Omit<Replacing, 'policy'> & { text: unknown } {
  const { TopicArn, AttributeName, AttributeValue } = call.input;
  const having = (policy: string): AwsCall => ({ ...call, input: { ...call.input, AttributeValue: policy } });
  return { target: String(TopicArn), text: AttributeName === 'Policy' ? AttributeValue : undefined, having };
}

function ofKey(call: AwsCall): Omit<Replacing, 'policy'> & { text: unknown } {
  const having = (Policy: string): AwsCall => ({ ...call, input: { ...call.input, Policy } });
  return { target: String(call.input['KeyId']), text: call.input['Policy'], having };
}

/** A policy without statements cannot be put: it is deleted. */
function ofRole(call: AwsCall): Omit<Replacing, 'policy'> & { text: unknown } {
  const { RoleName, PolicyName, PolicyDocument } = call.input;
  const having = (policy: string): AwsCall =>
    hasStatements(policy)
      ? { ...call, input: { ...call.input, PolicyDocument: policy } }
      : { service: 'iam', operation: 'DeleteRolePolicy', input: { RoleName, PolicyName } };
  return { target: `${RoleName} ${PolicyName}`, text: PolicyDocument, having };
}

const REPLACING: Readonly<Record<string, typeof ofKey>> = {
  SetQueueAttributes: ofQueue,
  SetTopicAttributes: ofTopic,
  PutKeyPolicy: ofKey,
  PutRolePolicy: ofRole,
};

function replacing(call: AwsCall): Replacing | undefined {
  const read = REPLACING[call.operation]?.(call);
  const policy = typeof read?.text === 'string' ? parseObject(read.text) : undefined;
  return read && policy && { target: read.target, policy, having: read.having };
}

/** Gives a statement an id that no other has. */
function named(statement: unknown, others: readonly unknown[]): unknown {
  if (!isObject(statement) || typeof statement['Sid'] !== 'string') return statement;
  return { ...statement, Sid: freeId(statement['Sid'], others) };
}

function union(one: JsonObject, other: JsonObject): JsonObject {
  const statements = [...listOfOneOrMore(one['Statement'])];
  const there = new Set(statements.map(it => JSON.stringify(it)));
  for (const statement of listOfOneOrMore(other['Statement'])) {
    if (!there.has(JSON.stringify(statement))) statements.push(named(statement, statements));
  }
  return { ...one, Statement: statements };
}

/** Joins the statements of a queue's policy by source if SQS would refuse their number. */
function withinLimit(policy: JsonObject, { operation }: AwsCall): JsonObject {
  const statements = listOfOneOrMore(policy['Statement']);
  const isTooLong = operation === 'SetQueueAttributes' && statements.length > RESOURCE_POLICY_LIMITS.queue.statements;
  return isTooLong ? { ...policy, Statement: joinedSources(statements) } : policy;
}

/** Calls that fail if repeated, with a description of what each does. */
const MADE_ONCE: Readonly<Record<string, (input: AwsCall['input']) => string>> = {
  AddPermission: ({ StatementId }) => `creates the statement ${StatementId}`,
  CreateRole: ({ RoleName }) => `creates the role ${RoleName}`,
  DeleteRolePolicy: ({ PolicyName }) => `deletes the policy ${PolicyName}`,
};

/** Keeps a call that can be made only once in the first fix that has it. The other fixes refer to that one. */
function madeOnce(fixes: readonly Fix[]): Fix[] {
  const made = new Set<string>();
  return fixes.map(fix => {
    if (!fix.calls) return fix;
    const before = [...made];
    const isMade = (call: AwsCall) => before.includes(JSON.stringify(call));
    for (const call of fix.calls) if (MADE_ONCE[call.operation]) made.add(JSON.stringify(call));
    const things = fix.calls.filter(isMade).map(({ operation, input }) => MADE_ONCE[operation]?.(input));
    if (things.length === 0) return fix;
    const says = `${fix.says} First run the call above that ${things.join(' and ')}.`;
    return { ...fix, says, calls: fix.calls.filter(call => !isMade(call)) };
  });
}

/**
 * Merges fixes so that they can be applied one after another. Each call that replaces a policy gets the statements of
 * all fixes, and narrows the Deny statements that any of them narrows, because the last call would otherwise undo those
 * before it. A call that can be made only once stays in the first fix.
 */
export function mergedFixes(fixes: readonly Fix[]): Fix[] {
  const merged = new Map<string, JsonObject>();
  const narrowings = new Map<string, readonly Narrowing[]>();
  for (const call of fixes.flatMap(({ calls = [] }) => calls)) {
    const it = replacing(call);
    if (!it) continue;
    const before = merged.get(it.target);
    const policy = asItWas(it.policy, call.narrows ?? []);
    merged.set(it.target, before ? union(before, policy) : policy);
    narrowings.set(it.target, [...(narrowings.get(it.target) ?? []), ...(call.narrows ?? [])]);
  }
  const whole = ({ narrows: _, ...call }: AwsCall) => {
    const it = replacing(call);
    if (!it) return call;
    const policy = narrowedDocument(merged.get(it.target) ?? it.policy, narrowings.get(it.target) ?? []);
    return it.having(JSON.stringify(withinLimit(policy, call)));
  };
  const eachOnce = (calls: readonly AwsCall[]) => [...new Map(calls.map(it => [JSON.stringify(it), it])).values()];
  return madeOnce(fixes.map(fix => (fix.calls ? { ...fix, calls: eachOnce(fix.calls.map(whole)) } : fix)));
}
