import { Command } from 'commander';
import type { Connection } from '../../account/connection/connection';
import { oneNamed } from '../../account/names';
import { redriveReport } from '../../account/redrive/advice';
import { type FoundRedrives, findRedrives, hasSettings, type KnownRedrive } from '../../account/redrive/find-redrives';
import {
  askForRun,
  executeRedriveSwitch,
  keptText,
  prospectOf,
  type RedriveSwitch,
  switchPlan,
} from '../../account/redrive/operate-redrive';
import { factClients, lastRecords, lookAt } from '../../account/redrive/redrive-state';
import { withAudit } from '../shared/audit';
import { addConnectionOptions, type CommandContext, type CommandOptions, EXIT_CODES } from '../shared/command-line';
import type { Io } from '../shared/io';
import { addChangeOptions, type ChangeOptions, planOrCarryOut } from '../shared/planned-change';
import { warn, writeJson } from '../shared/print';
import { screenOf } from '../shared/terminal-text';
import { type AwsContext, withAws } from '../shared/with-aws';
import { redriveDocument, showDocument } from './redrive-documents';
import { askDocument, askText, listText, plannedSwitch, showText } from './redrive-text';

const NAME = "the function's name, the name in its alarms, or a part of either";

const LIST_HELP = `
A redrive is found by the configuration of its function, not by its name and tags. Its state is decided here as its
function decides, from what AWS reports now.

  dlo redrive ls --region eu-central-1
  dlo redrive ls --json | jq -r '.redrives[] | select(.state == "stopped").name'

It needs the permissions lambda:ListFunctions, lambda:GetEventSourceMapping, sqs:GetQueueAttributes,
sqs:ListMessageMoveTasks, cloudwatch:DescribeAlarms, cloudwatch:DescribeAlarmHistory, cloudwatch:GetMetricData and
ssm:GetParameter. The first two of CloudWatch must be on *, because it omits composite alarms otherwise.

${EXIT_CODES}`;

const SHOW_HELP = `
NAME is the name of the redrive's function, the name in its alarms and records, or a part that no other redrive has.

  dlo redrive show Orders
  dlo redrive show Orders --profile ops --json | jq '.gates[] | select(.isShut)'

It needs the permissions of dlo redrive ls, and logs:FilterLogEvents.

${EXIT_CODES}`;

type RedriveContext = AwsContext & Pick<CommandContext, 'nowMs'>;

/** A command that changes something. */
interface RedriveChange {
  readonly does: string;
  /** The help, with what follows without `--execute`. */
  readonly help: string;
  readonly permissions: string;
  readonly act: (name: string, options: ChangeOptions, context: RedriveContext) => Promise<void>;
}

const SWITCH_PERMISSIONS = 'lambda:ListFunctions and ssm:GetParameter; with --execute also ssm:PutParameter.\n';

const CHANGES: Readonly<Record<'stop' | 'start' | 'run', RedriveChange>> = {
  stop: {
    does: 'stop a redrive until it is started again',
    help: `Sets its switch, an SSM parameter, to off: no run starts, and a running move is cancelled within a minute or two.
Without --execute, it only prints the plan. NAME as for dlo redrive show.`,
    permissions: SWITCH_PERMISSIONS,
    act: (name, options, context) => switchRedrive(name, 'stop', options, context),
  },
  start: {
    does: 'let a redrive continue at its next trigger',
    help: `Sets its switch, an SSM parameter, to on. That alone starts no run: its schedule, a recovery or dlo redrive run does.
Without --execute, it only prints the plan. NAME as for dlo redrive show.`,
    permissions: SWITCH_PERMISSIONS,
    act: (name, options, context) => switchRedrive(name, 'start', options, context),
  },
  run: {
    does: 'start a run now, if all preconditions hold',
    help: `The run begins with its canary, and keeps every precondition and budget. Without --execute, it only prints what would
start, or why not. With it, it exits with 1 if no run can start. NAME as for dlo redrive show.`,
    permissions: 'of dlo redrive ls; with --execute also lambda:InvokeFunction.\n',
    act: runRedrive,
  },
};

function ofOne(name: string, description: string): Command {
  return addConnectionOptions(new Command(name))
    .description(description)
    .argument('NAME', NAME)
    .option('--json', 'print it as JSON');
}

