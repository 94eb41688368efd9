import { isPending } from '../../template/values';
import { customName, type LiveResource, type PredictedChange } from '../cloudformation';
import { isObject } from '../kernel/json';
import { loweredSettings } from './lowered-settings';

/** What a deployment may do to messages, as far as the templates show it. */
export interface DeployRisk {
  /**
   * `loses`: messages are lost. `fails`: CloudFormation rolls the update back. `unknown`: it may lose messages that are not like
   * those of the check. `tried`: only the simulation can tell, and its result is in the verdict.
   * `note`: what the deployment means to do, or what loses nothing by itself.
   */
  readonly severity: 'loses' | 'fails' | 'unknown' | 'tried' | 'note';
  /** `Stack/LogicalId`. */
  readonly resource: string;
  /** Says what happens, and why. */
  readonly why: string;
  /** Whether the verdict is `unknown`, unless the simulation shows what it does. @default false */
  readonly isUnlessShown?: true;
}

/** The changes of a stack, and what it has now. */
interface Update {
  readonly changes: readonly PredictedChange[];
  readonly live: readonly LiveResource[];
}

type Rule = (change: PredictedChange, update: Update) => Omit<DeployRisk, 'resource'> | undefined;

/** Whether the cleanup of the update deletes the resource that existed before. */
function isDeleted({ action, replacement, before, resource }: PredictedChange): boolean {
  if (action === 'Remove') return !before?.deletionPolicy.startsWith('Retain');
  return replacement !== 'False' && resource?.updateReplacePolicy !== 'Retain';
}

const goes = ({ action, replacement }: PredictedChange): boolean => action === 'Remove' || replacement !== 'False';

const text = (value: unknown): string => JSON.stringify(value) ?? '';

/** Whether another resource that the update creates is the same to the service, by these properties. */
function successor(change: PredictedChange, { changes }: Update, names: readonly string[]) {
  const same = (other: PredictedChange) =>
    names.every(name => text(other.after[name]) === text(change.before?.properties[name]));
  return changes.find(it => it !== change && it.action === 'Add' && it.type === change.type && same(it));
}

const loses = (why: string) => ({ severity: 'loses', why }) as const;
const losesHeld = (why: string) => ({ severity: 'loses', why, isUnlessShown: true }) as const;
const unknown = (why: string) => ({ severity: 'unknown', why, isUnlessShown: true }) as const;
const tried = (why: string) => ({ severity: 'tried', why }) as const;
const verb = ({ action }: PredictedChange): string => (action === 'Remove' ? 'deletes' : 'replaces');

const QUEUE: Rule = change => {
  if (!goes(change)) return undefined;
  if (isDeleted(change)) return losesHeld(`The update ${verb(change)} the queue: what it holds is lost.`);
  return { severity: 'note', why: 'The queue stays, but no stack has it: its messages wait until they expire.' };
};

const FILTER_PROPERTIES: readonly string[] = ['FilterPolicy', 'FilterPolicyScope'];

/** @see https://docs.aws.amazon.com/sns/latest/dg/sns-subscription-filter-policies.html the 15 minutes */
const SUBSCRIPTION: Rule = (change, update) => {
  if (!goes(change)) {
    if (change.action !== 'Modify' || !change.changed.some(name => FILTER_PROPERTIES.includes(name))) return undefined;
    const why = 'SNS may go by the old filter for up to 15 minutes; the simulation changes it at once.';
    return { severity: 'note', why };
  }
  const other = change.action === 'Remove' && successor(change, update, ['TopicArn', 'Protocol', 'Endpoint']);
  if (!other) {
    return { severity: 'note', why: 'SNS drops the messages of this subscription that wait for a retry.' };
  }
  const attributes = ['FilterPolicy', 'FilterPolicyScope', 'RawMessageDelivery', 'RedrivePolicy', 'DeliveryPolicy'];
  const isSame = attributes.every(name => text(other.after[name]) === text(change.before?.properties[name]));
  if (!isSame) {
    const why = `SNS refuses ${other.logicalId}: the endpoint is subscribed already, with other attributes.`;
    return { severity: 'fails', why };
  }
  if (!isDeleted(change)) return undefined;
  return loses(`To SNS, ${other.logicalId} is the same subscription, which the cleanup deletes: none is left.`);
};

/** A policy does not matter any more if its queues or topics are deleted, too, or left without a stack. */
function guardsOnlyWhatGoes({ before }: PredictedChange, { changes, live }: Update): boolean {
  const { Queues, Topics, Queue, TopicArn } = before?.properties ?? {};
  const guarded = [Queues, Topics, Queue, TopicArn].flat().filter(ref => ref !== undefined);
  const goesToo = (ref: unknown) => changes.some(change => goes(change) && change.before?.ref === ref);
  return guarded.length > 0 && guarded.every(ref => goesToo(ref) && live.some(resource => resource.ref === ref));
}

