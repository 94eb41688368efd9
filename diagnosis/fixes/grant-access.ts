import { displayNameOf, lastPart, nameInArn, parseArn } from '../../policy/arn';
import { isObject, listOfOneOrMore } from '../../policy/json-members';
import type { PolicyDocument } from '../../template/access/policy-document';
import { isKnown, knownValue } from '../../template/maybe-known';
import type { FunctionFacts, KeyFacts, QueueFacts, TopicFacts } from '../inventory/inventory';
import { qualifierOf, unqualified } from '../inventory/look-ups';
import type { AwsCall, Fix, Guard } from './fix';

/** An AWS service, and the resource on whose behalf it acts. */
interface ServiceFor {
  /** `sns.amazonaws.com`. */
  readonly service: string;
  readonly sourceArn: string;
}

const SERVICES: Readonly<Record<string, string>> = {
  'sns.amazonaws.com': 'SNS',
  'events.amazonaws.com': 'EventBridge',
  'scheduler.amazonaws.com': 'EventBridge Scheduler',
  'cloudwatch.amazonaws.com': 'CloudWatch',
};

function serviceName(service: string): string {
  return SERVICES[service] ?? service;
}

/** `SNS (for the topic orders)`. */
function senderText({ service, sourceArn }: ServiceFor): string {
  const kind = parseArn(sourceArn)?.service === 'sns' ? 'the topic' : 'the rule';
  return `${serviceName(service)} (for ${kind} ${displayNameOf(sourceArn)})`;
}

export function statementName({ service, sourceArn }: ServiceFor): string {
  const [prefix = ''] = service.split('.');
  return `Allow-${prefix}-${nameInArn(sourceArn)}`;
}

/** A statement that allows a service to send to a queue, for one source if it is known. */
export function sendStatement(
  queueArn: string,
  { service, sourceArn }: { readonly service: string; readonly sourceArn: string | undefined },
): Statement {
  return {
    Effect: 'Allow',
    Principal: { Service: service },
    Action: 'sqs:SendMessage',
    Resource: queueArn,
    ...(sourceArn !== undefined && { Condition: { ArnEquals: { 'aws:SourceArn': sourceArn } } }),
  };
}

export function queueGuard({ name, policy, url }: QueueFacts): Guard {
  const where = `the policy of the queue ${name}`;
  if (url === undefined) return { where, kind: 'resource', policy };
  const set = (it: PolicyDocument): AwsCall => {
    const input = { QueueUrl: url, Attributes: { Policy: JSON.stringify(it) } };
    return { service: 'sqs', operation: 'SetQueueAttributes', input };
  };
  return { where, kind: 'resource', policy, set };
}

export function topicGuard({ arn, name }: TopicFacts, policy: Guard['policy']): Guard {
  const set = (it: PolicyDocument): AwsCall => {
    const input = { TopicArn: arn, AttributeName: 'Policy', AttributeValue: JSON.stringify(it) };
    return { service: 'sns', operation: 'SetTopicAttributes', input };
  };
  return { where: `the policy of the topic ${name}`, kind: 'resource', policy, set };
}

export function keyGuard({ arn, name }: KeyFacts, policy: Guard['policy']): Guard {
  const set = (it: PolicyDocument): AwsCall => {
    const input = { KeyId: arn, PolicyName: 'default', Policy: JSON.stringify(it) };
    return { service: 'kms', operation: 'PutKeyPolicy', input };
  };
  return { where: `the policy of the key ${name}`, kind: 'resource', policy, set };
}

/** Lambda has no call that changes a statement. */
export function functionGuard({ name, policy }: FunctionFacts): Guard {
  return { where: `the policy of the function ${name}`, kind: 'resource', policy };
}

/** Adds a statement to a policy. Without a known policy, or a call that sets it, the fix contains only the statement. */
function adding(says: string, name: string, { policy, set }: Guard, statement: Statement): Fix {
  const there = knownValue(policy);
  const added = addedStatement(there, name, statement);
  const fix = { says: `${says}: add this statement to its policy.`, statement: added.statement };
  return isKnown(policy) && set ? { ...fix, calls: [set(added.policy)] } : fix;
}

