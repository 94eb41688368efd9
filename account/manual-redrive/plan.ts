import { createHash } from 'node:crypto';
import type { FunctionConfiguration } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { RedriveInput } from '../../bin/dlq/redrive/options';
import type { Progress } from '../../bin/progress';
import { functionOf } from '../../diagnosis/inventory/look-ups';
import { type OriginalDestination, routeOf } from '../../diagnosis/manual-redrive/destination';
import type {
  AutomaticRedrive,
  ManualRedriveFacts,
  ManualRedriveOptions,
  PlanInput,
  RedriveQueue,
} from '../../diagnosis/manual-redrive/facts';
import { type ManualRedrivePlan, planManualRedrive } from '../../diagnosis/manual-redrive/plan';
import { listMoveTasks } from '../../mover/move-tasks';
import { parseArn } from '../../policy/arn';
import { parseObject } from '../../policy/json-members';
import { totalOf } from '../../policy/redrive/budget';
import type { Connection } from '../connection/connection';
import { BadInput } from '../errors';
import { unreadableWarnings } from '../inventory/functions';
import { readPartialInventory } from '../inventory/read-inventory';
import { depthsIn } from '../messages/each-message';
import { type NamedQueue, queueNamed } from '../messages/named-queue';
import { checkReceives } from '../messages/receive-guard';
import { hasSettings, redriveOf } from '../redrive/find-redrives';

/** A plan, and what it was made of. */
export interface PlannedRedrive {
  /** What could not be read, in sentences. */
  readonly warnings: readonly string[];
  readonly plan: ManualRedrivePlan;
  readonly facts: ManualRedriveFacts;
  readonly home: OriginalDestination;
}

/** Functions of ours that redrive a queue. */
function redrivesOf(functions: readonly FunctionConfiguration[], queueArn: string): readonly AutomaticRedrive[] {
  const known = functions.map(redriveOf).filter(hasSettings);
  return known
    .filter(({ settings }) => settings.deadLetters.arn === queueArn)
    .map(({ name, settings }) => ({ name, enabled: settings.enabled }));
}

/**
 * A function of another account is not looked for.
 * @throws BadInput where there is no such function
 */
function checkThere(functionArn: string, { inventory }: ManualRedriveFacts): void {
  const { region, account } = parseArn(functionArn) ?? {};
  const isOurs = region === inventory.region && account === inventory.account;
  if (!isOurs || functionOf(functionArn, inventory)) return;
  throw new BadInput([
    `${functionArn}, to which the letters would go, is not there; --to names another place for them`,
  ]);
}

/** @throws BadInput where the destination is not there */
async function planTo(
  aws: Connection,
  facts: ManualRedriveFacts,
  terms: ManualRedriveOptions,
  home: OriginalDestination,
): Promise<ManualRedrivePlan> {
  if (home.kind === 'function') {
    checkThere(home.arn, facts);
    return planManualRedrive(facts, terms, home, undefined);
  }
  try {
    return planManualRedrive(facts, terms, home, handQueueOf(await queueNamed(aws, home.arn)));
  } catch (error) {
    if (!(error instanceof BadInput) || terms.to !== undefined) throw error;
    const { name } = facts.deadLetters;
    const [why = ''] = error.messages;
    throw new BadInput([`the letters of ${name} were for ${home.arn}, and ${why}; --to names another place for them`]);
  }
}

/**
 * Looks at a queue and all that has to do with it, and plans.
 * @param progress is told how much of the account has been read
 * @throws BadInput where there is no such queue, nobody can say where its letters go, or to receive them moves them elsewhere
 */
export async function lookAt(
  aws: Connection,
  name: string,
  { terms, isForced }: Pick<RedriveInput, 'terms' | 'isForced'>,
  progress: Pick<Progress, 'at'>,
): Promise<PlannedRedrive> {
  const queue = await queueNamed(aws, name);
  const deadLetters = handQueueOf(queue);
  const sqs = aws.client(SQSClient);
  const [{ inventory, listed }, tasks] = await Promise.all([
    readPartialInventory(aws, progress),
    listMoveTasks(sqs, deadLetters.arn),
  ]);
  const redrives = redrivesOf(listed, deadLetters.arn);
  const facts = { deadLetters, inventory, tasks, redrives };
  const route = routeOf(facts, terms);
  if (route.kind === 'none') throw new BadInput([route.reason]);
  const plan = await planTo(aws, facts, terms, route.home);
  // Where it is allowed, the plan tells of it.
  if (plan.carrier !== 'task') checkReceives(queue, isForced);
  return {
    plan,
    facts,
    home: route.home,
    warnings: [...(inventory.unseen ?? []), ...unreadableWarnings(listed, 'redrive')],
  };
}

/** Looks once more at the queues and the tasks, and plans anew: what is read of the account stays as it was a moment ago. */
export async function lookAgain(
  aws: Connection,
  { facts, home }: PlannedRedrive,
  terms: ManualRedriveOptions,
): Promise<ManualRedrivePlan> {
  const { arn } = facts.deadLetters;
  const [queue, tasks] = await Promise.all([queueNamed(aws, arn), listMoveTasks(aws.client(SQSClient), arn)]);
  return planTo(aws, { ...facts, deadLetters: handQueueOf(queue), tasks }, terms, home);
}

/** A queue as a plan reads it, from all that SQS tells of it. */
export function handQueueOf({ url, arn, name, isFifo, attributes }: NamedQueue): RedriveQueue {
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

/** How the parts of a plan stand in its id, and what each is called where it has changed. */
const PARTS: readonly (readonly [PlanInput, string])[] = [
  ['options', '--to, --rate, --canary or --filter are others'],
  ['route', 'the letters would go elsewhere, or by another way'],
  ['queues', 'a queue is configured otherwise, or the destination is another queue of that name'],
  ['activity', 'who feeds or reads the queues is another, or a task has begun or ended'],
];

/** Our choice: of the 32,768 a changed part can become, one is taken for no change. */
const CHARACTERS = 3;

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

const ID = /^(\d+)-([0-9a-z]{12})$/;

function hashOf(value: unknown): string {
  const bytes = createHash('sha256').update(JSON.stringify(value)).digest();
  return [...bytes.subarray(0, CHARACTERS)].map(byte => ALPHABET[byte % ALPHABET.length]).join('');
}

/**
 * The id of a plan: how many letters there are, and a short hash of each part it hangs on, so that what has changed since can
 * be told from the id alone. `12-k3f9xac0m7pq`
 */
export function planIdOf({ deadLetters, planInputs }: ManualRedrivePlan): string {
  return `${totalOf(deadLetters.depth)}-${PARTS.map(([part]) => hashOf(planInputs[part])).join('')}`;
}

/**
 * What has changed since a plan was made, in words; nothing where it is the same plan.
 * @param id the id of the plan that was made then
 * @throws BadInput when it is the id of no plan
 */
export function changesSince(id: string, plan: ManualRedrivePlan): readonly string[] {
  const [, thenMessages, thenHashes = ''] = ID.exec(id) ?? [];
  if (thenMessages === undefined) {
    throw new BadInput([`--execute takes the id of a plan, such as ${planIdOf(plan)}, or nothing; got ${id}`]);
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
