import type { LiveResource, PredictedChange } from '../cloudformation';

/** What a deployment may do to messages, as far as the templates show it. */
export interface DeployRisk {
  /**
   * `loses`: messages are lost. `fails`: CloudFormation rolls the update back. `unknown`: only the simulation can tell.
   * `note`: what the deployment means to do, or what loses nothing by itself.
   */
  readonly severity: 'loses' | 'fails' | 'unknown' | 'note';
  /** `Stack/LogicalId`. */
  readonly resource: string;
  /** Says what happens, and why. */
  readonly why: string;
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
const verb = ({ action }: PredictedChange): string => (action === 'Remove' ? 'deletes' : 'replaces');

const QUEUE: Rule = change => {
  if (!goes(change)) return undefined;
  if (isDeleted(change)) return loses(`The update ${verb(change)} the queue: what it holds is lost.`);
  return { severity: 'note', why: 'The queue stays, but no stack has it: its messages wait until they expire.' };
};

const SUBSCRIPTION: Rule = (change, update) => {
  if (!goes(change)) return undefined;
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
  if (change.action !== 'Remove' || !isDeleted(change) || guardsOnlyWhatGoes(change, update)) return undefined;
  return loses('The cleanup removes the policy of the queue or topic, also one that another resource has set.');
};

const ROLE_POLICY: Rule = (change, update) => {
  if (change.action !== 'Remove' || !isDeleted(change)) return undefined;
  const other = successor(change, update, ['PolicyName', 'Roles']);
  return other && loses(`The cleanup deletes the policy that ${other.logicalId} has put under the same name.`);
};

const MAPPING: Rule = (change, update) => {
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
    ? loses(`The update ${verb(change)} the function: asynchronous events that wait for it are lost.`)
    : undefined;

const KEY: Rule = change =>
  goes(change) && isDeleted(change)
    ? loses(`The update ${verb(change)} the key: messages that it encrypted cannot be read any more.`)
    : undefined;

const UNKNOWN: Rule = () => ({ severity: 'unknown', why: 'The static check does not look into it.' });

const RULES: Readonly<Record<string, Rule>> = {
  'AWS::CloudFormation::Stack': UNKNOWN,
  'AWS::IAM::Policy': ROLE_POLICY,
  'AWS::KMS::Key': KEY,
  'AWS::Lambda::EventSourceMapping': MAPPING,
  'AWS::Lambda::Function': FUNCTION,
  'AWS::SNS::Subscription': SUBSCRIPTION,
  'AWS::SNS::TopicPolicy': POLICY,
  'AWS::SQS::Queue': QUEUE,
  'AWS::SQS::QueueInlinePolicy': POLICY,
  'AWS::SQS::QueuePolicy': POLICY,
};

/** Custom names are the only ones that a template sets. */
const NAME = /Name$/;

/** A replacement keeps its custom name, which the old resource still has. */
const customName: Rule = ({ replacement, before, after }) => {
  const [name] = Object.entries(after).filter(([property, value]) => {
    return NAME.test(property) && typeof value === 'string' && value === before?.properties[property];
  });
  if (replacement !== 'True' || !name) return undefined;
  return {
    severity: 'fails',
    why: `CloudFormation does not replace a resource with a custom name: rename ${name[1]}.`,
  };
};

/** Says what an update does to messages, from the predicted changes of one stack. */
export function staticRisks(
  stack: string,
  changes: readonly PredictedChange[],
  live: readonly LiveResource[],
): readonly DeployRisk[] {
  return changes.flatMap(change => {
    const rules = [RULES[change.type], customName].filter(rule => rule !== undefined);
    const found = rules.flatMap(rule => rule(change, { changes, live }) ?? []);
    return found.map(risk => ({ ...risk, resource: `${stack}/${change.logicalId}` }));
  });
}
