import { Command } from 'commander';
import { BadInput } from '../../account/errors';
import type { Io } from '../../bin/shared/io';
import { type QuestionSteps, questionPlanText, settleAssumptions } from './assumptions/settle';
import { type Outputs, STACK_NAME } from './stack';
import { type Account, type PricedTemplate, withTemporaryStack } from './temporary-stack';

/** The profiles of an AWS configuration, by name. */
type Profiles = Readonly<Record<string, { readonly region?: string | undefined } | undefined>>;

/** The side effects of a run. Each step rejects when `signal` is aborted. */
export interface Steps {
  /** Whether there is a terminal on which to ask. */
  readonly isAttended: boolean;
  profiles(): Promise<Profiles>;
  /** @throws Error that says what is wrong with the credentials */
  account(profile: string, region: string): Promise<Account>;
  /** Synthesizes the stack. */
  template(): PricedTemplate;
  confirm(question: string): Promise<boolean>;
  deploy(account: Account, signal: AbortSignal): Promise<Outputs>;
  /** Returns what is wrong with the deployed stack. */
  check(account: Account, outputs: Outputs, signal: AbortSignal): Promise<readonly string[]>;
  /** Returns where AWS differs from what we believe. */
  conformance(account: Account, signal: AbortSignal): Promise<readonly string[]>;
  /** Cannot be interrupted. */
  destroy(account: Account): Promise<void>;
  /** What `--assumptions` does instead. */
  readonly questions: QuestionSteps;
}

/** The options as the user gave them: `true` for an option without a value. */
interface Options {
  readonly profile?: string | true;
  readonly region?: string | true;
  readonly yes: boolean;
  readonly assumptions: boolean;
  readonly json: boolean;
}

/** The profile and Region to use. */
interface Target {
  readonly profile: string;
  readonly region: string;
}

const HELP = `
Exit codes: 0 all is well, or you said no; 1 something failed, or it was interrupted; 2 bad input.`;

/** `npm run integ`: the constructs and the conformance suite on a real account. */
export function integCommand(io: Io, steps: Steps): Command {
  return new Command('integ')
    .description('deploy a stack of ours to an AWS account, try it and AWS itself, and destroy it')
    .usage('--profile <name> [--region <region>] [--yes] [--assumptions [--json]]')
    .option('--profile [name]', 'of your AWS configuration: whose account is used')
    .option('--region [region]', "the Region (default: the profile's)")
    .option('--yes', 'do not ask first', false)
    .option('--assumptions', 'only ask AWS what docs/assumptions.md assumes, and print what it does', false)
    .option('--json', 'print what AWS does as JSON (with --assumptions)', false)
    .addHelpText('after', HELP)
    .allowUnknownOption()
    .allowExcessArguments()
    .action((options: Options, { args }: Command) => integ(options, args, io, steps));
}

const REGION = /^[a-z]{2,}(-[a-z]+)+-\d+$/;

function regionProblems(region: string | true | undefined, stated: string | true | undefined): string[] {
  if (region === undefined) return ['--region must be given, for the profile names none'];
  if (typeof region === 'string' && REGION.test(region)) return [];
  const whose = stated === undefined ? 'the Region of the profile' : '--region';
  return [`${whose} must be one such as eu-central-1, got ${region === true ? 'nothing' : JSON.stringify(region)}`];
}

/** Reads the arguments. @throws BadInput that names everything that is wrong with them */
function targetOf({ profile, region: stated }: Options, profiles: Profiles, others: readonly string[]): Target {
  const known = typeof profile === 'string' ? profiles[profile] : undefined;
  const region = stated ?? known?.region;
  const names = Object.keys(profiles).join(', ') || 'none';
  const problems = [
    ...(typeof profile === 'string' ? [] : ['--profile must be given: it says whose account is used']),
    ...(typeof profile === 'string' && !known
      ? [`there is no profile ${profile}: your AWS configuration has ${names}`]
      : []),
    ...(known || stated !== undefined ? regionProblems(region, stated) : []),
    ...others,
  ];
  if (problems.length > 0 || typeof profile !== 'string' || typeof region !== 'string') throw new BadInput(problems);
  return { profile, region };
}

