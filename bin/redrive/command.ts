import { Command } from 'commander';
import { addConnectionOptions, EXIT_CODES } from '../shared/command-line';
import type { Io } from '../shared/io';
import type { ActingOptions, RedriveCommandOptions } from './run-redrive';

const NAME = "the function's name, the name in its alarms, or a part of either";

const LIST_HELP = `
A redrive is found by the configuration of its function, not by its name and tags. Its state is decided here as its
function decides, from what AWS reports now.

  dlo redrive ls --region eu-central-1
  dlo redrive ls --json | jq -r '.redrives[] | select(.state == "stopped").name'

It needs the permissions lambda:ListFunctions, lambda:GetEventSourceMapping, sqs:GetQueueAttributes,
sqs:ListMessageMoveTasks, cloudwatch:DescribeAlarms, cloudwatch:DescribeAlarmHistory, cloudwatch:GetMetricData and
ssm:GetParameter.

${EXIT_CODES}`;

const SHOW_HELP = `
NAME is the name of the redrive's function, the name in its alarms and records, or a part that no other redrive has.

  dlo redrive show Orders
  dlo redrive show Orders --profile ops --json | jq '.gates[] | select(.isShut)'

It needs the permissions of dlo redrive ls, and logs:FilterLogEvents.

${EXIT_CODES}`;

const STOP_HELP = `
Sets its switch, an SSM parameter, to off: no run starts, and a running move is cancelled within a minute or two.
Without --execute, it only prints the plan. NAME as for dlo redrive show.

  dlo redrive stop Orders
  dlo redrive stop Orders --execute

It needs the permissions lambda:ListFunctions and ssm:GetParameter; with --execute also ssm:PutParameter.

${EXIT_CODES}`;

const START_HELP = `
Sets its switch, an SSM parameter, to on. That alone starts no run: its schedule, a recovery or dlo redrive run does.
Without --execute, it only prints the plan. NAME as for dlo redrive show.

  dlo redrive start Orders
  dlo redrive start Orders --execute

It needs the permissions lambda:ListFunctions and ssm:GetParameter; with --execute also ssm:PutParameter.

${EXIT_CODES}`;

const RUN_HELP = `
The run begins with its canary, and keeps every precondition and budget. Without --execute, it only prints what would
start, or why not. With it, it exits with 1 if no run can start. NAME as for dlo redrive show.

  dlo redrive run Orders
  dlo redrive run Orders --execute

It needs the permissions of dlo redrive ls; with --execute also lambda:InvokeFunction.

${EXIT_CODES}`;

/** The SDK is loaded only when the command runs. */
const work = () => import('./run-redrive');

function ofOne(name: string, description: string, help: string): Command {
  return addConnectionOptions(new Command(name))
    .description(description)
    .argument('NAME', NAME)
    .option('--json', 'print it as JSON')
    .addHelpText('after', help);
}

function acting(name: string, description: string, help: string): Command {
  return ofOne(name, description, help).option('--execute', 'do it');
}

/**
 * `dlo redrive`: shows the redrives of a Region, switches them, and starts runs.
 *
 * @param nowMs @default - the system clock
 */
export function redriveCommand(io: Io, nowMs: () => number = Date.now): Command {
  const list = addConnectionOptions(new Command('ls'))
    .description('list every redrive of the Region: its state, waiting messages, switch and last run')
    .option('--json', 'print the list as JSON')
    .addHelpText('after', LIST_HELP)
    .action(async (options: RedriveCommandOptions) => (await work()).listRedrives(options, io, nowMs));
  const show = ofOne(
    'show',
    'show one redrive: its preconditions, moves, last records, and what to do',
    SHOW_HELP,
  ).action(async (name: string, options: RedriveCommandOptions) =>
    (await work()).showRedrive(name, options, io, nowMs),
  );
  const stop = acting('stop', 'stop a redrive until it is started again', STOP_HELP).action(
    async (name: string, options: ActingOptions) => (await work()).switchRedrive(name, 'stop', options, io),
  );
  const start = acting('start', 'let a redrive continue at its next trigger', START_HELP).action(
    async (name: string, options: ActingOptions) => (await work()).switchRedrive(name, 'start', options, io),
  );
  const run = acting('run', 'start a run now, if all preconditions hold', RUN_HELP).action(
    async (name: string, options: ActingOptions) => (await work()).runRedrive(name, options, io, nowMs),
  );
  const redrive = new Command('redrive').description(
    'redrives: what they do, why one does not; stop, start and run one',
  );
  for (const command of [list, show, stop, start, run]) redrive.addCommand(command);
  return redrive;
}
