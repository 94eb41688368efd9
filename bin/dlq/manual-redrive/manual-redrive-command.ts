import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import type { LeasePorts } from '../../../account/changes/queue-lease';
import type { Connection } from '../../../account/connection/connection';
import type { ManualRedrivePorts } from '../../../account/manual-redrive/carry-out';
import { checkSame, executePlan } from '../../../account/manual-redrive/execute-plan';
import { eventText, headText } from '../../../account/manual-redrive/manual-redrive-words';
import { planIdOf } from '../../../account/manual-redrive/plan-id';
import {
  type PlannedRedrive,
  planAgain,
  planRedriveOf,
  type RedriveInput,
} from '../../../account/manual-redrive/read-and-plan';
import {
  DEFAULT_CANARY,
  DEFAULT_RATE,
  type RedriveTerms,
  redriveInputOf,
  type TypedRedrive,
  typedRedrive,
} from '../../../account/manual-redrive/redrive-terms';
import { FEEDER_READS, QUEUE_NAMED_READS } from '../../../account/permissions';
import type { ManualRedrivePlan } from '../../../diagnosis/manual-redrive/manual-redrive-plan';
import { totalOf } from '../../../policy/redrive/budget';
import { auditLogGroupOf } from '../../shared/audit';
import type { CommandContext, CommandOptions } from '../../shared/command-line';
import type { CommandPermissions } from '../../shared/command-permissions';
import { interruptOf, type Output } from '../../shared/io';
import { confirmed, declined, warn, writeJson } from '../../shared/print';
import { progressOn, withReadProgress } from '../../shared/progress';
import { folded, proseWidth } from '../../shared/terminal-text';
import { withAws } from '../../shared/with-aws';
import { addChangeOptions, CHANGE_HELP, CHANGE_PERMISSIONS, type ChangeOptions } from '../queue-change';
import { queueCommand } from '../queue-command';
import { addRedactOption, REDACT_HELP, type RedactOptions, redactionOf } from '../redact-option';
import {
  declinedDocument,
  howText,
  outcomeDocument,
  outcomeText,
  planDocument,
  planText,
  shortfallText,
} from './manual-redrive-text';

interface ManualRedriveOptions
  extends CommandOptions,
    ChangeOptions,
    RedactOptions,
    Omit<RedriveTerms, 'rate' | 'canary'> {
  readonly rate?: string;
  readonly canary?: string;
  /** The id of a plan, or true without one. @default - only plan */
  readonly execute?: string | true;
}

function termsOf({ to, subscription, rate, canary, filter, force }: ManualRedriveOptions): RedriveTerms {
  return {
    ...(subscription !== undefined && { subscription }),
    ...(to !== undefined && { to }),
    ...(rate !== undefined && { rate: Number(rate) }),
    ...(canary !== undefined && { canary: Number(canary) }),
    ...(filter !== undefined && { filter }),
    ...(force !== undefined && { force }),
  };
}

/**
 * Validates the options of the command.
 * @throws BadInput with all problems
 */
function readRedriveInput(options: ManualRedriveOptions): RedriveInput {
  return redriveInputOf(termsOf(options));
}

export const REDRIVE_PERMISSIONS: CommandPermissions = {
  command: 'dlq redrive',
  reads: [...QUEUE_NAMED_READS, 'sqs:ListMessageMoveTasks', ...FEEDER_READS],
  executes: [
    'sqs:StartMessageMoveTask',
    'sqs:CancelMessageMoveTask',
    'sqs:ReceiveMessage',
    'sqs:DeleteMessage',
    'sqs:ChangeMessageVisibility',
    'sqs:SendMessage',
    'lambda:InvokeFunction',
    'cloudwatch:GetMetricData',
  ],
  executesMore: CHANGE_PERMISSIONS,
  keys: { executes: ['kms:Decrypt', 'kms:GenerateDataKey'] },
};