async function integ(options: Options, unknown: readonly string[], io: Io, steps: Steps): Promise<void> {
  const { yes, assumptions, json } = options;
  const { profile, region } = targetOf(options, await steps.profiles(), [
    ...(unknown.length > 0 ? [`nothing is known of ${unknown.join(' ')}`] : []),
    ...(yes || steps.isAttended ? [] : ['it costs money, and nobody is there to be asked: pass --yes']),
    ...(json && !assumptions ? ['--json must be given with --assumptions only'] : []),
  ]);
  const account = await steps.account(profile, region);
  const { questions } = steps;
  const plan = assumptions ? questionPlanText(account, questions.template()) : planText(account, steps.template());
  const { stdout: said } = json ? { stdout: io.stderr } : io;
  said.write(plan);
  if (!yes && !(await steps.confirm('Go on? [y/N] '))) {
    said.write('Nothing was deployed.\n');
    return;
  }
  const failures = await (assumptions ? settleAssumptions(account, questions, io, json) : run(account, io, steps));
  if (failures.length > 0) throw new Error(failures.join('; '));
  if (!assumptions) io.stdout.write('All is well, and nothing is left behind but a key that waits for its deletion.\n');
}

/** Deploys, checks and destroys the stack. @returns a sentence for each problem */
function run(account: Account, io: Io, steps: Steps): Promise<readonly string[]> {
  return withTemporaryStack(STACK_NAME, account, steps, io, async (outputs, signal, report) => {
    report(await steps.check(account, outputs, signal));
    signal.throwIfAborted();
    report(await steps.conformance(account, signal));
  });
}

/** Monthly list prices of us-east-1 in US dollars, as in docs/deploy.md. Other resources cost nothing while idle. */
const A_MONTH = { alarmMetric: 0.1, key: 1 };

const HOURS_A_MONTH = 730;

function count(template: PricedTemplate, type: string): number {
  return Object.values(template.Resources).filter(({ Type }) => Type === type).length;
}

/** Returns what a resource costs a month. CloudWatch bills an alarm by the metrics that it reads. */
function dollarsAMonth({ Type, Properties }: PricedTemplate['Resources'][string]): number {
  if (Type === 'AWS::KMS::Key') return A_MONTH.key;
  if (Type !== 'AWS::CloudWatch::Alarm') return 0;
  const { Metrics = [{ MetricStat: {} }] } = Properties ?? {};
  return A_MONTH.alarmMetric * Metrics.filter(({ MetricStat }) => MetricStat !== undefined).length;
}

/** Returns what the stack costs an hour, in US dollars. */
export function dollarsAnHour(template: PricedTemplate): number {
  const monthly = Object.values(template.Resources).map(dollarsAMonth);
  return monthly.reduce((sum, price) => sum + price, 0) / HOURS_A_MONTH;
}

/** Describes what a run will do to an account, and what that costs. */
function planText(account: Account, template: PricedTemplate): string {
  const [queues, alarms, functions] = ['AWS::SQS::Queue', 'AWS::CloudWatch::Alarm', 'AWS::Lambda::Function'].map(type =>
    count(template, type),
  );
  return `Account ${account.id}, Region ${account.region}, as ${account.caller} (profile ${account.profile}).

1. Deploys the stack ${STACK_NAME}: two topics, ${queues} queues, ${alarms} alarms, ${functions} functions and a key.
   The account must be bootstrapped for the CDK.
2. Breaks it on purpose, and looks whether every message is kept and every alarm goes off.
3. Runs test/conformance, which makes and deletes queues, topics, functions, roles and alarms named dlo-conformance-….
4. Destroys the stack, whatever happened. The key is then scheduled for deletion in 7 days, at no charge.

It takes about an hour. For each hour the stack costs ${dollarsAnHour(template).toFixed(3)} US dollars, as alarms and keys are priced by the hour
(list prices of us-east-1), and the requests, some tens of thousands at about half a dollar a million, some cents more.
`;
}
