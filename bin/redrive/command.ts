import { Command } from 'commander';
import { addConnectionOptions, type ConnectionOptions, EXIT_CODES } from '../command-line';
import type { Io } from '../io';

/** What every command of redrives is told. */
export interface RedriveOptions extends ConnectionOptions {
  readonly json?: boolean;
}

/** What a command is told that changes something. */
export interface ActingOptions extends RedriveOptions {
  readonly execute?: boolean;
}

const NAME = "its function's name, what its alarms call it, or a part of either";

const LIST_HELP = `
A redrive is found by how its function is configured, whatever its name and tags. How it stands is decided here as
its function decides, by what AWS says at this moment.

  dlo redrive ls --region eu-central-1
  dlo redrive ls --json | jq -r '.redrives[] | select(.state == "stopped").name'

It takes the permissions lambda:ListFunctions, lambda:GetEventSourceMapping, sqs:GetQueueAttributes,
sqs:ListMessageMoveTasks, cloudwatch:DescribeAlarms, cloudwatch:DescribeAlarmHistory, cloudwatch:GetMetricData and
ssm:GetParameter.

${EXIT_CODES}`;

const SHOW_HELP = `
NAME is that of the redrive's function, or what its alarms and records call it, or a part that no other redrive has.

  dlo redrive show Orders
  dlo redrive show Orders --profile ops --json | jq '.gates[] | select(.isShut)'

It takes the permissions of dlo redrive ls, and logs:FilterLogEvents.

${EXIT_CODES}`;

const STOP_HELP = `
Its switch, a parameter of SSM, becomes off: nothing begins, and what moves is cancelled within a minute or two.
Without --execute it says what it would do. NAME as for dlo redrive show.

  dlo redrive stop Orders
  dlo redrive stop Orders --execute

It takes the permissions lambda:ListFunctions and ssm:GetParameter; with --execute also ssm:PutParameter.

${EXIT_CODES}`;

const START_HELP = `
Its switch, a parameter of SSM, becomes on. It begins no run by that: its schedule, a recovery or dlo redrive run does.
Without --execute it says what it would do. NAME as for dlo redrive show.

  dlo redrive start Orders
  dlo redrive start Orders --execute

It takes the permissions lambda:ListFunctions and ssm:GetParameter; with --execute also ssm:PutParameter.

${EXIT_CODES}`;

const RUN_HELP = `
The run begins with its canary, and keeps to every gate and budget. Without --execute it says what would begin, or
what keeps it; with it, it ends with 1 where something does. NAME as for dlo redrive show.

  dlo redrive run Orders
  dlo redrive run Orders --execute

It takes the permissions of dlo redrive ls; with --execute also lambda:InvokeFunction.

${EXIT_CODES}`;

/** What a command does is loaded when it runs, and the SDK with it: other commands need neither. */
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
 * `dlo redrive`: how the redrives of a Region stand, a switch for each, and a run when somebody asks for one.
 *
 * @param nowMs @default - the clock on the wall
 */
export function redriveCommand(io: Io, nowMs: () => number = Date.now): Command {
  const list = addConnectionOptions(new Command('ls'))
    .description('list every redrive of the Region: its state, the letters that wait, its switch, its last run')
    .option('--json', 'print the list as JSON')
    .addHelpText('after', LIST_HELP)
    .action(async (options: RedriveOptions) => (await work()).listRedrives(options, io, nowMs));
  const show = ofOne(
    'show',
    'show one redrive: its gates, its moves, what it did last, and what to do',
    SHOW_HELP,
  ).action(async (name: string, options: RedriveOptions) => (await work()).showRedrive(name, options, io, nowMs));
  const stop = acting('stop', 'have a redrive move nothing until somebody starts it again', STOP_HELP).action(
    async (name: string, options: ActingOptions) => (await work()).switchRedrive(name, 'stop', options, io),
  );
  const start = acting('start', 'let a redrive go on by its triggers', START_HELP).action(
    async (name: string, options: ActingOptions) => (await work()).switchRedrive(name, 'start', options, io),
  );
  const run = acting('run', 'begin a run now, where every gate is open', RUN_HELP).action(
    async (name: string, options: ActingOptions) => (await work()).runRedrive(name, options, io, nowMs),
  );
  const redrive = new Command('redrive').description('what redrives do, and what keeps one; stop, start and run one');
  for (const command of [list, show, stop, start, run]) redrive.addCommand(command);
  return redrive;
}
