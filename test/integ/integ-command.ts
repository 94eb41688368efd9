import { Command } from 'commander';
import { BadInput, messageOf } from '../../bin/errors';
import type { Io } from '../../bin/io';
import { type Account, type PricedTemplate, planText } from './plan';
import { type Outputs, STACK_NAME } from './stack';

/** What a run does to the world outside. Each step rejects once `signal` is aborted. */
export interface Steps {
  /** Whether somebody can be asked. */
  readonly isAttended: boolean;
  /** @throws Error that says what is wrong with the credentials */
  account(profile: string, region: string | undefined): Promise<Account>;
  /** Synthesizes the stack. */
  template(): PricedTemplate;
  confirm(question: string): Promise<boolean>;
  deploy(account: Account, signal: AbortSignal): Promise<Outputs>;
  /** Answers what is wrong with the deployed stack. */
  check(account: Account, outputs: Outputs, signal: AbortSignal): Promise<readonly string[]>;
  /** Answers what is wrong with AWS, or with what we believe of it. */
  conformance(account: Account, signal: AbortSignal): Promise<readonly string[]>;
  /** Nothing interrupts it. */
  destroy(account: Account): Promise<void>;
}

interface Options {
  readonly profile: string;
  readonly region?: string;
  readonly yes: boolean;
}

const HELP = `
Exit codes: 0 all is well, or you said no; 1 something failed, or it was interrupted; 2 bad input.`;

/** `npm run integ`: the constructs and the conformance suite on a real account. */
export function integCommand(io: Io, steps: Steps): Command {
  return new Command('integ')
    .description('deploy a stack of ours to an AWS account, try it and AWS itself, and destroy it')
    .requiredOption('--profile <name>', 'of your AWS configuration: whose account is used')
    .option('--region <region>', "the Region (default: the profile's)")
    .option('--yes', 'do not ask first', false)
    .addHelpText('after', HELP)
    .action((options: Options) => integ(options, io, steps));
}

async function integ({ profile, region, yes }: Options, io: Io, steps: Steps): Promise<void> {
  if (!yes && !steps.isAttended) {
    throw new BadInput(['it costs money, and nobody is there to be asked: pass --yes']);
  }
  const account = await steps.account(profile, region);
  io.stdout.write(planText(account, steps.template()));
  if (!yes && !(await steps.confirm('Go on? [y/N] '))) {
    io.stdout.write('Nothing was deployed.\n');
    return;
  }
  const failures = await run(account, io, steps);
  if (failures.length > 0) throw new Error(failures.join('; '));
  io.stdout.write('All is well, and nothing is left behind but a key that waits for its deletion.\n');
}

/** Deploys, tries and destroys. @returns what went wrong, in a sentence each */
async function run(account: Account, io: Io, steps: Steps): Promise<readonly string[]> {
  const aborting = new AbortController();
  const { signal } = aborting;
  void io.interrupted().then(() => aborting.abort());
  const failures: string[] = [];
  try {
    const outputs = await steps.deploy(account, signal);
    failures.push(...(await steps.check(account, outputs, signal)));
    signal.throwIfAborted();
    failures.push(...(await steps.conformance(account, signal)));
  } catch (error) {
    failures.push(signal.aborted ? 'it was interrupted' : messageOf(error));
  }
  try {
    await steps.destroy(account);
  } catch (error) {
    const { profile, region } = account;
    const byHand = `aws cloudformation delete-stack --stack-name ${STACK_NAME} --profile ${profile} --region ${region}`;
    failures.push(`the stack may still be there, and cost money: ${messageOf(error)}. Try: ${byHand}`);
  }
  return failures;
}