/**
 * Allows a service to send to a queue. If the queue's policy or URL is unknown, the fix contains only the statement.
 * @see https://docs.aws.amazon.com/sns/latest/dg/subscribe-sqs-queue-to-sns-topic.html
 */
export function allowSend(queue: QueueFacts, who: ServiceFor): Fix {
  const says = `Let ${senderText(who)} send to the queue ${displayNameOf(queue.arn)}`;
  return adding(says, statementName(who), queueGuard(queue), sendStatement(queue.arn, who));
}

/** A service that publishes to a topic, and ARN patterns of its sources, such as all alarms of an account. */
interface Publisher {
  readonly service: string;
  readonly sourceArn: string;
}

/** @see https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html */
export function allowPublish(topic: TopicFacts, { service, sourceArn }: Publisher): Fix {
  const says = `Let ${serviceName(service)} publish to the topic ${topic.name}`;
  return adding(says, `Allow-${service}`, topicGuard(topic, topic.policy), {
    Effect: 'Allow',
    Principal: { Service: service },
    Action: 'sns:Publish',
    Resource: topic.arn,
    Condition: { ArnLike: { 'aws:SourceArn': sourceArn } },
  });
}

/** Services known to send the source to KMS. For others, a condition on the source would deny access. */
const SENDS_SOURCE: readonly string[] = ['sns.amazonaws.com', 'cloudwatch.amazonaws.com'];

const KEY_ACTIONS = ['kms:Decrypt', 'kms:GenerateDataKey*'];

/** What a sender to an encrypted queue or topic does with its key. */
export const KEY_USES: readonly string[] = ['kms:Decrypt', 'kms:GenerateDataKey'];

/**
 * Allows a service to use a key that encrypts a queue or topic. If the key's policy is unknown, the fix contains only
 * the statement. There is no such fix for an AWS managed key, because its policy cannot be changed.
 * @see
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html#compatibility-with-aws-services
 */
export function allowKeyUse(key: KeyFacts, who: ServiceFor): Fix {
  const { service, sourceArn } = who;
  const isTelling = SENDS_SOURCE.includes(service);
  return addingToKey(key, isTelling ? senderText(who) : serviceName(service), statementName(who), {
    Effect: 'Allow',
    Principal: { Service: service },
    Action: KEY_ACTIONS,
    Resource: '*',
    ...(isTelling && { Condition: { ArnLike: { 'aws:SourceArn': sourceArn } } }),
  });
}

function addingToKey(key: KeyFacts, whom: string, name: string, statement: Statement): Fix {
  const guard = keyGuard(key, key.policy ?? { unknownBecause: 'is the default policy' });
  return adding(`Let ${whom} use the key ${key.name}`, name, guard, statement);
}

/** Allows a role to use a key whose policy does not leave that to the role's own policies. */
export function allowKeyUseByRole(key: KeyFacts, roleArn: string): Fix {
  const name = displayNameOf(roleArn);
  const statement = { Effect: 'Allow', Principal: { AWS: roleArn }, Action: KEY_ACTIONS, Resource: '*' };
  return addingToKey(key, `the role ${name}`, `Allow-${name}`, statement);
}

/** @see https://docs.aws.amazon.com/lambda/latest/api/API_AddPermission.html */
const MOST_ID_CHARACTERS = 100;

/**
 * Allows a service to invoke a function.
 *
 * @param functionArn of the function, a version or an alias
 * @see https://docs.aws.amazon.com/lambda/latest/dg/access-control-resource-based.html
 */
export function allowInvoke(functionArn: string, who: ServiceFor): Fix {
  const { service, sourceArn } = who;
  const qualifier = qualifierOf(functionArn);
  const name = unqualified(functionArn);
  const input = {
    FunctionName: name,
    ...(qualifier !== undefined && { Qualifier: qualifier }),
    StatementId: statementName(who)
      .replace(/[^\w-]/g, '-')
      .slice(0, MOST_ID_CHARACTERS),
    Action: 'lambda:InvokeFunction',
    Principal: service,
    SourceArn: sourceArn,
  };
  const called = displayNameOf(functionArn);
  return {
    says: `Let ${senderText(who)} invoke the function ${called}.`,
    statement: {
      Sid: input.StatementId,
      Effect: 'Allow',
      Principal: { Service: service },
      Action: input.Action,
      Resource: functionArn,
      Condition: { ArnLike: { 'AWS:SourceArn': sourceArn } },
    },
    calls: [{ service: 'lambda', operation: 'AddPermission', input }],
  };
}

