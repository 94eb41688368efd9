import { createHash } from 'node:crypto';
import type { FunctionConfiguration } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { functionOf } from '../../diagnosis/inventory/look-ups';
import { type OriginalDestination, routeOf } from '../../diagnosis/manual-redrive/destination';
import type {
  AutomaticRedrive,
  ManualRedriveFacts,
  ManualRedriveOptions,
  PlanInput,
  RedriveQueue,
} from '../../diagnosis/manual-redrive/manual-redrive-facts';
import { type ManualRedrivePlan, planManualRedrive } from '../../diagnosis/manual-redrive/manual-redrive-plan';
import { listMoveTasks } from '../../mover/move-tasks';
import { parseArn } from '../../policy/arn';
import { parseObject } from '../../policy/json-members';
import type { QueueMessage } from '../../policy/messages/decode-message';
import { totalOf } from '../../policy/redrive/budget';
import type { Connection } from '../connection/connection';
import { BadInput } from '../errors';
import { unreadableWarnings } from '../inventory/functions';
import { readPartialInventory } from '../inventory/read-inventory';
import { depthsIn } from '../messages/each-message';
import { type NamedQueue, queueNamed } from '../messages/named-queue';
import { checkReceives } from '../messages/receive-guard';
import type { ProgressListener } from '../ports';
import { hasSettings, redriveOf } from '../redrive/find-redrives';
import type { Match } from './filter';

/** A plan, and what it is based on. */
export interface PlannedRedrive {
  /** What could not be read, in sentences. */
  readonly warnings: readonly string[];
  readonly plan: ManualRedrivePlan;
  readonly facts: ManualRedriveFacts;
  readonly destination: OriginalDestination;
}

/** The `Redrive` constructs that redrive the queue. */
function redrivesOf(functions: readonly FunctionConfiguration[], queueArn: string): readonly AutomaticRedrive[] {
  const known = functions.map(redriveOf).filter(hasSettings);
  return known
    .filter(({ settings }) => settings.deadLetters.arn === queueArn)
    .map(({ name, settings }) => ({ name, enabled: settings.enabled }));
}

/**
 * A function of another account or Region is not checked.
 * @throws BadInput when the function does not exist
 */
function checkExists(functionArn: string, { inventory }: ManualRedriveFacts): void {
  const { region, account } = parseArn(functionArn) ?? {};
  const isReadable = region === inventory.region && account === inventory.account;
  if (!isReadable || functionOf(functionArn, inventory)) return;
  throw new BadInput([`${functionArn}, the destination of the messages, does not exist: name another with --to`]);
}

/** @throws BadInput when the destination does not exist */
async function planTo(
  aws: Connection,
  facts: ManualRedriveFacts,
  options: ManualRedriveOptions,
  destination: OriginalDestination,
): Promise<ManualRedrivePlan> {
  if (destination.kind === 'function') {
    checkExists(destination.arn, facts);
    return planManualRedrive(facts, options, destination, undefined);
  }
  try {
    return planManualRedrive(facts, options, destination, redriveQueueOf(await queueNamed(aws, destination.arn)));
  } catch (error) {
    if (!(error instanceof BadInput) || options.to !== undefined) throw error;
    const { name } = facts.deadLetters;
    const [why = ''] = error.messages;
    throw new BadInput([
      `the messages of ${name} were sent to ${destination.arn} first, but ${why}: name another destination with --to`,
    ]);
  }
}

/**
 * Reads a queue and the resources around it, and plans a redrive.
 * @param progress receives how many resources have been read
 * @throws BadInput when the queue does not exist, its messages have no known destination, or receiving them would move them to
 * another queue
 */
export async function planRedriveOf(
  aws: Connection,
  name: string,
  { options, isForced }: Pick<RedriveInput, 'options' | 'isForced'>,
  progress: ProgressListener,
): Promise<PlannedRedrive> {
  const queue = await queueNamed(aws, name);
  const deadLetters = redriveQueueOf(queue);
  const sqs = aws.client(SQSClient);
  const [{ inventory, listed }, tasks] = await Promise.all([
    readPartialInventory(aws, progress),
    listMoveTasks(sqs, deadLetters.arn),
  ]);
  const redrives = redrivesOf(listed, deadLetters.arn);
  const facts = { deadLetters, inventory, tasks, redrives };
  const route = routeOf(facts, options);
  if (route.kind === 'none') throw new BadInput([route.reason]);
  const plan = await planTo(aws, facts, options, route.home);
  // Receiving that is allowed is a risk in the plan.
  if (plan.carrier !== 'task') checkReceives(queue, isForced);
  return {
    plan,
    facts,
    destination: route.home,
    warnings: [...(inventory.unseen ?? []), ...unreadableWarnings(listed, 'redrive')],
  };
}