const HELP = `
QUEUE is a name, ARN or URL. Without --execute, it only prints a plan: the destination, how the messages are moved, how
fast, and the risks. The destination is where the messages were sent first, if that is one place. --to names another.

If several subscriptions share QUEUE, only the messages for the subscriber that --to names move: the envelope of each
message names its subscription. For an endpoint, --subscription names the subscription, and --to a queue, such as that of
a relay. Raw messages name no subscription: choose them with --filter.

SQS moves the messages with a move task if it can: from the dead-letter queue of a queue to a queue. Otherwise, and with
--filter, each message is received, sent and then deleted. For a function, it is invoked with the event.
A canary goes first. The others follow if no message of the canary returns, and it is proven to be consumed: the
destination is empty, or as many messages were deleted from it as it had before plus the canary. If the canary is not
consumed, nothing more moves, and the command exits with 1. --canary 0 skips the canary. The canary is watched
for as long as the destination takes to fail for good, by its timeouts and retries, or an hour. Messages that may
return later are reported. If it is unknown where failures end, the others follow without that proof.

If the queue itself has a redrive policy, and messages have to be received here, it refuses if SQS moves them on after ten
receives or fewer, unless --force is given.

--execute PLAN carries out that plan, and refuses if anything has changed since: the number of messages, the queues, or
what reads them. --execute alone shows the plan and asks, on a terminal. Elsewhere it plans twice, and carries the plan out
if nothing changed in between. Ctrl-C stops it: a task is cancelled, received messages are given back. Run it again for
the rest.

If SQS does not answer a send, or answers with a server error, the message may have moved. It is not sent again, stays in
QUEUE, and is reported. The next redrive sends it a second time: a standard queue has no id that shows a repeated send.

${CHANGE_HELP}

${REDACT_HELP}

EXPR is JMESPath, as in aws --query, over: data (the payload, parsed if it is JSON), body, attributes, who, messageId,
receiveCount, sentAt, sentAtMs, groupId, movedFromArn. Messages that do not match stay.

  dlo dlq redrive orders-dlq
  dlo dlq redrive orders-dlq --execute 12-k3f9xac0m7pq
  dlo dlq redrive orders-dlq --rate 5 --filter "data.orderId == 'R-0042'" --execute
  dlo dlq redrive webhook-dlq --to arn:aws:sqs:eu-central-1:123456789012:webhook-relay
  dlo dlq redrive news-dlq --subscription arn:aws:sns:eu-central-1:123456789012:news:6f1d0a5e`;

/** `dlo dlq redrive`. */
export function manualRedriveCommand(context: CommandContext): Command {
  const does = 'plan a redrive and carry it out: a canary first, then the rest';
  return addRedactOption(addChangeOptions(queueCommand(REDRIVE_PERMISSIONS, does, HELP)))
    .option('--json', 'print it as JSON')
    .option('--to <arn>', 'the destination queue or function (default: where the messages were sent first)')
    .option('--subscription <arn>', 'only the messages for this subscription')
    .option('--rate <n>', `messages a second, 1 to 500 (default: ${DEFAULT_RATE})`)
    .option('--canary <n>', `how many messages go first, 0 for none (default: ${DEFAULT_CANARY})`)
    .option('--filter <expr>', 'JMESPath: which messages move (default: all)')
    .option('--force', 'receive although that brings messages nearer to another dead-letter queue')
    .option('--execute [plan]', 'carry out the plan')
    .action(async (queue: string, options: ManualRedriveOptions) => redriveQueue(queue, options, context));
}

const YES = 'yes';

/** A plan, and the command that made it. */
interface Planned extends PlannedRedrive {
  readonly input: RedriveInput;
  readonly options: ManualRedriveOptions;
  readonly typed: TypedRedrive;
}

function shownPlan(plan: ManualRedrivePlan, output: Output): string {
  return folded(planText(plan, proseWidth(output)), output);
}

function printPlan({ plan, typed: { command }, options }: Planned, { io }: CommandContext): void {
  if (options.json) writeJson(io, planDocument(plan, command));
  else io.stdout.write(`${shownPlan(plan, io.stdout)}${howText(plan, command)}`);
}