/** Gives a function concurrency. A limit above 0 is left to its owner: it may protect a database. */
export function giveConcurrency({ arn, reservedConcurrency }: FunctionFacts): Fix {
  const reserved = knownValue(reservedConcurrency);
  const name = displayNameOf(arn);
  if (reserved === undefined) {
    return {
      says: `Reserve concurrency for the function ${name}, or ask AWS to raise the account's quota, which other functions use up.`,
    };
  }
  if (reserved > 0) {
    return {
      says: `Raise the reserved concurrency of the function ${name} (${reserved} now), after finding out what that limit protects.`,
    };
  }
  return {
    says: `Remove the reserved concurrency of the function ${name}, which stops it (it is 0), or raise it.`,
    calls: [{ service: 'lambda', operation: 'DeleteFunctionConcurrency', input: { FunctionName: arn } }],
  };
}

/** @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_PutRolePolicy.html */
const MOST_NAME_CHARACTERS = 128;

/**
 * Allows a role to do something, with a new inline policy; existing policies stay. Roles are global, so the policy's
 * name must differ for resources of the same name in other Regions.
 */
export function allowRole(roleArn: string, actions: readonly string[], resource: string): Fix {
  const { resource: path = '' } = parseArn(roleArn) ?? {};
  const RoleName = lastPart(path);
  const statement = { Effect: 'Allow', Action: actions, Resource: resource };
  const { region, resource: named } = parseArn(resource) ?? {};
  const about = ['Allow', ...actions, region, named]
    .filter(Boolean)
    .join('-')
    .replace(/[^\w+=,.@-]/g, '-');
  const input = {
    RoleName,
    PolicyName: distinctName(about, [...actions, resource].join(' '), MOST_NAME_CHARACTERS),
    PolicyDocument: JSON.stringify({ Version: '2012-10-17', Statement: [statement] }),
  };
  return {
    says: `Allow the role ${RoleName} ${actions.join(' and ')} on ${resource}.`,
    statement,
    calls: [{ service: 'iam', operation: 'PutRolePolicy', input }],
  };
}

/** A policy statement, parsed from JSON. */
type Statement = Readonly<Record<string, unknown>>;

/** @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_version.html */
const VERSION = '2012-10-17';

/** Makes a statement id of letters and digits, which every kind of policy accepts. */
function statementId(text: string): string {
  return text.replace(/[^A-Za-z0-9]/g, '');
}

/** The first unused id: the wanted one, or it with 2, 3 and so on. */
export function freeId(wanted: string, taken: readonly unknown[]): string {
  const ids = new Set(taken.map(statement => (isObject(statement) ? statement['Sid'] : undefined)));
  let id = wanted;
  for (let next = 2; ids.has(id); next += 1) id = `${wanted}${next}`;
  return id;
}

/** Adds a statement to a policy. Existing statements stay, and no two get the same id. */
export function addedStatement(
  document: PolicyDocument | undefined,
  name: string,
  statement: Statement,
): { readonly statement: Statement; readonly policy: PolicyDocument } {
  const there = document ? listOfOneOrMore(document.Statement) : [];
  const added = { Sid: freeId(statementId(name), there), ...statement };
  return { statement: added, policy: { Version: VERSION, ...document, Statement: [...there, added] } };
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const HEX = 16;
const HEX_DIGITS = 8;

/**
 * A hash of eight characters.
 * @see https://datatracker.ietf.org/doc/html/draft-eastlake-fnv-17.html FNV-1a, with 32 bits
 */
function fingerprint(text: string): string {
  let hash = FNV_OFFSET;
  for (const character of text) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), FNV_PRIME) >>> 0;
  }
  return hash.toString(HEX).padStart(HEX_DIGITS, '0');
}

/**
 * Shortens a name to the length AWS accepts. The hash keeps names apart that have the same beginning and end.
 *
 * @param of what the name must be unique for, such as an ARN
 */
export function distinctName(text: string, of: string, mostCharacters: number): string {
  const end = `-${fingerprint(of)}`;
  return `${text.slice(0, mostCharacters - end.length)}${end}`;
}