/** Reads the queues and tasks again, and plans again. The rest of the inventory is reused. */
export async function planAgain(
  aws: Connection,
  { facts, destination }: PlannedRedrive,
  options: ManualRedriveOptions,
): Promise<ManualRedrivePlan> {
  const { arn } = facts.deadLetters;
  const [queue, tasks] = await Promise.all([queueNamed(aws, arn), listMoveTasks(aws.client(SQSClient), arn)]);
  return planTo(aws, { ...facts, deadLetters: redriveQueueOf(queue), tasks }, options, destination);
}

/** The facts about a queue that a plan needs. */
function redriveQueueOf({ url, arn, name, isFifo, attributes }: NamedQueue): RedriveQueue {
  const { deadLetterTargetArn, maxReceiveCount } = parseObject(attributes['RedrivePolicy']) ?? {};
  const { KmsMasterKeyId: keyId } = attributes;
  return {
    url,
    arn,
    name,
    isFifo,
    depth: depthsIn(attributes),
    retentionSeconds: Number(attributes['MessageRetentionPeriod']),
    visibilityTimeoutSeconds: Number(attributes['VisibilityTimeout']),
    maximumMessageBytes: Number(attributes['MaximumMessageSize']),
    ...(typeof deadLetterTargetArn === 'string' && { deadLetterTargetArn }),
    ...(maxReceiveCount !== undefined && { maxReceiveCount: Number(maxReceiveCount) }),
    ...(keyId !== undefined && { keyId }),
  };
}

/** The inputs of a plan in the order of its id, and how a change of each is described. */
const PARTS: readonly (readonly [PlanInput, string])[] = [
  ['options', '--to, --rate, --canary or --filter differ'],
  ['route', 'the destination, or the way the messages are moved, has changed'],
  ['queues', 'the configuration of a queue has changed, or the destination was replaced by another queue of its name'],
  ['activity', 'what sends to the queues or reads them has changed, or a move task has started or ended'],
];

/** Short enough to type. One of 32,768 changes of an input goes unnoticed. */
const CHARACTERS = 3;

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

const ID = /^(\d+)-([0-9a-z]{12})$/;

function hashOf(value: unknown): string {
  const bytes = createHash('sha256').update(JSON.stringify(value)).digest();
  return [...bytes.subarray(0, CHARACTERS)].map(byte => ALPHABET[byte % ALPHABET.length]).join('');
}

/**
 * The id of a plan: the number of messages, and a short hash of each input. The id alone shows which input has
 * changed since: `12-k3f9xac0m7pq`
 */
export function planIdOf({ deadLetters, planInputs }: ManualRedrivePlan): string {
  return `${totalOf(deadLetters.depth)}-${PARTS.map(([part]) => hashOf(planInputs[part])).join('')}`;
}

/**
 * Describes what has changed since an earlier plan. Empty when nothing has.
 * @param id of the earlier plan
 * @throws BadInput when it is not the id of a plan
 */
export function changesSince(id: string, plan: ManualRedrivePlan): readonly string[] {
  const [, thenMessages, thenHashes = ''] = ID.exec(id) ?? [];
  if (thenMessages === undefined) {
    throw new BadInput([`--execute must have the id of a plan, such as ${planIdOf(plan)}, or nothing: got ${id}`]);
  }
  const messages = totalOf(plan.deadLetters.depth);
  const nowHashes = planIdOf(plan).split('-')[1] ?? '';
  const changed = PARTS.filter((_, index) => {
    const [from, to] = [index * CHARACTERS, (index + 1) * CHARACTERS];
    return thenHashes.slice(from, to) !== nowHashes.slice(from, to);
  });
  const depth = Number(thenMessages) === messages ? [] : [`depth ${thenMessages} → ${messages}`];
  return [...depth, ...changed.map(([, says]) => says)];
}

/** What the user wants of a redrive. */
export interface RedriveInput {
  readonly options: ManualRedriveOptions;
  /** Whether to receive messages although SQS moves them to another dead-letter queue after some receives. */
  readonly isForced: boolean;
  /** Selects the messages that move. @default - all move */
  readonly matches?: (message: QueueMessage) => Match;
}