/** `dlo redrive`: shows the redrives of a Region, switches them, and starts runs. */
export function redriveCommand(context: RedriveContext): Command {
  const list = addConnectionOptions(new Command('ls'))
    .description('list every redrive of the Region: its state, waiting messages, switch and last run')
    .option('--json', 'print the list as JSON')
    .addHelpText('after', LIST_HELP)
    .action(async (options: CommandOptions) => listRedrives(options, context));
  const show = ofOne('show', 'show one redrive: its preconditions, moves, last records, and what to do')
    .addHelpText('after', SHOW_HELP)
    .action(async (name: string, options: CommandOptions) => showRedrive(name, options, context));
  const changes = Object.entries(CHANGES).map(([change, { does, help, permissions, act }]) => {
    const examples = `  dlo redrive ${change} Orders\n  dlo redrive ${change} Orders --execute`;
    return addChangeOptions(ofOne(change, does), `${help}\n\n${examples}`, permissions).action(
      async (name: string, options: ChangeOptions) => act(name, options, context),
    );
  });
  const redrive = new Command('redrive');
  for (const command of [list, show, ...changes]) redrive.addCommand(command);
  return redrive;
}

interface Chosen extends FoundRedrives {
  readonly redrive: KnownRedrive;
}

async function choose(aws: Connection, name: string, io: Io): Promise<Chosen> {
  const found = await findRedrives(aws);
  const redrive = oneNamed(name, found.redrives, 'redrive', aws.region);
  warn(io, found.warnings);
  if (hasSettings(redrive)) return { ...found, redrive };
  throw new Error(`${redrive.name} was deployed by another version, whose settings this version cannot read`);
}

/** `dlo redrive ls`. */
async function listRedrives(options: CommandOptions, context: RedriveContext): Promise<void> {
  const { io, nowMs } = context;
  await withAws(options, context, async aws => {
    const { redrives, warnings } = await findRedrives(aws);
    const clients = factClients(aws);
    const looks = await Promise.all(redrives.map(redrive => lookAt(clients, redrive, nowMs, aws.unread)));
    warn(io, [...warnings, ...looks.flatMap(look => look.warnings)]);
    if (options.json) writeJson(io, { region: aws.region, redrives: looks.map(redriveDocument) });
    else io.stdout.write(listText(looks, aws.region, screenOf(io.stdout)));
  });
}

/**
 * `dlo redrive show`.
 * @throws BadInput when no redrive has the name, or more than one
 */
async function showRedrive(name: string, options: CommandOptions, context: RedriveContext): Promise<void> {
  const { io, nowMs } = context;
  await withAws(options, context, async aws => {
    const chosen = await choose(aws, name, io);
    const { redrive } = chosen;
    const look = await lookAt(factClients(aws), redrive, nowMs, aws.unread);
    const { seen, warnings } = look;
    if (!seen) {
      // Without its state, there is nothing more to show than in the list.
      if (options.json) writeJson(io, redriveDocument(look));
      else io.stdout.write(listText([look], aws.region, screenOf(io.stdout)));
      return;
    }
    warn(io, warnings);
    const site = { options, region: aws.region };
    const [whole, records] = await Promise.all([
      redriveReport(aws, site, seen, chosen, nowMs),
      lastRecords(aws, redrive, nowMs()),
    ]);
    if (options.json) writeJson(io, showDocument(whole, records));
    else io.stdout.write(showText(whole, records));
  });
}

/**
 * `dlo redrive stop` and `dlo redrive start`.
 * @throws BadInput when no redrive has the name, or more than one
 */
async function switchRedrive(
  name: string,
  action: RedriveSwitch,
  options: ChangeOptions,
  context: RedriveContext,
): Promise<void> {
  await withAws(options, context, async aws => {
    const { redrive, redrives } = await choose(aws, name, context.io);
    const plan = await switchPlan(aws, redrive, redrives, action);
    const work = async () => {
      await executeRedriveSwitch(aws, plan);
      return { document: {} };
    };
    const site = { options, region: aws.region };
    await planOrCarryOut({ ...plannedSwitch(plan), work }, { aws, site }, options, context);
  });
}

/**
 * `dlo redrive run`.
 */
async function runRedrive(name: string, options: ChangeOptions, context: RedriveContext): Promise<void> {
  const { io, nowMs } = context;
  const { execute = false, json } = options;
  await withAws(options, context, async aws => {
    const { redrive } = await choose(aws, name, io);
    const { seen, warnings } = await lookAt(factClients(aws), redrive, nowMs);
    if (!seen) return;
    warn(io, warnings);
    const prospect = prospectOf(seen);
    if (execute && prospect === 'kept') throw new Error(keptText(seen));
    const change = { command: 'redrive run', resource: redrive.name, details: {} };
    if (execute && prospect === 'begins') await withAudit(aws, options, context, change, () => askForRun(aws, seen));
    if (json) writeJson(io, askDocument(seen, execute));
    else io.stdout.write(askText(seen, execute, { options, region: aws.region }));
  });
}