const POLICY: Rule = (change, update) => {
  if (change.action === 'Modify' && change.type === 'AWS::SQS::QueuePolicy' && change.changed.includes('Queues')) {
    return loses(
      'A queue that the policy no longer names refuses messages at once, while its subscriptions still exist.',
    );
  }
  if (change.action !== 'Remove') return STATEMENTS(change, update);
  if (!isDeleted(change) || guardsOnlyWhatGoes(change, update)) return undefined;
  return loses('The cleanup removes the policy of the queue or topic, also one that another resource has set.');
};

/** Whether the new value is the old one, as far as it is known before the update. */
function covers(after: unknown, before: unknown): boolean {
  if (isPending(after)) return true;
  if (Array.isArray(after) && Array.isArray(before)) {
    return after.length === before.length && after.every((item, i) => covers(item, before[i]));
  }
  if (!isObject(after) || !isObject(before)) return text(after) === text(before);
  const names = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...names].every(name => covers(after[name], before[name]));
}

/** The statements of all policy documents in properties. */
function statementsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(statementsIn);
  if (!isObject(value)) return [];
  const { Statement, ...others } = value;
  return [...(Statement === undefined ? [] : [Statement].flat()), ...Object.values(others).flatMap(statementsIn)];
}

/** A policy that only allows more cannot stop a message. Of any other change only the simulation can tell. */
const STATEMENTS: Rule = ({ action, before, after, changed }) => {
  if (action !== 'Modify') return undefined;
  const now = changed.flatMap(name => statementsIn(after[name]));
  const then = changed.flatMap(name => statementsIn(before?.properties[name]));
  const isKept = then.every(old => now.some(statement => covers(statement, old)));
  const denies = now.some(it => isObject(it) && it['Effect'] !== 'Allow' && !then.some(old => covers(it, old)));
  const managed = changed.includes('ManagedPolicyArns') || changed.includes('PermissionsBoundary');
  if (!isKept || denies) {
    return tried('The policy no longer has a statement, or denies more: what it allowed may stop at once.');
  }
  return managed ? tried('The role has other managed policies, or another permissions boundary.') : undefined;
};

const ROLE_POLICY: Rule = (change, update) => {
  if (change.action !== 'Remove') return STATEMENTS(change, update);
  if (!isDeleted(change)) return undefined;
  const other = successor(change, update, ['PolicyName', 'Roles']);
  if (other) return loses(`The cleanup deletes the policy that ${other.logicalId} has put under the same name.`);
  const roles = [change.before?.properties['Roles'] ?? []].flat();
  const goesToo = (role: unknown) => update.changes.some(it => goes(it) && it.before?.ref === role);
  return roles.every(goesToo) ? undefined : tried('Roles that stay lose the policy: what it allowed stops.');
};

/** A permission matters as long as its function, and what invokes the function, stay. */
const PERMISSION: Rule = (change, update) => {
  if (!goes(change) || !isDeleted(change)) return undefined;
  const { FunctionName: name, ...others } = change.before?.properties ?? {};
  if (change.action === 'Modify' && covers(change.after, change.before?.properties)) return undefined;
  if (successor(change, update, ['FunctionName', 'Principal', 'SourceArn', 'SourceAccount'])) return undefined;
  const names = [name, others['SourceArn']].filter(it => typeof it === 'string');
  const goesToo = update.changes.some(
    it =>
      it !== change &&
      goes(it) &&
      it.type !== change.type &&
      names.some(wanted => text([it.before?.ref, it.before?.attributes, it.before?.properties]).includes(wanted)),
  );
  return goesToo
    ? undefined
    : tried('The function no longer lets this caller invoke it, as soon as the permission is gone.');
};

const MAPPING: Rule = (change, update) => {
  const source = text(change.before?.properties['EventSourceArn']);
  if (
    change.action !== 'Add' &&
    !source.includes(':sqs:') &&
    (goes(change) || change.changed.includes('FilterCriteria'))
  ) {
    return tried(
      'A mapping of a stream that ends leaves records unread, and a new one starts at its StartingPosition.',
    );
  }
  if (change.action === 'Modify' && change.changed.includes('FilterCriteria')) {
    return tried('Messages that wait in the queue meet the new filter, which deletes what it rejects.');
  }
  const other = change.action === 'Remove' && successor(change, update, ['EventSourceArn', 'FunctionName']);
  if (!other) return undefined;
  return { severity: 'fails', why: `Lambda refuses ${other.logicalId}: the queue and the function have a mapping.` };
};

