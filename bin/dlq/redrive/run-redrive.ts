import { type Connection, connected } from '../../../account/connection/connection';
import { carryOut } from '../../../account/manual-redrive/carry-out';
import { changesSince, lookAgain, lookAt, type PlannedRedrive, planIdOf } from '../../../account/manual-redrive/plan';
import type { ManualRedrivePlan } from '../../../diagnosis/manual-redrive/plan';
import { totalOf } from '../../../policy/redrive/budget';
import type { Output } from '../../io';
import { confirmed, declined, warn, writeJson } from '../../print';
import { withProgress } from '../../progress';
import { folded, proseWidth } from '../../text';
import type { DlqContext } from '../command';
import { type RedriveInput, type RedriveOptions, readRedriveInput, type Typed, typedFor } from './options';
import { declinedDocument, outcomeDocument, outcomeText, shortfallText } from './outcome-text';
import { headText, howText, planDocument, planText } from './plan-text';

const YES = 'yes';

/** A plan, and how it came about. */
interface Planned extends PlannedRedrive {
  readonly terms: RedriveInput;
  readonly options: RedriveOptions;
  readonly typed: Typed;
}

function checkSame(id: string, plan: ManualRedrivePlan): void {
  const changes = changesSince(id, plan);
  if (changes.length === 0) return;
  throw new Error(`nothing has been moved, for it is not as it was when ${id} was planned: ${changes.join('; ')}`);
}

function checkUnblocked({ risks }: ManualRedrivePlan): void {
  const blocking = risks.find(({ weight }) => weight === 'blocks');
  if (blocking) throw new Error(`nothing has been moved: ${blocking.says}`);
}

function shownPlan(plan: ManualRedrivePlan, output: Output): string {
  return folded(planText(plan, proseWidth(output)), output);
}

function printPlan({ plan, typed: { command }, options }: Planned, { io }: DlqContext): void {
  if (options.json) writeJson(io, planDocument(plan, command));
  else io.stdout.write(`${shownPlan(plan, io.stdout)}${howText(plan, command)}`);
}

/**
 * The plan that is acted on: the one whose id was given, which has been found the same; or that of this moment, which who sits before
 * a terminal has read and agreed to, and which a second look has found to be as it was.
 *
 * @returns undefined where somebody has thought better of it
 */
async function agreed(aws: Connection, planned: Planned, { io }: DlqContext): Promise<ManualRedrivePlan | undefined> {
  const { plan, options, terms } = planned;
  if (typeof options.execute === 'string') return plan;
  if (!options.json) io.stderr.write(shownPlan(plan, io.stderr));
  // What it does loses nothing: where nobody can be asked, to be told is enough.
  if ((await confirmed(io, `${headText(plan)} Type ${YES} to do it: `, YES)) === 'no') return undefined;
  const now = await lookAgain(aws, planned, terms.terms);
  checkSame(planIdOf(plan), now);
  return now;
}

async function execute(aws: Connection, planned: Planned, world: DlqContext): Promise<void> {
  const { io } = world;
  const { options, typed, terms } = planned;
  const plan = await agreed(aws, planned, world);
  if (!plan) {
    if (options.json) writeJson(io, declinedDocument(planned.plan));
    throw declined('nothing has been moved', YES);
  }
  checkUnblocked(plan);
  const outcome = await carryOut(aws, world, plan, terms);
  const shortfall = shortfallText(outcome);
  // Where nothing came of it there is nothing to tell but why.
  const isNothing = outcome.moved === 0 && outcome.left.length === 0;
  if (isNothing && outcome.kind === 'failed') throw new Error(outcome.reason);
  if (options.json) writeJson(io, outcomeDocument(outcome, plan, typed));
  else io.stdout.write(folded(outcomeText(outcome, plan, typed), io.stdout));
  if (shortfall !== undefined) throw new Error(shortfall);
}

/** Looks, tells how far it is, and says what could not be read. */
async function lookWell(
  aws: Connection,
  name: string,
  terms: RedriveInput,
  { io, nowMs }: DlqContext,
): Promise<PlannedRedrive> {
  const looked = await withProgress(io.stderr, { what: 'resources read' }, nowMs, progress =>
    lookAt(aws, name, terms, progress),
  );
  warn(io, looked.warnings);
  return looked;
}

/**
 * `dlo dlq redrive`.
 * @throws BadInput for terms that are none, and where nobody can say where letters go
 * @throws Error where it is to be done, and something has changed, or keeps it; and where it was not done to the end
 */
export async function redriveQueue(name: string, options: RedriveOptions, world: DlqContext): Promise<void> {
  const terms = readRedriveInput(options);
  await connected(options, async aws => {
    const looked = await lookWell(aws, name, terms, world);
    const site = { options, region: aws.region };
    const typed = typedFor(looked.facts.deadLetters.name, options, site);
    const planned = { ...looked, terms, options, typed };
    if (typeof options.execute === 'string') checkSame(options.execute, looked.plan);
    const isEmpty = totalOf(looked.plan.deadLetters.depth) === 0;
    if (options.execute === undefined || isEmpty) printPlan(planned, world);
    else await execute(aws, planned, world);
  });
}
