import { nameInArn, parseArn } from '../../policy/arn';
import { isEqual } from '../../template/access/text-matching';
import { isKnown, knownValue } from '../../template/maybe-known';
import { hasStandIn } from '../../template/stand-in';
import { allowSources } from '../fixes/change-settings';
import { type FeederKind, type QueueFeeder, queueFeeders } from '../inventory/feeders';
import type { Inventory, QueueFacts, Resource, TemplatePlace } from '../inventory/inventory';
import { queueOf, topicOf } from '../inventory/look-ups';
import type { Check, CheckResult, Severity } from './finding';

/** The Region and account where a dead-letter queue must be, and why. */
interface RequiredPlace {
  readonly region: string | undefined;
  readonly account: string | undefined;
  readonly whose: { readonly Region: string; readonly account: string };
}

/**
 * Where AWS requires a dead-letter queue to be. For a subscription, that is the account that subscribed, whatever the
 * topic's account is. For a rule, any account will do. For functions and schedules
 * AWS does not say (assumption IAM-5).
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-dlq.html
 */
function requiredPlaceOf(feeder: QueueFeeder): RequiredPlace | undefined {
  if (feeder.kind === 'queue') {
    const { region, account } = parseArn(feeder.resource.arn) ?? {};
    return { region, account, whose: { Region: 'the queue', account: 'the queue' } };
  }
  if (feeder.kind === 'rule') {
    const { region } = parseArn(feeder.resource.arn) ?? {};
    return { region, account: undefined, whose: { Region: 'the rule', account: 'the rule' } };
  }
  if (feeder.kind !== 'subscription') return undefined;
  const { topicArn, owner } = feeder.resource;
  const region = parseArn(knownValue(topicArn) ?? '')?.region;
  return { region, account: knownValue(owner), whose: { Region: 'the topic', account: 'the subscriber' } };
}

function differing({ region, account }: RequiredPlace, queueArn: string): 'Region' | 'account' | undefined {
  const dead = parseArn(queueArn);
  const isOther = (one: string | undefined, other: string | undefined) =>
    one !== undefined && other !== undefined && isEqual(one, other) === 'no';
  if (isOther(region, dead?.region)) return 'Region';
  return isOther(account, dead?.account) ? 'account' : undefined;
}

/**
 * SQS refuses both at once, and SNS refuses another Region. **Assumption IAM-5:** SNS does not refuse another account, nor
 * EventBridge another Region.
 */
function severityElsewhere(kind: FeederKind, differs: 'Region' | 'account'): Severity {
  return kind === 'queue' || (kind === 'subscription' && differs === 'Region') ? 'rejected' : 'at-risk';
}

function elsewhere(inventory: Inventory): CheckResult[] {
  return queueFeeders(inventory).flatMap((feeder): CheckResult[] => {
    const home = requiredPlaceOf(feeder);
    const differs = home && differing(home, feeder.queueArn);
    if (home === undefined || differs === undefined) return [];
    const whose = home.whose[differs];
    return [
      {
        severity: severityElsewhere(feeder.kind, differs),
        resource: feeder.resource,
        others: [feeder.queueArn],
        location: feeder.kind === 'rule' ? 'Properties/Targets' : 'Properties/RedrivePolicy',
        says: `The dead-letter queue of ${feeder.resource.name} is ${feeder.queueArn}, in another ${differs} than ${whose}: it receives no dead letters.`,
        fix: { says: `Use a dead-letter queue in the ${differs} of ${whose}.` },
      },
    ];
  });
}

function isFifoQueue(arn: string, inventory: Inventory, near: Resource): boolean | undefined {
  const isFifo = knownValue(queueOf(arn, inventory, near)?.isFifo);
  if (isFifo !== undefined) return isFifo;
  return hasStandIn(nameInArn(arn)) ? undefined : arn.endsWith('.fifo');
}

/** Services that only support standard queues, with their display names. */
const STANDARD_ALONE: ReadonlyMap<FeederKind, string> = new Map([
  ['function', 'Lambda'],
  ['rule', 'EventBridge'],
  ['schedule', 'EventBridge Scheduler'],
]);

/**
 * The type a dead-letter queue must have, and which service requires it; undefined if both work, or if it is unknown.
 */
