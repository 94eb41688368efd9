import type { FunctionConfiguration } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Connection } from '../../../account/connection/connection';
import { unreadableWarnings } from '../../../account/connection/functions';
import { functionOf } from '../../../diagnosis/inventory/look-ups';
import type { HandFacts, HandTerms, WatchingRedrive } from '../../../diagnosis/manual-redrive/hand-facts';
import { type HandPlan, planByHand } from '../../../diagnosis/manual-redrive/hand-plan';
import type { Home } from '../../../diagnosis/manual-redrive/home';
import { routeOf } from '../../../diagnosis/manual-redrive/route';
import { taskList } from '../../../lambda/redrive/task-list';
import { parseArn } from '../../../policy/arn';
import { BadInput } from '../../errors';
import type { Progress } from '../../progress';
import { isKnown, redriveOf } from '../../redrive/redrive';
import { checkReceives } from '../letters/receive-guard';
import { queueNamed } from '../the-queue';
import { handQueueOf } from './hand-queue';
import { readSurroundings } from './surroundings';
import type { Terms } from './terms';

/** A plan, and what it was made of. */
export interface Looked {
  /** What could not be read, in sentences. */
  readonly warnings: readonly string[];
  readonly plan: HandPlan;
  readonly facts: HandFacts;
  readonly home: Home;
}

/** Functions of ours that redrive a queue. */
function redrivesOf(functions: readonly FunctionConfiguration[], queueArn: string): readonly WatchingRedrive[] {
  const known = functions.map(redriveOf).filter(isKnown);
  return known
    .filter(({ settings }) => settings.deadLetters.arn === queueArn)
    .map(({ name, settings }) => ({ name, enabled: settings.enabled }));
}

/**
 * A function of another account is not looked for.
 * @throws BadInput where there is no such function
 */
function checkThere(functionArn: string, { inventory }: HandFacts): void {
  const { region, account } = parseArn(functionArn) ?? {};
  const isOurs = region === inventory.region && account === inventory.account;
  if (!isOurs || functionOf(functionArn, inventory)) return;
  throw new BadInput([
    `${functionArn}, to which the letters would go, is not there; --to names another place for them`,
  ]);
}

/** @throws BadInput where the destination is not there */
async function planTo(aws: Connection, facts: HandFacts, terms: HandTerms, home: Home): Promise<HandPlan> {
  if (home.kind === 'function') {
    checkThere(home.arn, facts);
    return planByHand(facts, terms, home, undefined);
  }
  try {
    return planByHand(facts, terms, home, handQueueOf(await queueNamed(aws, home.arn)));
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
  { terms, isForced }: Pick<Terms, 'terms' | 'isForced'>,
  progress: Pick<Progress, 'at'>,
): Promise<Looked> {
  const queue = await queueNamed(aws, name);
  const deadLetters = handQueueOf(queue);
  const sqs = aws.client(SQSClient);
  const [{ inventory, listed }, tasks] = await Promise.all([
    readSurroundings(aws, progress),
    taskList(sqs, deadLetters.arn),
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
export async function lookAgain(aws: Connection, { facts, home }: Looked, terms: HandTerms): Promise<HandPlan> {
  const { arn } = facts.deadLetters;
  const [queue, tasks] = await Promise.all([queueNamed(aws, arn), taskList(aws.client(SQSClient), arn)]);
  return planTo(aws, { ...facts, deadLetters: handQueueOf(queue), tasks }, terms, home);
}
