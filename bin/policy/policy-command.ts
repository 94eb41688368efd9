import { Command, InvalidArgumentError, Option } from 'commander';
import { BadInput } from '../../account/errors';
import { QUEUE_LIMITS } from '../../policy/aws-limits';
import { PRESET_NAMES, type PresetName } from '../../policy/delivery-policy/delivery-policy';
import { formatProblem } from '../../policy/problem';
import { DEFAULT_RELAY_TERMS } from '../../policy/relay/relay-limits';
import { DAY_SECONDS } from '../../policy/time-units';
import type { Io } from '../shared/io';
import { explainText } from './explain-text';
import { explain, explainRejection } from './explanation';
import { plotSvg } from './plot';
import {
  defaultRelaySubject,
  presetSubject,
  type Rejection,
  readRelaySubject,
  readSubject,
  type Subject,
} from './policy-subject';

interface ExplainOptions {
  readonly preset?: PresetName;
  readonly json?: boolean;
  readonly plot?: string;
  readonly raw?: boolean;
  readonly relay?: boolean;
  readonly retention?: number;
}

const RETENTION = {
  default: DEFAULT_RELAY_TERMS.retentionSeconds / DAY_SECONDS,
  most: QUEUE_LIMITS.retentionSeconds.max / DAY_SECONDS,
};

function daysOf(text: string): number {
  const days = Number(text);
  if (text.trim() !== '' && days > 0 && days <= RETENTION.most) return days;
  throw new InvalidArgumentError(`It must be a number of days above 0, and ${RETENTION.most} at most.`);
}

const ONE_SOURCE = 'policy explain needs one policy: a FILE, - for standard input, --preset NAME, or --relay';

function nameOf(file: string): string {
  return file === '-' ? 'standard input' : file;
}

async function readFile(file: string, options: ExplainOptions, io: Io): Promise<Subject | Rejection> {
  const { raw = false, relay = false, retention = RETENTION.default } = options;
  const text = (await io.readText(file)).replace(/^\uFEFF/, '');
  if (text.trim() === '') throw new BadInput([`${nameOf(file)}: is empty, and a delivery policy was expected`]);
  if (!relay) return readSubject(nameOf(file), text, raw);
  return readRelaySubject(nameOf(file), text, { retentionSeconds: retention * DAY_SECONDS });
}

async function subjectOf(file: string | undefined, options: ExplainOptions, io: Io): Promise<Subject | Rejection> {
  if (options.retention !== undefined && !options.relay) throw new BadInput(['--retention is for --relay only']);
  if (file !== undefined && options.preset === undefined) return readFile(file, options, io);
  if (file === undefined && options.relay) return defaultRelaySubject();
  if (file === undefined && options.preset !== undefined) return presetSubject(options.preset);
  throw new BadInput([ONE_SOURCE]);
}

async function explainPolicy(file: string | undefined, options: ExplainOptions, io: Io): Promise<void> {
  const subject = await subjectOf(file, options, io);
  const rejected = 'problems' in subject;
  const explanation = rejected ? explainRejection(subject) : explain(subject);
  if (options.json) io.stdout.write(`${JSON.stringify(explanation)}\n`);
  if (rejected) {
    throw new BadInput(subject.problems.map(problem => `${nameOf(file ?? '')}: ${formatProblem(problem)}`));
  }
  for (const warning of subject.warnings) io.stderr.write(`dlo: warning: ${nameOf(file ?? '')}: ${warning}\n`);
  if (!options.json) io.stdout.write(explainText(subject, explanation));
  if (options.plot !== undefined)
    await io.writeText(options.plot, plotSvg(subject.title, subject.policy.healthyRetryPolicy));
}

const FORMS = `
FILE has a delivery policy as JSON, in one of the two forms of SNS:
  a subscription's  {"healthyRetryPolicy": {...}, "throttlePolicy": {...}, "requestPolicy": {...}}
  a topic's         {"http": {"defaultHealthyRetryPolicy": {...}, "disableSubscriptionOverrides": false, ...}}

Exit codes: 0 success, 1 failure, 2 bad input, with every problem of the policy on stderr.`;

/** `dlo policy`: explains a delivery policy. */
export function policyCommand(io: Io): Command {
  const explainCommand = new Command('explain')
    .description('show when each retry of a delivery policy happens, or all problems of the policy')
    .argument('[FILE]', 'a delivery policy as JSON; - reads standard input')
    .addOption(new Option('--preset <name>', "explain one of SNS's own policies").choices(PRESET_NAMES))
    .option('--json', 'print the schedule as JSON')
    .option('--plot <file.svg>', 'draw the delay of each retry')
    .option('--raw', 'the subscription has raw message delivery, which allows more content types')
    .addOption(
      new Option(
        '--relay',
        'check the policy against the limits of an HttpRelay, and say when its queue is full (without FILE: the default policy)',
      ).conflicts(['preset', 'raw']),
    )
    .addOption(
      new Option(
        '--retention <days>',
        `how long the relay's queue keeps messages (default: ${RETENTION.default})`,
      ).argParser(daysOf),
    )
    .addHelpText('after', FORMS)
    .action((file: string | undefined, options: ExplainOptions) => explainPolicy(file, options, io));
  return new Command('policy').addCommand(explainCommand);
}
