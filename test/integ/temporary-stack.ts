import { messageOf } from '../../account/errors';
import type { Io } from '../../bin/shared/io';

/** The account that a run is about to use. */
export interface Account {
  readonly profile: string;
  readonly id: string;
  /** The ARN of the caller. */
  readonly caller: string;
  readonly region: string;
}

/** The metrics of an alarm that has more than one. */
interface PricedProperties {
  readonly Metrics?: readonly { readonly MetricStat?: object }[];
}

/** The parts of a template that have a price. */
export interface PricedTemplate {
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties?: PricedProperties }>>;
}

/** How a stack is deployed and destroyed. */
interface StackSteps<Outputs> {
  /** Rejects when `signal` is aborted. */
  deploy(account: Account, signal: AbortSignal): Promise<Outputs>;
  /** Cannot be interrupted. */
  destroy(account: Account): Promise<void>;
}

/**
 * Deploys a stack, works with it, and destroys it whatever happened. An interruption aborts `signal`.
 * @param work reports a sentence for each problem that it finds
 * @returns a sentence for each problem
 */
export async function withTemporaryStack<Outputs>(
  stackName: string,
  account: Account,
  steps: StackSteps<Outputs>,
  io: Io,
  work: (outputs: Outputs, signal: AbortSignal, report: (problems: readonly string[]) => void) => Promise<void>,
): Promise<readonly string[]> {
  const aborting = new AbortController();
  const { signal } = aborting;
  void io.interrupted().then(() => aborting.abort());
  const failures: string[] = [];
  try {
    await work(await steps.deploy(account, signal), signal, problems => failures.push(...problems));
  } catch (error) {
    failures.push(signal.aborted ? 'it was interrupted' : messageOf(error));
  }
  try {
    await steps.destroy(account);
  } catch (error) {
    const { profile, region } = account;
    const byHand = `aws cloudformation delete-stack --stack-name ${stackName} --profile ${profile} --region ${region}`;
    failures.push(`the stack may still be there, and cost money: ${messageOf(error)}. Try: ${byHand}`);
  }
  return failures;
}
