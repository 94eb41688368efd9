import type { FunctionConfiguration } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Connection } from '../../../account/connection/connection';
import { unreadableWarnings } from '../../../account/connection/functions';
import { functionOf } from '../../../diagnosis/inventory/look-ups';
import type {
  AutomaticRedrive,
  ManualRedriveFacts,
  ManualRedriveOptions,
} from '../../../diagnosis/manual-redrive/hand-facts';
import { type ManualRedrivePlan, planManualRedrive } from '../../../diagnosis/manual-redrive/hand-plan';
import type { OriginalDestination } from '../../../diagnosis/manual-redrive/home';
import { routeOf } from '../../../diagnosis/manual-redrive/route';
import { listMoveTasks } from '../../../lambda/redrive/task-list';
import { parseArn } from '../../../policy/arn';
import { BadInput } from '../../errors';
import type { Progress } from '../../progress';
import { hasSettings, redriveOf } from '../../redrive/redrive';
import { checkReceives } from '../letters/receive-guard';
import { queueNamed } from '../the-queue';
import { handQueueOf } from './hand-queue';
import { readPartialInventory } from './surroundings';
import type { RedriveInput } from './terms';

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