function wantedType(feeder: QueueFeeder, inventory: Inventory): { isFifo: boolean; who: string } | undefined {
  const standard = STANDARD_ALONE.get(feeder.kind);
  if (standard !== undefined) return { isFifo: false, who: standard };
  if (feeder.kind === 'queue') {
    const { isFifo } = feeder.resource;
    return isKnown(isFifo) ? { isFifo, who: 'SQS' } : undefined;
  }
  if (feeder.kind !== 'subscription') return undefined;
  const { topicArn, protocol, endpoint } = feeder.resource;
  const isFifoTopic = knownValue(topicOf(knownValue(topicArn), inventory, feeder.resource)?.isFifo);
  if (isFifoTopic === undefined) return undefined;
  if (!isFifoTopic) return { isFifo: false, who: 'SNS' };
  const to = protocol === 'sqs' ? knownValue(endpoint) : undefined;
  return to !== undefined && isFifoQueue(to, inventory, feeder.resource) === true
    ? { isFifo: true, who: 'SNS' }
    : undefined;
}

function ofAnotherType(inventory: Inventory): CheckResult[] {
  return queueFeeders(inventory).flatMap((feeder): CheckResult[] => {
    const wanted = wantedType(feeder, inventory);
    const isFifo = isFifoQueue(feeder.queueArn, inventory, feeder.resource);
    if (wanted === undefined || isFifo === undefined || isFifo === wanted.isFifo) return [];
    const [type, other] = wanted.isFifo ? ['FIFO', 'standard'] : ['standard', 'FIFO'];
    return [
      {
        severity: 'rejected',
        resource: feeder.resource,
        others: [feeder.queueArn],
        location: `Properties/${feeder.via}`,
        says: `The dead-letter queue of ${feeder.resource.name} is a ${other} queue but must be a ${type} queue: ${wanted.who} rejects it.`,
        fix: { says: `Use a ${type} queue for these dead letters.` },
      },
    ];
  });
}

interface Pair {
  readonly source: QueueFacts;
  readonly dead: QueueFacts;
}

function pairsOf(inventory: Inventory): Pair[] {
  return inventory.queues.flatMap(source => {
    const dead = queueOf(knownValue(knownValue(source.redrivePolicy)?.deadLetterTargetArn), inventory, source);
    return dead ? [{ source, dead }] : [];
  });
}

function isKeptOut({ source, dead }: Pair): boolean {
  const policy = knownValue(dead.redriveAllowPolicy);
  if (policy === undefined) return false;
  const permission = knownValue(policy.permission);
  if (permission === 'denyAll') return true;
  const sources = knownValue(policy.sourceQueueArns);
  return permission === 'byQueue' && sources !== undefined && sources.every(it => isEqual(it, source.arn) === 'no');
}

const ALLOW_LOCATION = 'Properties/RedriveAllowPolicy';

function keptOut(inventory: Inventory): CheckResult[] {
  return pairsOf(inventory)
    .filter(isKeptOut)
    .map(({ source, dead }) => {
      const there = knownValue(knownValue(dead.redriveAllowPolicy)?.sourceQueueArns) ?? [];
      return {
        severity: 'rejected',
        resource: dead,
        others: [source.arn],
        location: ALLOW_LOCATION,
        says: `${source.name} uses ${dead.name} for its dead letters, but the redrive-allow policy of that queue does not allow it: SQS rejects that.`,
        fix: allowSources(
          dead,
          [...there, source.arn],
          `Allow ${source.name} to use ${dead.name} for its dead letters.`,
        ),
      };
    });
}

function waitsFor(one: TemplatePlace, { stack, logicalId }: TemplatePlace): boolean {
  return one.stack === stack && one.waitsFor.includes(logicalId);
}

function isCycle(one: Resource, other: Resource): boolean {
  return one.place !== undefined && other.place !== undefined
    ? waitsFor(one.place, other.place) && waitsFor(other.place, one.place)
    : false;
}

function cycles(inventory: Inventory): CheckResult[] {
  return pairsOf(inventory)
    .filter(({ source, dead }) => isCycle(source, dead))
    .map(({ source, dead }) => ({
      severity: 'rejected',
      resource: dead,
      others: [source.arn],
      location: ALLOW_LOCATION,
      says: `${dead.name} allows ${source.name} by its ARN, and ${source.name} names it for its dead letters: each waits for the other, and CloudFormation rejects the cycle.`,
      fix: {
        says: 'Set queueName on the source queue and write its ARN as text; or allow all source queues; or use a ProcessingQueue.',
      },
    }));
}

export const QUEUE_PAIR_CHECKS: readonly Check[] = [
  { id: 'dead-letter-queue-elsewhere', severities: ['rejected', 'at-risk'], find: elsewhere },
  { id: 'dead-letter-queue-of-another-type', severities: ['rejected'], find: ofAnotherType },
  { id: 'redrive-allow-policy-keeps-out', severities: ['rejected'], find: keptOut },
  { id: 'redrive-allow-policy-cycle', severities: ['rejected'], find: cycles },
];