/**
 * Selects the plan to carry out. With an id, that is the given plan, which was found unchanged. Without an id, the user confirms
 * the current plan, and it is made again to check that nothing has changed meanwhile.
 *
 * @returns undefined when the user declined
 */
async function confirmedPlan(
  aws: Connection,
  planned: Planned,
  { io }: CommandContext,
): Promise<ManualRedrivePlan | undefined> {
  const { plan, options, input } = planned;
  if (typeof options.execute === 'string') return plan;
  if (!options.json) io.stderr.write(shownPlan(plan, io.stderr));
  // Without a terminal, --execute is enough: a redrive loses no message.
  if ((await confirmed(io, `${headText(plan)} Type ${YES} to do it: `, YES)) === 'no') return undefined;
  const now = await planAgain(aws, planned, input.options);
  checkSame(planIdOf(plan), now);
  return now;
}

async function execute(aws: Connection, planned: Planned, context: CommandContext): Promise<void> {
  const { io } = context;
  const { options, typed, input } = planned;
  const plan = await confirmedPlan(aws, planned, context);
  if (!plan) {
    if (options.json) writeJson(io, declinedDocument(planned.plan));
    throw declined('nothing has been moved', YES);
  }
  const how = {
    redaction: redactionOf(options),
    steals: options.stealLease ?? false,
    auditLogGroup: auditLogGroupOf(options),
  };
  const outcome = await executePlan(aws, plan, input, how, carryOutPorts(plan, context));
  const shortfall = shortfallText(outcome);
  // When nothing moved, the reason says it all.
  const hasMovedNothing = outcome.moved === 0 && outcome.left.length === 0;
  if (hasMovedNothing && outcome.kind === 'failed') throw new Error(outcome.reason);
  if (options.json) writeJson(io, outcomeDocument(outcome, plan, typed));
  else io.stdout.write(folded(outcomeText(outcome, plan, typed), io.stdout));
  if (shortfall !== undefined) throw new Error(shortfall);
}

function carryOutPorts(
  { carrier }: ManualRedrivePlan,
  { io, nowMs, wait, pollSeconds = 1, interrupt = interruptOf(io) }: CommandContext,
): ManualRedrivePorts & LeasePorts {
  const what = carrier === 'task' ? 'messages moved, as far as SQS reports' : 'messages moved';
  return {
    nowMs,
    wait,
    pollSeconds,
    newId: randomUUID,
    isInterrupted: () => interrupt.isAsked,
    report: event =>
      io.stderr.write(`${eventText(event)}${event.kind === 'watch-starts' ? ' Ctrl-C stops it.' : ''}\n`),
    warn: text => warn(io, [text]),
    showProgress: total => progressOn(io.stderr, { what, ...(total !== undefined && { total }) }, nowMs),
  };
}

/** Plans with a progress bar, and warns of what could not be read. */
async function planned(
  aws: Connection,
  name: string,
  input: RedriveInput,
  context: CommandContext,
): Promise<PlannedRedrive> {
  const result = await withReadProgress(context, readWith => planRedriveOf(aws, name, input, readWith(aws)));
  warn(context.io, result.warnings);
  return result;
}

/**
 * `dlo dlq redrive`.
 * @throws BadInput for invalid options, and when the messages have no known destination
 * @throws Error when the plan has changed or cannot be carried out, and when not all messages moved
 */
async function redriveQueue(name: string, options: ManualRedriveOptions, context: CommandContext): Promise<void> {
  const input = readRedriveInput(options);
  redactionOf(options);
  await withAws(options, context, async aws => {
    const result = await planned(aws, name, input, context);
    const { plan, facts } = result;
    const typed = typedRedrive(facts.deadLetters.name, termsOf(options), { options, region: aws.region });
    if (typeof options.execute === 'string') checkSame(options.execute, plan);
    const isEmpty = totalOf(plan.deadLetters.depth) === 0;
    const all = { ...result, input, options, typed };
    if (options.execute === undefined || isEmpty) printPlan(all, context);
    else await execute(aws, all, context);
  });
}
