import { Command, InvalidArgumentError } from 'commander';
import { BadInput } from '../../account/errors';
import { stagesCost } from '../../diagnosis/cost/app-cost';
import { DEFAULT_ASSUMPTIONS } from '../../diagnosis/cost/assumptions';
import { counted } from '../../policy/format-text';
import { readStacks } from '../doctor/assembly';
import { EXIT_CODES } from '../shared/command-line';
import type { Io } from '../shared/io';
import { writeJson } from '../shared/print';
import { folded, paintFor, proseWidth } from '../shared/terminal-text';
import { costDocument, costText } from './cost-text';

interface CostCommandOptions {
  readonly stack?: string;
  readonly depth: number;
  readonly lines?: boolean;
  readonly messageKb: number;
  readonly batch: number;
  readonly duration: number;
  readonly json?: boolean;
}

const HELP = `
ASSEMBLY is the output folder of "cdk synth". Its templates are read, including stages and nested stacks, and AWS is not
called. The costs are those of list prices in us-east-1, which are part of this command, with the day of their look-up.

  idle     alarms, keys, secrets, dashboards, and what polls or runs by a schedule, a month
  million  a million messages at each topic, queue, asynchronous function and API where messages enter the app
  metrics  custom metrics that AWS bills only for hours in which they have data: a month, at most

What a template does not state is listed and not guessed. --json has the prices, with the page of each.

  dlo cost
  dlo cost cdk.out --stack Orders --depth 2 --lines
  dlo cost cdk.out --json | jq '.constructs[] | {path, aMonthIdle}'

${EXIT_CODES}`;

function numberBetween(least: number, most: number, isInteger: boolean) {
  return (text: string): number => {
    const value = Number(text);
    const isNumber = text.trim() !== '' && Number.isFinite(value) && (!isInteger || Number.isInteger(value));
    if (isNumber && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a${isInteger ? ' whole' : ''} number from ${least} to ${most}.`);
  };
}

/** The sizes of a message that SNS and SQS accept, in KB. */
const [LEAST_KB, MOST_KB] = [0.001, 1_024];

/** What SQS returns or deletes with one request at most. */
const MOST_IN_A_REQUEST = 10;

/** Lambda stops an invocation after 15 minutes. */
const MOST_SECONDS = 900;

/** Ids in a path: deeper constructs do not exist in practice. */
const MOST_DEPTH = 20;

/** `dlo cost`: what an app costs, by construct. */
export function costCommand(io: Io): Command {
  const { messageKilobytes, batchSize, invocationSeconds } = DEFAULT_ASSUMPTIONS;
  return new Command('cost')
    .argument('[ASSEMBLY]', 'the folder of a cloud assembly', 'cdk.out')
    .option('--stack <name>', 'only this stack; the others are read too')
    .option('--depth <n>', 'ids of a path below the stack that are one row', numberBetween(0, MOST_DEPTH, true), 1)
    .option('--lines', 'print what each construct is billed for')
    .option(
      '--message-kb <n>',
      'the size of a message, in KB',
      numberBetween(LEAST_KB, MOST_KB, false),
      messageKilobytes,
    )
    .option(
      '--batch <n>',
      'messages in a receive and an invocation of a queue',
      numberBetween(1, MOST_IN_A_REQUEST, true),
      batchSize,
    )
    .option(
      '--duration <seconds>',
      'how long an invocation takes',
      numberBetween(0, MOST_SECONDS, false),
      invocationSeconds,
    )
    .option('--json', 'print it as JSON')
    .addHelpText('after', HELP)
    .action((assembly: string, options: CostCommandOptions) => printCost(assembly, options, io));
}

function printCost(assembly: string, options: CostCommandOptions, io: Io): void {
  const { stack: stackName, depth, lines: hasLines = false, messageKb, batch, duration, json = false } = options;
  const stages = readStacks(assembly).map(({ stacks }) => stacks);
  const names = stages.flat().map(it => it.stackName);
  if (stackName !== undefined && !names.includes(stackName)) {
    throw new BadInput([`no stack of ${assembly} is named ${stackName}. Its stacks are ${names.join(', ')}`]);
  }
  const assumptions = { messageKilobytes: messageKb, batchSize: batch, invocationSeconds: duration };
  const cost = stagesCost(stages, { assumptions, depth, stackName });
  const what = stackName ?? `${assembly}, ${counted(names.length, 'stack', 'stacks')}`;
  if (json) {
    writeJson(io, costDocument(cost, what));
    return;
  }
  const page = { what, paint: paintFor(io.stdout), width: proseWidth(io.stdout), hasLines };
  io.stdout.write(folded(costText(cost, page), io.stdout));
}