/** These refer to a function without invoking it asynchronously. */
const NOT_ASYNCHRONOUS = /^AWS::Lambda::(EventSourceMapping|Permission|Alias|Version)$/;

/** Whether something other than a queue's mapping names the function. */
function isInvokedAsynchronously({ before }: PredictedChange, { live }: Update): boolean {
  const arn = before?.attributes['Arn'] ?? '';
  return live.some(({ type, properties }) => !NOT_ASYNCHRONOUS.test(type) && text(properties).includes(arn));
}

const FUNCTION: Rule = (change, update) =>
  goes(change) && isDeleted(change) && isInvokedAsynchronously(change, update)
    ? losesHeld(`The update ${verb(change)} the function: asynchronous events that wait for it are lost.`)
    : undefined;

const KEY: Rule = (change, update) =>
  goes(change) && isDeleted(change)
    ? losesHeld(`The update ${verb(change)} the key: messages that it encrypted cannot be read any more.`)
    : STATEMENTS(change, update);

const UNKNOWN: Rule = () => tried('The static check does not look into it.');

const RULES: Readonly<Record<string, Rule>> = {
  'AWS::CloudFormation::Stack': UNKNOWN,
  'AWS::Events::EventBusPolicy': ROLE_POLICY,
  'AWS::IAM::ManagedPolicy': ROLE_POLICY,
  'AWS::IAM::Policy': ROLE_POLICY,
  'AWS::IAM::Role': STATEMENTS,
  'AWS::KMS::Key': KEY,
  'AWS::Lambda::EventSourceMapping': MAPPING,
  'AWS::Lambda::Function': FUNCTION,
  'AWS::Lambda::Permission': PERMISSION,
  'AWS::SNS::Subscription': SUBSCRIPTION,
  'AWS::SNS::TopicPolicy': POLICY,
  'AWS::SQS::Queue': QUEUE,
  'AWS::SQS::QueueInlinePolicy': POLICY,
  'AWS::SQS::QueuePolicy': POLICY,
};

/** A replacement keeps its custom name, which the old resource still has. */
const CUSTOM_NAME: Rule = ({ type, replacement, before, after }) => {
  const name = before && replacement === 'True' ? customName(type, before.properties, after) : undefined;
  if (name === undefined) return undefined;
  return { severity: 'fails', why: `CloudFormation does not replace a resource with a custom name: rename ${name}.` };
};

/** Lower limits: the messages of the check are small, few, and processed at once. */
const LIMITS: Rule = ({ action, type, before, after }) => {
  if (action !== 'Modify' || !before) return undefined;
  const lowered = loweredSettings(type, before.properties, after);
  return lowered.length > 0 ? unknown(lowered.join(' ')) : undefined;
};

/** What sends to resources of a type from inside of the templates. What the code of functions sends to gets a new name from their settings. */
const SENDERS: Readonly<Record<string, RegExp>> = {
  'AWS::Events::EventBus': /::(?:Function|Pipe|Schedule)$/,
  'AWS::SNS::Topic': /::(?:Alarm|Bucket|CompositeAlarm|EventInvokeConfig|Function|Pipe|Rule|Schedule)$/,
  'AWS::SQS::Queue': /::(?:Bucket|EventInvokeConfig|Function|Pipe|Queue|Rule|Schedule|Subscription)$/,
};

/** What only senders outside of the templates can send to: they have its old name, and no permission for another key. */
const OUTSIDE: Rule = (change, { live }) => {
  const { action, type, before, after, changed } = change;
  const senders = SENDERS[type];
  if (action !== 'Modify' || !senders || !before) return undefined;
  const names = [before.ref, before.attributes['Arn'] ?? before.ref];
  const isInside = live.some(
    it => senders.test(it.type) && names.some(name => text(it.properties).includes(`${name}"`)),
  );
  if (isInside) return undefined;
  if (goes(change))
    return unknown('It is replaced, and has another ARN: senders outside of the templates have the old one.');
  if (!changed.includes('KmsMasterKeyId') || after['KmsMasterKeyId'] === undefined) return undefined;
  return unknown('It has another key, which senders need permissions for. The check sends as an administrator.');
};

/** Says what an update does to messages, from the predicted changes of one stack. */
export function staticRisks(
  stack: string,
  changes: readonly PredictedChange[],
  live: readonly LiveResource[],
): readonly DeployRisk[] {
  return changes.flatMap(change => {
    const rules = [RULES[change.type], CUSTOM_NAME, LIMITS, OUTSIDE].filter(rule => rule !== undefined);
    const found = rules.flatMap(rule => rule(change, { changes, live }) ?? []);
    return found.map(risk => ({ ...risk, resource: `${stack}/${change.logicalId}` }));
  });
}
