import type { FunctionConfiguration } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { mayLack } from '../../diagnosis/inventory/inventory';
import { functionOf } from '../../diagnosis/inventory/look-ups';
import { type OriginalDestination, routeOf } from '../../diagnosis/manual-redrive/destination';
import type {
  AutomaticRedrive,
  ManualRedriveFacts,
  ManualRedriveOptions,
  RedriveQueue,
} from '../../diagnosis/manual-redrive/manual-redrive-facts';
import { type ManualRedrivePlan, planManualRedrive } from '../../diagnosis/manual-redrive/manual-redrive-plan';
import { listMoveTasks } from '../../mover/aws/move-tasks';
import { parseArn } from '../../policy/arn';
import { parseObject } from '../../policy/json-members';
import type { QueueMessage } from '../../policy/messages/decode-message';
import { isKnown, knownValue } from '../../template/maybe-known';
import type { Connection } from '../connection/connection';
import type { Question } from '../connection/unread-calls';
import { BadInput } from '../errors';
import { unreadableWarnings } from '../inventory/functions';
import { readPartialInventory } from '../inventory/read-inventory';
import { depthsIn } from '../messages/each-message';
import { type NamedQueue, queueNamed } from '../messages/named-queue';
import { checkReceives } from '../messages/receive-guard';
import type { ProgressListener } from '../ports';
import { hasSettings, redriveOf } from '../redrive/find-redrives';
import type { Match } from './filter';

const TASKS: Question = { action: 'sqs:ListMessageMoveTasks', tells: 'the move tasks of the queue' };

async function tasksOf(
  aws: Connection,
  queueArn: string,
): Promise<Pick<ManualRedriveFacts, 'tasks' | 'areTasksUnknown'>> {
  const tasks = await aws.unread.read(TASKS, undefined, () => listMoveTasks(aws.client(SQSClient), queueArn));
  return { tasks: knownValue(tasks) ?? [], areTasksUnknown: !isKnown(tasks) };
}

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

function checkExists(functionArn: string, { inventory }: ManualRedriveFacts): void {
  const { region, account } = parseArn(functionArn) ?? {};
  const isReadable = region === inventory.region && account === inventory.account;
  if (!isReadable || functionOf(functionArn, inventory) || mayLack(inventory, 'functions')) return;
  throw new BadInput([`${functionArn}, the destination of the messages, does not exist: name another with --to`]);
}

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
 */
export async function planRedriveOf(
  aws: Connection,
  name: string,
  { options, isForced }: Pick<RedriveInput, 'options' | 'isForced'>,
  progress: ProgressListener,
): Promise<PlannedRedrive> {
  const queue = await queueNamed(aws, name);
  const deadLetters = redriveQueueOf(queue);
  const [{ inventory, listed }, tasks] = await Promise.all([
    readPartialInventory(aws, queue.url, progress),
    tasksOf(aws, deadLetters.arn),
  ]);
  const redrives = redrivesOf(listed, deadLetters.arn);
  const facts = { deadLetters, inventory, ...tasks, redrives };
  const route = routeOf(facts, options);
  if (route.kind === 'none') {
    const isUnread = options.to === undefined && mayLack(inventory, 'feeders');
    throw isUnread ? new Error(route.reason) : new BadInput([route.reason]);
  }
  const plan = await planTo(aws, facts, options, route.home);
  // Receiving that is allowed is a risk in the plan.
  if (plan.carrier !== 'task') checkReceives(queue, isForced);
  return {
    plan,
    facts,
    destination: route.home,
    warnings: unreadableWarnings(listed, 'redrive'),
  };
}

/** Reads the queues and tasks again, and plans again. The rest of the inventory is reused. */
export async function planAgain(
  aws: Connection,
  { facts, destination }: PlannedRedrive,
  options: ManualRedriveOptions,
): Promise<ManualRedrivePlan> {
  const { arn } = facts.deadLetters;
  const [queue, tasks] = await Promise.all([queueNamed(aws, arn), tasksOf(aws, arn)]);
  return planTo(aws, { ...facts, deadLetters: redriveQueueOf(queue), ...tasks }, options, destination);
}

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

export interface RedriveInput {
  readonly options: ManualRedriveOptions;
  /** Whether to receive messages although SQS moves them to another dead-letter queue after some receives. */
  readonly isForced: boolean;
  /** Selects the messages that move. @default - all move */
  readonly matches?: (message: QueueMessage) => Match;
}
